// What the gateway's benchmark prints: the medians of every kind of request, each beside what it is compared with.
import { availableParallelism } from 'node:os';

/** The largest processor time that a version of Node may use for a kind of request, compared with the best version. */
const RATIO_MAX = 1.2;
const COST = 'CPU µs';

/** Rows of { request, node, isOurs, figures }, one for each turn. Sets the exit code when a version of Node costs too much. */
export function report(rows, title) {
  const nodes = [...new Set(rows.map(({ node }) => node))];
  const requests = [...new Set(rows.map(({ request }) => request))];
  const medianOf = (request, node, isOurs) => {
    const taken = rows.filter((row) => row.request === request && row.node === node && row.isOurs === isOurs);
    return taken.length === 0 ? undefined : medians(taken.map(({ figures }) => figures));
  };
  const table = {};
  const tooDear = [];
  for (const request of requests) {
    const best = Math.min(...nodes.map((node) => medianOf(request, node, true)[COST]));
    for (const node of nodes) {
      const ours = medianOf(request, node, true);
      const theirs = medianOf(request, node, false);
      const toBest = ours[COST] / best;
      if (toBest > RATIO_MAX) tooDear.push(`${request}, ${node}: ${toBest.toFixed(2)}`);
      table[`${request}, ${node}`] = { ...rounded(ours), ...(nodes.length > 1 && { 'to the best': +toBest.toFixed(2) }) };
      if (theirs === undefined) continue;
      table[`${request}, ${node} (against)`] = {
        ...rounded(theirs),
        'our CPU / theirs': +(ours[COST] / theirs[COST]).toFixed(3),
      };
    }
  }
  console.log(`${title}; ${nodes.join(', ')}; ${availableParallelism()} cores`);
  console.table(table);
  if (tooDear.length === 0) return;
  console.log(`More than ${RATIO_MAX} times the processor time of the best version of Node:\n  ${tooDear.join('\n  ')}`);
  process.exitCode = 1;
}

export const rounded = (figures) =>
  Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, +value.toFixed(value < 100 ? 2 : 0)]));

/** The median of each figure. */
export function medians(all) {
  return Object.fromEntries(Object.keys(all[0]).map((key) => [key, median(all.map((one) => one[key]))]));
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

export function quantile(values, part) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
