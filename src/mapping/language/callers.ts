/** The schema of callers, their patience and limits, of the times of an order, and of families. */
import * as z from 'zod';
import { looksLikeKey } from '../../domain/credentials';
import {
  AFTER_PENDING,
  entries,
  FAMILY,
  FORMAT,
  group,
  GUARD,
  LISTS,
  money,
  NETWORK,
  one,
  PAUSE,
  REPLAY,
  setOf,
} from './declare';
import { signalSchema } from './formats';
import { afterPending, duration, familyName, forPeople, headerNames, name, numbers, positive, someWords } from './parts';
import { fieldsOfReply, replySchema, wordsOf } from './values';

/** The longest note or contact, and the longest refusal of a paused script, in characters. */
const OWNER_TEXT_MAX = 200;
const TITLE = /^(?! )[\p{L}\p{N} .,&/()'_-]{1,40}(?<! )$/u;
const RESERVED_TITLE = /^(?:other|[0-9a-f]{8,})$|\(sandbox\)$/i;

export const timingSchema = z.strictObject({
  reconnect: duration
    .describe('How long an upstream that refuses connections is tried again.')
    .meta(one('constant', 'plain', 'timing: reconnect, ms')),
  pursue: duration
    .describe('How long an open order is pursued after the script has had its answer.')
    .meta(one('constant', 'plain', 'timing: pursue, ms')),
  try: duration.describe('One try of a purchase, connect to last byte.').meta(one('constant', 'plain', 'timing: try, ms')),
  read: duration.describe('One read or lookup.').meta(one('constant', 'plain', 'timing: read, ms')),
  quiet: duration
    .describe('How long after its last try an order that v1 does not list counts as never sent.')
    .meta(one('constant', money('decides when an order counts as never sent'), 'timing: quiet, ms')),
  overdue: duration
    .describe('The age at which an order without a final outcome is reported loudly.')
    .meta(one('constant', 'plain', 'timing: overdue, ms')),
  replay: duration
    .optional()
    .describe(
      'How long after it was told a success is told again to a repeat of it, and how long a request without an id may repeat an order; 10m unless said otherwise.',
    )
    .meta(one('constant', REPLAY, 'timing: replay, ms')),
});
export const callerKindSchema = z
  .strictObject({
    user_agents: someWords
      .optional()
      .describe('User-Agents of this kind; "" is none at all, a final * matches any rest.')
      .meta(
        setOf(
          'agents',
          'by kind of caller',
          'callers {1}: User-Agents',
          'callers {1}: also `{item}`',
          'callers {1}: no longer `{item}`',
        ),
      ),
    headers: headerNames
      .optional()
      .describe('Headers that a request of this kind has, all of them, whatever they hold.')
      .meta(
        setOf(
          'agents',
          'by kind of caller',
          'callers {1}: headers',
          'callers {1}: only with the header `{item}`',
          'callers {1}: also without the header `{item}`',
        ),
      ),
    patience: duration
      .describe('How long it waits for the end of an order.')
      .meta(one('constant', 'plain', 'callers {1}: patience, ms')),
    after_pending: afterPending.optional().meta(one('constant', AFTER_PENDING, 'callers {1}: once they have heard pending')),
  })
  .meta(group({ named: 'callers {1}', keptEmpty: true }));

/** Whether a text contains no API key. A key that was put here by mistake is reported without its text. */
const withoutKey = (text: string): boolean => !text.split(/[\s:'"`]+/).some(looksLikeKey);
const HOLDS_KEY = {
  message: 'this looks like an API key: callers are named by fingerprints, and their keys stand nowhere',
  params: { rule: 'secret-literal' },
};
const ownerText = z
  .string()
  .trim()
  .min(1, 'expected a text')
  .max(OWNER_TEXT_MAX, `expected at most ${OWNER_TEXT_MAX} characters`)
  .refine(withoutKey, HOLDS_KEY);

const title = z
  .string()
  .regex(TITLE, "expected 1 to 40 letters, digits, blanks and .,&/()'_-, such as Ada or Kano Shop 2")
  .refine((text) => !RESERVED_TITLE.test(text), {
    message: 'this cannot be told from a fingerprint or from `other`',
    params: { rule: 'bad-title' },
  })
  .refine(withoutKey, HOLDS_KEY)
  .meta({ rule: 'bad-title' });

const limitSchema = z.strictObject({
  purchases: positive
    .optional()
    .describe('So many purchases in a minute.')
    .meta(one('constant', PAUSE, 'key {1}: most purchases in a minute')),
  naira: positive
    .optional()
    .describe('So much naira in a day of TIME_ZONE.')
    .meta(one('constant', PAUSE, 'key {1}: most naira in a day')),
});

export const callerKeySchema = z
  .strictObject({
    title: title
      .optional()
      .describe('What this caller is called wherever a fingerprint would be shown: a short name, of no other key.')
      .meta(one('constant', 'plain', 'key {1}: title')),
    note: ownerText
      .optional()
      .describe('For operators.')
      .meta(one('constant', 'plain', 'key {1}: note')),
    contact: ownerText
      .optional()
      .describe('How its owner is reached; shown in the console alone.')
      .meta(one('constant', 'plain', 'key {1}: contact')),
    paused: z
      .union([z.boolean(), ownerText], 'expected `true`, or the text that its scripts are told')
      .optional()
      .describe(
        'Its purchases are refused before anything is written or sent, with this text or our own. What is known of earlier orders is still told.',
      )
      .meta(one('flag', PAUSE, 'key {1}: paused')),
    limit: limitSchema
      .optional()
      .describe('How much this key may buy; what goes beyond is refused before anything is written or sent.')
      .meta(group({})),
    sandbox: z
      .boolean()
      .optional()
      .describe('Its purchases and questions go to the embedded sandbox instead of v1: nothing is really sold.')
      .meta(one('flag', money('decides whether what is sold is real'), 'key {1}: sent to the sandbox')),
    wallet_below: positive
      .optional()
      .describe('The wallet balance in naira below which operators are warned.')
      .meta(one('constant', 'plain', 'key {1}: wallet warned of below, naira')),
    format: name
      .optional()
      .describe('The format of this script, whatever its requests look like.')
      .meta(one('constant', FORMAT, 'key {1}: format')),
    family: familyName
      .optional()
      .describe('The family of this script, whatever its requests look like; it brings its format along.')
      .meta(one('constant', FAMILY, 'key {1}: family')),
    guard: z
      .enum(['on', 'off'])
      .optional()
      .describe('The numbering guard; on unless said otherwise.')
      .meta(one('guard', GUARD, 'key {1}: numbering guard')),
    patience: z
      .union([duration, z.record(name, duration)], 'expected a duration such as 10s, or durations by operation and `default`')
      .optional()
      .describe('How long this script waits for the end of an order: a duration, or durations by operation, with `default`.')
      .meta(one('constant', 'plain', 'key {1}: patience, ms')),
    after_pending: z
      .union([afterPending, z.record(name, afterPending)], 'expected look or buy, or one of them by operation and `default`')
      .optional()
      .describe('What is done with an open order of this script once it has heard pending: `look` or `buy`, or by operation.')
      .meta(one('constant', AFTER_PENDING, 'key {1}: once it has heard pending')),
    replay: z
      .union([z.literal('always'), duration], 'expected `always` or a duration such as 30m')
      .optional()
      .describe('How long after it was told a success is told again to a repeat of its request id, for this script.')
      .meta(one('constant', REPLAY, 'key {1}: replay')),
    numbers: z
      .record(
        name,
        numbers.meta(one('numbers', NETWORK, 'key {1}: {2} number {3}', { named: '{2} numbers of key {1}', keptEmpty: true })),
      )
      .optional()
      .describe('Per table, what a number of this script means: its number to ours. They go before the numbers of any format.'),
    unlisted: z
      .record(name, z.enum(['refuse', 'pass']))
      .optional()
      .describe(
        'Per table of `numbers`, what becomes of a number that is not listed there: refuse (unless said otherwise), or pass, as if this script had no numbers of its own.',
      )
      .meta(entries(one('constant', NETWORK, 'key {1}: {2} numbers that are not listed'))),
    lists: z
      .record(name, fieldsOfReply.meta(one('fields', LISTS, 'key {1}: shape of {2}')))
      .optional()
      .describe(
        'How lists are wrapped for this script: by operation, and `default` for every bare array. `$list` is the list itself.',
      ),
  })
  .meta(group({ named: 'key {1}', keptEmpty: true }));

/** A number of v1 calls. */
const calls = positive.meta({ standIn: 1 });

export const lookupKey = z
  .strictObject({
    calls: calls.describe('So many calls of one address (IPv6: of its /64)…').meta(one('constant', 'plain', 'lookup key: calls')),
    window: duration.describe('…in so much time.').meta(one('constant', 'plain', 'lookup key: window, ms')),
    total: calls
      .optional()
      .describe('So many calls v1 allows the key in that time, its owner’s own among them. Absent: they are not counted.')
      .meta(one('constant', 'plain', 'lookup key: calls of all')),
    owner: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe('So many of `total` are kept for the owner of the key; the others are shared fairly. Absent: none.')
      .meta(one('constant', 'plain', 'lookup key: calls kept for its owner')),
    remember: duration
      .optional()
      .describe('How long a name that was found is told again to the same address without asking v1. Absent: it is not.')
      .meta(one('constant', 'plain', 'lookup key: what was found is told again for, ms')),
    seller: z
      .strictObject({
        calls: calls
          .describe('So many calls with one key…')
          .meta(one('constant', 'plain', 'lookups by the key that sold there: calls')),
        window: duration
          .describe('…in so much time; v1 itself counts the lookups of a key.')
          .meta(one('constant', 'plain', 'lookups by the key that sold there: window, ms')),
        within: duration
          .describe('How long after its last sale a key serves the address that it sold from.')
          .meta(one('constant', 'plain', 'lookups by the key that sold there: time after its sale, ms')),
      })
      .optional()
      .describe("The key that sold from this address last is asked first, the operator's key after that. Absent: never."),
  })
  .describe("How often one address may look up with the operator's key, and all of them together.");

/** What a script does with an order once it has heard "pending". */
const takesPending = z
  .enum(['keeps', 'refunds', 'sells'])
  .describe(
    'What such a script does with an order that it hears is pending: it keeps it open, refunds its customer, or delivers.',
  );

const patience = duration.describe('How long such a script waits for the end of an order.');

export const familySchema = z
  .strictObject({
    title: forPeople('For people.', 'family {1}: title'),
    scripts: forPeople('Which real scripts these are.', 'family {1}: scripts'),
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
        'What of `words` is told otherwise to this family. Its HTTP status of a success holds for sales alone, that of a failure for every failure, refusals too.',
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
