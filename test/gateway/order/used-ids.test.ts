/** When the id of a sold order is used. What a script is told then: test/gateway/order/repeats.test.ts. */
import { NOT_TOLD, type Order } from '../../../src/domain/order';
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
const isUsed = (order: Order, steadyMs = Infinity, setByMs = 0) =>
  isUsedUp(order, REPLAY_MS, { clock, steadiness: { steadyForMs: () => steadyMs, setByMs: () => setByMs } });

test('an id is used once its success was told longer ago than a repeat may come', () => {
  expect([isUsed(sold(REPLAY_MS)), isUsed(sold(REPLAY_MS + 1))]).toEqual([false, true]);
});

test('a success that may not have been told is told, however late', () => {
  expect(isUsed(sold(REPLAY_MS * 9, NOT_TOLD))).toBe(false);
});

test('an order that was not sold uses no id: it may be charged, or it is told how it ended', () => {
  for (const kind of ['pending', 'unknown', 'declined'] as const)
    expect(isUsed({ ...sold(REPLAY_MS * 9), outcome: { kind, reason: 'HTTP 500' } })).toBe(false);
});

test('after a start, or where the clock was set, an id counts as used only where no setting of a clock explains its age', () => {
  const week = 7 * 24 * 60 * MINUTE;
  expect([isUsed(sold(REPLAY_MS + 1), REPLAY_MS), isUsed(sold(REPLAY_MS + 1), REPLAY_MS + 1)]).toEqual([false, true]);
  expect([isUsed(sold(week + REPLAY_MS), 0), isUsed(sold(week + REPLAY_MS + 1), 0)]).toEqual([false, true]);
  expect([isUsed(sold(2 * week), 0, 2 * week), isUsed(sold(2 * week), REPLAY_MS + 1, 2 * week)]).toEqual([false, true]);
});
