import { createServer } from 'node:http';
import express from 'express';
import { systemClock } from '../../src/domain/clock';
import type { ConsoleParts } from '../../src/console/console-parts';
import { ordersPage } from '../../src/console/pages/orders';
import { Secret } from '../../src/domain/credentials';
import { createKeyring } from '../../src/gateway/read/keyring';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { findOrders } from '../../src/orders/find-orders';
import { createMemoryNotesStore } from '../../src/orders/notes-store';
import { NO_INDEX } from '../../src/orders/number-index';
import { newOrder } from '../journal/new-order';
import { listen } from '../listen';
import { shippedMapping } from '../mapping/mapping-set';

const PAGES = 40;

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
  const [mapping, journal] = [shippedMapping(), { owners: async () => [] }];
  const parts = { live: { current: () => mapping }, journal: async () => journal, orders: { find }, clock: systemClock };
  const facts = { timeZone: 'UTC' };
  const server = createServer(express().use(ordersPage.routes({ ...parts, facts } as unknown as ConsoleParts)));
  const { url, close } = await listen(server);
  next();
  try {
    const response = await fetch(`${url}/export.csv?outcome=declined`);
    expect((await response.text()).trim().split('\r\n')).toHaveLength(1);
    expect(new Set(turns).size).toBe(PAGES);
    expect([...budgets]).toEqual([expect.any(Number)]);
    expect(Math.max(...(budgets as Set<number>))).toBeLessThanOrEqual(20);
  } finally {
    isOver = true;
    await close();
  }
});

test('an id that more keys used than a page has rows shows the order of each of them', async () => {
  const [mapping, journal] = [shippedMapping(), createMemoryJournal()];
  for (let nth = 0; nth < 60; nth += 1) await journal.open(newOrder({ owner: String(nth).padStart(32, '0'), requestId: 'x42' }));
  const keyring = createKeyring(new Secret('a'.repeat(64)));
  const looked = { journal, mapping, keyring, index: NO_INDEX, notes: createMemoryNotesStore(), now: Date.now };
  const find: ConsoleParts['orders']['find'] = (query, limits) => findOrders(query, { ...looked, ...limits });
  const shown = {
    facts: { timeZone: 'UTC', version: '1' },
    samples: { latest: () => undefined },
    live: { current: () => mapping },
  };
  const parts = { ...shown, journal: async () => journal, orders: { find }, clock: systemClock } as unknown as ConsoleParts;
  const app = express().use((_request, response, next) => {
    response.locals['frame'] = { parts, at: '/orders', navigation: [], isLoggedIn: true };
    next();
  });
  const server = createServer(app.use(ordersPage.routes(parts)));
  const { url, close } = await listen(server);
  try {
    const page = await (await fetch(`${url}/?q=x42`)).text();
    expect(page.match(/>x42</g)).toHaveLength(60);
  } finally {
    await close();
  }
});
