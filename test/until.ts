import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 30_000;

/** Waits until the condition is true; throws after 30 seconds. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  for (; !(await isSo()); await sleep(5))
    if (performance.now() > end) throw new Error(`It has never become so: ${isSo.toString()}`);
}

/** How many turns of the event loop other work, such as a sale, gets until this ends. */
export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let [turns, isOver] = [0, false];
  void work.finally(() => (isOver = true));
  for (; !isOver; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  return turns;
}
