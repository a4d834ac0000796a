import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/domain/clock';
import { giveSigns, readSigns, SIGN_EVERY_MS } from '../../src/watch/signs-of-life';
import { createVirtualClock } from '../domain/virtual-clock';

const START = Date.UTC(2026, 10, 22, 8);
let folder: string;
beforeEach(() => {
  silent = [];
  folder = mkdtempSync(join(tmpdir(), 'compat-signs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

let silent: number[];
const give = (clock: Clock, journal = { isWritable: () => true }) =>
  giveSigns({ dataDir: folder, clock, journal, onSilent: (signMs) => silent.push(signMs) });
const files = (): readonly string[] => readdirSync(join(folder, 'processes'));

/** A real file is touched meanwhile: so long until it is. */
async function signsBecome(expected: readonly number[]): Promise<void> {
  const signs = (): readonly number[] => [...readSigns(folder, 0)].sort();
  for (let tries = 0; tries < 500 && signs().join() !== expected.join(); tries += 1) await sleep(10);
  expect(signs()).toEqual(expected);
}

test('a process that is killed leaves the time of its last sign', async () => {
  const clock = createVirtualClock(START);
  give(clock);
  expect(readSigns(folder, clock.now())).toEqual([START]);
  await clock.advance(3 * SIGN_EVERY_MS + 1_000);
  await signsBecome([START + 3 * SIGN_EVERY_MS]);
});

test('a stop in which everything came to its end leaves nothing, whatever a neighbour leaves', async () => {
  const clock = createVirtualClock(START);
  const endSigns = give(clock);
  give(clock);
  endSigns(true);
  expect(readSigns(folder, clock.now())).toEqual([START]);
  expect(clock.waiting).toBe(1);
});

test('a stop that left something under way leaves its sign', () => {
  give(createVirtualClock(START))(false);
  expect(readSigns(folder, START)).toEqual([START]);
});

test('a data folder of a build that gave no signs is one of a process that may have died now', () => {
  expect(readSigns(folder, START)).toEqual([START]);
});

test('the file of a process that died goes at a start a minute later, a fresh one stays: it may be a neighbour', () => {
  give(createVirtualClock(START));
  give(createVirtualClock(START + 50_000));
  expect(files()).toHaveLength(2);
  give(createVirtualClock(START + 70_000));
  expect(readSigns(folder, START)).toHaveLength(2);
  expect(Math.min(...readSigns(folder, START))).toBe(START + 50_000);
});

test('a process that was held up until its file was removed makes it anew', async () => {
  const clock = createVirtualClock(START);
  give(clock);
  rmSync(join(folder, 'processes'), { recursive: true });
  await clock.advance(SIGN_EVERY_MS);
  await signsBecome([START + SIGN_EVERY_MS]);
});

test('there is no sign while the journal takes nothing', async () => {
  const clock = createVirtualClock(START);
  let isWritable = true;
  give(clock, { isWritable: () => isWritable });
  await clock.advance(SIGN_EVERY_MS);
  await signsBecome([START + SIGN_EVERY_MS]);
  isWritable = false;
  await clock.advance(4 * SIGN_EVERY_MS);
  await sleep(50);
  expect(readSigns(folder, 0)).toEqual([START + SIGN_EVERY_MS]);
  isWritable = true;
  await clock.advance(SIGN_EVERY_MS);
  await signsBecome([START + 6 * SIGN_EVERY_MS]);
});

test('a neighbour that goes silent is told of once, whether it gave signs at the start or later', async () => {
  const [clock, neighbour] = [createVirtualClock(START), createVirtualClock(START)];
  give(neighbour);
  give(clock);
  // Signs given at once would be written in any order.
  for (let beat = 1; beat <= 4; beat += 1) {
    await clock.advance(SIGN_EVERY_MS);
    await signsBecome([START, START + beat * SIGN_EVERY_MS]);
  }
  expect(silent).toEqual([START]);
  for (let beat = 1; beat <= 5; beat += 1) {
    await neighbour.advance(SIGN_EVERY_MS);
    await signsBecome([START + beat * SIGN_EVERY_MS, clock.now()].sort());
  }
  await clock.advance(20 * SIGN_EVERY_MS);
  expect(silent).toEqual([START, START + 5 * SIGN_EVERY_MS]);
});
