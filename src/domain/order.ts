/** An order: an intent in the journal. It is written before the first byte goes upstream, and kept long after its outcome is known. */
import { type JsonObject, textOf } from './json';
import type { Outcome } from './outcome';
import { identityOf } from './number-identity';

/** An intent that will be written into the journal. It has no secrets: no key, PIN, card PIN or token. */
export interface NewOrder {
  /** Fingerprint of the key that ordered. Only requests with this key are told about the order. */
  readonly owner: string;
  /** The request id as v1 gets it (at most 64 characters). */
  readonly requestId: string;
  readonly operation: string;
  readonly format: string;
  /** Canonical fields; amounts in kobo. */
  readonly fields: JsonObject;
  /** The fields with a meter or smartcard number, by the mapping that read them. Not written into the journal. */
  readonly identifiers?: readonly string[];
  /** The fields that say what is bought for which number, by the mapping that read them. Not written into the journal. */
  readonly essentials?: readonly string[];
  /** The script's own spellings of its request id, with the values as sent. The reply echoes them exactly. */
  readonly echo: JsonObject;
  /** Keyed hash over the operation and the call to v1. It distinguishes a repeat from another sale under the same request id. */
  readonly contentHash: string;
  /**
   * Keyed hash over the words of the script: its request as sent. A repeat has the same hash even if the operator has changed the
   * mapping in between, so that the same words have another content. Absent in records of earlier builds.
   */
  readonly wordsHash?: string;
  /** The id of a header, if it differs from the request id: a repeat may have only the header (decision 0024). */
  readonly headerId?: string;
  /** Keyed hash over the address that placed the order. That address is told about it while v1 cannot judge. Absent in records of earlier builds. */
  readonly addressHash?: string;
  readonly openedAtMs: number;
  /** When its request came, perhaps long before this process read it. Not written into the journal. */
  readonly cameAtMs?: number;
  /** How the intent was read: names and numbers of tables, no other values. `explain` uses it, possibly much later. */
  readonly trail?: Trail;
}

export interface Trail {
  /** Hash of the mapping that read the intent. */
  readonly mapping: string;
  /** Why this format. */
  readonly reason: string;
  /** The family of the script, and its proof. */
  readonly family?: { readonly id: string; readonly reason: string };
  /** Set where the key was in the sandbox. Absent in records of earlier builds, too. */
  readonly sandbox?: true;
  /** By field: the script's own name of it. */
  readonly spellings: Readonly<Record<string, string>>;
  /** By field: the number as sent, where the caller's own numbers or `numberedBy` gave it its meaning. */
  readonly ownNumbers?: Readonly<Record<string, number>>;
  /** The numbering of another server that read the number of an unported phone; absent where the key's own numbering did. */
  readonly numberedBy?: string;
}

export interface Order extends NewOrder {
  /** The whole number that scripts see as `id`; unique per owner, rising with time. */
  readonly number: number;
  /** How often the order was opened: more than once when an attempt that never charged was repeated. */
  readonly attempts: number;
  /** Undefined from the opening until an outcome is written, also after a crash in between: the money may have moved. */
  readonly outcome?: Outcome;
  readonly settledAtMs?: number;
  /**
   * When a script was told the order's end, if that was later than the settling. `NOT_TOLD` while no script is known to have heard
   * anything (its script hung up, or the process died before the reply), `TOLD_PENDING` while a script has heard only "pending".
   */
  readonly toldAtMs?: number;
}

export const NOT_TOLD = 0;
export const TOLD_PENDING = 1;

/** Whether it is known that no script has heard how the order ended. */
export function isEndUntold({ toldAtMs }: Pick<Order, 'toldAtMs'>): boolean {
  return toldAtMs === NOT_TOLD || toldAtMs === TOLD_PENDING;
}

/** Whether it is written when a script was told how the order ended. */
export function isToldLater({ toldAtMs = NOT_TOLD }: Pick<Order, 'toldAtMs'>): boolean {
  return toldAtMs > TOLD_PENDING;
}

/** Whether the order counts as told when it was settled: nothing is written, or that time, as the request that opened it writes (`takeEnd`). */
export function isToldAtSettling({ settledAtMs, toldAtMs = settledAtMs }: Pick<Order, 'settledAtMs' | 'toldAtMs'>): boolean {
  return toldAtMs === settledAtMs;
}

/** Stands for an order that is not in the journal, or cannot be read there now. It has no number. */
export function standIn(newOrder: NewOrder, outcome: Outcome): Order {
  return { ...newOrder, number: 0, attempts: 0, outcome };
}

export function isStandIn({ number }: Pick<Order, 'number'>): boolean {
  return number === 0;
}

/** When the last attempt in the journal began or ended, by the clock of the process that wrote it. */
export function lastAttemptAt({ openedAtMs, settledAtMs }: Order): number {
  return Math.max(openedAtMs, settledAtMs ?? 0);
}

/** Whether this is one order, and neither an attempt nor an outcome was written between the two readings. */
export function isSameAttempt(one: Order, other: Order): boolean {
  return one.requestId === other.requestId && one.attempts === other.attempts && lastAttemptAt(one) === lastAttemptAt(other);
}

/** The journal's answer to an intent. */
export type Opened =
  /** No order had this request id. The new order is on disk. */
  | { readonly kind: 'opened'; readonly order: Order }
  /** An earlier attempt at the same intent was refused by v1, or did not reach it. The order is open again, on disk. */
  | { readonly kind: 'reopened'; readonly order: Order }
  /** An order with the same intent exists: under way, pending, unknown, over, or refused since this request came. It is unchanged. */
  | { readonly kind: 'found'; readonly order: Order }
  /** The request id belongs to another intent. Its order is unchanged. */
  | { readonly kind: 'conflict'; readonly order: Order };

type Comparable = Pick<NewOrder, 'contentHash' | 'wordsHash' | 'operation' | 'fields' | 'trail'>;
type ComparableRepeat = Comparable & Pick<NewOrder, 'identifiers' | 'essentials'>;

/**
 * Decides whether two requests under one request id mean the same order. Each of four things proves it,
 * because the operator may have changed the meaning of the script's words between the two:
 *
 *   content   v1 would get the same call
 *   words     the script sent exactly the same words, whatever the mapping reads in them (decision 0011)
 *   numbers   the script sent the same field values, and only callers.yaml has changed the meaning of its numbers
 *             (decision 0016). This helps where the words differ (another spelling, another format, a field without
 *             meaning), and for orders from before the words were hashed
 *   sale      it buys the same for the same number, which may have another spelling (decision 0044): v1 takes such sales for
 *             identical (specification, section 7). Only what comes with a sale differs: the customer's phone beside a meter
 *
 * Where none does, and the mapping has changed since, the set that read the order is asked what it reads in the repeat
 * (`answer-refused-repeat`, which has that set).
 *
 * Such a repeat gets the answer of the order as it was opened. Refusing it as another order would make the script refund, and
 * selling it again would be a second charge.
 */
export function isSameIntent(earlier: Comparable, now: ComparableRepeat): boolean {
  if (earlier.contentHash === now.contentHash) return true;
  const isWordForWord = earlier.wordsHash !== undefined && earlier.wordsHash === now.wordsHash;
  return isWordForWord || isSameAsSent(earlier, now) || isSameSale(earlier, now);
}

type Sale = Pick<NewOrder, 'operation' | 'fields' | 'essentials' | 'identifiers'>;

/** The last of the four proofs alone, for a repeat that the set of the order has read. */
export function isSameSale(earlier: Sale, { operation, fields, essentials = [], identifiers = [] }: Sale): boolean {
  const written = (values: JsonObject, name: string): string =>
    identifiers.includes(name) ? identityOf('identifier', textOf(values[name])) : JSON.stringify(values[name] ?? null);
  const isAlike = (name: string): boolean => written(earlier.fields, name) === written(fields, name);
  return earlier.operation === operation && essentials.length > 0 && essentials.every(isAlike);
}

function isSameAsSent(earlier: Comparable, now: ComparableRepeat): boolean {
  const { identifiers = [] } = now;
  const hasOwnNumbers = earlier.trail?.ownNumbers !== undefined || now.trail?.ownNumbers !== undefined;
  const isComparable = hasOwnNumbers && earlier.operation === now.operation;
  return isComparable && asSent(earlier, identifiers) === asSent(now, identifiers);
}

/** The fields with numbers as the script sent them. Numbers that the caller's own numbers do not translate are compared as read. */
function asSent({ fields, trail }: Comparable, identifiers: readonly string[]): string {
  const sent = Object.entries({ ...fields, ...trail?.ownNumbers }).map(([name, value]) => [
    name,
    identifiers.includes(name) ? identityOf('identifier', textOf(value)) : value,
  ]);
  return JSON.stringify(sent.sort(([a], [b]) => (a! < b! ? -1 : 1)));
}
