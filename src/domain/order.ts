/** An order: an intent in the journal, from before its first byte goes upstream until long after its outcome is known. */
import { type JsonObject, textOf } from './json';
import type { Outcome } from './outcome';
import { identityOf } from './number-identity';

/** An intent about to be journalled. Nothing in it is secret: no key, PIN, card PIN or token. */
export interface NewOrder {
  /** Fingerprint of the key that ordered: orders are only ever seen through the key that made them. */
  readonly owner: string;
  /** The request id as v1 gets it (at most 64 characters). */
  readonly requestId: string;
  readonly operation: string;
  readonly format: string;
  /** Canonical fields; amounts in kobo. */
  readonly fields: JsonObject;
  /** Which of the fields hold a meter or smartcard number, by the mapping that read them. No record keeps it. */
  readonly identifiers?: readonly string[];
  /** The script's own spellings of its request id with the values it sent, to be echoed exactly. */
  readonly echo: JsonObject;
  /** Hash over operation and canonical fields: tells a repeat from another sale under the same request id. */
  readonly contentHash: string;
  /**
   * Hash over the request as the script sent it. A repeat is the same in it even when the operator has changed the
   * mapping in between, which gives the same words another content. Absent in records of earlier builds.
   */
  readonly askedHash?: string;
  /** The id in a header beside a request id of the script's own: a repeat may bring only that one (decision 0024). */
  readonly headerId?: string;
  /** Keyed hash over the address that it was placed from: to whom it is told while v1 cannot judge. Absent in records of earlier builds. */
  readonly addressHash?: string;
  readonly openedAtMs: number;
  /** How the intent was read: names and numbers of tables, no other values. For `explain`, long afterwards. */
  readonly trail?: Trail;
}

export interface Trail {
  /** Hash of the mapping that read it. */
  readonly mapping: string;
  /** What decided the format. */
  readonly reason: string;
  /** The family of the script, and what proved it. */
  readonly family?: { readonly id: string; readonly reason: string };
  /** By field: the script's spelling that gave it. */
  readonly spellings: Readonly<Record<string, string>>;
  /** By field: the number that the script sent, where a numbering of its own read it. */
  readonly ownNumbers?: Readonly<Record<string, number>>;
  /** Whose numbering that was, when it is not the key's own: another server's, for a number that is not ported. */
  readonly numberedBy?: string;
}

export interface Order extends NewOrder {
  /** The whole number that scripts see as `id`; unique per owner, rising with time. */
  readonly number: number;
  /** How often the order was opened: more than once when an attempt that never charged was repeated. */
  readonly tries: number;
  /** Undefined while an attempt is under way, and after a crash in the middle of one: then the money may have moved. */
  readonly outcome?: Outcome;
  readonly settledAtMs?: number;
  /**
   * When a script was told the order's end, if that is not when it was settled. `NOT_TOLD` while it cannot be known that
   * anybody has heard anything of it (its script hung up, or the process ended in between), `TOLD_PENDING` while only that.
   */
  readonly toldAtMs?: number;
}

export const NOT_TOLD = 0;
export const TOLD_PENDING = 1;

/** Whether it is known that no script has heard how the order ended. */
export function isEndUntold({ toldAtMs }: Pick<Order, 'toldAtMs'>): boolean {
  return toldAtMs === NOT_TOLD || toldAtMs === TOLD_PENDING;
}

/** When the last attempt that the journal knows of began or ended, by the clock of whoever wrote it. */
export function lastTriedAt({ openedAtMs, settledAtMs }: Order): number {
  return Math.max(openedAtMs, settledAtMs ?? 0);
}

/** The journal's answer to an intent. */
export type Opened =
  /** No order had this request id; it is on disk now. */
  | { readonly kind: 'opened'; readonly order: Order }
  /** The same intent was tried before, and v1 refused it or was never reached; it is open again, on disk. */
  | { readonly kind: 'reopened'; readonly order: Order }
  /** The same intent is known: under way, pending, unknown or over. Untouched. */
  | { readonly kind: 'found'; readonly order: Order }
  /** The request id belongs to another intent. Untouched. */
  | { readonly kind: 'conflict'; readonly order: Order };

/**
 * The one place that decides whether two requests under one request id mean the same order. Three things may prove it, for
 * between two tries the operator may have changed what the script's words mean:
 *
 *   content   v1 would be asked the same
 *   words     the script said the very same, whatever the mapping makes of it (decision 0011)
 *   numbers   read field by field the script sent the same, and only callers.yaml has changed what its numbers mean
 *             (decision 0016), or a meter or smartcard number is spelt in another way (decision 0044): this holds where the
 *             words differ, in another spelling or format or a field of no meaning, and for orders that were taken before
 *             words were kept
 *
 * Such a repeat is answered as the order was made: to call it another order would be a refusal, which the script takes for
 * a refund, and to sell it again would be a second charge.
 */

type Comparable = Pick<NewOrder, 'contentHash' | 'askedHash' | 'operation' | 'fields' | 'trail'>;
type Asked = Comparable & Pick<NewOrder, 'identifiers'>;

export function isSameIntent(earlier: Comparable, now: Asked): boolean {
  if (earlier.contentHash === now.contentHash) return true;
  const isWordForWord = earlier.askedHash !== undefined && earlier.askedHash === now.askedHash;
  return isWordForWord || isSameAsSent(earlier, now);
}

function isSameAsSent(earlier: Comparable, now: Asked): boolean {
  const { identifiers = [] } = now;
  const hasOwnNumbers = earlier.trail?.ownNumbers !== undefined || now.trail?.ownNumbers !== undefined;
  const isRespelt = identifiers.some((name) => earlier.fields[name] !== now.fields[name]);
  const isComparable = (hasOwnNumbers || isRespelt) && earlier.operation === now.operation;
  return isComparable && asSent(earlier, identifiers) === asSent(now, identifiers);
}

/** The fields with numbers as the script sent them. A number without a meaning of its own stands for itself. */
function asSent({ fields, trail }: Comparable, identifiers: readonly string[]): string {
  const sent = Object.entries({ ...fields, ...trail?.ownNumbers }).map(([name, value]) => [
    name,
    identifiers.includes(name) ? identityOf('identifier', textOf(value)) : value,
  ]);
  return JSON.stringify(sent.sort(([a], [b]) => (a! < b! ? -1 : 1)));
}
