/**
 * How many connections each door may hold, out of the files the process may have open: whatever happens at one door, the sales' own way to v1 stays
 * free. Node itself raises the limit to the highest that the system allows before this is read.
 */
import { readFileSync } from 'node:fs';

export interface DescriptorShares {
  /** Connections of the public server. */
  readonly public: number;
  /** To v1, for orders and lookups. */
  readonly sales: number;
  /** To v1, passed through. */
  readonly passthrough: number;
  readonly admin: number;
}

/** Journal, log, mapping files, and what Node opens for itself. */
const FILES = 64;
/** Room for ten thousand held scripts below the seven eighths from which on idle connections are closed. */
const PUBLIC_MAX = 12_000;

/**
 * `salesMax` is what the operator allows. `hasSandbox` when v1 is the embedded sandbox: then the other ends of all calls are in
 * this process too.
 */
export function shareDescriptors(limit: number, salesMax: number, hasSandbox: boolean): DescriptorShares {
  const share = (part: number, least: number, most: number): number => Math.min(most, Math.max(least, Math.floor(limit / part)));
  const ends = hasSandbox ? 2 : 1;
  const sales = Math.min(salesMax, share(4 * ends, 8, Infinity));
  const [passthrough, admin] = [share(8, 8, 128), share(32, 4, 200)];
  const taken = FILES + admin + (sales + passthrough) * ends;
  return { public: Math.max(16, Math.min(PUBLIC_MAX, limit - taken)), sales, passthrough, admin };
}

/** What one of several processes that serve as one may hold: together they hold what one would. Files are counted by process, so its limit stays its own. */
export function sharesOfWorker(shares: DescriptorShares, workers: number): DescriptorShares {
  const part = (whole: number): number => Math.max(1, Math.ceil(whole / workers));
  return { ...shares, public: part(shares.public), sales: part(shares.sales), passthrough: part(shares.passthrough) };
}

/** The limit in force, or one that no share is short of where the system does not tell. */
export function readOpenFilesLimit(file = '/proc/self/limits'): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1];
    return soft === undefined ? Number.MAX_SAFE_INTEGER : Number(soft);
  } catch {
    return Number.MAX_SAFE_INTEGER;
  }
}
