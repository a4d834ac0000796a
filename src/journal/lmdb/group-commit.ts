/**
 * Group commit: jobs that arrive while a write is on its way to the disk wait and share the next one, so a thousand
 * orders at once cost a handful of flushes. A job's promise resolves when its bytes are on disk.
 */

/** One change: a key gets a value, or is removed where the value is undefined. */
export interface Write {
  readonly tree: Tree;
  readonly key: Buffer;
  readonly value: Buffer | undefined;
  /** A key that has a value already keeps it. */
  readonly isOnlyIfAbsent?: boolean;
}

/** What this file needs of an LMDB database. */
export interface Tree {
  put(key: Buffer, value: Buffer, options?: { readonly noOverwrite: boolean }): Promise<boolean>;
  remove(key: Buffer): Promise<boolean>;
}

/** What a job found out inside the transaction, and what is to be written for it. */
export interface Plan<T> {
  readonly result: T;
  readonly writes: readonly Write[];
}

/** The write failed, or nobody knows whether it did: the disk gave no answer. */
export class WriteFailure extends Error {
  constructor(cause: unknown) {
    super(`The journal could not be written${cause instanceof Error ? `: ${cause.message}` : '.'}`, { cause });
    this.name = 'WriteFailure';
  }
}

export interface GroupCommitOptions {
  /** Runs the work inside one write transaction and resolves when that is on disk; undoes all of it when the work throws. */
  readonly commit: (work: () => void) => Promise<unknown>;
  /** A failed write, the first success after failures, and a disk that gives no answer. */
  readonly onChange: (change: 'failed' | 'stalled' | 'recovered', error?: unknown) => void;
  /** How many jobs one transaction takes at most. */
  readonly jobsMax: number;
  /** How long one transaction plans: the event loop is busy with that in one piece. What is left joins the next flush. */
  readonly planMsMax: number;
  /** When a flush takes longer, its jobs are told so: better a refusal than a script that waits for ever. */
  readonly stallMs: number;
}

export interface GroupCommit {
  /**
   * Plans inside the next write transaction. A plan that throws fails alone; a failed write fails everything it carried and
   * whoever waits. From then on everything is refused at once, until `mend` gets through.
   */
  run<T>(plan: () => Plan<T>): Promise<T>;
  /** Tries to write after a failure, with a transaction of its own. */
  mend<T>(plan: () => Plan<T>): Promise<T>;
  isWritable(): boolean;
  /** Waits for everything taken in. False when the disk still gives no answer. */
  close(): Promise<boolean>;
}

const IF_ABSENT = { noOverwrite: true };

interface Job {
  readonly plan: () => Plan<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  outcome: { readonly result: unknown } | { readonly error: unknown } | undefined;
}

export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const waiting: Job[] = [];
  let idle = Promise.resolve();
  let isBusy = false;
  let isStalled = false;
  let hasFailed = false;
  let isOpen = true;

  const report = (change: 'failed' | 'recovered', error?: unknown): void => {
    if (change === 'recovered' && !hasFailed) return;
    hasFailed = change === 'failed';
    // In a turn of its own: a listener that throws must not stop the line.
    queueMicrotask(() => options.onChange(change, error));
  };

  const writeBatch = async (): Promise<void> => {
    let batch: Job[] = [];
    const stall = setTimeout(() => {
      isStalled = true;
      hasFailed = true;
      const failure = new WriteFailure(new Error(`the disk gave no answer for ${options.stallMs} ms`));
      for (const job of [...batch, ...waiting.splice(0)]) job.reject(failure);
      options.onChange('stalled');
    }, options.stallMs);
    try {
      await options.commit(() => {
        // Taken only now, with the write lock in hand: whoever came while we waited for it still joins this flush.
        batch = carryOutSome(waiting, options);
      });
      for (const job of batch) settle(job);
      report('recovered');
    } catch (error) {
      const failure = new WriteFailure(error);
      for (const job of [...batch, ...waiting.splice(0)]) job.reject(failure);
      report('failed', failure);
    } finally {
      clearTimeout(stall);
      isStalled = false;
    }
  };

  const drain = async (): Promise<void> => {
    isBusy = true;
    while (waiting.length > 0) await writeBatch();
    isBusy = false;
  };

  const take = <T>(plan: () => Plan<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (!isOpen) return reject(new WriteFailure(new Error('it is closed')));
      if (isStalled) return reject(new WriteFailure(new Error('the disk gives no answer')));
      waiting.push({ plan, resolve: resolve as (result: unknown) => void, reject, outcome: undefined });
      if (!isBusy) idle = drain();
    });

  return {
    run: (plan) => (hasFailed && !isStalled ? Promise.reject(new WriteFailure(new Error('the last write failed'))) : take(plan)),
    mend: take,
    isWritable: () => isOpen && !hasFailed,
    async close() {
      isOpen = false;
      if (isStalled) return false;
      await idle;
      return true;
    },
  };
}

/** Takes jobs off the front of the line and carries them out, until there are enough of them or time is up. */
function carryOutSome(waiting: Job[], { jobsMax, planMsMax }: GroupCommitOptions): Job[] {
  const untilMs = performance.now() + planMsMax;
  let count = 0;
  for (const job of waiting) {
    if (count >= jobsMax || (count > 0 && performance.now() > untilMs)) break;
    carryOut(job);
    count += 1;
  }
  return waiting.splice(0, count);
}

function carryOut(job: Job): void {
  let plan: Plan<unknown>;
  try {
    plan = job.plan();
  } catch (error) {
    job.outcome = { error };
    return;
  }
  for (const write of plan.writes) carryOutWrite(write);
  job.outcome = { result: plan.result };
}

/** Inside a write transaction all of these act at once and throw; their promises have nothing to tell. */
function carryOutWrite({ tree, key, value, isOnlyIfAbsent }: Write): void {
  if (value === undefined) void tree.remove(key);
  else if (isOnlyIfAbsent === true) void tree.put(key, value, IF_ABSENT);
  else void tree.put(key, value);
}

function settle(job: Job): void {
  if (job.outcome === undefined) job.reject(new WriteFailure(new Error('the transaction ended without it')));
  else if ('error' in job.outcome) job.reject(job.outcome.error);
  else job.resolve(job.outcome.result);
}
