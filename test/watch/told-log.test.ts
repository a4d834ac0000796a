import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, pause } from '../../src/domain/clock';
import { readTold } from '../../src/journal/told-sales';
import { openToldLog, toldFiles } from '../../src/watch/told-log';
import { createVirtualClock, type VirtualClock } from '../domain/virtual-clock';
import { newFolder } from '../new-folder';
import { until } from '../until';

const OWNER = 'f'.repeat(32);
const sale = (number: number) => ({ owner: OWNER, number, requestId: `r${number}`, attempts: 1, openedAtMs: 0 });
let folder: string;
beforeEach(() => (folder = newFolder()));

const store = (clock: Clock = createVirtualClock()) => toldFiles(folder, clock);
const isTold = async (number: number) => (await readTold(store(), 0))(sale(number));
const areTold = (numbers: readonly number[]) => Promise.all(numbers.map(isTold));

/** Waits until the sale is on the real disk, which needs real time beside the virtual clock. */
const untilWritten = (clock: VirtualClock, number: number): Promise<void> =>
  until(async () => {
    await clock.advance(20);
    return isTold(number);
  });

test('a told sale can be read by other processes a moment later', async () => {
  const clock = createVirtualClock();
  const [one, other] = [openToldLog(store(clock), clock), openToldLog(store(clock), clock)];
  one.note(sale(1_000));
  other.note(sale(2_000));
  await untilWritten(clock, 1_000);
  await untilWritten(clock, 2_000);
  expect(await areTold([1_000, 2_000, 3_000, 100])).toEqual([true, true, false, false]);
});

test('sales of a failed write are written with the next one, and a stop does not wait for an unreachable store', async () => {
  const clock = createVirtualClock();
  let isAway = true;
  const written: string[] = [];
  const append = (lines: string) => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(void written.push(lines)));
  const log = openToldLog({ append, read: () => Promise.resolve(written) }, clock);
  log.note(sale(1));
  await clock.advance(3_000);
  log.note(sale(2));
  isAway = false;
  await clock.advance(2_000);
  expect(written).toEqual([`${OWNER} 1\n${OWNER} 2\n`]);
  isAway = true;
  log.note(sale(3));
  const closed = log.close();
  await clock.advance(20);
  await closed;
});

test.each([
  ['at once', 0, []],
  ['after twenty seconds', 20_000, [1]],
])('a sale that is written %s may have been marked as untold meanwhile, or not', async (_title, afterMs, expected) => {
  const clock = createVirtualClock();
  const late: number[] = [];
  const append = (): Promise<void> => pause(clock, afterMs);
  const log = openToldLog({ append, read: () => Promise.resolve([]) }, clock, { onLate: ({ number }) => late.push(number) });
  log.note(sale(1));
  log.note(sale(2), 'pending');
  await clock.advance(30_000);
  expect(late).toEqual(expected);
});

test('a sale keeps the time at which it was told, even if the clock is set back before it can be written', async () => {
  const clock = createVirtualClock();
  let [isAway, settingMs] = [true, 0];
  const times: number[] = [];
  const append = (_lines: string, atMs: number) =>
    isAway ? Promise.reject(new Error('away')) : Promise.resolve(void times.push(atMs));
  const log = openToldLog({ append, read: () => Promise.resolve([]) }, { ...clock, now: () => clock.now() + settingMs });
  const toldAtMs = clock.now();
  log.note(sale(1));
  await clock.advance(3_000);
  settingMs = -360_000;
  isAway = false;
  await clock.advance(2_000);
  expect(times[0]).toBeGreaterThanOrEqual(toldAtMs);
  log.note(sale(2));
  await clock.advance(20);
  // Times of later sales are right again: a store deletes by them.
  expect(times[1]).toBe(clock.now() + settingMs);
});

test('a sale that is told after the clock was set back is dated no earlier than its opening and its end', async () => {
  const clock = createVirtualClock();
  const times: number[] = [];
  const log = openToldLog({ append: async (_lines, atMs) => void times.push(atMs), read: async () => [] }, clock);
  const hourOnMs = clock.now() + 3_600_000;
  for (const at of [{ openedAtMs: hourOnMs }, { settledAtMs: hourOnMs }]) {
    log.note({ ...sale(1), ...at });
    await clock.advance(20);
  }
  // A repeat that takes an end marks it as told at least a millisecond after that end.
  expect(times).toEqual([hourOnMs, hourOnMs + 1]);
});

test('what was told after the clock was set back is found from the end of the sale on, and nothing of neighbours is removed for it', async () => {
  const clock = { ...createVirtualClock(), now: () => Date.now() };
  const [log, neighbour] = [openToldLog(store(clock), clock), openToldLog(store(clock), clock)];
  const settledAtMs = Date.now() + 3_600_000;
  log.note({ ...sale(1), settledAtMs });
  await untilWritten(clock, 1);
  neighbour.note(sale(2));
  await untilWritten(clock, 2);
  // A later sale of the same file has an earlier date.
  log.note(sale(3));
  await untilWritten(clock, 3);
  await clock.advance(60_000);
  log.note(sale(4));
  await untilWritten(clock, 4);
  await log.close();
  const isKnown = await readTold(store(), settledAtMs);
  expect([1, 3, 4].map((number) => isKnown(sale(number)))).toEqual([true, true, false]);
  expect(await isTold(2)).toBe(true);
});

test('a folder that somebody removed is made again', async () => {
  const clock = createVirtualClock();
  const log = openToldLog(store(clock), clock);
  log.note(sale(1));
  await untilWritten(clock, 1);
  rmSync(join(folder, 'told'), { recursive: true });
  log.note(sale(2));
  await untilWritten(clock, 2);
});

test('the told sales of the last quarter of an hour are always kept, in a file for each minute', async () => {
  const clock = createVirtualClock();
  const log = openToldLog(store(clock), clock);
  for (let number = 1; number <= 40; number += 1) {
    log.note(sale(number));
    await untilWritten(clock, number);
    await clock.advance(30_000);
  }
  const numbers = Array.from({ length: 40 }, (_, index) => index + 1);
  const told = await areTold(numbers);
  const known = numbers.filter((_, index) => told[index]);
  expect(known).toEqual(expect.arrayContaining(numbers.slice(-30)));
  expect(known).not.toEqual(expect.arrayContaining([1]));
  expect(readdirSync(join(folder, 'told'))).toHaveLength(16);
});

test('files that were last written before the wanted time are not read', async () => {
  mkdirSync(join(folder, 'told'));
  writeFileSync(join(folder, 'told', 'old.0'), `${OWNER} 1\n`);
  utimesSync(join(folder, 'told', 'old.0'), 1_000, 1_000);
  expect(await Promise.all([store().read(1_000_000), store().read(1_002_000)])).toEqual([[`${OWNER} 1\n`], ['']]);
});

test('a cut line counts as no sale, and old files are removed', async () => {
  mkdirSync(join(folder, 'told'));
  writeFileSync(join(folder, 'told', 'cut.0'), `${OWNER} 17\n${OWNER} 1`);
  writeFileSync(join(folder, 'told', 'old.0'), `${OWNER} 5\n`);
  expect(await areTold([17, 1, 5])).toEqual([true, false, true]);
  utimesSync(join(folder, 'told', 'old.0'), 1, 1);
  let aheadMs = 0;
  const clock = { ...createVirtualClock(), now: () => Date.now() + aheadMs };
  const log = openToldLog(store(clock), clock);
  log.note(sale(100));
  await untilWritten(clock, 100);
  // The old file stays for a minute: other processes that start at this moment may not have read it yet.
  expect(await isTold(5)).toBe(true);
  await clock.advance(60_000);
  log.note(sale(200));
  await untilWritten(clock, 200);
  await until(async () => !(await isTold(5)));
  expect(await areTold([17, 100, 200])).toEqual([true, true, true]);
  // The clock is put forward: what was told just before that stays.
  aheadMs = 3_600_000;
  await clock.advance(60_000);
  log.note(sale(300));
  await untilWritten(clock, 300);
  await log.close();
  expect(await areTold([17, 300])).toEqual([true, true]);
});
