/** A format's own file: what differs from the shared files. */
import { z } from 'zod';
import { AFTER_PENDING, elsewhere, FORMAT, GUARD, group, NETWORK, one, setOf } from './declare';
import { afterPending, name, numbers, routeSchema, someWords } from './parts';
import { fieldsOfReply } from './values';
import { replySchema } from './replies';
import { signalSchema } from './signals';

const formatOperationSchema = z.strictObject({
  routes: z
    .array(routeSchema)
    .min(1, 'expected at least one')
    .optional()
    .describe('Addresses that only this format has. Without `proof` and `login` its scripts are met at them alone.')
    .meta(
      setOf(
        'routes',
        'by kind of operation',
        '{2}: addresses of format {1}',
        '{2} is also served at {item}, as format {1}',
        '{2} is no longer served at {item} as format {1}',
      ),
    ),
  fields: z
    .record(
      name,
      z.strictObject({
        from: someWords
          .describe('Spellings that this format alone uses.')
          .meta(
            setOf(
              'set',
              'by field',
              '{2}: field {3}: spellings of format {1}',
              '{2}: field {3} is also read from `{item}` (format {1})',
              '{2}: field {3} is no longer read from `{item}` (format {1})',
            ),
          )
          .optional(),
        numbers: numbers
          .optional()
          .describe('What a number of these scripts stands for, of a field that no table reads; a number not listed is itself.')
          .meta(one('numbers', NETWORK, '{2}: field {3}: number {4} of format {1}')),
      }),
    )
    .optional()
    .describe('Further spellings that this format uses, and numbers of its own.'),
  after_pending: afterPending
    .optional()
    .meta(one('constant', AFTER_PENDING, '{2} in format {1}: once a script has heard pending')),
  reply: replySchema.optional().meta(group({ named: '{2} in format {1}: the reply', reply: '{2} in format {1}: reply' })),
});

/** A format's own file: what differs from the shared files. */
export const formatFileSchema = z
  .strictObject({
    format: name
      .describe('The id of the format; `/<id>/` before any path pins it.')
      .meta(elsewhere)
      .meta({ standIn: 'unreadable' }),
    title: z
      .string()
      .describe('For people.')
      .meta(one('constant', 'plain', 'format {1}: title'))
      .meta({ standIn: '?' }),
    numbers: z
      .record(
        name,
        numbers.meta(
          one('numbers', NETWORK, '{2} number {3} of format {1}', { named: '{2} numbers of format {1}', keptEmpty: true }),
        ),
      )
      .optional()
      .describe('Per table, what a number means in this format.'),
    login: z
      .literal('basic')
      .optional()
      .describe('A Basic login is this format: its AccessToken carries the mark.')
      .meta(one('constant', FORMAT, 'format {1}: login')),
    after_pending: afterPending.optional().meta(one('constant', AFTER_PENDING, 'format {1}: once a script has heard pending')),
    proof: z
      .array(signalSchema('format', FORMAT, ['strong', 'medium', 'weak']))
      .min(1, 'expected at least one')
      .optional()
      .describe('What in a request speaks for this format.')
      .meta(group({ unnamed: true })),
    reply: replySchema
      .optional()
      .describe('What its scripts are told after every operation, lists apart; an operation of the format says it last.')
      .meta(group({ named: 'format {1}: the reply', reply: 'format {1}: reply' })),
    guard: z
      .literal('own')
      .optional()
      .describe(
        '`own`: its numbers are kept from the scripts of other formats: the numbering guard does not look into them, nor does a request that shows nothing of this format.',
      )
      .meta(one('constant', GUARD, 'format {1}: its numbers in the guard of others')),
    cure: z
      .string()
      .optional()
      .describe('What the numbering guard adds for the owner of such a script, such as where the mark of the format goes.')
      .meta(one('constant', 'plain', 'format {1}: cure in refusals')),
    operations: z.record(name, formatOperationSchema).optional().describe('What this format adds to shared operations.'),
    rows: z.record(name, fieldsOfReply).optional().describe('Shapes of list rows.').meta(elsewhere),
  })
  .meta(group({ named: 'format {1}', keptEmpty: true }));
