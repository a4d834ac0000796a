/** The connection of one request: whether its script is still there, and whether it got the reply. */
import type { ServerResponse } from 'node:http';
import type { Line } from '../domain/legacy';

/** Most requests end at once and nobody looks: the signal is only made for who does. */
export function watchLine(response: ServerResponse): Line {
  let controller: AbortController | undefined;
  let onEnd: ((isWhole: boolean) => void)[] = [];
  // Whole is what the operating system has taken over; of more than that nobody on this side can know.
  const isWhole = (): boolean => response.writableFinished;
  response.once('close', () => {
    if (!isWhole()) controller?.abort();
    const runs = onEnd;
    onEnd = [];
    for (const run of runs) run(isWhole());
  });
  return {
    get hungUp() {
      controller ??= new AbortController();
      if (response.closed && !isWhole()) controller.abort();
      return controller.signal;
    },
    onEnd(run) {
      if (response.closed) run(isWhole());
      else onEnd.push(run);
    },
  };
}
