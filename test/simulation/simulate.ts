/** Many histories in a row, and what came of them. */
import { tellHistory, type History, type HistoryOptions } from './history';

export interface Summary {
  histories: number;
  orders: number;
  events: number;
  alike: number;
  virtualMs: number;
  readonly counts: Map<string, number>;
  readonly failed: History[];
}

/** Tells histories from `seed` on until so many orders have been played, or three of them have failed. */
export async function simulate(
  seed: number,
  orders: number,
  options: Omit<HistoryOptions, 'seed'> = {},
  failuresMax = 3,
): Promise<Summary> {
  const summary: Summary = { histories: 0, orders: 0, events: 0, alike: 0, virtualMs: 0, counts: new Map(), failed: [] };
  for (let next = seed; summary.orders < orders && summary.failed.length < failuresMax; next += 1) {
    const history = await tellHistory({ ...options, seed: next });
    summary.histories += 1;
    summary.orders += history.orders;
    summary.events += history.events;
    summary.alike += history.alike;
    summary.virtualMs += history.virtualMs;
    for (const [name, count] of history.counts) summary.counts.set(name, (summary.counts.get(name) ?? 0) + count);
    if (history.violations.length > 0) summary.failed.push(history);
  }
  return summary;
}
