import { groupsOf, pointOf, seriesOf } from '../../../src/console/overview/outcome-groups';

test('every outcome of a purchase is in one group, and an unknown one is in `other`', () => {
  const outcomes = { succeeded: 1, pending: 2, unknown: 3, declined: 4, rejected: 5, not_sent: 6, refused: 7, passed: 8 };
  expect(groupsOf(outcomes)).toEqual({ sold: 1, pending: 5, failed: 15, refused: 7, other: 8 });
});

test('what was found sells nothing', () => {
  const groups = groupsOf({ succeeded: 2 }, { found: 9, unavailable: 1, refused: 3 });
  expect(groups).toEqual({ sold: 2, pending: 0, failed: 0, refused: 3, other: 10 });
});

test('a chart has requests per minute, and no value where no request was timed', () => {
  const sample = {
    ...{ atMs: 5_000, spanMs: 5_000, byOperation: { buy: { succeeded: 3 } }, byCaller: {} },
    ...{ request: { bounds: [1, Infinity], counts: [4, 0] }, v1: { bounds: [], counts: [] } },
    ...{ isV1Up: true, inFlight: 0, openOrders: 0, openNaira: 0, openOverdue: 0 },
  };
  expect(pointOf(sample)).toEqual({ t: 5, traffic: [36, 0, 0, 0, 0], times: [500, 990, null, null] });
  expect(seriesOf([sample, sample])).toEqual({
    t: [5, 5],
    traffic: [
      [36, 36],
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 0],
    ],
    times: [
      [500, 500],
      [990, 990],
      [null, null],
      [null, null],
    ],
  });
});
