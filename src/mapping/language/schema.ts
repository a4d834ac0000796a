/**
 * The schema of the mapping language. The types, the check of the form, the editors' JSON Schema, the reference page and the
 * comparison of `plan` are all derived from it. All objects are strict, so a misspelt key is a problem. `check.ts` checks the
 * meaning, `compile-value.ts` compiles values and conditions.
 */
import * as z from 'zod';
import { callerKeySchema, callerKindSchema, lookupKey, timingSchema, familySchema } from './callers';
import { entries, group, NETWORK, whole, OUTCOME, SAME_ORDER, setOf, plain, constant } from './declare';
import type { formatFileSchema } from './formats';
import { operationSchema } from './operations';
import { familyName, headerNames, name, numbers, nonEmptyWords } from './parts';
import { fieldsOfReply, replySchema, wordsOf } from './values';
import { tableSchema } from './tables';

export { formatFileSchema } from './formats';
export type { TakesPending } from './callers';
export { OPERATION_KINDS } from './operations';
export { CATALOG_LISTS, type AfterPending } from './parts';
export type { ValueSource } from './values';

/** A shared file: everything that does not belong to one format. Any shared file may have any of these sections. */
export const sharedFileSchema = z.strictObject({
  operations: z.record(name, operationSchema).optional().describe('What scripts can ask for, by name.'),
  tables: z
    .record(name, tableSchema)
    .optional()
    .describe('Words, numbers and ids of networks, providers, exams and the like, by name.'),
  other_numberings: z
    .array(
      z
        .strictObject({
          title: z
            .string()
            .describe('A name for people, used in refusals: whose numbering this is.')
            .meta(plain('other numbering “{1}”: title')),
          table: name
            .describe('The table whose values this numbering numbers.')
            .meta(constant(NETWORK, 'other numbering “{1}”: table')),
          numbers: numbers.meta(whole('numbers', NETWORK, 'number {2} of “{1}”')),
          sells_unported: z
            .boolean()
            .optional()
            .describe('Sell a number by this numbering if no format explains it and the phone number is not ported.')
            .meta(whole('flag', NETWORK, 'other numbering “{1}”: sells unported numbers')),
        })
        .meta(group({ named: 'other numbering “{1}”' })),
    )
    .optional()
    .describe('Numberings of other servers, known to the numbering guard.')
    .meta(group({ unnamed: true })),
  request_id: nonEmptyWords
    .optional()
    .describe("Spellings of the script's own id of an order.")
    .meta(setOf('set', SAME_ORDER, 'request id: spellings', 'the request id is [also|no longer] read from `{item}`')),
  request_id_headers: headerNames
    .optional()
    .describe(
      'Headers with the id of a request. If no spelling of `request_id` was sent, the first of these that was sent is the request id.',
    )
    .meta(whole('sequence', SAME_ORDER, 'request id: headers')),
  words: z
    .strictObject({
      success: wordsOf('success')
        .describe('Charged and delivered.')
        .meta({ standIn: { http: 200, status: 'success', Status: 'successful' } }),
      pending: wordsOf('pending')
        .describe('Charged but not confirmed, or the outcome is not known yet.')
        .meta({ standIn: { http: 200, status: 'pending', Status: 'processing' } }),
      failure: wordsOf('failure')
        .describe('Not charged, or refunded.')
        .meta({ standIn: { http: 400, status: 'fail', Status: 'failed' } }),
      unread: wordsOf('unread')
        .omit({ http: true })
        .optional()
        .describe(
          'Not sent, while it cannot be read whether the same was sold before. Without these words it is told as a failure.',
        ),
    })
    .optional()
    .describe('HTTP status and status words by outcome: `$words` in replies.'),
  texts: z
    .record(name, z.string())
    .optional()
    .describe('The text of a reply when v1 sent no message, by outcome.')
    .meta(entries(constant(OUTCOME, 'text of {1}'))),
  blocks: z
    .record(name, replySchema)
    .optional()
    .describe('Reply fields that operations include.')
    .meta(entries(group({ named: 'block {1}', keptEmpty: true, reply: 'block {1}' }))),
  rows: z
    .record(name, fieldsOfReply.meta(whole('fields', 'by row column', 'rows {1}', { named: 'rows {1}', keptEmpty: true })))
    .optional()
    .describe('Shapes of list rows, by name.'),
  callers: z
    .strictObject({
      kinds: z
        .record(name, callerKindSchema)
        .optional()
        .describe('Kinds of callers, recognised by User-Agent and headers. The first that fits counts.'),
      keys: z
        .record(
          z
            .string()
            .regex(/^[0-9a-f]{32}$/, 'expected a fingerprint of 32 hex digits')
            .meta({ rule: 'bad-fingerprint' }),
          callerKeySchema,
        )
        .optional()
        .describe('Single keys, by fingerprint (`compat-gateway fingerprint` prints it).'),
    })
    .optional()
    .describe('Kinds of callers and single keys, and how long they wait.'),
  families: z
    .record(familyName, familySchema)
    .optional()
    .describe(
      'Groups of scripts that read replies in the same way. A family changes replies and patience, never what is bought.',
    ),
  timing: timingSchema.optional().describe('Time limits of orders and calls.'),
  lookup_key: lookupKey.optional(),
});

export type SharedFile = z.infer<typeof sharedFileSchema>;
export type FormatFile = z.infer<typeof formatFileSchema>;
export type OperationSource = z.infer<typeof operationSchema>;
export type FieldSource = NonNullable<OperationSource['fields']>[string];
export type TableSource = NonNullable<SharedFile['tables']>[string];
export type ReplySource = NonNullable<OperationSource['reply']>;
export type SignalSource = NonNullable<FormatFile['proof']>[number];
export type FamilySource = NonNullable<SharedFile['families']>[string];
export type CallerKindSource = NonNullable<NonNullable<SharedFile['callers']>['kinds']>[string];
export type CallerKeySource = NonNullable<NonNullable<SharedFile['callers']>['keys']>[string];
export type Timing = NonNullable<SharedFile['timing']>;
export type OutcomeWords = NonNullable<SharedFile['words']>['success'];
