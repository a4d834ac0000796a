/**
 * Decides which connection or request begins next. In each millisecond a few begin at once; the others wait for the next turn of the event loop, where
 * the addresses take turns. Known addresses (v1 has accepted a key of theirs lately) come first. Where there are any, strangers begin one by one.
 */
import { createLru } from '../../domain/lru';
import { networkOf } from '../../domain/network-of';

const ADDRESSES_MAX = 5_000;
const LATELY_MS = 24 * 60 * 60 * 1_000;
/** The LRU reads the clock once in so long: otherwise each millisecond with a request would have a timer of its own. */
const CLOCK_STEP_MS = 1_000;

/** The addresses of callers whose key v1 has accepted lately. They do not wait behind strangers: neither for a turn, nor for a place. */
export class KnownAddresses {
  readonly #lately = createLru<string, true>(ADDRESSES_MAX, { ttl: LATELY_MS, ttlResolution: CLOCK_STEP_MS });

  /** v1 has accepted the key of a caller at this address. */
  add(address: string): void {
    this.#lately.set(networkOf(address), true);
  }

  /** True until v1 has accepted a key. */
  get isEmpty(): boolean {
    return this.#lately.size === 0;
  }

  has(address: string): boolean {
    return this.#lately.has(networkOf(address));
  }
}

type Run = () => void;

const NOTHING: Run = () => undefined;

/** Emptied when it has begun: V8 may keep the set's old tables, see `TransientMap`. */
interface Waiting {
  run: Run | undefined;
}

/** By address; the address whose turn is next comes first. */
type RunsByAddress = Map<string, Set<Waiting>>;

interface LoopTurnsOptions {
  /** How many requests begin in one turn of the event loop. */
  readonly atOnceMax: number;
  readonly known: KnownAddresses;
}

/**
 * Where an address is known, one stranger begins in so long. libuv accepts one connection in each turn of the loop, and the connection of a sale waits
 * behind those of strangers: turns must be short. The pause also leaves processor time to other programs of the machine.
 */
const STRANGER_MS = 5;

export class LoopTurns {
  readonly #options: LoopTurnsOptions;
  readonly #known: RunsByAddress = new Map();
  readonly #strangers: RunsByAddress = new Map();
  #begun = 0;
  #moment = 0;
  #isDue = false;
  #isStrangerDue = false;

  constructor(options: LoopTurnsOptions) {
    this.#options = options;
  }

  /** Calls `run` now, or in its turn when many have begun in this millisecond. The returned function gives up a turn that has not come. */
  begin(address: string, run: Run): () => void {
    const now = Date.now();
    if (now !== this.#moment) {
      this.#moment = now;
      this.#begun = 0;
    }
    const isKnown = this.#options.known.has(address);
    const isFree = this.#begun < (isKnown ? this.#options.atOnceMax : this.#strangersAtOnceMax());
    if (!isFree || this.#known.size > 0 || (!isKnown && this.#strangers.size > 0)) return this.later(address, run);
    this.#begun += 1;
    run();
    return NOTHING;
  }

  /** Calls `run` in its turn, never now. The returned function gives up a turn that has not come. */
  later(address: string, run: Run): () => void {
    const queue = this.#options.known.has(address) ? this.#known : this.#strangers;
    const own = queue.get(address) ?? new Set();
    const waiting: Waiting = { run };
    queue.set(address, own.add(waiting));
    this.#wake();
    return () => {
      // Its queue may be that of the known addresses by now; there an empty set is skipped.
      waiting.run = undefined;
      if (own.delete(waiting) && own.size === 0 && queue.get(address) === own) queue.delete(address);
    };
  }

  #wake(): void {
    const { known } = this.#options;
    if (this.#known.size > 0 || known.isEmpty) this.#wakeMany();
    if (this.#strangers.size > 0 && !known.isEmpty) this.#wakeStranger();
  }

  #wakeMany(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      const { atOnceMax, known } = this.#options;
      const queue = known.isEmpty ? this.#strangers : this.#known;
      for (let begun = 0; begun < atOnceMax && queue.size > 0; begun += 1) beginNext(queue);
      if (queue.size + this.#strangers.size > 0) this.#wake();
    });
  }

  #wakeStranger(): void {
    if (this.#isStrangerDue) return;
    this.#isStrangerDue = true;
    setTimeout(() => {
      this.#isStrangerDue = false;
      this.#moveKnown();
      beginNext(this.#strangers);
      if (this.#known.size + this.#strangers.size > 0) this.#wake();
    }, STRANGER_MS);
  }

  /** Moves the next strangers whose addresses have become known while they waited: thousands may wait when the first sale after a start is made. */
  #moveKnown(): void {
    for (const [address, runs] of this.#strangers) {
      if (!this.#options.known.has(address) || this.#known.has(address)) return;
      this.#strangers.delete(address);
      this.#known.set(address, runs);
    }
  }

  #strangersAtOnceMax(): number {
    return this.#options.known.isEmpty ? this.#options.atOnceMax : 1;
  }
}

function beginNext(queue: RunsByAddress): void {
  for (const [address, runs] of queue) {
    const [waiting] = runs;
    queue.delete(address);
    if (waiting !== undefined) runs.delete(waiting);
    // The address goes to the end of the queue.
    if (runs.size > 0) queue.set(address, runs);
    const run = waiting?.run;
    if (waiting !== undefined) waiting.run = undefined;
    return run?.();
  }
}
