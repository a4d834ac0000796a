import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../src/domain/clock';
import { createLog } from '../../src/telemetry/log';
import { SEND_AGAIN_MS, AlarmsWatch, type AlarmMessage } from '../../src/watch/alarms';
import type { Sightings } from '../../src/watch/sightings';
import { newFolder } from '../new-folder';

const WELL: Sightings = {
  v1: { trouble: undefined },
  openOrders: { count: 0, overdue: 0, oldestMs: 0, atRiskNaira: 0, withoutPrice: 0 },
  ...{ loops: [], withoutMoney: [], wallets: [], disks: [], mappingProblems: [], isJournalWritable: true },
};
const DOWN: Sightings = { ...WELL, v1: { trouble: 'it is gone' } };

let folder: string;
beforeEach(() => (folder = newFolder()));

interface OpenOptions {
  readonly takes?: (message: AlarmMessage) => boolean;
  readonly startMs?: number;
  /** How much the time of day was wrong when the watch was opened. */
  readonly aheadMs?: number;
}

function openWatch({ takes = () => true, startMs = 1_000_000, aheadMs = 0 }: OpenOptions = {}) {
  let nowMs = startMs;
  let wallAheadMs = aheadMs;
  let seen: Sightings | Error = WELL;
  const told: AlarmMessage[] = [];
  const lines: string[] = [];
  const troubles: string[] = [];
  const clock: Clock = { now: () => nowMs + wallAheadMs, elapsed: () => nowMs, after: () => () => undefined };
  const watch = new AlarmsWatch({
    clock,
    log: createLog('info', { write: (line: string) => void lines.push(line) }),
    see: () => (seen instanceof Error ? Promise.reject(seen) : Promise.resolve(seen)),
    send: (message) => {
      told.push(message);
      return Promise.resolve(takes(message));
    },
    file: join(folder, 'alarms.json'),
    onTrouble: (what, error) => troubles.push(`${what}: ${(error as Error).message}`),
  });
  return {
    watch,
    told: () => told.map(({ state, alarm }) => `${state} ${alarm.name}${alarm.subject === undefined ? '' : ` ${alarm.subject}`}`),
    troubles,
    lines,
    setClockRight: () => void (wallAheadMs = 0),
    see: async (now: Sightings | Error, afterMs = 5_000): Promise<void> => {
      await watch.look();
      seen = now;
      nowMs += afterMs;
      await watch.look();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('an alarm is sent when it is raised, again after some hours, and when it has been over for a time', async () => {
  const { watch, told, see, lines } = openWatch();
  await see(WELL);
  await see(DOWN);
  await see(DOWN, SEND_AGAIN_MS - 1);
  expect(told()).toEqual(['raised v1_down']);
  expect(watch.active()).toEqual([
    {
      name: 'v1_down',
      subject: undefined,
      text: 'v1 is in trouble: it is gone',
      todo: expect.stringContaining('Find out whether'),
      runbook: 'docs/runbook.md#v1_down',
      sinceMs: 1_010_000,
    },
  ]);
  await see(DOWN, 1);
  await see(WELL);
  await see(DOWN);
  await see(WELL, 14_999);
  expect(told()).toEqual(['raised v1_down', 'still v1_down']);
  await see(WELL, 15_000);
  expect(told()).toEqual(['raised v1_down', 'still v1_down', 'over v1_down']);
  expect(watch.active()).toEqual([]);
  const said = lines.map((line) => JSON.parse(line) as { kind: string; alarm: string; event: string; level: string });
  expect(said.map(({ event, level, kind, alarm }) => [event, level, kind, alarm])).toEqual([
    ['alarm', 'error', 'raised', 'v1_down'],
    ['alarm', 'error', 'still', 'v1_down'],
    ['alarm', 'info', 'over', 'v1_down'],
  ]);
});

test('a condition that must last is not raised by a single look', async () => {
  const { told, see } = openWatch();
  const unwritable: Sightings = { ...WELL, isJournalWritable: false };
  await see(unwritable);
  await see(WELL);
  await see(unwritable);
  expect(told()).toEqual([]);
  await see(unwritable);
  expect(told()).toEqual(['raised journal_unwritable']);
});

test('a clock that is set back delays no alarm, no reminder and no end, and changes nothing about how long it lasted', async () => {
  const { told, lines, see, setClockRight } = openWatch({ aheadMs: 24 * 60 * 60_000 });
  const unwritable: Sightings = { ...WELL, isJournalWritable: false };
  await see(unwritable);
  setClockRight();
  await see(unwritable);
  await see(unwritable, SEND_AGAIN_MS);
  await see(WELL);
  await see(WELL, 15_000);
  expect(told()).toEqual(['raised journal_unwritable', 'still journal_unwritable', 'over journal_unwritable']);
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ kind: 'over', durationMs: SEND_AGAIN_MS + 25_000 });
});

test('an alarm that was sent by a clock a day ahead is sent again some hours after the restart', async () => {
  const before = openWatch({ aheadMs: 24 * 60 * 60_000 });
  await before.see(DOWN);
  before.watch.stop();
  const after = openWatch({ startMs: 1_020_000 });
  await after.see(DOWN, SEND_AGAIN_MS);
  expect(after.told()).toEqual(['still v1_down']);
});

test('a restart sends no alarm twice, and still sends its end', async () => {
  const before = openWatch();
  await before.see(DOWN);
  before.watch.stop();
  const after = openWatch({ startMs: 1_020_000 });
  expect(after.watch.active()).toMatchObject([{ name: 'v1_down', sinceMs: 1_005_000 }]);
  await after.see({ ...DOWN, v1: undefined }, 60_000);
  await after.see(DOWN);
  expect(after.told()).toEqual([]);
  await after.see(WELL);
  await after.see(WELL, 15_000);
  expect(after.told()).toEqual(['over v1_down']);
  expect(JSON.parse(after.lines.at(-1)!)).toMatchObject({ kind: 'over', durationMs: 100_000 });
  expect(JSON.parse(readFileSync(join(folder, 'alarms.json'), 'utf8'))).toEqual({ version: 1, alarms: [] });
});

test('an alarm that could not be sent before the process ended is sent by the next process', async () => {
  const before = openWatch({ takes: () => false });
  await before.see(DOWN);
  expect(before.told()).toEqual(['raised v1_down']);
  before.watch.stop();
  const after = openWatch({ startMs: 1_020_000 });
  await after.see(DOWN);
  expect(after.told()).toEqual(['raised v1_down']);
});

test('after a restart only the alarm that could not be sent is sent again', async () => {
  const both: Sightings = { ...DOWN, withoutMoney: [{ fingerprint: 'ada', count: 3 }] };
  const before = openWatch({ takes: ({ alarm }) => alarm.name === 'v1_down' });
  await before.see(both);
  expect(before.told()).toEqual(['raised v1_down', 'raised no_money_at_v1 ada']);
  before.watch.stop();
  const after = openWatch({ startMs: 1_020_000 });
  await after.see(both);
  expect(after.told()).toEqual(['raised no_money_at_v1 ada']);
});

test('each key has an alarm of its own, and at most 20 alarms are active', async () => {
  const { watch, told, see } = openWatch();
  const poor = (count: number): Sightings => ({
    ...WELL,
    withoutMoney: Array.from({ length: count }, (_, nth) => ({ fingerprint: `key-${nth}`, count: 3 })),
  });
  await see(poor(2));
  expect(told()).toEqual(['raised no_money_at_v1 key-0', 'raised no_money_at_v1 key-1']);
  await see(poor(5_000));
  expect(watch.active()).toHaveLength(20);
});

test('a raised alarm stays active while its condition holds, also among many others', async () => {
  const { watch, told, see } = openWatch();
  const poor = (...names: readonly string[]): Sightings => ({
    ...WELL,
    withoutMoney: names.map((fingerprint) => ({ fingerprint, count: 3 })),
  });
  const crowd = Array.from({ length: 30 }, (_, nth) => `key-${nth}`);
  await see(poor('ada'));
  await see(poor(...crowd, 'ada'));
  await see(poor(...crowd.toReversed(), 'ada'), 60_000);
  await see(poor(...crowd, 'ada'), 60_000);
  expect(told().filter((one) => one.startsWith('over'))).toEqual([]);
  expect(watch.active().map(({ subject }) => subject)).toContain('ada');
  expect(watch.active()).toHaveLength(20);
});

test('keys with unknown balances, or many loops of one key, do not displace the alarms of other keys', async () => {
  const { told, see } = openWatch();
  const unheard = Array.from({ length: 30 }, (_, nth) => ({
    fingerprint: `key-${nth}`,
    balanceNaira: undefined,
    markNaira: 100,
  }));
  const ofOne = Array.from({ length: 30 }, () => ({ fingerprint: 'bob', code: 'repeat', count: 50 }));
  const seen: Sightings = {
    ...WELL,
    wallets: [...unheard, { fingerprint: 'ada', balanceNaira: 99, markNaira: 100 }],
    loops: [...ofOne, { fingerprint: 'ada', code: 'missing_field', count: 50 }],
  };
  await see(seen);
  await see(seen);
  expect(told()).toEqual(['raised wallet_low ada', 'raised key_in_a_loop bob repeat', 'raised key_in_a_loop ada missing_field']);
});

test('an unknown balance neither raises nor ends the alarm of a wallet', async () => {
  const wallets = (balanceNaira: number | undefined): Sightings => ({
    ...WELL,
    wallets: [{ fingerprint: 'ada', balanceNaira, markNaira: 100 }],
  });
  const { told, see } = openWatch();
  await see(wallets(undefined));
  expect(told()).toEqual([]);
  await see(wallets(99));
  await see(wallets(undefined), 3_600_000);
  expect(told()).toEqual(['raised wallet_low ada']);
  await see(wallets(110));
  expect(told()).toEqual(['raised wallet_low ada', 'over wallet_low ada']);
});

test('a failed look changes no alarm and is logged once, and so is a file that cannot be read or written', async () => {
  writeFileSync(join(folder, 'alarms.json'), '{"version":1,"alarms":[{"name":"no_such"}]}');
  const { told, see, troubles } = openWatch();
  expect(troubles).toEqual([expect.stringContaining('alarms_file: ')]);
  await see(DOWN);
  await see(new Error('no answer'), 60_000);
  await see(new Error('no answer'), 60_000);
  expect(troubles.slice(1)).toEqual(['alarms: no answer']);
  expect(told()).toEqual(['raised v1_down']);
  rmSync(folder, { recursive: true });
  await see(WELL);
  await see(WELL, 15_000);
  expect(told()).toEqual(['raised v1_down', 'over v1_down']);
  expect(troubles[2]).toContain('alarms_file: ENOENT');
});
