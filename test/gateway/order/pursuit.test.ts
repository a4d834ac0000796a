import { readFileSync } from 'node:fs';
import { Lease, TRANSITIONS } from '../../../src/gateway/order/pursuit';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import { createVirtualClock } from '../../domain/virtual-clock';
import { newOrder } from '../../journal/new-order';

test('ARCHITECTURE.md shows the table', () => {
  const rows = [...readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/^ {2}(\w+) +→ (\w+(?:, \w+)*)/gm)];
  expect(Object.fromEntries(rows.map(([, name, next]) => [name, next!.split(', ')]))).toEqual(
    Object.fromEntries(Object.entries(TRANSITIONS).filter(([, next]) => next.length > 0)),
  );
});

test('from every state the end can be reached', () => {
  const reaches = (name: keyof typeof TRANSITIONS, seen: readonly string[] = []): boolean =>
    name === 'ended' || TRANSITIONS[name].some((next) => !seen.includes(next) && reaches(next, [...seen, name]));
  const names = Object.keys(TRANSITIONS) as (keyof typeof TRANSITIONS)[];
  expect(names.filter((name) => !reaches(name))).toEqual([]);
});

async function openMark() {
  const clock = createVirtualClock();
  const journal = createMemoryJournal();
  const troubles: string[] = [];
  const lease = new Lease(60_000, { journal, clock, onTrouble: (what) => void troubles.push(what) });
  const { order } = await journal.open(newOrder({ openedAtMs: clock.now() }));
  return { clock, journal, lease, order, troubles };
}

test('a lease is valid for half of the quiet time, and a renewed one for as long again', async () => {
  const { clock, lease, order } = await openMark();
  await clock.advance(30_000);
  expect(lease.isValid()).toBe(true);
  await clock.advance(1);
  expect(lease.isValid()).toBe(false);
  expect(await lease.renew(order)).toMatchObject({ settledAtMs: clock.now(), outcome: { kind: 'unknown', isBeginning: true } });
  expect(lease.isValid()).toBe(true);
});

test('a renewed lease is as old as its time on disk, however long the write took', async () => {
  const { clock, journal, order } = await openMark();
  const slow: typeof journal.settle = async (...settling) => {
    await clock.advance(20_000);
    return journal.settle(...settling);
  };
  const lease = new Lease(60_000, { journal: { settle: slow }, clock, onTrouble: () => undefined });
  await lease.renew(order);
  await clock.advance(10_001);
  expect(lease.isValid()).toBe(false);
});

test('a renewal returns the outcome that another process has written, and does not change it', async () => {
  const { clock, journal, lease, order } = await openMark();
  await journal.settle(order.owner, order.requestId, { kind: 'not_sent', reason: 'absent', isProven: true }, clock.now());
  expect((await lease.renew(order))?.outcome?.kind).toBe('not_sent');
});

test('a renewal that cannot be written is reported, and leaves the lease as old as it was', async () => {
  const { clock, lease, order, troubles } = await openMark();
  await clock.advance(40_000);
  expect(await lease.renew({ ...order, requestId: 'nobody' })).toBeUndefined();
  expect([troubles, lease.isValid()]).toEqual([['settle'], false]);
});
