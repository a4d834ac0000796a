import { createDatabaseClock } from '../../../src/journal/postgres/admission';
import type { Row } from '../../../src/journal/postgres/database';
import { createVirtualClock } from '../../domain/virtual-clock';

/** A machine with a database whose time is an hour ahead of it. A question takes `tripMs` on its way there. */
function createMachine() {
  const machine = { wallMs: 1_000_000, elapsedMs: 0, tripMs: 1, sleepMs: 0 };
  const database = { aheadMs: 3_600_000, asked: 0, isAway: false };
  const timers = createVirtualClock();
  const pass = (ms: number): void => {
    machine.wallMs += ms;
    machine.elapsedMs += ms;
  };
  /** The durations of a machine may stand still while it sleeps. */
  const sleep = (ms: number): void => {
    machine.wallMs += ms;
    database.aheadMs += ms;
  };
  /** The right time, which the database shows. */
  const rightMs = (): number => 1_000_000 + machine.elapsedMs + database.aheadMs;
  const run = async (): Promise<Row[]> => {
    database.asked += 1;
    if (database.isAway) throw new Error('away');
    pass(machine.tripMs);
    const rows = [{ now_ms: String(rightMs()) }];
    sleep(machine.sleepMs);
    return rows;
  };
  const clock = createDatabaseClock({
    run,
    machine: { now: () => machine.wallMs, elapsed: () => machine.elapsedMs, after: (...timer) => timers.after(...timer) },
  });
  return { machine, database, timers, pass, sleep, rightMs, clock, compare: () => clock.compare(run) };
}

test("a gateway goes by the database's time, also while nobody can be asked and after its machine's clock was set", async () => {
  const { machine, database, pass, rightMs, clock, compare } = createMachine();
  await compare();
  expect(clock.now()).toBe(rightMs());
  database.isAway = true;
  pass(60_000);
  expect(clock.now()).toBe(rightMs());
  machine.wallMs -= 86_400_000;
  expect(clock.now()).toBe(rightMs());
  clock.stop();
});

test('after a sleep of its machine the time is not known until the next comparison without one', async () => {
  const { machine, sleep, rightMs, clock, compare } = createMachine();
  await compare();
  sleep(600_000);
  expect(clock.isRight()).toBe(false);
  machine.sleepMs = 600_000;
  await compare();
  machine.sleepMs = 0;
  expect(clock.isRight()).toBe(false);
  await compare();
  expect(clock.isRight()).toBe(true);
  expect(Math.abs(clock.now() - rightMs())).toBeLessThanOrEqual(machine.tripMs);
  clock.stop();
});

test('an answer without a time is none, and the time goes on by the one before', async () => {
  const { rightMs, clock, compare } = createMachine();
  await compare();
  for (const rows of [[], [{ now_ms: null }], [{ now_ms: 'soon' }]])
    await expect(clock.compare(async () => rows)).rejects.toThrow('The database did not tell its time.');
  expect(Math.abs(clock.now() - rightMs())).toBeLessThanOrEqual(1);
  clock.stop();
});

test('a slow question moves a time no further than it must, and a quick one sets it right', async () => {
  const { machine, rightMs, clock, compare } = createMachine();
  const errors: number[] = [];
  for (machine.tripMs of [2_000, 2, 3_000]) {
    await compare();
    errors.push(clock.now() - rightMs());
  }
  expect(errors).toEqual([1_000, 2, 2]);
  clock.stop();
});

test('the database is asked every five seconds, also after it gave no answer: its own clock may be set', async () => {
  const { database, timers, rightMs, clock, compare } = createMachine();
  await compare();
  database.aheadMs -= 3_000;
  database.isAway = true;
  await timers.advance(5_000);
  expect(clock.now() - rightMs()).toBe(3_000);
  database.isAway = false;
  await timers.advance(5_000);
  expect(Math.abs(clock.now() - rightMs())).toBeLessThanOrEqual(1);
  clock.stop();
  const { asked } = database;
  await timers.advance(60_000);
  expect(database.asked).toBe(asked);
});
