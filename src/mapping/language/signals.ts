/** Signals: what in a request speaks for a format, or proves a family. */
import { z } from 'zod';
import { group, one, setOf, type Judgement } from './declare';
import { someWords, word } from './parts';

const LAYOUTS = ['compact', 'spaced', 'by_hand'] as const;
export type Layout = (typeof LAYOUTS)[number];

/** How the conditions of a signal are said: of a `format` or a `family`. */
interface Words {
  readonly whose: string;
  readonly judged: Judgement;
}

const constant = ({ whose, judged }: Words, what: string) => one('constant', judged, `${whose} {1}, proof “{2}”: ${what}`);

const fieldNames = ({ whose, judged }: Words, says: string, what: string, [added, removed]: readonly [string, string]) =>
  someWords
    .optional()
    .describe(says)
    .meta(
      setOf(
        'set',
        judged,
        `${whose} {1}, proof “{2}”: ${what}`,
        `${whose} {1}, proof “{2}”: \`{item}\` ${added}`,
        `${whose} {1}, proof “{2}”: \`{item}\` ${removed}`,
      ),
    );

const fieldConditions = (words: Words) => ({
  any_field: someWords
    .optional()
    .describe('One of these fields was sent.')
    .meta(
      setOf(
        'set',
        words.judged,
        `${words.whose} {1}, proof “{2}”: any field`,
        `${words.whose} {1}: field \`{item}\` speaks for it`,
        `${words.whose} {1}: field \`{item}\` no longer speaks for it`,
      ),
    ),
  all_fields: fieldNames(words, 'All of these fields were sent.', 'all fields', ['must be there as well', 'need not be there']),
  no_field: fieldNames(words, 'None of these fields was sent.', 'absent fields', ['must be absent as well', 'may be there']),
  field: word.optional().describe('With `is`: this field holds one of these words.').meta(constant(words, 'field')),
  is: someWords
    .optional()
    .describe('With `field`: the words.')
    .meta(
      setOf(
        'words',
        words.judged,
        `${words.whose} {1}, proof “{2}”: words`,
        `${words.whose} {1}, proof “{2}”: also \`{item}\``,
        `${words.whose} {1}, proof “{2}”: no longer \`{item}\``,
      ),
    ),
  types: z
    .record(z.string(), z.enum(['text', 'number', 'flag', 'list', 'object', 'null']))
    .optional()
    .describe('These fields were sent as JSON values of these types; in a form every value is text.')
    .meta(constant(words, 'types of fields')),
  order: z
    .array(word)
    .min(2, 'expected at least two fields')
    .optional()
    .describe('These fields were sent, in this order, whatever stands between them.')
    .meta(one('sequence', words.judged, `${words.whose} {1}, proof “{2}”: order of fields`)),
  layout: z
    .enum(LAYOUTS)
    .optional()
    .describe(
      'How the JSON of the body is written: `compact` without blanks (PHP, JavaScript), `spaced` with one behind each colon and comma (Python), `by_hand` in any other way.',
    )
    .meta(constant(words, 'layout of the body')),
});

const otherConditions = (words: Words) => ({
  headers: z
    .record(
      z.string().regex(/^[A-Za-z0-9-]+$/, 'expected the name of a header, such as Accept'),
      z.union([word, someWords]).transform((said) => (Array.isArray(said) ? said : [said])),
    )
    .optional()
    .describe('Headers by name, each with what it may hold: `*` is any value, a final `*` any rest, and "" that it was not sent.')
    .meta(constant(words, 'headers')),
  path: z.string().startsWith('/').optional().describe('The request came to this address.').meta(constant(words, 'address')),
  spelled: z
    .literal('exactly')
    .optional()
    .describe('The trailing slash, or its absence, counts as well.')
    .meta(constant(words, 'spelling of the address')),
  auth: z
    .enum(['basic', 'token', 'bearer'])
    .optional()
    .describe('The scheme of the Authorization header.')
    .meta(constant(words, 'authorization')),
});

const WEIGHT_OF_FORMAT =
  'strong decides unless another format has one too; medium contests a single strong one of another format; weak breaks a tie.';
const WEIGHT_OF_FAMILY = 'One strong signal proves the family, and so do two medium ones.';

/** A signal applies when every condition that it names does. */
export const signalSchema = <Weight extends string>(
  whose: 'format' | 'family',
  judged: Judgement,
  weights: readonly Weight[],
) => {
  const words = { whose, judged };
  return z
    .strictObject({
      weight: z
        .enum(weights)
        .describe(whose === 'format' ? WEIGHT_OF_FORMAT : WEIGHT_OF_FAMILY)
        .meta(constant(words, 'weight')),
      ...fieldConditions(words),
      ...otherConditions(words),
    })
    .describe(`Something in a request that speaks for this ${whose}.`)
    .meta(group({ named: `${whose} {1}: proof “{2}”` }));
};
