/** Shuts out everything that differs from run to run: the machine's time, its chance and its timers. */
import crypto from 'node:crypto';
import type { Chance } from './chance';

const FORBIDDEN = ['setTimeout', 'setInterval', 'setImmediate'] as const;

/**
 * Runs with the real clock, chance and timers turned into errors. Random bytes, which the gateway takes for ids of its own,
 * come from the seed. One at a time: what is shut out is shut out for the whole process.
 */
export async function sealed<T>(chance: Chance, run: () => Promise<T>): Promise<T> {
  const timers = FORBIDDEN.map((name) => [name, globalThis[name]] as const);
  const { now } = Date;
  const { random } = Math;
  const { randomBytes } = crypto;
  const { stackTraceLimit } = Error;
  const refuse = (what: string) => () => {
    throw new Error(`${what} was used inside a simulation: the same seed would give another history`);
  };
  Date.now = refuse('Date.now');
  Math.random = refuse('Math.random');
  for (const name of FORBIDDEN) Object.assign(globalThis, { [name]: refuse(name) });
  Object.assign(crypto, { randomBytes: (size: number) => Buffer.from(Array.from({ length: size }, () => chance.below(256))) });
  // A refusal is an error here and there; nobody reads where it came from, and to find out takes long.
  Error.stackTraceLimit = 0;
  try {
    return await run();
  } finally {
    Date.now = now;
    Error.stackTraceLimit = stackTraceLimit;
    Math.random = random;
    Object.assign(crypto, { randomBytes });
    for (const [name, timer] of timers) Object.assign(globalThis, { [name]: timer });
  }
}
