/** Shuts out everything that differs from run to run: the machine's clock, random numbers and timers. */
import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import type { Chance } from '../../chance';

const FORBIDDEN = [
  [globalThis, 'setTimeout', 'setTimeout'],
  [globalThis, 'setInterval', 'setInterval'],
  [globalThis, 'setImmediate', 'setImmediate'],
  [Date, 'now', 'Date.now'],
  [Math, 'random', 'Math.random'],
] as const;

/** Set in all that a simulation calls. The test runner of the same process keeps its clock and timers. */
const inside = new AsyncLocalStorage<true>();

/**
 * Runs the work while the real clock, random numbers and timers throw errors. Random bytes, of which the gateway makes ids,
 * come from the seed. One run at a time, because the replacement affects the whole process.
 */
export async function sealed<T>(chance: Chance, run: () => Promise<T>): Promise<T> {
  const { randomBytes } = crypto;
  const { stackTraceLimit } = Error;
  const replaced = FORBIDDEN.map(([owner, name, title]) => {
    const real = (owner as unknown as Record<string, (...given: unknown[]) => unknown>)[name]!;
    const refuse = (...given: unknown[]): unknown => {
      if (inside.getStore() === undefined) return real(...given);
      throw new Error(`${title} was used inside a simulation: the same seed would give another history`);
    };
    Object.assign(owner, { [name]: refuse });
    return () => Object.assign(owner, { [name]: real });
  });
  const bytesOf = (size: number): Buffer => Buffer.from(Array.from({ length: size }, () => chance.below(256)));
  Object.assign(crypto, { randomBytes: (size: number) => (inside.getStore() === undefined ? randomBytes(size) : bytesOf(size)) });
  // The gateway makes errors for refusals; their stack traces are expensive and not read.
  Error.stackTraceLimit = 0;
  try {
    return await inside.run(true, run);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    Object.assign(crypto, { randomBytes });
    for (const restore of replaced) restore();
  }
}
