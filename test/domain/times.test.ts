import { createTimes } from '../../src/domain/times';

const AT = Date.UTC(2026, 11, 31, 23, 5, 6, 7);

test.each([
  ['Africa/Lagos', '2027-01-01 00:05:06', '2027-01-01T00:05:06.007+01:00'],
  ['UTC', '2026-12-31 23:05:06', '2026-12-31T23:05:06.007+00:00'],
  ['America/St_Johns', '2026-12-31 19:35:06', '2026-12-31T19:35:06.007-03:30'],
  ['Asia/Kolkata', '2027-01-01 04:35:06', '2027-01-01T04:35:06.007+05:30'],
])('in %s', (zone, text, iso) => {
  const times = createTimes(zone);
  expect([times.zone, times.text(AT), times.iso(AT)]).toEqual([zone, text, iso]);
  expect(Date.parse(times.iso(AT))).toBe(AT);
});

test('summer time is that of the day that is shown', () => {
  const { iso } = createTimes('Europe/Berlin');
  expect([iso(Date.UTC(2026, 0, 1)), iso(Date.UTC(2026, 6, 1))]).toEqual([
    '2026-01-01T01:00:00.000+01:00',
    '2026-07-01T02:00:00.000+02:00',
  ]);
});

test('midnight is 00, not 24', () => {
  expect(createTimes('UTC').text(Date.UTC(2026, 0, 1))).toBe('2026-01-01 00:00:00');
});
