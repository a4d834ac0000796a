/** Seeded random numbers (mulberry32): one seed always gives the same sequence. */
export interface Chance {
  readonly seed: number;
  /** In [0, 1). */
  readonly next: () => number;
  /** In [from, to). */
  between(from: number, to: number): number;
  pick<T>(choices: readonly T[]): T;
}

/** The seed of the environment's SEED, or a new one. */
export function createChance(seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    seed,
    next,
    between: (from, to) => from + next() * (to - from),
    pick: (choices) => choices[Math.floor(next() * choices.length)]!,
  };
}
