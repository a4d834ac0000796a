/**
 * Group commit for a database: what arrives while batches are on their way waits and shares the next one, so that a thousand orders at
 * once cost a handful of round trips and flushes.
 */

export interface BatchOptions<Job> {
  /** Answers each of these jobs. What it throws ends those that it has not answered. */
  readonly run: (jobs: readonly Job[]) => Promise<void>;
  readonly fail: (job: Job, error: unknown) => void;
  readonly inFlightMax: number;
  readonly jobsMax: number;
  readonly waitingMax: number;
}

export interface Batches<Job> {
  /** False when too many wait already: then nothing happens with it. */
  add(job: Job): boolean;
  /** Ends whoever waits for a batch. */
  failWaiting(error: unknown): void;
  /** Resolves when nothing waits and nothing is on its way. */
  idle(): Promise<void>;
}

export function createBatches<Job>({ run, fail, inFlightMax, jobsMax, waitingMax }: BatchOptions<Job>): Batches<Job> {
  let waiting: Job[] = [];
  let inFlight = 0;
  let isDue = false;
  let onIdle: (() => void)[] = [];

  const start = (): void => {
    isDue = false;
    while (waiting.length > 0 && inFlight < inFlightMax) {
      const jobs = waiting.splice(0, jobsMax);
      inFlight += 1;
      void run(jobs)
        .catch((error: unknown) => jobs.forEach((job) => fail(job, error)))
        .finally(() => {
          inFlight -= 1;
          start();
        });
    }
    if (waiting.length > 0 || inFlight > 0) return;
    onIdle.forEach((resolve) => resolve());
    onIdle = [];
  };

  return {
    add(job) {
      if (waiting.length >= waitingMax) return false;
      waiting.push(job);
      if (isDue || inFlight >= inFlightMax) return true;
      isDue = true;
      // After what this turn of the event loop still brings: requests that came in together share a batch.
      setImmediate(start);
      return true;
    },
    failWaiting(error) {
      const failed = waiting;
      waiting = [];
      failed.forEach((job) => fail(job, error));
    },
    idle: () =>
      waiting.length === 0 && inFlight === 0 ? Promise.resolve() : new Promise<void>((resolve) => onIdle.push(resolve)),
  };
}
