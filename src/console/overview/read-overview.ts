/** Reads everything that the Overview shows, once for all open pages. */
import { nairaNumber } from '../../domain/amount';
import { readDiskRoom } from '../../domain/disk-room';
import { errorText } from '../../domain/shown-words';
import type { RefusedNote } from '../../orders/note';
import { readOpenOrders } from '../../orders/order-money';
import { addTallies, addTimes, quantile, type Sample, type Tally } from '../../telemetry/samples';
import type { ConsoleParts } from '../console-parts';
import { checksOf } from './health';

/** The oldest open orders are shown: they should be looked at first. */
const ORDERS_SHOWN = 10;
/** How many open orders with real money are read here at least, if there are so many. The watch counts all of them, once a minute. */
const OPEN_READ = 100;

const REFUSED_SHOWN = 8;
const REFUSED_MS_MAX = 50;

export type Overview = Awaited<ReturnType<typeof readOverview>>;

export async function readOverview(parts: ConsoleParts) {
  const { clock, live, samples, facts } = parts;
  const nowMs = clock.now();
  const [openOrders, refused, [disk]] = await Promise.all([
    readOpen(parts, nowMs),
    readRefused(parts),
    readDiskRoom([facts.dataDir]),
  ]);
  const latest = samples.latest();
  const checks = checksOf({
    isJournalWritable: parts.isJournalWritable(),
    isV1Up: latest?.isV1Up ?? true,
    mappingProblems: live.problems().length,
    ...{ overdue: openOrders.overdue, disk },
  });
  return { nowMs, checks, openOrders, refused, hour: readHour(samples.hour()), health: minutesOf(samples.hour()) };
}

/**
 * Reads the oldest open orders only. If there are more, counts and money come from the watch, which reads all open orders every
 * minute. Both leave out orders of keys in the sandbox, because no money is at risk there.
 */
async function readOpen({ journal, live, samples }: ConsoleParts, nowMs: number) {
  const { openOrders: count = 0, openNaira: naira = 0, openOverdue = 0 } = samples.latest() ?? {};
  try {
    const { orders, areAll, overdue, atRisk, withoutPrice } = await readOpenOrders(
      await journal(),
      { mapping: live.current(), setOf: live.history.mappingOf },
      nowMs,
      OPEN_READ,
    );
    return {
      count: areAll ? orders.length : Math.max(count, orders.length),
      naira: areAll ? nairaNumber(atRisk) : Math.max(naira, nairaNumber(atRisk)),
      overdue: areAll ? overdue.length : Math.max(openOverdue, overdue.length),
      oldest: orders.slice(0, ORDERS_SHOWN),
      // The price of some orders is known only to v1. The watch does not count them.
      areAllPriced: areAll && withoutPrice === 0,
    };
  } catch (error) {
    // Why the orders cannot be shown.
    const problem = errorText(error);
    return { count, naira, areAllPriced: true, overdue: openOverdue, oldest: [], problem };
  }
}

/** The newest refused requests. If they cannot be read, the error is logged and the page has none. */
async function readRefused({ orders, onTrouble }: ConsoleParts): Promise<readonly RefusedNote[]> {
  try {
    const { rows } = await orders.find(
      { outcome: 'refused', refusedToo: true },
      { pageSize: REFUSED_SHOWN, budgetMs: REFUSED_MS_MAX },
    );
    return rows.flatMap((row) => (row.kind === 'refused' ? [row.refused] : []));
  } catch (error) {
    onTrouble('console', error);
    return [];
  }
}

/** The current rate is taken over the last minute (12 samples): over five seconds it would vary too much. */
const NOW_SAMPLES = 12;

function readHour(samples: readonly Sample[]) {
  const lately = samples.slice(-NOW_SAMPLES);
  const spanMs = lately.reduce((sum, { spanMs: span }) => sum + span, 0);
  const latelyDone = total(addTallies(lately.map(({ byOperation }) => byOperation)));
  return {
    byOperation: addTallies(samples.map(({ byOperation }) => byOperation)),
    byCaller: addTallies(samples.map(({ byCaller }) => byCaller)),
    requestsPerMinute: spanMs === 0 ? 0 : (latelyDone / spanMs) * 60_000,
    inFlight: samples.at(-1)?.inFlight ?? 0,
    request: percentiles(samples.map(({ request }) => request)),
    v1: percentiles(samples.map(({ v1 }) => v1)),
  };
}

function percentiles(times: readonly Sample['request'][]) {
  const all = addTimes(times);
  return { p50: quantile(all, 0.5), p99: quantile(all, 0.99) };
}

export function total(tally: Tally): number {
  return Object.values(tally).reduce((sum, outcomes) => sum + Object.values(outcomes).reduce((of, more) => of + more, 0), 0);
}

/** The last hour by minutes, oldest first. v1 was up in a minute if it was up in every sample of it. */
function minutesOf(samples: readonly Sample[]) {
  const minutes = new Map<number, boolean>();
  for (const { atMs, isV1Up } of samples) {
    const minute = Math.floor(atMs / 60_000) * 60_000;
    minutes.set(minute, (minutes.get(minute) ?? true) && isV1Up);
  }
  return [...minutes].map(([atMs, isUp]) => ({ atMs, isUp }));
}
