/** Something that is opened when it is first needed. */
import type { Clock } from './clock';

const RETRY_MS = 5_000;

/** Calls `open` once and gives its promise to all callers. After a failure, the first call more than `RETRY_MS` later opens again. */
export function openOnce<T>(open: () => Promise<T>, clock: Pick<Clock, 'elapsed'>): () => Promise<T> {
  let opening: Promise<T> | undefined;
  let mayRetryAtMs = -Infinity;
  return () => {
    if (opening !== undefined && clock.elapsed() < mayRetryAtMs) return opening;
    mayRetryAtMs = Infinity;
    opening = open();
    opening.catch(() => (mayRetryAtMs = clock.elapsed() + RETRY_MS));
    return opening;
  };
}
