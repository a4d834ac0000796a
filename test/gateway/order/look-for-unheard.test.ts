import { createKnownOrders, keyOf } from '../../../src/gateway/order/kept-repeats';
import { createLook } from '../../../src/gateway/order/look-for-unheard';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import { createVirtualClock } from '../../domain/virtual-clock';
import { newOrder } from '../../journal/new-order';

test.each([
  ['takes no room in the tables of all keys for orders whose end a script has heard', false, []],
  ['keeps them as well for scripts that refund what they heard as pending', true, ['r1']],
] as const)('the first search of a key %s', async (_what, isRefundedPending, kept) => {
  const clock = createVirtualClock();
  const journal = createMemoryJournal();
  const order = newOrder({ openedAtMs: clock.now(), headerId: 'h' });
  await journal.open(order);
  await journal.settle(order.owner, order.requestId, { kind: 'succeeded', reference: 'v1' }, clock.now());
  const known = createKnownOrders(clock);
  const steadiness = {
    agoMs: (atMs: number) => clock.now() - atMs,
    before: (ms: number) => clock.now() - ms,
    steadyForMs: () => 0,
  };
  await createLook({ journal, clock, steadiness }, known)(order.owner, 600_000, { isRefundedPending });
  for (const [table, name] of [
    [known.contents, order.contentHash],
    [known.headers, 'h'],
  ] as const)
    expect(table.of(keyOf(order.owner, name)).map(({ requestId }) => requestId)).toEqual(kept);
});
