import { together, type SellingSightings } from '../../src/watch/sightings';

const well: SellingSightings = { v1: { trouble: undefined }, openOrders: undefined, loops: [], withoutMoney: [] };
const openOrders = { count: 3, overdue: 1, oldestMs: 5, atRiskNaira: 700, withoutPrice: 0 };

test('the sightings of several processes are joined: any trouble of v1, the open orders once, the loops added up', () => {
  const loop = { fingerprint: 'ada', code: 'invalid_field' };
  expect(
    together([
      { ...well, loops: [{ ...loop, count: 30 }], withoutMoney: [{ fingerprint: 'bob', count: 2 }] },
      { ...well, v1: undefined, openOrders, loops: [{ ...loop, count: 25 }] },
      { ...well, v1: { trouble: 'it is gone' }, withoutMoney: [{ fingerprint: 'bob', count: 1 }] },
    ]),
  ).toEqual({
    v1: { trouble: 'it is gone' },
    openOrders,
    loops: [{ ...loop, count: 55 }],
    withoutMoney: [{ fingerprint: 'bob', count: 3 }],
  });
});

test('repeats of different sales are not added up to one loop', () => {
  const sale = (id: string, count: number) => ({ fingerprint: 'ada', code: 'repeat', sale: id, count });
  const { loops } = together([
    { ...well, loops: [sale('one', 30), sale('two', 10)] },
    { ...well, loops: [sale('one', 5), sale('three', 10)] },
  ]);
  expect(loops).toEqual([sale('one', 35), sale('two', 10), sale('three', 10)]);
});

test('the state of v1 is unknown until one process has had an answer from v1', () => {
  expect(together([{ ...well, v1: undefined }]).v1).toBeUndefined();
  expect(together([{ ...well, v1: undefined }, well]).v1).toEqual({ trouble: undefined });
  expect(together([]).v1).toBeUndefined();
});
