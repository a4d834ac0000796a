/**
 * The worker processes: forks them, replaces one that dies, stops all together, and joins their metrics. A worker's replacement has
 * the same number.
 */
import cluster, { type Worker } from 'node:cluster';
import { statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry, Counter, Gauge, type Registry } from 'prom-client';
import { errorFields, type Log, type LogFields } from '../telemetry/log';
import { openChannel, type MessageHandlers, type Channel, type MetricsOfProcess } from './channel';

interface WorkerPoolParts {
  readonly workers: number;
  readonly log: Log;
  /** The primary's handlers for messages of this worker. */
  readonly handlers: (worker: number) => MessageHandlers;
  readonly onGone: (worker: number) => void;
}

const BACKOFF_FIRST_MS = 100;
const BACKOFF_MOST_MS = 10_000;
/** A worker that lived so long did not die because of its start. */
const STEADY_MS = 30_000;
const ANSWER_MS = 2_000;
const ENDING_MS = 1_000;

/** Another text when the program was replaced or built again: this file is its whole, one file in dist. */
function markOfProgram(): string {
  const { ino, mtimeMs } = statSync(__filename);
  return `${ino} ${mtimeMs}`;
}

interface Place {
  readonly process: Worker;
  readonly channel: Channel;
  isServing: boolean;
}

export class WorkerPool {
  /** Resolves with the public address when all workers serve; rejects with the message of one that cannot start. */
  readonly started: Promise<string>;
  readonly #parts: WorkerPoolParts;
  readonly #places = new Map<number, Place>();
  readonly #deaths = new Map<number, number>();
  readonly #program = markOfProgram();
  #isStopping = false;
  #hasStarted = false;
  #onStart!: { resolve: (publicUrl: string) => void; reject: (error: Error) => void };

  constructor(parts: WorkerPoolParts) {
    this.#parts = parts;
    // Workers accept connections themselves. If the primary passed them on, one on its way to a worker that dies would never be answered or closed.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    // A worker runs the same program as the primary: from src (in tests), from dist, or from the one file in dist.
    cluster.setupPrimary({
      exec: join(__dirname, '..', 'cli', `main${extname(__filename)}`),
      args: ['serve'],
      serialization: 'advanced',
    });
    this.started = new Promise((resolve, reject) => (this.#onStart = { resolve, reject }));
    process.once('exit', () => this.#killAll());
    process.on('SIGUSR2', this.#reopenLogs);
    for (let worker = 1; worker <= parts.workers; worker += 1) this.#fork(worker);
  }

  /** The channels to workers that serve. */
  channels(): readonly (readonly [worker: number, Channel])[] {
    return [...this.#places].filter(([, { isServing }]) => isServing).map(([worker, { channel }]) => [worker, channel] as const);
  }

  /** The channels to all workers, also to those that do not serve yet. */
  allChannels(): readonly (readonly [worker: number, Channel])[] {
    return [...this.#places].map(([worker, { channel }]) => [worker, channel] as const);
  }

  tellAll(kind: string, value?: unknown, except?: number): void {
    for (const [worker, channel] of this.channels()) if (worker !== except) channel.tell(kind, value);
  }

  /** The answers of all workers that serve, without those that die meanwhile or take longer than `ANSWER_MS`. */
  async askAll(kind: string, value?: unknown): Promise<readonly (readonly [worker: number, answer: unknown])[]> {
    const answers = await Promise.all(
      this.channels().map(async ([worker, channel]) => {
        const answer = channel.ask(kind, value).then((given) => ({ worker, given }));
        return Promise.race([answer, sleep(ANSWER_MS, undefined, { ref: false })]).catch(() => undefined);
      }),
    );
    return answers.flatMap((answer) => (answer === undefined ? [] : [[answer.worker, answer.given] as const]));
  }

  /** Kills the worker at this channel, so that another takes its place; does nothing when it has been replaced already. */
  replace(worker: number, channel: Channel): void {
    const place = this.#places.get(worker);
    if (place?.channel === channel) place.process.process.kill('SIGKILL');
  }

  /** Stops all workers; kills those that are left after `deadlineMs`. During the start, workers that do not serve yet are killed at once. */
  async stop(signal: string | undefined, deadlineMs: number): Promise<void> {
    this.#isStopping = true;
    for (const { channel, isServing, process: child } of this.#places.values())
      if (this.#hasStarted || isServing) channel.tell('stop', signal);
      else child.process.kill('SIGKILL');
    const untilMs = performance.now() + deadlineMs;
    while (this.#places.size > 0 && performance.now() < untilMs) await sleep(10);
    process.off('SIGUSR2', this.#reopenLogs);
    this.#killAll();
  }

  /** Reaches workers that do not serve yet as well: their logs may be open. */
  readonly #reopenLogs = (): void => {
    for (const { channel } of this.#places.values()) channel.tell('reopenLog');
  };

  #fork(worker: number): void {
    const child = cluster.fork();
    const bornAtMs = performance.now();
    const channel = openChannel(child, {
      ...this.#parts.handlers(worker),
      ready: (publicUrl: string) => {
        place.isServing = true;
        this.#parts.log.info('worker_started', { worker, pid: child.process.pid });
        if (this.channels().length === this.#parts.workers) this.#begin(publicUrl);
      },
      failed: (sentence: string) => this.#onStart.reject(new Error(sentence)),
    });
    const place: Place = { process: child, channel, isServing: false };
    this.#places.set(worker, place);
    const gone = (code: string | undefined, signal?: string): void =>
      this.#gone(worker, { worker, pid: child.process.pid, code, signal }, performance.now() - bornAtMs);
    // One of the two is null.
    child.once('exit', (code: number | null, signal: string | null) => gone(code?.toString(), signal ?? undefined));
    // A process that could not be created gives no `exit`, only an `error`. Without a handler that would end this process and all workers.
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (child.process.pid === undefined) gone(error.code ?? error.message);
    });
  }

  #gone(worker: number, told: LogFields, livedMs: number): void {
    this.#places.delete(worker);
    this.#parts.onGone(worker);
    if (this.#isStopping) return;
    if (!this.#hasStarted)
      return this.#onStart.reject(new Error(`Worker ${worker} ended while it started (${told.signal ?? told.code}).`));
    this.#parts.log.error('worker_died', told);
    this.#forkAgain(worker, livedMs);
  }

  #begin(publicUrl: string): void {
    this.#hasStarted = true;
    this.#onStart.resolve(publicUrl);
  }

  /** `told`: why the last attempt was not made, as the log says already. */
  #forkAgain(worker: number, livedMs: number, told?: LogFields['error']): void {
    const deaths = livedMs >= STEADY_MS ? 0 : (this.#deaths.get(worker) ?? 0);
    this.#deaths.set(worker, deaths + 1);
    const delayMs = Math.min(BACKOFF_MOST_MS, BACKOFF_FIRST_MS * 2 ** deaths);
    setTimeout(() => {
      if (this.#isStopping) return;
      try {
        if (markOfProgram() === this.#program) return this.#fork(worker);
        if (this.#places.size === 0) return this.#endGateway(worker);
        // Two builds may differ in settings, guards and messages, and would sell as one.
        throw new Error('The program was replaced: restart the gateway.');
      } catch (error) {
        // No worker was made, so none has died.
        const fields = errorFields(error);
        if (fields.error !== told) this.#parts.log.error('worker_died', { worker, ...fields });
        this.#forkAgain(worker, 0, fields.error);
      }
    }, delayMs);
  }

  /** No worker is left, and none can be started: the gateway ends, so that its supervisor starts the program that is there now. */
  #endGateway(worker: number): void {
    this.#isStopping = true;
    const error = 'The program was replaced and no worker is left: the gateway ends, so that it is started anew.';
    this.#parts.log.error('worker_died', { worker, error });
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  }

  #killAll(): void {
    for (const { process: child } of this.#places.values()) child.process.kill('SIGKILL');
  }
}

/** How long all workers may take to stop: the drain time for load balancers, their own deadline, and a little more. In ms. */
export function stopWithinMs(drainSeconds: number, deadlineMs: number): number {
  return drainSeconds * 1_000 + deadlineMs + 10 * ENDING_MS;
}

interface MetricsSources {
  readonly own: Registry;
  readonly askWorkers: () => Promise<readonly (readonly [worker: number, answer: unknown])[]>;
  readonly serving: () => number;
}

/** The metrics of the primary and all workers together. The counts of a worker that died are kept as they were last read. */
export function createMetricsOfAll({ own, askWorkers, serving }: MetricsSources) {
  const registers = [own];
  const deaths = new Counter({ name: 'compat_worker_deaths_total', help: 'Workers that died and were replaced', registers });
  new Gauge({
    name: 'compat_workers',
    help: 'Workers that serve',
    registers,
    collect() {
      this.set(serving());
    },
  });
  const last = new Map<number, MetricsOfProcess>();
  /** The counts of all workers that died. */
  let left: Promise<MetricsOfProcess> = Promise.resolve([]);
  const aggregate = async (): Promise<Registry> => {
    for (const [worker, answer] of await askWorkers()) if (answer !== undefined) last.set(worker, answer as MetricsOfProcess);
    return AggregatorRegistry.aggregate([(await own.getMetricsAsJSON()) as MetricsOfProcess, ...last.values(), await left]);
  };
  return {
    contentType: own.contentType,
    metrics: async () => (await aggregate()).metrics(),
    getMetricsAsJSON: async () => (await aggregate()).getMetricsAsJSON(),
    /** To be called when a worker has died. */
    gone(worker: number): void {
      deaths.inc();
      const counted = (last.get(worker) ?? []).filter(({ type }) => String(type) === 'counter' || String(type) === 'histogram');
      last.delete(worker);
      // One after another: two workers may die at the same moment.
      left = left.then(
        async (sum) => (await AggregatorRegistry.aggregate([sum, counted]).getMetricsAsJSON()) as MetricsOfProcess,
      );
    },
  };
}
