/** The input of the alarms: what the processes of a gateway see of themselves. Each selling process reports its part; the parts are merged. */
import type { DiskRoom } from '../domain/disk-room';
import type { Loop } from './repeated-refusals';

/** The part that a selling process reports. */
export interface SellingSightings {
  /** What is wrong with v1, in words, if anything is. Undefined until v1 has answered. */
  readonly v1: { readonly trouble: string | undefined } | undefined;
  /** Open orders. Undefined where another process watches them, or before the first look. */
  readonly openOrders: OpenOrdersSeen | undefined;
  readonly loops: readonly Loop[];
  /** The keys whose sales v1 has lately declined for lack of money, with counts. */
  readonly withoutMoney: readonly { readonly fingerprint: string; readonly count: number }[];
}

export interface OpenOrdersSeen {
  readonly count: number;
  readonly overdue: number;
  readonly oldestMs: number;
  /** The sum over orders with a known price. */
  readonly atRiskNaira: number;
  /** How many orders have a price that only v1 knows. */
  readonly withoutPrice: number;
}

export interface WalletSeen {
  readonly fingerprint: string;
  /** Undefined until v1 has shown it since the start. */
  readonly balanceNaira: number | undefined;
  readonly markNaira: number;
}

export interface Sightings extends SellingSightings {
  readonly isJournalWritable: boolean;
  /** The last balance that v1 showed, of each key that has `wallet_below` in callers.yaml. */
  readonly wallets: readonly WalletSeen[];
  /** Of orders and settings. */
  readonly disks: readonly DiskRoom[];
  /** The problems of the mapping folder, one line each. */
  readonly mappingProblems: readonly string[];
}

/** Merges the parts of several processes. The counts of a key's loop are added, because its requests are spread over them. */
export function together(parts: readonly SellingSightings[]): SellingSightings {
  const loops = parts.flatMap((part) => part.loops);
  // v1 may have accepted a key in one process only: in the others it is still a stranger.
  const accepted = new Set(loops.filter(({ isStranger }) => isStranger !== true).map(({ fingerprint }) => fingerprint));
  return {
    v1: parts.find(({ v1 }) => v1?.trouble !== undefined)?.v1 ?? parts.find(({ v1 }) => v1 !== undefined)?.v1,
    openOrders: parts.find(({ openOrders }) => openOrders !== undefined)?.openOrders,
    loops: added(
      loops.map(({ isStranger, ...loop }) => (isStranger && !accepted.has(loop.fingerprint) ? { ...loop, isStranger } : loop)),
      ({ fingerprint, code, sale = '' }) => `${fingerprint} ${code} ${sale}`,
    ),
    withoutMoney: added(
      parts.flatMap(({ withoutMoney }) => withoutMoney),
      ({ fingerprint }) => fingerprint,
    ),
  };
}

function added<T extends { readonly count: number }>(all: readonly T[], keyOf: (one: T) => string): readonly T[] {
  const sums = new Map<string, T>();
  for (const one of all) sums.set(keyOf(one), { ...one, count: one.count + (sums.get(keyOf(one))?.count ?? 0) });
  return [...sums.values()];
}
