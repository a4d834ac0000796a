/**
 * Group commit for a database: jobs that arrive while batches are on their way wait and share the next one, so that a thousand orders at
 * once need only a few round trips and flushes.
 */
import { WriteFailure } from '../journal';

const IN_FLIGHT_MAX = 2;
const JOBS_MAX = 256;

/** One job of a batch. Only its first `resolve` or `reject` counts. */
export interface Job<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export class Batches<Asked, Answer> {
  readonly #run: (jobs: readonly Job<Asked, Answer>[]) => Promise<void>;
  readonly #waitingMax: number;
  #waiting: Job<Asked, Answer>[] = [];
  #inFlight = 0;
  #isDue = false;
  #onIdle: (() => void)[] = [];

  /** `run` answers each job of a batch. When it rejects, the jobs without an answer reject too. */
  constructor(run: (jobs: readonly Job<Asked, Answer>[]) => Promise<void>, waitingMax: number) {
    this.#run = run;
    this.#waitingMax = waitingMax;
  }

  /** Rejects with a WriteFailure when too many wait already. */
  ask(asked: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= this.#waitingMax)
        return reject(new WriteFailure(new Error('too many orders wait for PostgreSQL')));
      this.#waiting.push({ asked, resolve, reject });
      if (this.#isDue || this.#inFlight >= IN_FLIGHT_MAX) return;
      this.#isDue = true;
      // At the end of this turn of the event loop: requests that came in together share a batch.
      setImmediate(() => this.#start());
    });
  }

  #start(): void {
    this.#isDue = false;
    while (this.#waiting.length > 0 && this.#inFlight < IN_FLIGHT_MAX) {
      const jobs = this.#waiting.splice(0, JOBS_MAX);
      this.#inFlight += 1;
      void this.#run(jobs)
        .catch((error: unknown) => jobs.forEach((job) => job.reject(error)))
        .finally(() => {
          this.#inFlight -= 1;
          this.#start();
        });
    }
    if (this.#waiting.length > 0 || this.#inFlight > 0) return;
    this.#onIdle.splice(0).forEach((resolve) => resolve());
  }

  /** Rejects the jobs that wait for a batch. */
  failWaiting(error: unknown): void {
    this.#waiting.splice(0).forEach((job) => job.reject(error));
  }

  /** Resolves when nothing waits and nothing is on its way. */
  idle(): Promise<void> {
    if (this.#waiting.length === 0 && this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }
}
