import type { NewOrder, Order } from '../../../src/domain/order';
import type { Pursuit } from '../../../src/gateway/order/pursuit';
import { createPursuits, requestIdReused } from '../../../src/gateway/order/pursuits';
import { settlePromises } from '../../domain/virtual-clock';

const intent = (change: Partial<NewOrder> = {}): NewOrder => ({
  owner: 'o',
  requestId: 'r',
  operation: 'buy_airtime',
  format: 'a',
  fields: {},
  echo: {},
  contentHash: 'c',
  openedAtMs: 0,
  ...change,
});

function pursuitThatEnds(): { readonly pursuit: Pursuit; readonly end: () => void; readonly hurried: () => number } {
  let end: () => void = () => undefined;
  let hurried = 0;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const current = (): Order => ({ ...intent(), number: 1, tries: 1 });
  const pursuit = { current, waitFor: async () => current(), hurry: () => void (hurried += 1), ended } as unknown as Pursuit;
  return { pursuit, end, hurried: () => hurried };
}

test('a repeat joins the pursuit that runs, even before it has begun', async () => {
  const pursuits = createPursuits();
  const { pursuit, end } = pursuitThatEnds();
  let starts = 0;
  const start = async (): Promise<Pursuit> => {
    starts += 1;
    await settlePromises();
    return pursuit;
  };
  const joined = await Promise.all(Array.from({ length: 20 }, () => pursuits.join(intent(), start)));
  expect([starts, new Set(joined).size, pursuits.size]).toEqual([1, 1, 1]);
  await expect(pursuits.find('o', 'r')).resolves.toBe(pursuit);
  end();
  await settlePromises();
  expect(pursuits.size).toBe(0);
  await expect(pursuits.find('o', 'r')).resolves.toBeUndefined();
});

test('another content under a running id is refused, another key or id is not', async () => {
  const pursuits = createPursuits();
  const start = async (): Promise<Pursuit> => pursuitThatEnds().pursuit;
  await pursuits.join(intent(), start);
  await expect(pursuits.join(intent({ contentHash: 'd' }), start)).rejects.toMatchObject({
    code: 'request_id_reused',
    status: 409,
  });
  await pursuits.join(intent({ owner: 'p', contentHash: 'd' }), start);
  await pursuits.join(intent({ requestId: 's', contentHash: 'd' }), start);
  expect(pursuits.size).toBe(3);
});

test('owner and id cannot be mistaken for another owner and id', async () => {
  const pursuits = createPursuits();
  const start = async (): Promise<Pursuit> => pursuitThatEnds().pursuit;
  const one = await pursuits.join(intent({ owner: 'a', requestId: 'bc' }), start);
  const other = await pursuits.join(intent({ owner: 'ab', requestId: 'c' }), start);
  expect(one).not.toBe(other);
});

test('a start that is refused is refused to all who joined it, and the next one may try again', async () => {
  const pursuits = createPursuits();
  const fail = async (): Promise<Pursuit> => Promise.reject(requestIdReused());
  const both = await Promise.allSettled([pursuits.join(intent(), fail), pursuits.join(intent(), fail)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await settlePromises();
  expect(pursuits.size).toBe(0);
  const { pursuit } = pursuitThatEnds();
  await expect(pursuits.join(intent(), async () => pursuit)).resolves.toBe(pursuit);
});

test('a drain waits for all that run, and a hurry reaches all who wait', async () => {
  const pursuits = createPursuits();
  const one = pursuitThatEnds();
  const other = pursuitThatEnds();
  await pursuits.join(intent(), async () => one.pursuit);
  await pursuits.join(intent({ requestId: 's' }), async () => other.pursuit);
  let isDrained = false;
  void pursuits.drain().then(() => (isDrained = true));
  pursuits.hurry();
  one.end();
  await settlePromises();
  expect([isDrained, one.hurried(), other.hurried()]).toEqual([false, 1, 1]);
  other.end();
  await settlePromises();
  expect(isDrained).toBe(true);
});

test("an order is being sent from its start to its end, but not while only v1's history is read", async () => {
  const pursuits = createPursuits();
  const { pursuit, end } = pursuitThatEnds();
  const running = { ...pursuit, isLooking: false };
  expect(await pursuits.isSending('o', 'r')).toBe(false);
  await pursuits.join(intent(), async () => running);
  expect(await pursuits.isSending('o', 'r')).toBe(true);
  running.isLooking = true;
  expect(await pursuits.isSending('o', 'r')).toBe(false);
  running.isLooking = false;
  end();
  await settlePromises();
  expect(await pursuits.isSending('o', 'r')).toBe(false);
});
