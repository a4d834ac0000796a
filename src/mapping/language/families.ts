/** Families: scripts of one origin, which are told the same in words of their own. */
import { z } from 'zod';
import { AFTER_PENDING, entries, FAMILY, group, one } from './declare';
import { duration, name } from './parts';
import { replySchema, wordsOf } from './replies';
import { signalSchema } from './signals';

/** What a script does with an order that it hears is pending. */
const takesPending = z
  .enum(['keeps', 'refunds', 'sells'])
  .describe(
    'What such a script does with an order that it hears is pending: it keeps it open, refunds its customer, or delivers.',
  );

const patience = duration.describe('How long such a script waits for the end of an order.');

export const familySchema = z
  .strictObject({
    title: z
      .string()
      .describe('For people.')
      .meta(one('constant', 'plain', 'family {1}: title'))
      .meta({ standIn: '?' }),
    scripts: z
      .string()
      .describe('Which real scripts these are.')
      .meta(one('constant', 'plain', 'family {1}: scripts'))
      .meta({ standIn: '?' }),
    extends: name
      .describe('The format of these scripts. A request of another format is never of this family.')
      .meta(one('constant', FAMILY, 'family {1}: format'))
      .meta({ standIn: 'unreadable' }),
    proof: z
      .array(signalSchema('family', FAMILY))
      .min(1, 'expected at least one')
      .optional()
      .describe('What in a request proves this family; without it only `family` in callers.yaml says so.')
      .meta(group({ unnamed: true })),
    patience: patience.optional().meta(one('constant', 'plain', 'family {1}: patience, ms')),
    pending: takesPending.optional().meta(one('constant', AFTER_PENDING, 'family {1}: pending')),
    words: z
      .strictObject({
        success: wordsOf('family {1}: success').partial().optional().describe('Charged and delivered.'),
        pending: wordsOf('family {1}: pending').partial().optional().describe('Charged, or its fate is not known yet.'),
        failure: wordsOf('family {1}: failure').partial().optional().describe('Not charged, or refunded.'),
      })
      .optional()
      .describe(
        'What of `words` is told otherwise to this family. Its HTTP status of a failure holds for every failure, refusals too.',
      )
      .meta(group({})),
    reply: replySchema
      .optional()
      .describe('What its scripts are told otherwise after every operation, lists apart.')
      .meta(group({ named: 'family {1}: the reply', reply: 'family {1}: reply' })),
    operations: z
      .record(
        name,
        z.strictObject({
          patience: patience.optional().meta(one('constant', 'plain', '{2} in family {1}: patience, ms')),
          pending: takesPending.optional().meta(one('constant', AFTER_PENDING, '{2} in family {1}: pending')),
          reply: replySchema.optional().meta(group({ named: '{2} in family {1}: the reply', reply: '{2} in family {1}: reply' })),
        }),
      )
      .optional()
      .describe('What is told otherwise after single operations.')
      .meta(entries(group({}))),
  })
  .meta(group({ named: 'family {1}', keptEmpty: true }));

export type TakesPending = z.infer<typeof takesPending>;
