// A gateway whose replies contradict v1 is found out by its books.
import { kobo } from '../../../src/domain/amount';
import { checkBooks, type V1Order } from '../../../src/cli/demo/check-books';
import type { BookedOrder } from '../../../src/cli/demo/reseller';

const booked = (change: Partial<BookedOrder>): BookedOrder => ({
  sent: { method: 'POST', path: '/', body: '' },
  isRepeatable: true,
  ...{ conclusion: 'sold', id: 'one', reference: 'R1', paid: 98, isContradicted: false, ...change },
});
const inV1 = (change: Partial<V1Order> = {}): V1Order => ({ reference: 'R1', status: 'success', charge: kobo(9_800), ...change });

test('books that agree have no fault, whatever the outcomes of the orders', () => {
  const orders = [
    booked({}),
    booked({ id: 'declined', reference: 'R2', conclusion: 'failed' }),
    booked({ id: 'open', reference: 'R3', conclusion: 'waiting' }),
    booked({ id: 'never heard', reference: undefined, conclusion: 'waiting' }),
    // Told again to a repeat without an id.
    booked({ id: undefined }),
  ];
  const v1 = [
    inV1(),
    inV1({ reference: 'R2', status: 'failed' }),
    inV1({ reference: 'R3', status: 'pending' }),
    inV1({ reference: 'R4', charge: kobo(50) }),
  ];
  expect(checkBooks(orders, v1, kobo(19_650))).toEqual({ sold: 2, waiting: 2, failed: 1, charged: 19_650, faults: [] });
});

test.each<[string, BookedOrder[], V1Order[], number, RegExp]>([
  ['a sale that v1 does not have', [booked({ reference: 'R9' })], [], 0, /^R9 was told as sold, and v1 says nothing of it/],
  ['a sale that v1 declined', [booked({})], [inV1({ status: 'failed' })], 0, /R1 was told as sold, and v1 says failed/],
  ['a sale that v1 has not finished', [booked({})], [inV1({ status: 'pending' })], 9_800, /told as sold, and v1 says pending/],
  ['a failure that was charged', [booked({ conclusion: 'failed' })], [inV1()], 9_800, /told as failed, and v1 has charged 98.00/],
  [
    'a failure without a reference that was charged',
    [booked({ conclusion: 'failed', reference: undefined })],
    [inV1()],
    9_800,
    /charged R1, which nobody was told of/,
  ],
  [
    'a second charge for one intent',
    [booked({})],
    [inV1(), inV1({ reference: 'R2' })],
    19_600,
    /charged R2, which nobody was told of/,
  ],
  [
    'another price than was told',
    [booked({ paid: 97.5 })],
    [inV1()],
    9_800,
    /told as paid with 97.5 naira, and v1 has charged 98.00/,
  ],
  ['one kobo that no order explains', [booked({})], [inV1()], 9_801, /wallet paid 98.01 naira, and the orders cost 98.00/],
  ['a sale that is denied later', [booked({ isContradicted: true })], [inV1()], 9_800, /a later question about it as failed/],
])('%s is a fault', (_what, orders, v1, wallet, said) => {
  const { faults } = checkBooks(orders, v1, kobo(wallet));
  expect(faults).toEqual(expect.arrayContaining([expect.stringMatching(said)]));
});
