/** The thread of one job. It gets the job's name and input at its start, and its only message is the result. */
import { parentPort, workerData } from 'node:worker_threads';
import { errorText } from '../../domain/shown-words';
import { JOBS, type JobName } from './jobs';

export type Done = { readonly result: unknown } | { readonly error: string };

async function work(): Promise<Done> {
  const { job, input } = workerData as { readonly job: JobName; readonly input: never };
  try {
    return { result: await JOBS[job](input) };
  } catch (error) {
    return { error: errorText(error) };
  }
}

void work().then((done) => parentPort?.postMessage(done));
