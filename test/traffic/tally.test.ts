import { addRefusals, whatGivesWay } from '../../src/traffic/tally';

test('what came once gives way first, then what was not seen for the longest time', () => {
  const entries = [
    { name: 'old and known', count: 9, lastSeenMs: 1 },
    { name: 'known', count: 2, lastSeenMs: 5 },
    { name: 'once, just now', count: 1, lastSeenMs: 9 },
    { name: 'once', count: 1, lastSeenMs: 3 },
  ];
  const order = (howMany: number) => whatGivesWay(entries, howMany).map(({ name }) => name);
  expect(order(4)).toEqual(['once', 'once, just now', 'old and known', 'known']);
  expect([order(1), order(0), order(-3)]).toEqual([['once'], [], []]);
});

test('refusals add up by code', () => {
  expect(addRefusals({ missing_field: 1 }, { missing_field: 2, internal: 1 })).toEqual({ missing_field: 3, internal: 1 });
});
