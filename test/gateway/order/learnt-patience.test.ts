import { createLearntPatience, patienceFor } from '../../../src/gateway/order/learnt-patience';
import { shippedMapping } from '../../mapping/mapping-set';
import { legacyRequest } from '../legacy-request';
import { openLine } from '../open-line';
import { AIRTIME, openWalkHouse, PHP } from '../walk-house';

const KEY = '0a'.repeat(16);
const learn = (...ages: readonly number[]): number | undefined => {
  const learnt = createLearntPatience();
  for (const age of ages) learnt.hangUp(KEY, 'plain_php', age);
  return learnt.limitOf(KEY, 'plain_php');
};

test.each<[string, readonly number[], number | undefined]>([
  ['one hang-up shows nothing yet', [20_000], undefined],
  ['two at about the same age show a limit, and a tenth is left for the reply', [20_000, 20_300], 18_000],
  ['two a second apart are about the same', [5_000, 5_900], 4_500],
  ['two that are further apart are chance', [5_000, 20_000], undefined],
  ['between others as well', [20_000, 7_000, 30_500, 20_500], 18_000],
  ['a connection that breaks at once shows nothing', [300, 400, 500], undefined],
  ['nor do sales that a restart in between has cut off, however often', [1_200, 1_900, 3_900, 1_250, 3_800], undefined],
  ['a lower limit that is shown later counts', [20_000, 20_000, 10_000, 10_000], 9_000],
  ['a higher one does not', [10_000, 10_000, 20_000, 20_000], 9_000],
])('%s', (_title, ages, limit) => {
  expect(learn(...ages)).toBe(limit);
});

test('broken connections teach nothing where a script of the key has waited longer for its reply; one that gives up later does', () => {
  let nowMs = 0;
  const learnt = createLearntPatience([], undefined, { elapsed: () => nowMs });
  learnt.answered(KEY, 'plain_php', 31_000);
  learnt.answered(KEY, 'plain_php', 9_000);
  // A reseller's PHP is restarted, so whatever it waits for breaks at once, at any age.
  for (const age of [5_000, 5_800, 17_000, 18_000, 29_000]) expect(learnt.hangUp(KEY, 'plain_php', age)).toBe(false);
  expect(learnt.limitOf(KEY, 'plain_php')).toBeUndefined();
  for (const age of [30_500, 31_200]) expect(learnt.hangUp(KEY, 'plain_php', age)).toBe(true);
  expect(learnt.limitOf(KEY, 'plain_php')).toBe(27_450);
  // A day later the key may have another script.
  nowMs = 25 * 3_600_000;
  for (const age of [15_000, 15_100]) learnt.hangUp(KEY, 'plain_php', age);
  expect(learnt.limitOf(KEY, 'plain_php')).toBe(13_500);
});

test('after one script has waited 40 s for its reply, a restart of the shop that breaks its connections leaves the key as patient', async () => {
  const house = openWalkHouse({
    answers: Array.from({ length: 8 }, (_, nth) => ({ outcome: { kind: 'pending', reference: `V${nth}` } })),
  });
  const { clock, gateway } = house;
  const buy = (nth: number) => {
    const body = { ...AIRTIME, mobile_number: `0803000000${nth}` };
    const { line, end } = openLine();
    const begunAt = clock.elapsed();
    const served = gateway.handle(legacyRequest({ body, headers: PHP }), line);
    return { end, heldMs: served.then(() => (end(true), clock.elapsed() - begunAt)) };
  };
  const first = buy(1);
  await clock.advance(41_000);
  expect(await first.heldMs).toBe(40_000);
  const broken = [buy(2), buy(3)];
  await clock.advance(600);
  broken.push(buy(4));
  await clock.advance(5_000);
  for (const { end } of broken) end(false);
  await clock.advance(60_000);
  const next = buy(5);
  await clock.advance(41_000);
  expect(await next.heldMs).toBe(40_000);
});

test('what one key or kind shows does not change another', () => {
  const learnt = createLearntPatience();
  learnt.hangUp(KEY, 'plain_php', 20_000);
  learnt.hangUp(KEY, 'axios', 20_000);
  learnt.hangUp('0b'.repeat(16), 'plain_php', 20_000);
  expect(learnt.entries().map(({ limitMs }) => limitMs)).toEqual([undefined, undefined, undefined]);
});

test('the number of remembered keys is limited: the one seen longest ago is forgotten', () => {
  const learnt = createLearntPatience();
  const key = (index: number): string => index.toString(16).padStart(32, '0');
  for (let index = 0; index < 2_001; index += 1) learnt.hangUp(key(index), 'axios', 9_000);
  expect(learnt.entries()).toHaveLength(2_000);
  expect(learnt.entries()[0]!.fingerprint).toBe(key(1));
});

test("the patience never exceeds the mapping's, and the operator’s setting for a key holds", () => {
  const mapping = shippedMapping();
  const operation = mapping.operations.get('buy_airtime')!;
  const kind = mapping.callerKindOf({ userAgent: 'axios/1.7' });
  expect(patienceFor(operation, kind, undefined, 5_000)).toEqual({ ms: 5_000, insteadOfMs: 8_000 });
  expect(patienceFor(operation, kind, undefined, 9_000)).toEqual({ ms: 8_000 });
  expect(patienceFor(operation, kind, undefined, undefined)).toEqual({ ms: 8_000 });
  const callerKey = { patienceOf: () => 12_000 } as unknown as Parameters<typeof patienceFor>[2];
  expect(patienceFor(operation, kind, callerKey, 5_000)).toEqual({ ms: 12_000 });
});
