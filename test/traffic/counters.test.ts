import { addRefusals, Counters, UNSEEN_MS_MAX, entriesToDrop } from '../../src/traffic/counters';
import { bodiesOf, NOW, ROOM, tally } from './tallies';

let counters: Counters;
beforeEach(() => (counters = new Counters(NOW, ROOM)));

test('one owner fills only its own part of the counters and displaces no entry of another owner', () => {
  counters.add([tally({ owner: 'steady', body: '"steady"', count: 2 })], 0, NOW);
  for (let index = 0; index < 50; index += 1)
    counters.add([tally({ owner: 'noisy', body: `"${index}"`, lastSeenMs: NOW + index })], 0, NOW);
  expect(bodiesOf(counters)).toEqual(['"46"', '"47"', '"48"', '"49"', '"steady"']);
  expect(counters.forgotten).toBe(46);
});

test('a flood of new owners stays within the limit, and an entry seen twice outlives entries seen once', () => {
  counters.add([tally({ owner: 'steady', body: '"steady"', count: 2, lastSeenMs: NOW - 1_000 })], 0, NOW);
  const flood = Array.from({ length: 200 }, (_, index) =>
    tally({ owner: `o${index}`, body: `"${index}"`, lastSeenMs: NOW + index }),
  );
  const added = counters.add(flood, 7, NOW);
  const kept = bodiesOf(counters);
  expect(kept).toHaveLength(16);
  expect(kept).toEqual(expect.arrayContaining(['"steady"', '"199"']));
  expect(added).toEqual({ shapes: 16, forgotten: 185 });
  expect(counters.forgotten).toBe(185 + 7);
});

test('an entry that was not seen for ninety days is dropped', () => {
  counters.add([tally({ body: '"old"' }), tally({ body: '"new"', lastSeenMs: NOW + UNSEEN_MS_MAX })], 0, NOW);
  counters.add([], 1, NOW + UNSEEN_MS_MAX + 1);
  expect(bodiesOf(counters)).toEqual(['"new"']);
});

test('entries seen once are dropped first, then the entries not seen for the longest time', () => {
  const entries = [
    { name: 'old and known', count: 9, lastSeenMs: 1 },
    { name: 'known', count: 2, lastSeenMs: 5 },
    { name: 'once, just now', count: 1, lastSeenMs: 9 },
    { name: 'once', count: 1, lastSeenMs: 3 },
  ];
  const order = (howMany: number) => entriesToDrop(entries, howMany).map(({ name }) => name);
  expect(order(4)).toEqual(['once', 'once, just now', 'old and known', 'known']);
  expect([order(1), order(0), order(-3)]).toEqual([['once'], [], []]);
});

test('refusals add up by code', () => {
  expect(addRefusals({ missing_field: 1 }, { missing_field: 2, internal: 1 })).toEqual({ missing_field: 3, internal: 1 });
});
