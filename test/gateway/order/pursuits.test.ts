import type { NewOrder, Order } from '../../../src/domain/order';
import { ATTEMPT_BEGINS } from '../../../src/domain/outcome';
import type { Pursuit } from '../../../src/gateway/order/pursuit';
import { createPursuits, type Pursuits } from '../../../src/gateway/order/pursuits';
import { CROSSING_MS } from '../../../src/journal/order-life';
import { GatewayError } from '../../../src/domain/errors';
import { requestIdReused } from '../../../src/gateway/order/used-ids';
import { createVirtualClock, settlePromises } from '../../domain/virtual-clock';
import { newOrder } from '../../journal/new-order';

const clock = createVirtualClock();

const intent = (change: Partial<NewOrder> = {}): NewOrder =>
  newOrder({ owner: 'o', requestId: 'r', contentHash: 'c', ...change });

function pursuitThatEnds(): { readonly pursuit: Pursuit; readonly end: () => void; readonly hurried: () => number } {
  let end: () => void = () => undefined;
  let hurried = 0;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const current = (): Order => ({ ...intent(), number: 1, attempts: 1 });
  const pursuit = { current, waitFor: async () => current(), endWaiting: () => void (hurried += 1), ended } as unknown as Pursuit;
  return { pursuit, end, hurried: () => hurried };
}

/** As a purchase does it. */
async function begin(pursuits: Pursuits, order: NewOrder, start: () => Promise<Pursuit>, cameAtMs = clock.elapsed()) {
  const joined = pursuits.join(order, cameAtMs);
  return { pursuit: await (joined ?? pursuits.add(order, start())), isOwn: joined === undefined };
}

test('a repeat joins the running pursuit, even before it has begun', async () => {
  const pursuits = createPursuits(clock);
  const { pursuit, end } = pursuitThatEnds();
  let starts = 0;
  const start = async (): Promise<Pursuit> => {
    starts += 1;
    await settlePromises();
    return pursuit;
  };
  const joined = await Promise.all(Array.from({ length: 20 }, () => begin(pursuits, intent(), start)));
  expect([starts, new Set(joined.map(({ pursuit }) => pursuit)).size, pursuits.size]).toEqual([1, 1, 1]);
  expect(joined.map(({ isOwn }) => isOwn)).toEqual([true, ...Array<boolean>(19).fill(false)]);
  await expect(pursuits.find('o', 'r')).resolves.toBe(pursuit);
  end();
  await settlePromises();
  expect(pursuits.size).toBe(0);
  await expect(pursuits.find('o', 'r')).resolves.toBeUndefined();
});

test('a request that came before its twin was refused, or just after, is refused as well, and one that came later begins anew', async () => {
  const pursuits = createPursuits(clock);
  const start = async (): Promise<Pursuit> => pursuitThatEnds().pursuit;
  const cameAtMs = clock.elapsed();
  await clock.advance(10);
  const refusal = new GatewayError('overloaded');
  await expect(begin(pursuits, intent(), () => Promise.reject(refusal))).rejects.toBe(refusal);
  await expect(begin(pursuits, intent(), start, cameAtMs)).rejects.toBe(refusal);
  await clock.advance(CROSSING_MS - 1);
  await expect(begin(pursuits, intent(), start)).rejects.toBe(refusal);
  await clock.advance(1);
  const { pursuit, end } = pursuitThatEnds();
  expect(await begin(pursuits, intent(), async () => pursuit)).toMatchObject({ isOwn: true });
  end();
  await settlePromises();
  // The order was begun after the refusal, and may be sold.
  expect(await begin(pursuits, intent(), start, cameAtMs)).toMatchObject({ isOwn: true });
});

test('another content under a running id is refused, another key or id is not', async () => {
  const pursuits = createPursuits(clock);
  const start = async (): Promise<Pursuit> => pursuitThatEnds().pursuit;
  await begin(pursuits, intent(), start);
  await expect(begin(pursuits, intent({ contentHash: 'd' }), start)).rejects.toMatchObject({
    code: 'request_id_reused',
    status: 409,
  });
  await begin(pursuits, intent({ owner: 'p', contentHash: 'd' }), start);
  await begin(pursuits, intent({ requestId: 's', contentHash: 'd' }), start);
  expect(pursuits.size).toBe(3);
});

test('no owner and id can be mistaken for another owner and id', async () => {
  const pursuits = createPursuits(clock);
  const start = async (): Promise<Pursuit> => pursuitThatEnds().pursuit;
  const { pursuit: one } = await begin(pursuits, intent({ owner: 'a', requestId: 'bc' }), start);
  const { pursuit: other } = await begin(pursuits, intent({ owner: 'ab', requestId: 'c' }), start);
  expect(one).not.toBe(other);
});

test('a start that is refused is refused to all who joined it, and the next one may try again', async () => {
  const pursuits = createPursuits(clock);
  const fail = async (): Promise<Pursuit> => Promise.reject(requestIdReused());
  const both = await Promise.allSettled([begin(pursuits, intent(), fail), begin(pursuits, intent(), fail)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await settlePromises();
  expect(pursuits.size).toBe(0);
  await clock.advance(CROSSING_MS);
  const { pursuit } = pursuitThatEnds();
  await expect(begin(pursuits, intent(), async () => pursuit)).resolves.toEqual({ pursuit, isOwn: true });
});

test('a drain waits for all running pursuits, and the end of all waiting reaches every running pursuit', async () => {
  const pursuits = createPursuits(clock);
  const one = pursuitThatEnds();
  const other = pursuitThatEnds();
  await begin(pursuits, intent(), async () => one.pursuit);
  await begin(pursuits, intent({ requestId: 's' }), async () => other.pursuit);
  let isDrained = false;
  void pursuits.drain().then(() => (isDrained = true));
  pursuits.endWaiting();
  one.end();
  await settlePromises();
  expect([isDrained, one.hurried(), other.hurried()]).toEqual([false, 1, 1]);
  other.end();
  await settlePromises();
  expect(isDrained).toBe(true);
});

test("an order is sent here from its start to its end, but not while only v1's history is read", async () => {
  const pursuits = createPursuits(clock);
  const { pursuit, end } = pursuitThatEnds();
  const running = { ...pursuit, isLooking: false };
  const unknown = { ...intent(), number: 1, attempts: 1, outcome: { kind: 'unknown', reason: 'HTTP 502' } } as const;
  expect(await pursuits.attemptOf(unknown)).toBeUndefined();
  await begin(pursuits, intent(), async () => running);
  expect(await pursuits.attemptOf(unknown)).toBe('here');
  running.isLooking = true;
  expect(await pursuits.attemptOf(unknown)).toBeUndefined();
  running.isLooking = false;
  end();
  await settlePromises();
  expect(await pursuits.attemptOf(unknown)).toBeUndefined();
});

test('an order whose journal shows a begun attempt may be sent elsewhere, unless a pursuit of this process alone has begun it', async () => {
  const pursuits = createPursuits(clock);
  const { pursuit } = pursuitThatEnds();
  const isOnlyOf = ({ attempts }: Order): boolean => attempts === 1;
  const begun: Order = { ...intent(), number: 1, attempts: 1 };
  const renewed: Order = { ...begun, outcome: ATTEMPT_BEGINS };
  expect([await pursuits.attemptOf(begun), await pursuits.attemptOf(renewed)]).toEqual(['elsewhere', 'elsewhere']);
  await begin(pursuits, intent(), async () => ({ ...pursuit, isLooking: true, isOnlyOf }));
  expect(await pursuits.attemptOf(begun)).toBeUndefined();
  expect(await pursuits.attemptOf({ ...begun, attempts: 2 })).toBe('elsewhere');
});

test('orders are counted by their owner until they end', async () => {
  const pursuits = createPursuits(clock);
  const { pursuit, end } = pursuitThatEnds();
  await begin(pursuits, intent({ owner: 'a' }), async () => pursuit);
  await begin(pursuits, intent({ owner: 'b' }), async () => Promise.reject(new Error('refused'))).catch(() => undefined);
  expect([pursuits.loadOf('a'), pursuits.loadOf('b')]).toEqual([
    { own: 1, owners: 1 },
    { own: 0, owners: 1 },
  ]);
  end();
  await settlePromises();
  expect(pursuits.loadOf('a')).toEqual({ own: 0, owners: 0 });
});
