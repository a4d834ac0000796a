/** How often a purchase is tried while the journal cannot be read. What its script hears: repeats.test.ts and answer-purchase.test.ts. */
import type { GatewayError } from '../../../src/domain/errors';
import { createWaitForJournal, UnreadYet, type Waiting } from '../../../src/gateway/order/wait-for-journal';
import type { NewOrder } from '../../../src/domain/order';
import { createVirtualClock, type VirtualClock } from '../../domain/virtual-clock';
import { newOrder } from '../../journal/new-order';

/** A purchase while the journal is away for so many ms. */
async function buy(
  clock: VirtualClock,
  awayMs: number,
  { waitingMax = 1_000, hangsUpAfterMs = Infinity, stopsAfterMs = Infinity } = {},
) {
  const tries: boolean[] = [];
  const wait = createWaitForJournal(clock, () => clock.elapsed() >= stopsAfterMs, waitingMax);
  const late = new Set<number>();
  const work = async (order: NewOrder, isLast: boolean): Promise<string> => {
    late.add(clock.now() - order.openedAtMs);
    tries.push(isLast);
    if (clock.elapsed() >= awayMs) return 'sold';
    if (isLast) return 'pending';
    throw new UnreadYet('away');
  };
  const line = {
    get hasHungUp(): boolean {
      return clock.elapsed() >= hangsUpAfterMs;
    },
  };
  const waiting: Waiting = { leftMs: () => 8_000 - clock.elapsed(), line };
  const order = newOrder({ openedAtMs: clock.now() });
  const waited = wait(order, work, waiting).catch(({ isUnread }: GatewayError) => isUnread && 'refused');
  const telling = waited.then((told) => ({ told, atMs: clock.elapsed(), tries: tries.length }));
  await clock.advance(10_000);
  // Others look for orders that were opened lately.
  expect([...late]).toEqual([0]);
  return telling;
}

test.each([
  ['that is there is made once', 0, {}, { told: 'sold', atMs: 0, tries: 1 }],
  ['that is back after two seconds is made then', 2_000, {}, { told: 'sold', atMs: 2_000, tries: 5 }],
  [
    'that stays away is told as pending while there is time for a reply',
    Infinity,
    {},
    { told: 'pending', atMs: 5_500, tries: 12 },
  ],
  ['whose script hangs up is made no more', Infinity, { hangsUpAfterMs: 900 }, { told: 'refused', atMs: 1_000, tries: 2 }],
  [
    'is told as pending at once when the process stops',
    Infinity,
    { stopsAfterMs: 900 },
    { told: 'pending', atMs: 1_000, tries: 3 },
  ],
  ['is told as pending at once where too many wait', Infinity, { waitingMax: 0 }, { told: 'pending', atMs: 0, tries: 1 }],
])('a purchase with a journal %s', async (_title, awayMs, more, expected) => {
  const clock = createVirtualClock(0);
  expect(await buy(clock, awayMs, more)).toEqual(expected);
});

test('another error is not waited for', async () => {
  const clock = createVirtualClock(0);
  const wait = createWaitForJournal(clock, () => false);
  const waiting: Waiting = { leftMs: () => 8_000, line: { hasHungUp: false } };
  await expect(wait(newOrder(), () => Promise.reject(new Error('refused')), waiting)).rejects.toThrow('refused');
});

test('what stays unread to the last is refused as unread', async () => {
  const wait = createWaitForJournal(createVirtualClock(0), () => false);
  const waiting: Waiting = { leftMs: () => 1_000, line: { hasHungUp: false } };
  await expect(wait(newOrder(), () => Promise.reject(new UnreadYet('away')), waiting)).rejects.toMatchObject({ isUnread: true });
});
