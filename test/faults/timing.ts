/** Time in these tests: a mapping whose waits are others (its quiet time is the shipped one), and a clock that is put forward. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../src/domain/clock';
import { copyMappings } from '../mapping/mapping-set';

interface Timing {
  /** Of both kinds of caller, in milliseconds as all that follow. */
  readonly patience: number;
  readonly reconnect: number;
  readonly pursue: number;
  readonly try: number;
}

/**
 * What is told must not depend on how fast the machine is: where the truth can be found out, there is much more time than
 * that takes, also on a machine with ten times the work it can do; where it cannot, any time is enough to see that.
 */
export const TIMINGS = {
  /** The next try or the next receipt tells the truth. */
  patient: { patience: 120_000, reconnect: 60_000, pursue: 5_000, try: 60_000 },
  /** The same after a try that hangs. */
  'patient, short tries': { patience: 120_000, reconnect: 60_000, pursue: 5_000, try: 5_000 },
  /** The truth is out of reach while the script waits. */
  impatient: { patience: 3_000, reconnect: 500, pursue: 200, try: 2_500 },
  /** v1 cannot be reached at all, which is soon certain. */
  unreachable: { patience: 120_000, reconnect: 500, pursue: 300, try: 60_000 },
  /** What v1 gets late, it gets when the script has long been told. */
  brief: { patience: 2_000, reconnect: 500, pursue: 300, try: 2_000 },
} as const satisfies Record<string, Timing>;

export type TimingName = keyof typeof TIMINGS;

const READ_MS = 10_000;
/** On a busy machine more than the shipped ten minutes lie between a sale and its repeat, and an id is used up after these. */
const REPLAY_MS = 4 * 60 * 60_000;

const folders = new Map<TimingName, string>();

/** A mappings folder, made once. */
export function mappingsWith(name: TimingName): string {
  const folder = folders.get(name) ?? makeFolder(name);
  folders.set(name, folder);
  return folder;
}

function makeFolder(name: TimingName): string {
  const timing: Timing = TIMINGS[name];
  const folder = copyMappings();
  const file = join(folder, 'callers.yaml');
  const values: Readonly<Record<string, number>> = { ...timing, read: READ_MS, replay: REPLAY_MS };
  const text = readFileSync(file, 'utf8').replace(/\b(\w+): \d+(?:ms|s|m|h)\b/g, (said, key: string) =>
    values[key] === undefined ? said : `${key}: ${values[key]}ms`,
  );
  writeFileSync(file, text);
  return folder;
}

/** The machine's time, put forward by hand: as if so much had passed and nothing had happened meanwhile. */
export interface ForwardClock extends Clock {
  /** Both hands at once: it is no clock that somebody has set. */
  forward(byMs: number): void;
}

export function createForwardClock(): ForwardClock {
  let aheadMs = 0;
  return {
    now: () => systemClock.now() + aheadMs,
    elapsed: () => systemClock.elapsed() + aheadMs,
    after: (delayMs, run) => systemClock.after(delayMs, run),
    forward: (byMs) => void (aheadMs += byMs),
  };
}
