/** Families: scripts of one origin, which are told the same in words of their own. */
import { z } from 'zod';
import { AFTER_PENDING, entries, FAMILY, group, one, REPLAY } from './declare';
import { duration, name, numbers } from './parts';
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
      .array(signalSchema('family', FAMILY, ['strong', 'medium']))
      .min(1, 'expected at least one')
      .optional()
      .describe('What in a request proves this family; without it only `family` in callers.yaml says so.')
      .meta(group({ unnamed: true })),
    numbers: z
      .record(name, numbers.meta(one('numbers', 'plain', '{2} number {3} of family {1}')))
      .optional()
      .describe(
        'Per table, the numbers that its scripts come with where they are not those of the format. Nothing is bought by them: a key of this family needs them in callers.yaml.',
      ),
    request_id: z
      .enum(['none', 'header', 'fixed'])
      .optional()
      .describe(
        'Its habit with request ids where that is not one id for each sale: `none`, one in a `header` alone, or one `fixed` by what is bought. A sale with a fixed id is never told again as a success once its script has heard it: the next is another customer.',
      )
      .meta(one('constant', REPLAY, 'family {1}: request ids')),
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
