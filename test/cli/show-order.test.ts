import { showOrder } from '../../src/cli/show-order';
import { createTimes } from '../../src/cli/show-time';
import { NOT_TOLD, TOLD_PENDING, type Order } from '../../src/domain/order';
import { checkFolder } from '../../src/mapping/check';
import { newOrder, OPENED_AT_MS } from '../journal/new-order';
import { MAPPINGS } from '../mapping/mapping-set';

const { mapping } = checkFolder(MAPPINGS);
const show = (changes: Partial<Order>) =>
  showOrder({ ...newOrder(), number: 7, tries: 1, ...changes }, mapping!, createTimes('UTC'));

test('an order under way has no time of its end, and no outcome', () => {
  expect(show({})).toMatchObject({ opened: '2026-11-21T03:00:00.000+00:00', settled: null, number: 7 });
  expect(Object.keys(show({}))).not.toEqual(expect.arrayContaining(['outcome', 'told', 'openedAtMs', 'toldAtMs', 'note']));
});

test.each([
  [NOT_TOLD, 'not known'],
  [TOLD_PENDING, 'pending only'],
  [OPENED_AT_MS + 1_500, '2026-11-21T03:00:01.500+00:00'],
])('what its script was told (%i) is said in words or as a time', (toldAtMs, told) => {
  expect(show({ toldAtMs })).toMatchObject({ told });
});
