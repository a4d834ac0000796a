/** Time in the fault tests: mappings with shorter waits (but the shipped quiet time), and a clock that can be put forward. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../src/domain/clock';
import { copyMappings } from '../mapping/mapping-set';

interface Timing {
  /** The patience of both kinds of caller. All times are in milliseconds. */
  readonly patience: number;
  readonly reconnect: number;
  readonly pursue: number;
  readonly try: number;
}

/**
 * The replies must not depend on the speed of the machine. Where the truth can be found out, there is much more time than that
 * takes, also on a machine with ten times the load. Where it cannot, any time is enough to show that.
 */
export const TIMINGS = {
  /** The next attempt or the next receipt shows the truth. */
  patient: { patience: 120_000, reconnect: 60_000, pursue: 5_000, try: 60_000 },
  /** The same, after an attempt that hangs. */
  'patient, short attempts': { patience: 120_000, reconnect: 60_000, pursue: 5_000, try: 5_000 },
  /** The truth cannot be had while the script waits. */
  impatient: { patience: 3_000, reconnect: 500, pursue: 200, try: 2_500 },
  /** v1 cannot be reached, which is certain soon. */
  unreachable: { patience: 120_000, reconnect: 500, pursue: 300, try: 60_000 },
  /** A late request reaches v1 long after the script has its reply. */
  brief: { patience: 2_000, reconnect: 500, pursue: 300, try: 2_000 },
} as const satisfies Record<string, Timing>;

export type TimingName = keyof typeof TIMINGS;

const READ_MS = 10_000;

const folders = new Map<TimingName, string>();

/** Makes one mappings folder for each timing. */
export function mappingsWith(name: TimingName): string {
  const folder = folders.get(name) ?? makeFolder(name);
  folders.set(name, folder);
  return folder;
}

function makeFolder(name: TimingName): string {
  const timing: Timing = TIMINGS[name];
  const folder = copyMappings();
  const file = join(folder, 'callers.yaml');
  const values: Readonly<Record<string, number>> = { ...timing, read: READ_MS };
  const text = readFileSync(file, 'utf8').replace(/\b(\w+): \d+(?:ms|s|m|h)\b/g, (said, key: string) =>
    values[key] === undefined ? said : `${key}: ${values[key]}ms`,
  );
  writeFileSync(file, text);
  return folder;
}

/** The machine's clock, put forward by the test: as if that much time had passed without any event. */
export interface ForwardClock extends Clock {
  /** Both clocks move at once, so that the gateway sees no clock that was set. */
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
