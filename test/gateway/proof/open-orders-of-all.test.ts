/** The listing of open orders that looks of many keys share. */
import { pause } from '../../../src/domain/clock';
import type { Order } from '../../../src/domain/order';
import { createOpenOrders } from '../../../src/gateway/proof/open-orders-of-all';
import { createVirtualClock } from '../../domain/virtual-clock';
import { newOrder } from '../../journal/new-order';

const TAKES_MS = 300;
const open = (requestId: string, more: Partial<Order> = {}): Order => ({
  ...newOrder({ requestId }),
  number: 1,
  attempts: 1,
  ...more,
});
const NONE = (): undefined => undefined;

function openListing(orders: readonly Order[]) {
  const clock = createVirtualClock();
  const begun: { readonly atMs: number; readonly fromMs: number | undefined }[] = [];
  const startedAt = clock.elapsed();
  const listUnsettled = async ({ fromMs }: { readonly fromMs?: number }): Promise<readonly Order[]> => {
    begun.push({ atMs: clock.elapsed() - startedAt, fromMs });
    await pause(clock, TAKES_MS);
    return orders;
  };
  return { clock, begun, listOpen: createOpenOrders({ journal: { listUnsettled }, clock }) };
}

test('looks that come during a listing share one that begins after it, for the earliest of them, once the journal has rested', async () => {
  const { clock, begun, listOpen } = openListing([open('r1')]);
  const all = [listOpen(500, NONE)];
  await clock.advance(100);
  for (const fromMs of [300, 100, 200]) all.push(listOpen(fromMs, NONE));
  await clock.advance(5_000);
  const read = await Promise.all(all);
  expect(new Set(read.slice(1)).size).toBe(1);
  expect(begun).toEqual([
    { atMs: 0, fromMs: 500 },
    { atMs: 5 * TAKES_MS, fromMs: 100 },
  ]);
});

test('orders for phones are found by each number, all others apart, and none that has a reference of v1', async () => {
  const [one, two, meter] = [open('r1'), open('r2'), open('r3')];
  const sold = open('r4', { outcome: { kind: 'pending', reference: 'V1' } });
  const { clock, listOpen } = openListing([one, two, meter, sold]);
  const phones = new Map([
    [one, ['08030000001']],
    [two, ['08030000001', '08030000002']],
  ]);
  const listing = listOpen(0, (order) => phones.get(order));
  await clock.advance(TAKES_MS);
  expect(await listing).toEqual({
    all: [one, two, meter],
    byPhone: new Map([
      ['08030000001', [one, two]],
      ['08030000002', [two]],
    ]),
    withoutPhone: [meter],
  });
});

test('more orders than can be listed are none, and a journal that cannot be read is told to all that wait', async () => {
  const { clock, listOpen } = openListing(Array.from({ length: 50_000 }, () => open('r1')));
  const listing = listOpen(0, NONE);
  await clock.advance(TAKES_MS);
  expect(await listing).toBeUndefined();
  const away = createOpenOrders({ journal: { listUnsettled: () => Promise.reject(new Error('away')) }, clock });
  const waiting = [away(0, NONE), away(0, NONE)];
  await expect(waiting[0]).rejects.toThrow('away');
  await expect(waiting[1]).rejects.toThrow('away');
});
