/** Makes a violation smaller: the same seed with as few of its sales as still break the same invariant. */
import { countSales, tellHistory, type History, type HistoryOptions } from './history';

const TRIES_MAX = 80;

/** The smallest history found, told again with all its steps. */
export async function shrink(
  options: HistoryOptions,
  invariant: string,
): Promise<{ history: History; sales: readonly number[] }> {
  let sales = Array.from({ length: countSales(options.seed) }, (_, index) => index);
  let tries = 0;
  const stillBreaks = async (some: readonly number[]): Promise<boolean> => {
    tries += 1;
    const { violations } = await tellHistory({ ...options, only: new Set(some) });
    return violations.some((violation) => violation.invariant === invariant);
  };
  for (let size = Math.ceil(sales.length / 2); size >= 1 && tries < TRIES_MAX; size = Math.floor(size / 2)) {
    for (let start = 0; start < sales.length && tries < TRIES_MAX;) {
      const rest = [...sales.slice(0, start), ...sales.slice(start + size)];
      if (rest.length > 0 && (await stillBreaks(rest))) sales = rest;
      else start += size;
    }
  }
  return { history: await tellHistory({ ...options, only: new Set(sales), keepTrace: true }), sales };
}
