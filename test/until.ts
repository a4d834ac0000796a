import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 30_000;

/** Waits until the condition is true; throws after 30 seconds. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  for (; !(await isSo()); await sleep(5))
    if (performance.now() > end) throw new Error(`It has never become so: ${isSo.toString()}`);
}
