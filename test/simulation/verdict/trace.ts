/** The steps of a history. The hash is always kept, the steps only when they will be printed. */
import { hash } from '../../chance';

export interface Step {
  /** Milliseconds since the history began. */
  readonly atMs: number;
  /** The request id of the order, or the part of the house. */
  readonly subject: string;
  readonly text: string;
}

export class Trace {
  readonly steps: Step[] = [];
  readonly #isKept: boolean;
  #hash = 0x811c9dc5;

  constructor(isKept: boolean) {
    this.#isKept = isKept;
  }

  add(atMs: number, subject: string, text: string): void {
    this.#hash = hash(`${atMs} ${subject} ${text}`, this.#hash);
    if (this.#isKept) this.steps.push({ atMs, subject, text });
  }

  /** Two histories with the same hash took the same steps at the same times. */
  get digest(): string {
    return this.#hash.toString(16).padStart(8, '0');
  }

  /** The steps of one order, and those of the house around it. */
  of(subject: string): readonly Step[] {
    return this.steps.filter((step) => step.subject === subject || step.subject.startsWith('*'));
  }
}

export function formatStep({ atMs, subject, text }: Step): string {
  return `${(atMs / 1000).toFixed(3).padStart(10)} s  ${subject.padEnd(14)}  ${text}`;
}
