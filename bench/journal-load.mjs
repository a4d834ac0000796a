// Orders as a gateway opens and settles them in a journal, and what they cost: the load of `bench:journal` and `bench:postgres`.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from './gateway-report.mjs';

/** How many orders are under way at a time. */
export const LEVELS = [1, 64, 1000];

function intent(owner, requestId) {
  const fields = { phone: '08030000001', network: 'MTN', amount: 10_000, ported: false };
  const echo = { 'request-id': requestId };
  return { owner, requestId, operation: 'buy_airtime', format: 'b', fields, echo, contentHash: owner, openedAtMs: Date.now() };
}

function outcome(index) {
  const delivery = { charged: 9_800, balanceBefore: 5_000_000, balanceAfter: 4_990_200 };
  return { kind: 'succeeded', message: 'Airtime purchase successful', reference: `TXN${100_000_000_000 + index}`, delivery };
}

/**
 * Opens and settles orders until told to stop; gives how long each took. `place` tells of an order, by its index and by which of those
 * under way it is, the journal, the owner and the request id.
 */
export function sell(place, { concurrent, from = 0, until = Infinity }) {
  const times = { openMs: [], bothMs: [] };
  let next = from;
  let isRunning = true;
  const loop = async (_, nth) => {
    while (isRunning && next < until) {
      const index = next++;
      const { journal, owner, requestId } = place(index, nth);
      const start = performance.now();
      await journal.open(intent(owner, requestId));
      const opened = performance.now();
      await journal.settle(owner, requestId, outcome(index), Date.now());
      if (until !== Infinity) continue;
      times.openMs.push(opened - start);
      times.bothMs.push(performance.now() - start);
    }
  };
  const ended = Promise.all(Array.from({ length: concurrent }, loop));
  const stop = async () => {
    isRunning = false;
    await ended;
    return next;
  };
  return { times, ended, stop };
}

/** What orders cost, of which so many are under way at a time. Gives the figures and the index of the next order. */
export async function measure(place, { concurrent, from, seconds, warmUpMs }) {
  const { times, stop } = sell(place, { concurrent, from });
  await sleep(warmUpMs);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  times.openMs.length = times.bothMs.length = 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  await sleep(seconds * 1000);
  const elapsedMs = performance.now() - start;
  const orders = times.bothMs.length;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  const [opens, boths] = [times.openMs, times.bothMs].map((all) => all.slice(0, orders));
  const next = await stop();
  const figures = {
    'orders/s': Math.round((orders / elapsedMs) * 1000),
    'open p50 ms': +quantile(opens, 0.5).toFixed(2),
    'open p99 ms': +quantile(opens, 0.99).toFixed(2),
    'added p50 ms': +quantile(boths, 0.5).toFixed(2),
    'added p99 ms': +quantile(boths, 0.99).toFixed(2),
    'loop delay p99 ms': +(delay.percentile(99) / 1e6).toFixed(1),
    'loop delay max ms': +(delay.max / 1e6).toFixed(1),
    'cpu µs/order': Math.round((user + system) / orders),
  };
  return { figures, next };
}
