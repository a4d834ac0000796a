/** When the id of a sold order is used. What a script is told then: test/gateway/order/repeats.test.ts. */
import { NOT_TOLD, type Order } from '../../../src/domain/order';
import { toldLine, type ToldStore } from '../../../src/journal/told-sales';
import { isUsedUp } from '../../../src/gateway/order/used-ids';
import { createVirtualClock } from '../../domain/virtual-clock';
import { newOrder } from '../../journal/new-order';

const MINUTE = 60_000;
const REPLAY_MS = 60_000;
const clock = createVirtualClock(1_800_000_000_000);
const sold = (agoMs: number, toldAtMs?: number): Order => ({
  ...newOrder(),
  number: 1,
  attempts: 1,
  outcome: { kind: 'succeeded', reference: 'V1' },
  settledAtMs: clock.now() - agoMs,
  ...(toldAtMs === undefined ? {} : { toldAtMs }),
});
const agoMs = (atMs: number): number => Math.max(0, clock.now() - atMs);
const isUsed = (order: Order, steadyMs = Infinity, setByMs = 0) =>
  isUsedUp(order, REPLAY_MS, { clock, steadiness: { steadyForMs: () => steadyMs, setByMs: () => setByMs, agoMs } });

test('an id is used once its success was told longer ago than a repeat may come', async () => {
  expect([await isUsed(sold(REPLAY_MS)), await isUsed(sold(REPLAY_MS + 1))]).toEqual([false, true]);
});

test('a success that may not have been told is told, however late', async () => {
  expect(await isUsed(sold(REPLAY_MS * 9, NOT_TOLD))).toBe(false);
});

describe('an id whose success is told once', () => {
  const told = (lines: readonly string[]): ToldStore => ({ append: async () => undefined, read: async () => lines });
  const isUsedAtOnce = (order: Order, store?: ToldStore) =>
    isUsedUp(order, 0, {
      clock,
      steadiness: { steadyForMs: () => Infinity, setByMs: () => 0, agoMs },
      toldSales: () => store,
    });

  test('is used also where the clock was set back since', async () => {
    expect(await isUsedAtOnce(sold(-20 * MINUTE))).toBe(true);
  });

  test('is not used where another process may have died before it told the sale', async () => {
    const order = sold(1_000);
    expect(await isUsedAtOnce(order, told([]))).toBe(false);
    expect(await isUsedAtOnce(order, told([toldLine(order)]))).toBe(true);
    expect(await isUsedAtOnce(sold(5 * MINUTE), told([]))).toBe(true);
  });

  test('is neither while it cannot be read what other processes have told', async () => {
    const away = { ...told([]), read: () => Promise.reject(new Error('connection reset')) };
    expect(await isUsedAtOnce(sold(1_000), away)).toBe('unread');
  });
});

test('an order that was not sold uses no id: it may be charged, or it is told how it ended', async () => {
  for (const kind of ['pending', 'unknown', 'declined'] as const)
    expect(await isUsed({ ...sold(REPLAY_MS * 9), outcome: { kind, reason: 'HTTP 500' } })).toBe(false);
});

test('after a start, or where the clock was set, an id counts as used only where no setting of a clock explains its age', async () => {
  const week = 7 * 24 * 60 * MINUTE;
  expect([await isUsed(sold(REPLAY_MS + 1), REPLAY_MS), await isUsed(sold(REPLAY_MS + 1), REPLAY_MS + 1)]).toEqual([false, true]);
  expect([await isUsed(sold(week + REPLAY_MS), 0), await isUsed(sold(week + REPLAY_MS + 1), 0)]).toEqual([false, true]);
  expect([await isUsed(sold(2 * week), 0, 2 * week), await isUsed(sold(2 * week), REPLAY_MS + 1, 2 * week)]).toEqual([
    false,
    true,
  ]);
});
