/** What the house sees of itself, as the alarms judge it. What sells reports its part; where several processes sell, the parts are put together. */
import type { Loop } from './repeated-refusals';

/** Seen by a process that sells. */
export interface SellingSightings {
  /** What is wrong with v1, in words, if anything is. Undefined while v1 has not been heard. */
  readonly v1: { readonly trouble: string | undefined } | undefined;
  /** Undefined where another process looks at them, or none has yet. */
  readonly openOrders: OpenOrdersSeen | undefined;
  readonly loops: readonly Loop[];
  /** Keys whose sales v1 has declined lately for lack of money, and how often. */
  readonly withoutMoney: readonly { readonly fingerprint: string; readonly count: number }[];
}

export interface OpenOrdersSeen {
  readonly count: number;
  readonly overdue: number;
  readonly oldestMs: number;
  /** As far as their prices are known. */
  readonly atRiskNaira: number;
  /** How many have a price that only v1 knows. */
  readonly withoutPrice: number;
}

export interface WalletSeen {
  readonly fingerprint: string;
  /** Undefined until v1 has told it since the start. */
  readonly balanceNaira: number | undefined;
  readonly markNaira: number;
}

/** Where orders and settings lie. */
export interface DiskSeen {
  readonly folder: string;
  readonly freeBytes: number;
  readonly sizeBytes: number;
}

export interface Sightings extends SellingSightings {
  readonly isJournalWritable: boolean;
  /** Balances that v1 told last, of keys that have a mark in callers.yaml. */
  readonly wallets: readonly WalletSeen[];
  readonly disks: readonly DiskSeen[];
  /** Of the mapping folder, each in a line. */
  readonly mappingProblems: readonly string[];
}

/** One view of several processes. A key's loop is spread over them: its counts are added. */
export function together(parts: readonly SellingSightings[]): SellingSightings {
  return {
    v1: parts.find(({ v1 }) => v1?.trouble !== undefined)?.v1 ?? parts.find(({ v1 }) => v1 !== undefined)?.v1,
    openOrders: parts.find(({ openOrders }) => openOrders !== undefined)?.openOrders,
    loops: added(
      parts.flatMap(({ loops }) => loops),
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
