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

test('which success was heard is known by key and id, with the mapping that had read the order', () => {
  const tellings = createTellings({ elapsed: () => 0 });
  const sold = { ...newOrder({ requestId: 'r-1' }), number: 1, attempts: 1 };
  tellings.noteHeard(sold);
  expect(tellings.heardUnder(sold.owner, 'r-1')).toBe(sold.trail!.mapping);
  expect([tellings.heardUnder('another', 'r-1'), tellings.heardUnder(sold.owner, 'r-2')]).toEqual([undefined, undefined]);
});
