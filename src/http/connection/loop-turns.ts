/**
 * Whose request begins next. A few begin at once; what comes in the same moment waits for the next turn of the event loop, and there the addresses
 * take turns: a stranger with a hundred connections delays a sale by one request of theirs, not by a hundred.
 */

type Run = () => void;

export class LoopTurns {
  readonly #atOnceMax: number;
  /** By address, the one whose turn is next first. */
  readonly #waiting = new Map<string, Run[]>();
  #begun = 0;
  #moment = 0;
  #isDue = false;

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax;
  }

  /** Runs it now, or when many have begun in this millisecond, in its turn. */
  begin(address: () => string, run: Run): void {
    const now = Date.now();
    if (now !== this.#moment) {
      this.#moment = now;
      this.#begun = 0;
    }
    if (this.#begun >= this.#atOnceMax || this.#waiting.size > 0) return this.later(address(), run);
    this.#begun += 1;
    run();
  }

  /** Runs it in its turn, never now. */
  later(address: string, run: Run): void {
    const own = this.#waiting.get(address);
    if (own === undefined) this.#waiting.set(address, [run]);
    else own.push(run);
    this.#wake();
  }

  #wake(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      for (let begun = 0; begun < this.#atOnceMax && this.#waiting.size > 0; begun += 1) this.#beginNext();
      if (this.#waiting.size > 0) this.#wake();
    });
  }

  #beginNext(): void {
    for (const [address, runs] of this.#waiting) {
      this.#waiting.delete(address);
      const run = runs.shift();
      if (runs.length > 0) this.#waiting.set(address, runs);
      return run?.();
    }
  }
}
