import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { systemClock } from '../../src/domain/clock';
import type { ConsoleParts } from '../../src/console/console-parts';
import { ordersPage } from '../../src/console/pages/orders';
import { shippedMapping } from '../mapping/mapping-set';

const PAGES = 40;

test('an export that looks through all orders leaves the thread to what sells, page by page', async () => {
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  next();
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/export.csv?outcome=declined`);
    expect((await response.text()).trim().split('\r\n')).toHaveLength(1);
    expect(new Set(turns).size).toBe(PAGES);
    expect([...budgets]).toEqual([expect.any(Number)]);
    expect(Math.max(...(budgets as Set<number>))).toBeLessThanOrEqual(20);
  } finally {
    isOver = true;
    server.closeAllConnections();
    server.close();
  }
});
