/** Seeded random numbers: the same seed always gives the same numbers, and a fork is independent of its parent. */
export class Chance {
  readonly seed: string;
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: string) {
    this.seed = seed;
    this.#a = hash(seed, 0x9e3779b9);
    this.#b = hash(seed, 0x243f6a88);
    this.#c = hash(seed, 0xb7e15162);
    this.#d = 1;
    for (let round = 0; round < 8; round += 1) this.next();
  }

  /** A number in [0, 1). The generator is sfc32. */
  next(): number {
    const sum = (this.#a + this.#b + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return (sum >>> 0) / 4_294_967_296;
  }

  /** A whole number in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** Mostly near `least`, sometimes near `most`, as durations on a network are. */
  skewed(least: number, most: number): number {
    return Math.round(least + (most - least) * this.next() ** 4);
  }

  is(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** Picks a key by its weight. */
  draw<T extends string>(weights: Readonly<Record<T, number>>): T {
    const entries = Object.entries(weights) as [T, number][];
    let rest = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      rest -= weight;
      if (rest < 0) return name;
    }
    return entries[entries.length - 1]![0];
  }

  /** Random numbers for one part of a history, unchanged by what the other parts draw. */
  fork(label: string): Chance {
    return new Chance(`${this.seed}/${label}`);
  }
}

/** With the seed of the environment's SEED, or a new one. */
export function chanceOfRun(): Chance {
  return new Chance(process.env['SEED'] ?? String(Date.now()));
}

/** FNV-1a with a final mix. */
export function hash(text: string, start = 0x811c9dc5): number {
  let value = start;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
