/**
 * Group commit: jobs that arrive during a write to the disk wait and share the next write, so a thousand orders at once
 * need only a few flushes. A job's promise resolves when its bytes are on disk.
 */
import { WriteFailure } from '../journal';

/** One change: a key gets a value, or is removed where the value is undefined. */
export interface Write {
  readonly tree: Tree;
  readonly key: Buffer;
  readonly value: Buffer | undefined;
  /** When true, a key that has a value keeps it. */
  readonly isOnlyIfAbsent?: boolean;
}

/** The methods of an LMDB database that this file uses. */
export interface Tree {
  put(key: Buffer, value: Buffer, options?: { readonly noOverwrite: boolean }): Promise<boolean>;
  remove(key: Buffer): Promise<boolean>;
}

/** The result of a job inside the transaction, and the writes that belong to it. */
export interface Plan<T> {
  readonly result: T;
  readonly writes: readonly Write[];
}

interface GroupCommitOptions {
  /**
   * Runs the work inside one write transaction and resolves when it is on disk; undoes all of it when the work throws. After a failed write it
   * probes the disk before the work. It is then repeated without work until it succeeds, because health checks may keep all traffic away meanwhile.
   */
  readonly commit: (work: () => void) => Promise<unknown>;
  /** Called at the first of several failed writes, at the first success after them, and when the disk gives no answer. */
  readonly onChange: (change: 'failed' | 'stalled' | 'recovered', error?: unknown) => void;
  /** How many jobs one transaction takes at most. */
  readonly jobsMax?: number;
  /** How long one transaction may plan, because that blocks the event loop. The other jobs join the next flush. */
  readonly planMsMax?: number;
  /** When a flush takes longer, its jobs are rejected: a refusal is better than a script that waits for ever. */
  readonly stallMs?: number;
}

const JOBS_MAX = 1024;
const PLAN_MS_MAX = 5;
export const STALL_MS = 10_000;
/** Gathering ends at so many jobs: more of them make a commit hardly cheaper for each. */
const GATHERED_MAX = 64;
const GATHER_MS_MAX = 2;
const PROBE_FIRST_MS = 1000;
const PROBE_MOST_MS = 5000;
const IF_ABSENT = { noOverwrite: true };

interface Job {
  readonly plan: () => Plan<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  outcome: { readonly result: unknown } | { readonly error: unknown } | undefined;
}

export class GroupCommit {
  readonly #options: Required<GroupCommitOptions>;
  readonly #waiting: Job[] = [];
  #idle = Promise.resolve();
  #isBusy = false;
  #isStalled = false;
  #hasFailed = false;
  #isFailureTold = false;
  #isOpen = true;
  #nextProbe: NodeJS.Timeout | undefined;
  #probeAfterMs = PROBE_FIRST_MS;

  constructor(options: GroupCommitOptions) {
    this.#options = { jobsMax: JOBS_MAX, planMsMax: PLAN_MS_MAX, stallMs: STALL_MS, ...options };
  }

  /**
   * Plans inside the next write transaction. A plan that throws rejects alone. A failed write rejects all its jobs and all
   * waiting ones. From then on every job is rejected at once, until a probe succeeds.
   */
  run<T>(plan: () => Plan<T>): Promise<T> {
    if (this.#hasFailed && !this.#isStalled) return Promise.reject(new WriteFailure(new Error('the last write failed')));
    return this.#take(plan);
  }

  /** Commits now, also after a failure; resolves when the disk takes writes. */
  async mend(): Promise<void> {
    await this.#take(() => ({ result: undefined, writes: [] }));
  }

  isWritable(): boolean {
    return this.#isOpen && !this.#hasFailed;
  }

  /** Waits for all accepted jobs. False when the disk still gives no answer. */
  async close(): Promise<boolean> {
    this.#isOpen = false;
    clearTimeout(this.#nextProbe);
    if (this.#isStalled) return false;
    await this.#idle;
    return true;
  }

  #take<T>(plan: () => Plan<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (!this.#isOpen) return reject(new WriteFailure(new Error('it is closed')));
      if (this.#isStalled) return reject(new WriteFailure(new Error('the disk gives no answer')));
      this.#waiting.push({ plan, resolve: resolve as (result: unknown) => void, reject, outcome: undefined });
      if (!this.#isBusy) this.#idle = this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      await this.#gather();
      await this.#writeBatch();
    }
    this.#isBusy = false;
  }

  /**
   * Waits while each turn of the event loop brings another job, so that they share a commit. A commit takes 200 µs of processor time or more:
   * an order alone costs eight times as much as one among sixteen. When there is no other work, a turn takes no time.
   */
  async #gather(): Promise<void> {
    const untilMs = performance.now() + GATHER_MS_MAX;
    for (let before = 0; before < this.#waiting.length && this.#waiting.length < GATHERED_MAX && performance.now() < untilMs;) {
      before = this.#waiting.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #writeBatch(): Promise<void> {
    let batch: Job[] = [];
    const fail = (failure: WriteFailure): void => {
      for (const job of [...batch, ...this.#waiting.splice(0)]) job.reject(failure);
    };
    const { stallMs, commit, onChange } = this.#options;
    const stall = setTimeout(() => {
      this.#isStalled = true;
      this.#hasFailed = true;
      fail(new WriteFailure(new Error(`the disk gave no answer for ${stallMs} ms`)));
      onChange('stalled');
    }, stallMs);
    try {
      await commit(() => {
        // The jobs are taken only when we hold the write lock, so jobs that came during the wait for it join this flush.
        batch = carryOutSome(this.#waiting, this.#options);
      });
      for (const job of batch) settle(job);
      if (this.#hasFailed) this.#report('recovered');
    } catch (error) {
      const failure = new WriteFailure(error);
      fail(failure);
      this.#report('failed', failure);
    } finally {
      clearTimeout(stall);
      this.#isStalled = false;
    }
  }

  #report(change: 'failed' | 'recovered', error?: unknown): void {
    this.#hasFailed = change === 'failed';
    clearTimeout(this.#nextProbe);
    if (change === 'recovered') this.#probeAfterMs = PROBE_FIRST_MS;
    else if (this.#isOpen) {
      this.#nextProbe = setTimeout(() => void this.mend().catch(() => undefined), this.#probeAfterMs).unref();
      this.#probeAfterMs = Math.min(2 * this.#probeAfterMs, PROBE_MOST_MS);
    }
    const isNews = change === 'recovered' || !this.#isFailureTold;
    this.#isFailureTold = change === 'failed';
    // In a microtask of its own: a listener that throws must not stop the queue.
    if (isNews) queueMicrotask(() => this.#options.onChange(change, error));
  }
}

/** Takes jobs from the front of the queue and carries them out, until `jobsMax` or `planMsMax` is reached. */
function carryOutSome(waiting: Job[], { jobsMax, planMsMax }: Required<GroupCommitOptions>): Job[] {
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

/** Inside a write transaction these calls act at once and throw on failure; their promises carry no information. */
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
