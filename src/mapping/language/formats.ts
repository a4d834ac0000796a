/** The schema of a format's file, and of the signals of formats and families. */
import * as z from 'zod';
import {
  AFTER_PENDING,
  elsewhere,
  FORMAT,
  GUARD,
  group,
  NETWORK,
  whole,
  setOf,
  type Judgement,
  plain,
  constant,
} from './declare';
import { afterPending, humanText, name, numbers, routeSchema, nonEmptyWords, word } from './parts';
import { fieldsOfReply, replySchema } from './values';

const LAYOUTS = ['compact', 'spaced', 'by_hand'] as const;
export type Layout = (typeof LAYOUTS)[number];

/** The owner of a signal, `format` or `family`, for sentences about changes, and their judgement. */
interface Words {
  readonly whose: string;
  readonly judged: Judgement;
}

const titleOf = ({ whose }: Words, what: string): string => `${whose} {1}, proof “{2}”: ${what}`;
const declareFor = (words: Words) => (what: string) => constant(words.judged, titleOf(words, what));

const fieldNames = (words: Words, title: string, what: string, change: string) =>
  nonEmptyWords
    .optional()
    .describe(title)
    .meta(setOf('set', words.judged, titleOf(words, what), titleOf(words, `\`{item}\` ${change}`)));

const fieldConditions = (words: Words, condition = declareFor(words)) => ({
  any_field: nonEmptyWords
    .optional()
    .describe('One of these fields was sent.')
    .meta(
      setOf(
        'set',
        words.judged,
        titleOf(words, 'any field'),
        `${words.whose} {1}: field \`{item}\` [speaks|no longer speaks] for it`,
      ),
    ),
  all_fields: fieldNames(words, 'All of these fields were sent.', 'all fields', '[must be there as well|need not be there]'),
  no_field: fieldNames(words, 'None of these fields was sent.', 'absent fields', '[must be absent as well|may be there]'),
  field: word.optional().describe('With `is`: this field holds one of these words.').meta(condition('field')),
  is: nonEmptyWords
    .optional()
    .describe('With `field`: the words.')
    .meta(setOf('words', words.judged, titleOf(words, 'words'), titleOf(words, '[also|no longer] `{item}`'))),
  types: z
    .record(z.string(), z.enum(['text', 'number', 'flag', 'list', 'object', 'null']))
    .optional()
    .describe('These fields were sent as JSON values of these types; in a form every value is text.')
    .meta(condition('types of fields')),
  order: z
    .array(word)
    .min(2, 'expected at least two fields')
    .optional()
    .describe('These fields were sent in this order; other fields may stand between them.')
    .meta(whole('sequence', words.judged, titleOf(words, 'order of fields'))),
  layout: z
    .enum(LAYOUTS)
    .optional()
    .describe(
      'How the JSON of the body is written: `compact` without blanks (PHP, JavaScript), `spaced` with one blank after each colon and comma (Python), `by_hand` in any other way.',
    )
    .meta(condition('layout of the body')),
});

const otherConditions = (words: Words, condition = declareFor(words)) => ({
  headers: z
    .record(
      z.string().regex(/^[A-Za-z0-9-]+$/, 'expected the name of a header, such as Accept'),
      z.union([word, nonEmptyWords]).transform((said) => (Array.isArray(said) ? said : [said])),
    )
    .optional()
    .describe(
      'Headers by name, each with the values that it may have. `*` is any value, a final `*` any rest; "" means that the header was not sent.',
    )
    .meta(condition('headers')),
  path: z
    .string()
    .regex(/^\/[^:]*$/, 'expected an address without `:name`, such as /api/topup')
    .optional()
    .describe('The address. `/api/epin|exam` is two.')
    .meta(condition('address')),
  spelled: z
    .literal('exactly')
    .optional()
    .describe('With `path`: the trailing slash must match too.')
    .meta(condition('spelling of the address')),
  auth: z
    .enum(['basic', 'token', 'bearer'])
    .optional()
    .describe('The scheme of the Authorization header.')
    .meta(condition('authorization')),
});

const WEIGHT_OF_FORMAT =
  '`strong` decides, unless another format has a strong signal too; `medium` contests a single strong signal of another format; `weak` breaks a tie.';
const WEIGHT_OF_FAMILY = 'One strong signal proves the family; so do two medium signals.';

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
        .meta(declareFor(words)('weight')),
      ...fieldConditions(words),
      ...otherConditions(words),
    })
    .describe(`A sign in a request that it is of this ${whose}. All conditions of one signal must hold.`)
    .meta(group({ named: `${whose} {1}: proof “{2}”` }));
};

const formatOperationSchema = z.strictObject({
  routes: z
    .array(routeSchema)
    .min(1, 'expected at least one')
    .optional()
    .describe(
      'Addresses that only this format has. Without `proof` and `login`, its scripts are recognised by these addresses only.',
    )
    .meta(
      setOf(
        'routes',
        'by kind of operation',
        '{2}: addresses of format {1}',
        '{2} is [also|no longer] served at {item}[,|] as format {1}',
      ),
    ),
  fields: z
    .record(
      name,
      z.strictObject({
        from: nonEmptyWords
          .describe(
            'Further spellings of this field, which scripts of this format send. A request of any format is read by them.',
          )
          .meta(
            setOf(
              'set',
              'by field',
              '{2}: field {3}: spellings of format {1}',
              '{2}: field {3} is [also|no longer] read from `{item}` (format {1})',
            ),
          )
          .optional(),
        numbers: numbers
          .optional()
          .describe(
            'What a number of these scripts means, for a field that no table reads. A number that is not listed is used as sent.',
          )
          .meta(whole('numbers', NETWORK, '{2}: field {3}: number {4} of format {1}')),
      }),
    )
    .optional()
    .describe('Spellings and numbers of fields that this format adds. Its numbers hold in this format alone.'),
  after_pending: afterPending.optional().meta(constant(AFTER_PENDING, '{2} in format {1}: once a script has heard pending')),
  reply: replySchema.optional().meta(group({ named: '{2} in format {1}: the reply', reply: '{2} in format {1}: reply' })),
});

/** A format's file: everything that differs from the shared files. */
export const formatFileSchema = z
  .strictObject({
    format: name
      .describe('The id of the format. An address that begins with `/<id>/` is of this format.')
      .meta(elsewhere)
      .meta({ standIn: 'unreadable' }),
    title: humanText('A name for people.', 'format {1}: title'),
    numbers: z
      .record(
        name,
        numbers.meta(
          whole('numbers', NETWORK, '{2} number {3} of format {1}', { named: '{2} numbers of format {1}', keptEmpty: true }),
        ),
      )
      .optional()
      .describe('By table, what a number means in this format.'),
    login: z
      .literal('basic')
      .optional()
      .describe('A Basic login is of this format, and so are later requests with the AccessToken that it returned.')
      .meta(constant(FORMAT, 'format {1}: login')),
    after_pending: afterPending.optional().meta(constant(AFTER_PENDING, 'format {1}: once a script has heard pending')),
    proof: z
      .array(signalSchema('format', FORMAT, ['strong', 'medium', 'weak']))
      .min(1, 'expected at least one')
      .optional()
      .describe('Signals that a request is of this format.')
      .meta(group({ unnamed: true })),
    reply: replySchema
      .optional()
      .describe(
        'Reply fields of this format for every operation except lists. `reply` of an operation of this format is a later layer.',
      )
      .meta(group({ named: 'format {1}: the reply', reply: 'format {1}: reply' })),
    guard: z
      .literal('own')
      .optional()
      .describe(
        '`own`: the numbers of this format are compared only with requests that show a signal of it. The numbering guard does not use them for other formats.',
      )
      .meta(constant(GUARD, 'format {1}: its numbers in the guard of others')),
    cure: z
      .string()
      .optional()
      .describe(
        'What a refusal of the numbering guard adds for the owner of a script of this format: how to mark the format in requests.',
      )
      .meta(plain('format {1}: cure in refusals')),
    operations: z.record(name, formatOperationSchema).optional().describe('What this format adds to shared operations.'),
    rows: z.record(name, fieldsOfReply).optional().describe('Shapes of list rows, by name.').meta(elsewhere),
  })
  .meta(group({ named: 'format {1}', keptEmpty: true }));
