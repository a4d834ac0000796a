import { createServer, get } from 'node:http';
import { once } from 'node:events';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { createStopLog } from '../../src/watch/stop-log';
import { createLog } from '../../src/telemetry/log';
import { newOrder } from '../journal/new-order';
import { listen } from '../listen';

let lines: Record<string, unknown>[];
beforeEach(() => (lines = []));
const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });

test('a stop logs the requests and held orders at its begin, and how many orders were settled during it', async () => {
  const journal = createMemoryJournal();
  for (const requestId of ['one', 'two', 'three']) await journal.open(newOrder({ requestId, contentHash: requestId }));
  let now = 1_000;
  const stopping = createStopLog({ log, clock: { now: () => now }, journal, orders: () => 2 });
  const server = createServer(() => undefined);
  stopping.watch(server);
  const { port, close } = await listen(server);
  const asked = once(server, 'request');
  const request = get({ port }).on('error', () => undefined);
  await asked;

  stopping.begin('SIGTERM');
  now += 50;
  stopping.drainEnded();
  await journal.settle(newOrder().owner, 'two', { kind: 'succeeded' }, now);
  await journal.settle(newOrder().owner, 'three', { kind: 'pending' }, now);
  now += 200;
  await stopping.drained();
  stopping.end();
  request.destroy();
  await close();
  expect(lines).toEqual([
    expect.objectContaining({ level: 'info', event: 'stop_begun', signal: 'SIGTERM', requests: 1, held: 2 }),
    expect.objectContaining({ level: 'info', event: 'drain_ended', requests: 1, held: 2, durationMs: 50 }),
    expect.objectContaining({ level: 'info', event: 'stopped', finished: 1, open: 2, durationMs: 250 }),
  ]);
});

test('a stop with an unreadable journal still ends, and its log line has no counts of orders', async () => {
  const journal = { listUnsettled: () => Promise.reject(new Error('gone')) };
  const stopping = createStopLog({ log, clock: { now: () => 5 }, journal, orders: () => 0 });
  stopping.begin(undefined);
  await stopping.drained();
  stopping.end();
  const time = expect.any(String) as unknown;
  expect(lines).toEqual([
    { level: 'info', time, requests: 0, held: 0, event: 'stop_begun' },
    { level: 'info', time, durationMs: 0, event: 'stopped' },
  ]);
});
