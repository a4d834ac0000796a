/**
 * Shares the files that the process may have open among its servers and its connections to v1: however many connections one of them has, the calls of
 * sales keep their own share. Node itself raises the limit to the highest that the system allows before it is read here.
 */
import { readFileSync } from 'node:fs';

export interface DescriptorShares {
  /** Connections of the public server. */
  readonly public: number;
  /** Connections to v1, for orders and lookups. */
  readonly sales: number;
  /** Connections to v1, for the pass-through. */
  readonly passthrough: number;
  readonly admin: number;
}

/** Journal, log, mapping files, and what Node opens for itself. */
const FILES = 64;
/** Room for ten thousand held scripts: idle connections are closed when seven eighths of the places are taken. */
const PUBLIC_MAX = 12_000;

/**
 * `limit` is the number of files, `salesMax` the operator's limit of connections for sales. `hasSandbox`: v1 is the embedded sandbox,
 * so the other ends of all calls are in this process too.
 */
export function shareDescriptors(limit: number, salesMax: number, hasSandbox: boolean): DescriptorShares {
  const share = (part: number, least: number, most: number): number => Math.min(most, Math.max(least, Math.floor(limit / part)));
  const ends = hasSandbox ? 2 : 1;
  const sales = Math.min(salesMax, share(4 * ends, 8, Infinity));
  const [passthrough, admin] = [share(8, 8, 128), share(32, 4, 200)];
  const taken = FILES + admin + (sales + passthrough) * ends;
  return { public: Math.max(16, Math.min(PUBLIC_MAX, limit - taken)), sales, passthrough, admin };
}

/** The shares of one worker: all workers together have as many connections as one process would. The limit of files is each process's own. */
export function sharesOfWorker(shares: DescriptorShares, workers: number): DescriptorShares {
  const part = (whole: number): number => Math.max(1, Math.ceil(whole / workers));
  return { ...shares, public: part(shares.public), sales: part(shares.sales), passthrough: part(shares.passthrough) };
}

/** The limit of open files in force; a number without effect when the system does not tell it. */
export function readOpenFilesLimit(file = '/proc/self/limits'): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1];
    return soft === undefined ? Number.MAX_SAFE_INTEGER : Number(soft);
  } catch {
    return Number.MAX_SAFE_INTEGER;
  }
}
