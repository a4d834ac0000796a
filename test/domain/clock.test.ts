import { CommonSignal, createDeadline, createSteadiness, pause, startAge, systemClock, within } from '../../src/domain/clock';
import { createVirtualClock, settlePromises } from './virtual-clock';

test('a pause ends at its time and not before', async () => {
  const clock = createVirtualClock();
  let isOver = false;
  void pause(clock, 500).then(() => (isOver = true));
  await clock.advance(499);
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect(isOver).toBe(true);
});

test('within gives the value of a promise that settles in time, and leaves no timer', async () => {
  const clock = createVirtualClock();
  await expect(within(clock, 100, Promise.resolve('here'))).resolves.toBe('here');
  expect(clock.waiting).toBe(0);
});

test('within gives undefined for a late promise, which goes on', async () => {
  const clock = createVirtualClock();
  let hasEnded = false;
  const late = pause(clock, 300).then(() => {
    hasEnded = true;
    return 'late';
  });
  const waited = within(clock, 100, late);
  await clock.advance(100);
  await expect(waited).resolves.toBeUndefined();
  expect(hasEnded).toBe(false);
  await clock.advance(200);
  await expect(late).resolves.toBe('late');
});

test('within passes a rejection on and leaves no timer', async () => {
  const clock = createVirtualClock();
  await expect(within(clock, 100, Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(clock.waiting).toBe(0);
});

test('the system clock moves, and a cancelled timer never runs', async () => {
  const start = systemClock.now();
  let hasRun = false;
  const cancel = systemClock.after(5, () => (hasRun = true));
  cancel();
  await pause(systemClock, 20);
  expect(hasRun).toBe(false);
  expect(systemClock.now()).toBeGreaterThan(start);
});

test.each<[string, number, number]>([
  ['a machine that was suspended, by the time of day', 60_000, 0],
  ['a time of day that was set back, by the other clock', -60_000, 60_000],
])('an age is never shorter than the real one: %s', (_title, wallMs, elapsedMs) => {
  let [now, elapsed] = [1_800_000_000_000, 5_000];
  const age = startAge({ ...createVirtualClock(), now: () => now, elapsed: () => elapsed });
  now += wallMs;
  elapsed += elapsedMs;
  expect(age()).toBe(60_000);
});

test('a deadline has its whole time until it begins, and never less than zero', async () => {
  const clock = createVirtualClock();
  const deadline = createDeadline(clock, 25_000);
  await clock.advance(60_000);
  expect(deadline.leftMs()).toBe(25_000);
  deadline.begin();
  await clock.advance(10_000);
  expect(deadline.leftMs()).toBe(15_000);
  await clock.advance(60_000);
  expect(deadline.leftMs()).toBe(0);
});

describe('a signal', () => {
  const openSignal = () => {
    const clock = createVirtualClock();
    const signal = new CommonSignal(clock);
    const woken: number[] = [];
    const wait = (delayMs: number): void => void signal.within(delayMs).then(() => woken.push(delayMs));
    return { clock, signal, woken, wait };
  };

  it('wakes all waiters at the next change and removes its timer', async () => {
    const { clock, signal, woken, wait } = openSignal();
    [1_000, 2_000].forEach(wait);
    signal.emit();
    await settlePromises();
    expect(woken).toEqual([1_000, 2_000]);
    expect(clock.waiting).toBe(0);
  });

  it('has one timer, and wakes all waiters when the shortest wait ends', async () => {
    const { clock, woken, wait } = openSignal();
    [2_000, 1_000, 3_000].forEach(wait);
    expect(clock.waiting).toBe(1);
    await clock.advance(999);
    expect(woken).toEqual([]);
    await clock.advance(1);
    expect(woken).toEqual([2_000, 1_000, 3_000]);
    expect(clock.waiting).toBe(0);
  });

  it('can be waited for again after a change', async () => {
    const { clock, signal, woken, wait } = openSignal();
    wait(1_000);
    signal.emit();
    signal.emit();
    wait(500);
    await settlePromises();
    expect(woken).toEqual([1_000]);
    await clock.advance(500);
    expect(woken).toEqual([1_000, 500]);
  });
});

const DAY_MS = 86_400_000;

function openWatch() {
  const clock = createVirtualClock();
  let errorMs = 0;
  const steadiness = createSteadiness({ ...clock, now: () => clock.now() + errorMs });
  return { clock, steadiness, set: (ms: number) => (errorMs += ms) };
}

test('a clock that runs evenly is steady since the process first watched it', async () => {
  const { clock, steadiness } = openWatch();
  await clock.advance(60_000);
  expect(steadiness.steadyForMs()).toBe(60_000);
});

test.each([
  ['ahead by a day', 86_400_000],
  ['back by a day', -86_400_000],
  ['ahead by three seconds', 3_000],
])('a clock that is set %s is steady again only from then on', async (_title, ms) => {
  const { clock, steadiness, set } = openWatch();
  await clock.advance(60_000);
  set(ms);
  expect(steadiness.steadyForMs()).toBe(0);
  await clock.advance(5_000);
  expect(steadiness.steadyForMs()).toBe(5_000);
  expect(steadiness.setByMs()).toBe(Math.abs(ms));
});

test.each([
  ['ahead by three minutes', 180_000],
  ['back by a day', -86_400_000],
])('how long ago a time was is counted by the clock as it was set then: %s', async (_title, ms) => {
  const { clock, steadiness, set } = openWatch();
  const beforeMs = clock.now();
  await clock.advance(15_000);
  set(ms);
  const afterMs = clock.now() + ms;
  // The process notices the new time only now.
  await clock.advance(5_000);
  expect(steadiness.agoMs(afterMs)).toBe(5_000);
  expect([beforeMs, beforeMs - 60_000].map((atMs) => steadiness.agoMs(atMs))).toEqual([20_000, 80_000]);
});

test.each([3_600_000, -3_600_000])(
  'a time of another machine, set by %d ms, counts from when it was last read before',
  async (ms) => {
    const clock = createVirtualClock();
    let [aheadMs, readAtMs] = [0, clock.elapsed()];
    const steadiness = createSteadiness({ ...clock, now: () => clock.now() + aheadMs, readAtMs: () => readAtMs });
    await clock.advance(60_000);
    // It was set ten seconds after the reading, and another process has written an order since.
    const [before, writtenMs, mineMs] = [clock.now() - 55_000, clock.now() - 30_000 + ms, clock.now() - 20_000];
    expect(steadiness.agoMs(before)).toBe(55_000);
    [aheadMs, readAtMs] = [ms, clock.elapsed()];
    expect([before, writtenMs, mineMs].map((atMs) => steadiness.agoMs(atMs))).toEqual([55_000, 30_000, 20_000]);
  },
);

test('a time from before a process that began with a clock a day ahead is counted by the right clock as well', async () => {
  const { clock, steadiness, set } = openWatch();
  const beforeMs = clock.now() - DAY_MS - 60_000;
  set(-DAY_MS);
  await clock.advance(5_000);
  expect(steadiness.agoMs(beforeMs)).toBe(65_000);
});

test('a time by the clock of another machine, which is some seconds ahead, is none from before the clock was set back by an hour', async () => {
  const { clock, steadiness, set } = openWatch();
  await clock.advance(15_000);
  set(-3_600_000);
  steadiness.steadyForMs();
  await clock.advance(5_000);
  expect(steadiness.agoMs(clock.now() - 3_600_000 + 9_000)).toBe(0);
});

test.each([
  ['ahead', 180_000, 780_000],
  ['back', -180_000, 600_000],
])('a time before the last ten minutes is one by every clock of them: set %s', async (_title, ms, backMs) => {
  const { clock, steadiness, set } = openWatch();
  await clock.advance(15_000);
  set(ms);
  expect(clock.now() + ms - steadiness.before(600_000)).toBe(backMs);
  await clock.advance(3_600_000);
  expect(clock.now() + ms - steadiness.before(600_000)).toBe(600_000);
});

test('a clock that is corrected in small steps stays steady', async () => {
  const { clock, steadiness, set } = openWatch();
  for (let minute = 0; minute < 60; minute += 1) {
    await clock.advance(60_000);
    set(-500);
    steadiness.steadyForMs();
  }
  expect(steadiness.steadyForMs()).toBe(3_600_000);
});
