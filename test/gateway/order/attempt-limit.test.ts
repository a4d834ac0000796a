import { type Attempt, AttemptLimit, createPace, type Pace, type Trouble } from '../../../src/gateway/order/attempt-limit';
import { createVirtualClock, settlePromises } from '../../domain/virtual-clock';

const awaited = (owner: string) => ({ owner, isAwaited: () => true });
const unawaited = (owner: string) => ({ owner, isAwaited: () => false });

function openLimit() {
  const clock = createVirtualClock();
  const limit = new AttemptLimit(clock);
  const report = (times: number, trouble?: Trouble, tookMs = 10): void => {
    for (let nth = 0; nth < times; nth += 1) limit.begin().learn(trouble, tookMs);
  };
  /** The keys that had a turn, in order. */
  const turns: string[] = [];
  const attempts: Attempt[] = [];
  const queue = (turn: ReturnType<typeof awaited>, name = turn.owner, waitMs = 60_000): void =>
    void limit.admit(turn, waitMs).then((attempt) => {
      if (attempt === undefined) return;
      turns.push(name);
      attempts.push(attempt);
    });
  return { clock, limit, report, turns, attempts, queue };
}

test('repetitions go at once while v1 answers', async () => {
  const it = openLimit();
  it.report(50);
  it.queue(awaited('a'));
  await settlePromises();
  expect(it.turns).toEqual(['a']);
});

test('a few bad answers stop no attempt: half of them being failures opens no circuit', async () => {
  const it = openLimit();
  for (let nth = 0; nth < 500; nth += 1) it.report(1, nth % 2 === 0 ? 'unusable' : undefined);
  for (let nth = 0; nth < 10; nth += 1) it.queue(awaited(`key ${nth}`));
  await settlePromises();
  expect(it.turns).toHaveLength(10);
});

test.each<[Trouble, number]>([
  ['unreachable', 250],
  ['unusable', 500],
  ['silent', 2_000],
])('a v1 that is always %s is probed once every %d ms, and when it answers all go on', async (trouble, everyMs) => {
  const it = openLimit();
  it.report(20, trouble);
  for (let nth = 0; nth < 6; nth += 1) it.queue(awaited(`key ${nth}`));
  await settlePromises();
  expect(it.turns).toHaveLength(1);
  await it.clock.advance(2 * everyMs);
  expect(it.turns).toHaveLength(3);
  it.report(1);
  await settlePromises();
  expect(it.turns).toHaveLength(6);
});

test('orders of waiting scripts go before orders without one, whichever came first', async () => {
  const it = openLimit();
  it.report(20, 'unusable');
  it.queue(awaited('probe'));
  it.queue(unawaited('background'));
  it.queue(awaited('waited for'));
  await it.clock.advance(600);
  expect(it.turns).toEqual(['probe', 'waited for']);
  await it.clock.advance(600);
  expect(it.turns).toEqual(['probe', 'waited for', 'background']);
});

test('one key whose attempts hang has a share of the turns, and every other key still has one', async () => {
  const it = openLimit();
  for (let nth = 0; nth < 100; nth += 1) it.queue(awaited('bad line'));
  await settlePromises();
  expect(it.turns).toHaveLength(12);
  for (let nth = 0; nth < 30; nth += 1) it.queue(awaited(`key ${nth}`));
  await settlePromises();
  expect(new Set(it.turns).size).toBe(31);
  it.attempts[0]!.release();
  await settlePromises();
  expect(it.turns.filter((owner) => owner === 'bad line')).toHaveLength(12);
});

test('a turn that is given back goes to the next order, and a late one to none', async () => {
  const it = openLimit();
  it.queue(awaited('b'));
  for (let nth = 0; nth < 12; nth += 1) it.queue(awaited('a'));
  it.queue(awaited('a'), 'too late', 1_000);
  it.queue(awaited('a'), 'next');
  await it.clock.advance(2_000);
  it.attempts[1]!.release();
  await settlePromises();
  expect(it.turns).toEqual(['b', ...Array<string>(12).fill('a'), 'next']);
});

const openPace = (): Pace => createPace(createVirtualClock());
const learn = (pace: Pace, times: number, tookMs: number): void => {
  for (let nth = 0; nth < times; nth += 1) pace.learn(undefined, tookMs);
};

test('the limit grows with every answer, up to a bound', () => {
  const pace = openPace();
  const first = pace.limit;
  learn(pace, 10, 50);
  expect(pace.limit).toBe(first + 10);
  learn(pace, 10_000, 50);
  expect(pace.limit).toBe(128);
});

test('the limit shrinks while v1 answers much more slowly than usual, and grows again afterwards', () => {
  const pace = openPace();
  learn(pace, 300, 50);
  const usual = pace.limit;
  learn(pace, 30, 1_000);
  expect(pace.limit).toBeLessThan(usual / 2);
  expect(pace.limit).toBeGreaterThanOrEqual(2);
  learn(pace, 300, 50);
  expect(pace.limit).toBe(usual);
});

test('silence shrinks the limit, an error page does not', () => {
  const pace = openPace();
  const first = pace.limit;
  for (let nth = 0; nth < 5; nth += 1) pace.learn('unusable', 5);
  expect(pace.limit).toBe(first);
  for (let nth = 0; nth < 100; nth += 1) pace.learn('silent', 20_000);
  expect(pace.limit).toBe(2);
});

test('after an outage the limit begins small', () => {
  const pace = openPace();
  learn(pace, 200, 50);
  for (let nth = 0; nth < 20; nth += 1) pace.learn('unreachable', 1);
  expect(pace.nextProbeInMs()).toBe(0);
  pace.probed();
  expect(pace.nextProbeInMs()).toBe(250);
  learn(pace, 1, 50);
  expect(pace.nextProbeInMs()).toBe(0);
  expect(pace.limit).toBe(5);
});
