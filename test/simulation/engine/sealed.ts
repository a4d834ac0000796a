/** Shuts out everything that differs from run to run: the machine's clock, random numbers and timers. */
import crypto from 'node:crypto';
import type { Chance } from './chance';

const FORBIDDEN = ['setTimeout', 'setInterval', 'setImmediate'] as const;

/**
 * Runs the work while the real clock, random numbers and timers throw errors. Random bytes, of which the gateway makes ids,
 * come from the seed. One run at a time, because the replacement affects the whole process.
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
  // The gateway makes errors for refusals; their stack traces are expensive and not read.
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
