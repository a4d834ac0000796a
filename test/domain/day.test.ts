import { createDays, dayText, parseDay, parseWallTime } from '../../src/domain/day';

const at = (text: string): number => Date.parse(text);

test.each([
  ['Africa/Lagos', '2026-11-25T00:30:00+01:00', '2026-11-25T00:00:00+01:00'],
  ['Africa/Lagos', '2026-11-25T23:59:59.999+01:00', '2026-11-25T00:00:00+01:00'],
  ['Africa/Lagos', '2026-11-25T00:00:00+01:00', '2026-11-25T00:00:00+01:00'],
  ['UTC', '2026-11-25T00:30:00Z', '2026-11-25T00:00:00Z'],
  ['Asia/Kolkata', '2026-11-25T01:00:00+05:30', '2026-11-25T00:00:00+05:30'],
  // One night leaves an hour out, the other has an hour twice.
  ['Europe/Berlin', '2026-03-29T12:00:00+02:00', '2026-03-29T00:00:00+01:00'],
  ['Europe/Berlin', '2026-10-25T12:00:00+01:00', '2026-10-25T00:00:00+02:00'],
  ['Europe/Berlin', '2026-10-25T00:10:00+02:00', '2026-10-25T00:00:00+02:00'],
  // They change by half an hour.
  ['Australia/Lord_Howe', '2026-10-04T12:00:00+11:00', '2026-10-04T00:00:00+10:30'],
  ['Australia/Lord_Howe', '2026-04-05T12:00:00+10:30', '2026-04-05T00:00:00+11:00'],
])('in %s the day of %s began at %s', (zone, time, start) => {
  expect(new Date(createDays(zone)(at(time))).toISOString()).toBe(new Date(at(start)).toISOString());
});

test('the default zone is the one in which all times are shown', () => {
  const lagos = createDays();
  // The same offset in the system's own table.
  const kinshasa = createDays('Africa/Kinshasa');
  for (let hour = 0; hour < 72; hour += 1) expect(lagos(hour * 3_600_000)).toBe(kinshasa(hour * 3_600_000));
});

test.each([
  ['Africa/Lagos', '2026-11-24', '2026-11-24T00:00:00+01:00', 24],
  ['UTC', '2024-02-29', '2024-02-29T00:00:00Z', 24],
  ['Pacific/Kiritimati', '2026-11-24', '2026-11-24T00:00:00+14:00', 24],
  ['Pacific/Pago_Pago', '2026-11-24', '2026-11-24T00:00:00-11:00', 24],
  ['Europe/Berlin', '2026-03-29', '2026-03-29T00:00:00+01:00', 23],
  ['Europe/Berlin', '2026-10-25', '2026-10-25T00:00:00+02:00', 25],
  ['Australia/Lord_Howe', '2026-10-04', '2026-10-04T00:00:00+10:30', 23.5],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-05T00:00:00+11:00', 24.5],
])('in %s the day that is written %s begins at %s and has %d hours', (zone, text, start, hours) => {
  const day = parseDay(text, zone)!;
  expect([day.fromMs, day.untilMs]).toEqual([at(start), at(start) + hours * 3_600_000]);
  expect(dayText(day, zone)).toBe(text);
});

test.each(['2026-02-30', '2026-13-01', '24.11.2026', '2026-11-24T00:00', ''])('%j is no day', (text) => {
  expect(parseDay(text, 'Africa/Lagos')).toBeUndefined();
});

test.each([
  ['Africa/Lagos', '2026-11-24T14:03', '2026-11-24T14:03:00+01:00'],
  ['UTC', '2026-11-24T00:00:09', '2026-11-24T00:00:09Z'],
  ['Pacific/Kiritimati', '2026-01-01T00:30', '2026-01-01T00:30:00+14:00'],
  ['Europe/Berlin', '2026-03-29T04:00', '2026-03-29T04:00:00+02:00'],
  ['Europe/Berlin', '2026-03-29T01:30', '2026-03-29T01:30:00+01:00'],
])('in %s a wall clock shows %s at %s', (zone, text, time) => {
  expect(parseWallTime(text, zone)).toBe(at(time));
});

test.each(['2026-11-24', 'yesterday', '2026-13-24T00:00', '2026-02-30T10:00', '0001-01-01T00:00', '9999-12-31T23:59', ''])(
  '%j is no time',
  (text) => {
    expect(parseWallTime(text, 'Africa/Lagos')).toBeUndefined();
    expect(parseWallTime(text, 'America/New_York')).toBeUndefined();
  },
);
