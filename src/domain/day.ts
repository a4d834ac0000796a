/** When days begin and end in a time zone. */

export const USUAL_TIME_ZONE = 'Africa/Lagos';

const HOUR_MS = 3_600_000;
/** How far West Africa Time is ahead of UTC, all year. */
export const WAT_OFFSET_MS = HOUR_MS;
const DAY_MS = 24 * HOUR_MS;

/** The returned function gives the last midnight of the zone before a time; both in milliseconds since the epoch. */
export function createDays(timeZone: string = USUAL_TIME_ZONE): (atMs: number) => number {
  // Calculated, because the first `DateTimeFormat` takes ten milliseconds.
  if (timeZone === USUAL_TIME_ZONE) return (atMs) => Math.floor((atMs + WAT_OFFSET_MS) / DAY_MS) * DAY_MS - WAT_OFFSET_MS;
  const wall = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, hourCycle: 'h23', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  });
  const read = (atMs: number): { day: string; sinceMidnightMs: number } => {
    const parts = Object.fromEntries(wall.formatToParts(atMs).map(({ type, value }) => [type, value]));
    const [hour, minute, second] = [parts['hour'], parts['minute'], parts['second']].map(Number) as [number, number, number];
    return { day: parts['day']!, sinceMidnightMs: ((hour * 60 + minute) * 60 + second) * 1_000 + (atMs % 1_000) };
  };
  return (atMs) => {
    const { day, sinceMidnightMs } = read(atMs);
    const start = atMs - sinceMidnightMs;
    // If clocks were changed for summer time since midnight, `start` is too early or too late by an hour, or by half an hour (Lord Howe Island).
    const starts = [-1, -0.5, 0, 0.5, 1].map((hours) => start + hours * HOUR_MS);
    return starts.find((one) => read(one).day === day && read(one - 1).day !== day) ?? start;
  };
}

export interface Day {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The day that contains a time. */
export function dayAt(atMs: number, startOfDay: (atMs: number) => number): Day {
  const fromMs = startOfDay(atMs);
  // No day has more than 25 hours, or less than 23.
  return { fromMs, untilMs: startOfDay(fromMs + 36 * HOUR_MS) };
}

/** The day of a zone from a text like `2026-11-24`; undefined for a text that is no date. */
export function parseDay(text: string, timeZone: string): Day | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const noonMs = Date.UTC(Number(year), Number(month) - 1, Number(date), 12);
  // `Date.UTC` makes the 2nd of March of the 30th of February: such a text is no date.
  if (!Number.isFinite(noonMs) || new Date(noonMs).toISOString().slice(0, 10) !== text) return undefined;
  const startOfDay = createDays(timeZone);
  // At noon UTC the easternmost zones already have the next day, so midnight UTC is tried as well.
  return [noonMs, noonMs - 12 * HOUR_MS].map((atMs) => dayAt(atMs, startOfDay)).find((day) => dayText(day, timeZone) === text);
}

/** `2026-11-24`. */
export function dayText({ fromMs }: Pick<Day, 'fromMs'>, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(fromMs);
}

/** Milliseconds since the epoch from the local time of a zone, like `2026-11-24T14:03`; undefined for a text that is no time of the years 1900 to 2999. */
export function parseWallTime(text: string, timeZone: string): number | undefined {
  // The zone's own time of a year like 1 or 10000 cannot be read back below.
  const asUtcMs = /^(?:19|2\d)\d\d-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text) ? Date.parse(`${text}Z`) : NaN;
  // `Date.parse` makes the 2nd of March of the 30th of February: such a text is no time.
  if (Number.isNaN(asUtcMs) || !new Date(asUtcMs).toISOString().startsWith(text)) return undefined;
  const wall = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const aheadAt = (atMs: number): number =>
    Date.parse(`${wall.format(atMs).replace(' ', 'T')}Z`) - Math.floor(atMs / 1_000) * 1_000;
  // The offset is read twice, because clocks may be changed for summer time between the two times.
  return asUtcMs - aheadAt(asUtcMs - aheadAt(asUtcMs));
}
