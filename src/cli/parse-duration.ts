/** How long and how many, as options say it. */
import { InvalidArgumentError } from 'commander';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
const DAY_MS = 24 * 3_600_000;
const COUNT_MAX = 10_000;

/** `90s`, `10m`, `1h` in milliseconds; at most a day. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit ?? ''] ?? NaN);
  if (!(ms >= 1_000 && ms <= DAY_MS)) throw new InvalidArgumentError('expected a time such as 90s, 10m or 1h, at most 24h.');
  return ms;
}

export function parseCount(text: string): number {
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > COUNT_MAX) throw new InvalidArgumentError(`expected a whole number from 1 to ${COUNT_MAX}.`);
  return count;
}
