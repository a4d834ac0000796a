/** Who is calling, how long they wait, and how often they may look up. */
import { z } from 'zod';
import { AFTER_PENDING, entries, FAMILY, FORMAT, group, GUARD, LISTS, money, NETWORK, one, REPLAY, setOf } from './declare';
import { afterPending, duration, familyName, headerNames, name, numbers, someWords } from './parts';
import { fieldsOfReply } from './values';

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
        setOf('agents', 'plain', 'callers {1}: User-Agents', 'callers {1}: also `{item}`', 'callers {1}: no longer `{item}`'),
      ),
    headers: headerNames
      .optional()
      .describe('Headers that a request of this kind has, all of them, whatever they hold.')
      .meta(
        setOf(
          'agents',
          'plain',
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
export const callerKeySchema = z
  .strictObject({
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

/** Counted by number of v1 calls. */
const calls = z.number().int().positive().meta({ standIn: 1 });

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
