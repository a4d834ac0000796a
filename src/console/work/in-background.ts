/**
 * Runs a job in its own thread: a plan with its replay computes for seconds, and purchases would have to wait for it in the
 * thread that sells. Only one job runs at a time, so that a processor is left for selling.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { oneByOne } from '../../domain/steps';
import type * as JobsModule from './jobs';
import type { JobName, Jobs, Report } from './jobs';
import type { Done } from './worker';

const WAITING_MAX = 4;
const TIME_MAX_MS = 120_000;
const HEAP_MAX_MB = 512;

/** The thread's file, beside this file or as seen from the single file of `serve`. */
const THREAD = [join(__dirname, 'worker.js'), join(__dirname, '..', 'console', 'work', 'worker.js')].find((path) =>
  existsSync(path),
);

const inTurn = oneByOne();
let waiting = 0;

/** Rejects with a sentence if too many jobs wait or if the job takes too long. */
export async function inBackground<Name extends JobName>(job: Name, input: Parameters<Jobs[Name]>[0]): Promise<Report<Name>> {
  if (waiting >= WAITING_MAX) throw new Error('Too much is being computed already. Try again in a moment.');
  waiting += 1;
  try {
    return (await inTurn(() => run(job, input))) as Report<Name>;
  } finally {
    waiting -= 1;
  }
}

function run(job: JobName, input: unknown): Promise<unknown> {
  // Without a build, as in tests, there is no file for a thread.
  if (THREAD === undefined) return runHere(job, input);
  return new Promise((resolve, reject) => {
    const worker = new Worker(THREAD, { workerData: { job, input }, resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB } });
    const timer = setTimeout(
      () => end(() => reject(new Error('It took longer than two minutes and was given up.'))),
      TIME_MAX_MS,
    );
    const end = (say: () => void): void => {
      clearTimeout(timer);
      say();
      void worker.terminate();
    };
    worker.once('message', (done: Done) => end(() => ('error' in done ? reject(new Error(done.error)) : resolve(done.result))));
    worker.once('error', (error) => end(() => reject(error)));
    worker.once('exit', (code) => end(() => reject(new Error(`The computing thread ended with ${code}.`))));
  });
}

async function runHere(job: JobName, input: unknown): Promise<unknown> {
  const { JOBS } = module.require('./jobs') as typeof JobsModule;
  return JOBS[job](input as never);
}
