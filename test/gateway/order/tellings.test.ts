import { createTellings } from '../../../src/gateway/order/tellings';
import { newOrder } from '../../journal/new-order';
import { openLine } from '../open-line';

test('an order is being told until a moment after the whole reply has left, or until the script hangs up', () => {
  let nowMs = 0;
  const tellings = createTellings({ elapsed: () => nowMs });
  const [whole, broken] = [openLine(() => 0), openLine(() => 0)];
  const [first, second] = [newOrder({ requestId: 'r-1' }), newOrder({ requestId: 'r-2' })];
  tellings.begin(first, whole.line);
  tellings.begin(second, broken.line);
  expect([first, second].map((order) => tellings.isUnderWay(order))).toEqual([true, true]);
  whole.end(true);
  broken.end(false);
  expect([first, second].map((order) => tellings.isUnderWay(order))).toEqual([true, false]);
  nowMs = 5_000;
  expect(tellings.isUnderWay(first)).toBe(false);
});

test('a success that was heard makes the next sale of its key another one, under the same mapping', () => {
  const tellings = createTellings({ elapsed: () => 0 });
  const sold = { ...newOrder({ requestId: 'r-1' }), number: 1, attempts: 1 };
  tellings.noteHeard(sold);
  const next = newOrder({ requestId: 'r-2' });
  const others = [
    { ...next, owner: 'another' },
    { ...next, trail: { ...next.trail!, mapping: 'another' } },
  ];
  expect([next, ...others].map((sale) => tellings.wasHeard('r-1', sale))).toEqual([true, false, false]);
  expect(tellings.wasHeard('r-3', next)).toBe(false);
});
