/** The schema of callers, their patience and limits, of the times of an order, and of families. */
import * as z from 'zod';
import { looksLikeKey } from '../../domain/credentials';
import { switchOf } from '../describe-mistake';
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
  whole,
  PAUSE,
  REPLAY,
  setOf,
  plain,
  constant,
} from './declare';
import { signalSchema } from './formats';
import { afterPending, duration, familyName, humanText, headerNames, name, numbers, positive, word } from './parts';
import { fieldsOfReply, replySchema, wordsOf } from './values';

/** The longest note or contact, and the longest refusal of a paused script, in characters. */
const OWNER_TEXT_MAX = 200;
const TITLE = /^(?! )[\p{L}\p{N} .,&/()'_-]{1,40}(?<! )$/u;
const RESERVED_TITLE = /^(?:other|[0-9a-f]{8,})$|\(sandbox\)$/i;

export const timingSchema = z.strictObject({
  reconnect: duration
    .describe('How long the gateway retries while v1 refuses connections. After that the script hears that nothing was sent.')
    .meta(plain('timing: reconnect, ms')),
  pursue: duration
    .describe('How long the gateway goes on with an open order after its script has had a reply.')
    .meta(plain('timing: pursue, ms')),
  try: duration
    .describe('The time limit of one attempt of a purchase, from connect to last byte.')
    .meta(plain('timing: try, ms')),
  read: duration.describe('The time limit of one read or lookup.').meta(plain('timing: read, ms')),
  quiet: duration
    .describe("An order that is missing in v1's history this long after its last attempt counts as never sent.")
    .meta(constant(money('decides when an order counts as never sent'), 'timing: quiet, ms')),
  overdue: duration
    .describe('From this age on, an order without a final outcome is logged as an error.')
    .meta(plain('timing: overdue, ms')),
  replay: duration
    .optional()
    .describe(
      'After a script has heard a success: how long a repeat of the order gets the same success again. Also how long a request without an id can be a repeat. Default: 10m.',
    )
    .meta(constant(REPLAY, 'timing: replay, ms')),
});
export const callerKindSchema = z
  .strictObject({
    user_agents: z
      .array(word.refine((pattern) => !/\*./.test(pattern), 'a `*` stands for any rest, so it must be the last character'))
      .min(1, 'expected at least one')
      .optional()
      .describe('User-Agents of this kind. "" means that no User-Agent was sent; a final * matches any rest.')
      .meta(setOf('agents', 'by kind of caller', 'callers {1}: User-Agents', 'callers {1}: [also|no longer] `{item}`')),
    headers: headerNames
      .optional()
      .describe('Headers that a request of this kind must have, all of them, with any value.')
      .meta(
        setOf('agents', 'by kind of caller', 'callers {1}: headers', 'callers {1}: [only with|also without] the header `{item}`'),
      ),
    patience: duration
      .describe('How long a script of this kind waits for the end of an order.')
      .meta(plain('callers {1}: patience, ms')),
    after_pending: afterPending.optional().meta(constant(AFTER_PENDING, 'callers {1}: once they have heard pending')),
  })
  .meta(group({ named: 'callers {1}', keptEmpty: true }));

/** Whether a text contains no API key. A key that was put here by mistake is reported without its text. */
const withoutKey = (text: string): boolean => !text.split(/[\s:'"`]+/).some(looksLikeKey);
const HOLDS_KEY = {
  message: 'this looks like an API key: name a caller by its fingerprint, and write its key nowhere',
  params: { rule: 'secret-literal' },
};
const ownerText = z
  .string()
  .trim()
  .min(1, 'expected a text')
  .max(OWNER_TEXT_MAX, `expected at most ${OWNER_TEXT_MAX} characters`)
  .refine(withoutKey, HOLDS_KEY);

/** `no` and `off` are texts in YAML 1.2, and would pause the key. */
const refusalText = ownerText.refine(
  (text) => switchOf(text) === undefined,
  'this word is no text of a refusal: write `true` or `false` without quotes, or delete the key',
);

const title = z
  .string()
  .regex(TITLE, "expected 1 to 40 letters, digits, blanks and .,&/()'_-, such as Ada or Kano Shop 2")
  .refine((text) => !RESERVED_TITLE.test(text), {
    message: 'a title must not look like a fingerprint, be `other`, or end in `(sandbox)`',
    params: { rule: 'bad-title' },
  })
  .refine(withoutKey, HOLDS_KEY)
  .meta({ rule: 'bad-title' });

const limitSchema = z.strictObject({
  purchases: positive
    .optional()
    .describe('Most purchases in a minute.')
    .meta(constant(PAUSE, 'key {1}: most purchases in a minute')),
  naira: positive.optional().describe('Most naira in a day of TIME_ZONE.').meta(constant(PAUSE, 'key {1}: most naira in a day')),
});

export const callerKeySchema = z
  .strictObject({
    title: title.optional().describe('A short, unique name, shown in place of the fingerprint.').meta(plain('key {1}: title')),
    note: ownerText.optional().describe('A remark for operators.').meta(plain('key {1}: note')),
    contact: ownerText
      .optional()
      .describe('How to reach the owner of the key. Only the console shows it.')
      .meta(plain('key {1}: contact')),
    paused: z
      .union([z.boolean(), refusalText], 'expected `true`, or the text of the refusal')
      .optional()
      .describe(
        'Refuse purchases of this key before anything is written or sent: `true`, or the text of the refusal. Questions about earlier orders are still answered.',
      )
      .meta(whole('flag', PAUSE, 'key {1}: paused')),
    limit: limitSchema
      .optional()
      .describe('How much this key may buy. A purchase beyond a limit is refused before anything is written or sent.')
      .meta(group({})),
    sandbox: z
      .boolean()
      .optional()
      .describe('Send purchases and questions of this key to the embedded sandbox instead of v1: nothing is really sold.')
      .meta(whole('flag', money('decides whether what is sold is real'), 'key {1}: sent to the sandbox')),
    wallet_below: positive
      .optional()
      .describe('Warn operators when the wallet balance of this key is below this, in naira.')
      .meta(plain('key {1}: wallet warned of below, naira')),
    format: name
      .optional()
      .describe('The format of this script, whatever its requests look like.')
      .meta(constant(FORMAT, 'key {1}: format')),
    family: familyName
      .optional()
      .describe('The family of this script, whatever its requests look like. The format of the family is then its format.')
      .meta(constant(FAMILY, 'key {1}: family')),
    guard: z
      .enum(['on', 'off'])
      .optional()
      .describe('Whether the numbering guard checks requests of this key. Default: on.')
      .meta(whole('guard', GUARD, 'key {1}: numbering guard')),
    patience: z
      .union([duration, z.record(name, duration)], 'expected a duration such as 10s, or durations by operation and `default`')
      .optional()
      .describe('How long this script waits for the end of an order: a duration, or durations by operation, with `default`.')
      .meta(plain('key {1}: patience, ms')),
    after_pending: z
      .union([afterPending, z.record(name, afterPending)], 'expected look or buy, or one of them by operation and `default`')
      .optional()
      .describe(
        'What the gateway does with an open order of this script once it has heard pending: `look` or `buy`, or one of them by operation, with `default`.',
      )
      .meta(constant(AFTER_PENDING, 'key {1}: once it has heard pending')),
    replay: z
      .union([z.literal('always'), duration], 'expected `always` or a duration such as 30m')
      .optional()
      .describe(
        'After this script has heard a success: how long a repeat of the order gets the same success again: a duration, or `always`. Default: `timing.replay`.',
      )
      .meta(constant(REPLAY, 'key {1}: replay')),
    numbers: z
      .record(
        name,
        numbers.meta(whole('numbers', NETWORK, 'key {1}: {2} number {3}', { named: '{2} numbers of key {1}', keptEmpty: true })),
      )
      .optional()
      .describe('By table, what a number of this script means: its number to ours. These numbers win over those of any format.'),
    unlisted: z
      .record(name, z.enum(['refuse', 'pass']))
      .optional()
      .describe(
        'By table, what happens to a number that `numbers` does not list: `refuse` (default), or `pass` it on, as if this script had no numbers of its own.',
      )
      .meta(entries(constant(NETWORK, 'key {1}: {2} numbers that are not listed'))),
    lists: z
      .record(name, fieldsOfReply.meta(whole('fields', LISTS, 'key {1}: shape of {2}')))
      .optional()
      .describe(
        'How lists are wrapped for this script: by operation, and `default` for every bare array. `$list` is the list itself.',
      ),
  })
  .meta(group({ named: 'key {1}', keptEmpty: true }));

/** The largest limit of lookups, because the gateway keeps the time of each lookup that it counts. */
export const LOOKUPS_MAX = 1_000;
/** A number of v1 calls. */
const calls = positive.max(LOOKUPS_MAX, `expected at most ${LOOKUPS_MAX}`).meta({ standIn: 1 });

export const lookupKey = z
  .strictObject({
    calls: calls.describe('Most lookups of one address (IPv6: of its /64) in `window`.').meta(plain('lookup key: calls')),
    window: duration.describe('The time in which `calls` and `total` are counted.').meta(plain('lookup key: window, ms')),
    total: calls
      .optional()
      .describe(
        'Most lookups of the key that v1 accepts in `window`, the owner’s own included. Absent: no limit for all addresses together.',
      )
      .meta(plain('lookup key: calls of all')),
    owner: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe(
        'How many of `total` are reserved for the owner of the key; the rest is shared between networks of callers. Absent: none.',
      )
      .meta(plain('lookup key: calls kept for its owner')),
    remember: duration
      .optional()
      .describe('How long the gateway repeats a name that v1 found to the same address without asking v1. Absent: not at all.')
      .meta(plain('lookup key: what was found is told again for, ms')),
    seller: z
      .strictObject({
        calls: calls
          .describe('Most lookups with one such key in `window`.')
          .meta(plain('lookups by the key that sold there: calls')),
        window: duration
          .describe('The time in which `calls` are counted. v1 counts the lookups of a key too.')
          .meta(plain('lookups by the key that sold there: window, ms')),
        within: duration
          .describe('How long after its last sale a key is used for lookups from the same address.')
          .meta(plain('lookups by the key that sold there: time after its sale, ms')),
      })
      .optional()
      .describe(
        "First use the key that last sold from the same address, then the operator's key. Absent: the operator's key only.",
      ),
  })
  .describe(
    "Limits of lookups without a key, for which the operator's key is used: for one address, and for all addresses together.",
  );

/** What a script does with an order once it has heard "pending". */
const takesPending = z
  .enum(['keeps', 'refunds', 'sells'])
  .describe(
    'What such a script does when it hears pending: `keeps` the order open, `refunds` its customer, or `sells` (delivers).',
  );

const patience = duration.describe('How long such a script waits for the end of an order.');

export const familySchema = z
  .strictObject({
    title: humanText('A name for people.', 'family {1}: title'),
    scripts: humanText('Which real scripts these are.', 'family {1}: scripts'),
    extends: name
      .describe('The format of these scripts. A request of another format is never of this family.')
      .meta(constant(FAMILY, 'family {1}: format'))
      .meta({ standIn: 'unreadable' }),
    proof: z
      .array(signalSchema('family', FAMILY, ['strong', 'medium']))
      .min(1, 'expected at least one')
      .optional()
      .describe('What in a request proves this family. Without proof, only keys with this `family` in callers.yaml belong to it.')
      .meta(group({ unnamed: true })),
    numbers: z
      .record(name, numbers.meta(whole('numbers', 'plain', '{2} number {3} of family {1}')))
      .optional()
      .describe(
        'By table, the numbers of these scripts that differ from those of the format. Purchases do not use them: `check` demands that each key of the family has them in callers.yaml.',
      ),
    request_id: z
      .enum(['none', 'header', 'fixed'])
      .optional()
      .describe(
        'For scripts that do not send one id for each sale. `none`: no id; `header`: only in a header; `fixed`: made from what is bought. Once a script has heard a success with a fixed id, the next sale with this id does not get that success again, because it is for another customer.',
      )
      .meta(constant(REPLAY, 'family {1}: request ids')),
    patience: patience.optional().meta(plain('family {1}: patience, ms')),
    pending: takesPending.optional().meta(constant(AFTER_PENDING, 'family {1}: pending')),
    words: z
      .strictObject({
        success: wordsOf('family {1}: success').partial().optional().describe('Charged and delivered.'),
        pending: wordsOf('family {1}: pending')
          .partial()
          .optional()
          .describe('Charged but not confirmed, or the outcome is not known yet.'),
        failure: wordsOf('family {1}: failure').partial().optional().describe('Not charged, or refunded.'),
      })
      .optional()
      .describe(
        'Status words that replace those of `words` for this family. Those of `success` are for sales only; `http` of `failure` applies to every failure, refusals included.',
      )
      .meta(group({})),
    reply: replySchema
      .optional()
      .describe('Reply fields that differ for this family, for every operation except lists.')
      .meta(group({ named: 'family {1}: the reply', reply: 'family {1}: reply' })),
    operations: z
      .record(
        name,
        z.strictObject({
          patience: patience.optional().meta(plain('{2} in family {1}: patience, ms')),
          pending: takesPending.optional().meta(constant(AFTER_PENDING, '{2} in family {1}: pending')),
          reply: replySchema.optional().meta(group({ named: '{2} in family {1}: the reply', reply: '{2} in family {1}: reply' })),
        }),
      )
      .optional()
      .describe('What differs for this family in single operations.')
      .meta(entries(group({}))),
  })
  .meta(group({ named: 'family {1}', keptEmpty: true }));

export type TakesPending = z.infer<typeof takesPending>;
