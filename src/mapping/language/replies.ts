/** Replies: what a script is told. */
import { z } from 'zod';
import { one, OUTCOME } from './declare';
import { name } from './parts';
import { fieldsOfReply, value } from './values';

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
  })
  .meta({
    id: 'reply',
    description:
      'What the script is told. What is said of the outcome beats `always`, whoever says it; after that later layers win: included blocks, then the operation, then the format. Several names may share a line: `oldbal, old_balance: $order.balance_before | naira`.',
  });
