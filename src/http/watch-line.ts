/** The connection of one request: whether its script is still there, and whether it got the reply. */
import type { ServerResponse } from 'node:http';
import type { Line } from '../domain/legacy';

export function watchLine(response: ServerResponse, arrivedAtMs: number): Line {
  let onEnd: ((isWhole: boolean) => void)[] = [];
  // Whole is what the operating system has taken over; of more than that nobody on this side can know.
  const isWhole = (): boolean => response.writableFinished;
  response.once('close', () => {
    const runs = onEnd;
    onEnd = [];
    for (const run of runs) run(isWhole());
  });
  return {
    get ageMs() {
      return performance.now() - arrivedAtMs;
    },
    get hasHungUp() {
      return response.closed && !isWhole();
    },
    onEnd(run) {
      if (response.closed) run(isWhole());
      else onEnd.push(run);
    },
  };
}
