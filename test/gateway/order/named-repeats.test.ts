/** Which order a sale with an id of its own belongs to, where the same sale had no id before; `repeats.test.ts` tests it in the whole walk. */
import type { NewOrder } from '../../../src/domain/order';
import { createNamedRepeats } from '../../../src/gateway/order/named-repeats';
import { createVirtualClock } from '../../domain/virtual-clock';
import { newOrder } from '../../journal/new-order';

function openRoom(known: readonly string[], unheard: readonly string[], ofContent: readonly string[] = [], isAlone = true) {
  const looks: string[] = [];
  const clock = createVirtualClock();
  const findNamed = createNamedRepeats({
    look: async (owner) => void looks.push(owner),
    idsOf: () => known,
    hasCome: ({ requestId }) => [...known, ...ofContent].includes(requestId),
    isRepeated: async (_order, requestId) => unheard.includes(requestId),
    ...{ isAlone: () => isAlone, clock },
  });
  const start = async (sale: NewOrder): Promise<string> => {
    const { order, repeatKind } = await findNamed(sale, 1_000);
    return `${order.requestId} ${repeatKind}`;
  };
  return { start, looks, clock };
}

test('is the newest untold order of the same request under another id', async () => {
  const { start } = openRoom(['r-1', 'heard', 'newer', 'older'], ['r-1', 'newer', 'older']);
  expect(await start(newOrder({ requestId: 'r-1' }))).toBe('newer joined');
});

test('is a new order where there is none', async () => {
  const { start } = openRoom(['r-1', 'heard'], ['r-1']);
  // The second sale does not search.
  for (let nth = 0; nth < 2; nth += 1) {
    expect(await start(newOrder({ requestId: 'r-1' }))).toBe('r-1 again');
    expect(await start(newOrder({ requestId: 'r-2' }))).toBe('r-1 joined');
  }
  expect(await openRoom(['heard'], []).start(newOrder({ requestId: 'r-1' }))).toBe('r-1 first');
});

test('comes again also if the same content came under its id in other words', async () => {
  const { start } = openRoom([], [], ['r-1', 'r-2']);
  expect(await start(newOrder({ requestId: 'r-1' }))).toBe('r-1 again');
  expect(await start(newOrder({ requestId: 'r-3' }))).toBe('r-3 first');
});

test('searches once for each key, and once more when the mapping is another', async () => {
  const { start, looks } = openRoom([], []);
  const order = newOrder({ owner: 'a' });
  for (const one of [order, order, { ...order, owner: 'b' }]) await start(one);
  expect(looks).toEqual(['a', 'b']);
  await start({ ...order, trail: { ...order.trail!, mapping: 'another' } });
  expect(looks).toEqual(['a', 'b', 'a']);
});

test('searches with each sale while other processes may still have the mapping of before', async () => {
  const { start, looks, clock } = openRoom([], [], [], false);
  for (let nth = 0; nth < 3; nth += 1) await start(newOrder());
  expect(looks).toHaveLength(3);
  await clock.advance(1_001);
  for (let nth = 0; nth < 3; nth += 1) await start(newOrder());
  expect(looks).toHaveLength(4);
});

test('searches again with the next sale where the journal could not be searched', async () => {
  let looks = 0;
  const look = async (): Promise<void> => {
    looks += 1;
    if (looks === 1) throw new Error('the journal is away');
  };
  const findNamed = createNamedRepeats({
    ...{ look, idsOf: () => [], hasCome: () => false },
    ...{ isRepeated: async () => false, isAlone: () => true, clock: createVirtualClock() },
  });
  for (let nth = 0; nth < 3; nth += 1) await findNamed(newOrder(), 1_000);
  expect(looks).toBe(2);
});
