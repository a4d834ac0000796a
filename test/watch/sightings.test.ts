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

test("a key that v1 has accepted in one process is no other process's stranger, in whatever order they report", () => {
  const loop = (fingerprint: string, more = {}) => ({ fingerprint, code: 'invalid_field', count: 30, ...more });
  const stranger = { isStranger: true as const };
  const parts = [
    { ...well, loops: [loop('ada'), loop('eve', stranger)] },
    { ...well, loops: [loop('ada', stranger), loop('ada', { code: 'v1_401', ...stranger }), loop('eve', stranger)] },
  ];
  for (const reported of [parts, parts.toReversed()]) {
    const { loops } = together(reported);
    expect(loops).toHaveLength(3);
    for (const one of [loop('ada', { count: 60 }), loop('ada', { code: 'v1_401' }), loop('eve', { count: 60, ...stranger })])
      expect(loops).toContainEqual(one);
  }
});
