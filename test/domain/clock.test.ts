import { createDeadline, pause, startAge, systemClock, within } from '../../src/domain/clock';
import { createVirtualClock } from './virtual-clock';

test('a pause ends when its time has come and not before', async () => {
  const clock = createVirtualClock();
  let isOver = false;
  void pause(clock, 500).then(() => (isOver = true));
  await clock.advance(499);
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect(isOver).toBe(true);
});

test('within gives the value of a promise that is quick enough, and leaves no timer behind', async () => {
  const clock = createVirtualClock();
  await expect(within(clock, 100, Promise.resolve('here'))).resolves.toBe('here');
  expect(clock.waiting).toBe(0);
});

test('within gives nothing for a promise that is late, and the promise goes on', async () => {
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

test('within passes a rejection on and leaves no timer behind', async () => {
  const clock = createVirtualClock();
  await expect(within(clock, 100, Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(clock.waiting).toBe(0);
});

test('the system clock moves by itself, and a timer that was called off never runs', async () => {
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
])('an age is never too young: %s', (_title, wallMs, elapsedMs) => {
  let [now, elapsed] = [1_800_000_000_000, 5_000];
  const age = startAge({ ...createVirtualClock(), now: () => now, elapsed: () => elapsed });
  now += wallMs;
  elapsed += elapsedMs;
  expect(age()).toBe(60_000);
});

test('a deadline is whole until it begins, and never less than nothing', async () => {
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
