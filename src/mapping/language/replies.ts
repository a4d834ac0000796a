/** Replies: what a script is told. */
import { z } from 'zod';
import { group, one, OUTCOME, setOf } from './declare';
import { name } from './parts';
import { fieldsOfReply, value } from './values';

/** How one outcome is told; `outcome` is its name in the words of a plan. */
export const wordsOf = (outcome: string) =>
  z.strictObject({
    http: z
      .number()
      .int()
      .min(200)
      .max(499)
      .describe('The HTTP status; a rejection keeps v1’s own.')
      .meta(one('constant', OUTCOME, `${outcome}: HTTP status`)),
    status: z
      .string()
      .describe('The word under `status`.')
      .meta(one('constant', OUTCOME, `${outcome}: word under \`status\``)),
    Status: z
      .string()
      .describe('The word under `Status`.')
      .meta(one('constant', OUTCOME, `${outcome}: word under \`Status\``)),
  });

const leftOut = (what: string) =>
  z
    .array(z.string())
    .min(1, 'expected at least one')
    .optional()
    .describe(`Fields that ${what} does not have, whatever earlier layers say.`)
    .meta(
      setOf(
        'set',
        OUTCOME,
        `{reply} to ${what}: fields left out`,
        `{reply} to ${what}: \`{item}\` is left out`,
        `{reply} to ${what}: \`{item}\` is no longer left out`,
      ),
    );

export const replySchema = z
  .strictObject({
    include: z
      .array(name)
      .min(1, 'expected at least one')
      .optional()
      .describe('Blocks to start from, in order.')
      .meta(one('sequence', OUTCOME, '{reply}: included blocks')),
    always: fieldsOfReply
      .optional()
      .describe('Fields of every outcome.')
      .meta(one('fields', 'by reply field', '{reply}')),
    success: z
      .union([fieldsOfReply, value])
      .optional()
      .describe('Fields of a success; or one list for a bare array, which takes no further fields.')
      .meta(one('fields', 'by reply field', '{reply} to a success')),
    pending: fieldsOfReply
      .optional()
      .describe('Fields while the order is pending or its fate unknown.')
      .meta(one('fields', 'by reply field', '{reply} while pending')),
    failure: fieldsOfReply
      .optional()
      .describe('Fields of a failure: nothing is charged, or it was refunded.')
      .meta(one('fields', 'by reply field', '{reply} to a failure')),
    without: z
      .strictObject({
        always: leftOut('any outcome'),
        success: leftOut('a success'),
        pending: leftOut('a pending order'),
        failure: leftOut('a failure'),
      })
      .optional()
      .describe('Fields of earlier layers that this one takes out again, by outcome.')
      .meta(group({})),
  })
  .meta({
    id: 'reply',
    description:
      'What the script is told. What is said of the outcome beats `always`, whoever says it; after that later layers win: included blocks, then the operation, then the format. Several names may share a line: `oldbal, old_balance: $order.balance_before | naira`.',
  });
