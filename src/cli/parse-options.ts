/**
 * Parses the arguments of commands: ages, durations, counts, names, addresses, sets, files and folders. An absent or unreadable file here is bad usage
 * (exit code 2). A fault in a setting, or in the content of a file, is not (exit code 1).
 */
import { accessSync, constants, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname } from 'node:path';
import { InvalidArgumentError } from 'commander';

const DAY_MS = 24 * 3_600_000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS };

/** Undefined for a text that is none. */
function readMs(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * UNIT_MS[unit]!;
}

/** `90m`, `24h`, `7d` in milliseconds. */
export function parseAge(text: string): number {
  const ms = readMs(text);
  if (ms === undefined) throw new InvalidArgumentError('expected an age such as 90m, 24h or 7d.');
  return ms;
}

/** `90s`, `10m`, `1h` in milliseconds; at most a day. */
export function parseDuration(text: string): number {
  const ms = text.endsWith('d') ? 0 : (readMs(text) ?? 0);
  if (ms < 1_000 || ms > DAY_MS) throw new InvalidArgumentError('expected a time such as 90s, 10m or 1h, at most 24h.');
  return ms;
}

export function parseCount(most: number, least = 1): (text: string) => number {
  return (text) => {
    const count = /^\d{1,7}$/.test(text) ? Number(text) : NaN;
    if (!(count >= least && count <= most)) throw new InvalidArgumentError(`expected a whole number from ${least} to ${most}.`);
    return count;
  };
}

/** A caller, or the id of an order, as the admin calls take it. */
export function parseName(most: number): (text: string) => string {
  return (text) => {
    if (text === '' || text.length > most) throw new InvalidArgumentError(`expected 1 to ${most} characters.`);
    return text;
  };
}

export function parseAddress(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('expected an IP address.');
  return text;
}

/** Parses the hash of a set of mapping files or of a plan. */
export function parseHash(text: string): string {
  if (!/^[0-9a-f]{16}$/.test(text))
    throw new InvalidArgumentError('expected the 16 hex digits that plan, check and history print.');
  return text;
}

export function parseFolder(path: string): string {
  const found = stats(path);
  if (found === undefined) throw new InvalidArgumentError('there is no such folder.');
  if (!found.isDirectory()) throw new InvalidArgumentError('it is a file, where a folder is expected.');
  return mayUse(path, constants.R_OK | constants.X_OK, 'read it');
}

/** Checks that the file can be read. A pipe such as `<(…)` counts as a file. */
export function parseFile(path: string): string {
  const found = stats(path);
  if (found === undefined) throw new InvalidArgumentError('there is no such file.');
  if (found.isDirectory()) throw new InvalidArgumentError('it is a folder, where a file is expected.');
  return mayUse(path, constants.R_OK, 'read it');
}

/** Checks that the file can be created, before the work begins whose result goes there. */
export function parseNewFile(path: string): string {
  const found = stats(path);
  if (found?.isDirectory() === true || path === '') throw new InvalidArgumentError('the name of a file is expected.');
  if (found !== undefined) return mayUse(path, constants.W_OK, 'write it');
  if (stats(dirname(path))?.isDirectory() !== true) throw new InvalidArgumentError('there is no folder to write it into.');
  mayUse(dirname(path), constants.W_OK | constants.X_OK, 'write into its folder');
  return path;
}

function mayUse(path: string, mode: number, what: string): string {
  try {
    accessSync(path, mode);
    return path;
  } catch {
    throw new InvalidArgumentError(`this user may not ${what}.`);
  }
}

function stats(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A file in the place of a folder, or a loop of links: nothing can be read there.
    return undefined;
  }
}
