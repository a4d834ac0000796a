/** The schema of a format's file, and of the signals of formats and families. */
import * as z from 'zod';
import { AFTER_PENDING, elsewhere, FORMAT, GUARD, group, NETWORK, one, setOf, type Judgement } from './declare';
import { afterPending, forPeople, name, numbers, routeSchema, someWords, word } from './parts';
import { fieldsOfReply, replySchema } from './values';

const LAYOUTS = ['compact', 'spaced', 'by_hand'] as const;
export type Layout = (typeof LAYOUTS)[number];

/** The owner of a signal, `format` or `family`, for sentences about changes, and their judgement. */
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

/** A signal applies when all its conditions apply. */
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

/** A format's file: everything that differs from the shared files. */
export const formatFileSchema = z
  .strictObject({
    format: name
      .describe('The id of the format; `/<id>/` before any path pins it.')
      .meta(elsewhere)
      .meta({ standIn: 'unreadable' }),
    title: forPeople('For people.', 'format {1}: title'),
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
