/** Plays many histories, sums up the results, and shrinks a history that violates an invariant. */
import { countSales, playHistory, type History, type HistoryOptions } from './history';

export interface Summary {
  histories: number;
  orders: number;
  events: number;
  alike: number;
  virtualMs: number;
  readonly counts: Map<string, number>;
  readonly failed: History[];
}

/** Plays histories from `seed` on until this many orders have been played or three histories have failed. */
export async function simulate(
  seed: number,
  orders: number,
  options: Omit<HistoryOptions, 'seed'> = {},
  failuresMax = 3,
): Promise<Summary> {
  const summary: Summary = { histories: 0, orders: 0, events: 0, alike: 0, virtualMs: 0, counts: new Map(), failed: [] };
  for (let next = seed; summary.orders < orders && summary.failed.length < failuresMax; next += 1) {
    const history = await playHistory({ ...options, seed: next });
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

const TRIES_MAX = 80;

/** Plays the same seed with the fewest sales that still violate the same invariant, and keeps all steps. */
export async function shrink(
  options: HistoryOptions,
  invariant: string,
): Promise<{ history: History; sales: readonly number[] }> {
  let sales = Array.from({ length: countSales(options.seed) }, (_, index) => index);
  let tries = 0;
  const stillBreaks = async (some: readonly number[]): Promise<boolean> => {
    tries += 1;
    const { violations } = await playHistory({ ...options, only: new Set(some) });
    return violations.some((violation) => violation.invariant === invariant);
  };
  for (let size = Math.ceil(sales.length / 2); size >= 1 && tries < TRIES_MAX; size = Math.floor(size / 2)) {
    for (let start = 0; start < sales.length && tries < TRIES_MAX;) {
      const rest = [...sales.slice(0, start), ...sales.slice(start + size)];
      if (rest.length > 0 && (await stillBreaks(rest))) sales = rest;
      else start += size;
    }
  }
  return { history: await playHistory({ ...options, only: new Set(sales), keepTrace: true }), sales };
}
