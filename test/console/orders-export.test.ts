import { createServer } from 'node:http';
import express from 'express';
import { systemClock } from '../../src/domain/clock';
import type { ConsoleParts } from '../../src/console/console-parts';
import { createConsole } from '../../src/console/console-router';
import { Secret } from '../../src/domain/credentials';
import { createKeyring } from '../../src/gateway/read/keyring';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { findOrders } from '../../src/orders/find-orders';
import { createMemoryNotesStore } from '../../src/orders/notes-store';
import { NO_INDEX } from '../../src/orders/number-index';
import { newOrder } from '../journal/new-order';
import { listen } from '../listen';
import { closedAfterEach } from '../opened';
import { until } from '../until';
import { shippedMapping } from '../mapping/mapping-set';

const PAGES = 40;
const mapping = shippedMapping();
const keep = closedAfterEach();

/** The console over a search of the test's own. */
async function serve(find: ConsoleParts['orders']['find'], journal = createMemoryJournal()) {
  const troubles: string[] = [];
  const parts = {
    ...{ live: { current: () => mapping, history: {} }, journal: async () => journal, orders: { find }, clock: systemClock },
    ...{ facts: { timeZone: 'UTC', version: '1' }, samples: { latest: () => undefined } },
    onTrouble: (what: string, error: Error) => troubles.push(`${what}: ${error.message}`),
  } as unknown as ConsoleParts;
  const server = createServer(express().use(createConsole(parts, undefined).router));
  let isOver = false;
  server.on('request', (_request, response) => response.once('close', () => (isOver = true)));
  const { url } = keep(await listen(server));
  return { url: `${url}/orders`, troubles, isClosed: () => isOver };
}

test('an export that reads all orders gives way to sales after each page', async () => {
  let turn = 0;
  let isOver = false;
  const next = (): void => {
    turn += 1;
    if (!isOver) setImmediate(next);
  };
  const turns: number[] = [];
  const budgets = new Set<number | undefined>();
  // As a journal on disk answers: without waiting for anything.
  const find: ConsoleParts['orders']['find'] = async (_query, { budgetMs } = {}) => {
    turns.push(turn);
    budgets.add(budgetMs);
    return turns.length < PAGES ? { rows: [], next: 'more' } : { rows: [] };
  };
  const { url } = await serve(find);
  next();
  keep({ close: () => (isOver = true) });
  const response = await fetch(`${url}/export.csv?outcome=declined`);
  expect((await response.text()).trim().split('\r\n')).toHaveLength(1);
  expect(new Set(turns).size).toBe(PAGES);
  expect([...budgets]).toEqual([expect.any(Number)]);
  expect(Math.max(...(budgets as Set<number>))).toBeLessThanOrEqual(20);
});

test('an export that fails half-way is cut off and logged', async () => {
  const pages = [async () => ({ rows: [], next: 'more' }), () => Promise.reject(new Error('the journal is away'))];
  const { url, troubles } = await serve(() => pages.shift()!());
  const response = await fetch(`${url}/export.csv?outcome=declined`);
  await expect(response.text()).rejects.toThrow();
  await until(() => troubles.length > 0);
  expect(troubles).toEqual(['console: the journal is away']);
});

test('an export whose browser reads slowly and leaves makes no warning and no line in the log', async () => {
  const rows = Array.from({ length: 500 }, (_, number) => ({
    kind: 'order' as const,
    order: { ...newOrder({ requestId: 'x'.repeat(64) }), number, attempts: 1 },
  }));
  const warnings: string[] = [];
  const warn = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', warn);
  keep({ close: () => process.off('warning', warn) });
  let pages = 0;
  const { url, troubles, isClosed } = await serve(async () => ((pages += 1), { rows, next: 'more' }));
  const leaving = new AbortController();
  const response = await fetch(`${url}/export.csv?outcome=declined`, { signal: leaving.signal });
  const reader = response.body!.getReader();
  while (pages < 30) await reader.read();
  leaving.abort();
  await until(isClosed);
  expect(warnings).not.toContain('MaxListenersExceededWarning');
  expect(troubles).toEqual([]);
});

test('an id that more keys used than a page has rows shows the order of each of them', async () => {
  const journal = createMemoryJournal();
  for (let nth = 0; nth < 60; nth += 1) await journal.open(newOrder({ owner: String(nth).padStart(32, '0'), requestId: 'x42' }));
  const keyring = createKeyring(new Secret('a'.repeat(64)));
  const looked = { journal, mapping, keyring, index: NO_INDEX, notes: createMemoryNotesStore(), now: Date.now };
  const { url } = await serve((query, limits) => findOrders(query, { ...looked, ...limits }), journal);
  const page = await (await fetch(`${url}?q=x42`)).text();
  expect(page.match(/>x42</g)).toHaveLength(60);
});
