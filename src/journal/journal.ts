/**
 * The order journal: intents and their outcomes, on disk before anything is sent. Every store passes the same test suite
 * (`test/journal/journal-suite.ts`), which defines this interface.
 */
import type { TimeOfAnother } from '../domain/clock';
import { GatewayError } from '../domain/errors';
import type { Opened, NewOrder, Order } from '../domain/order';
import type { Outcome } from '../domain/outcome';
import type { ToldStore } from './told-sales';

/**
 * A record that this build cannot read (a newer build wrote it) makes a listing throw, because a proof by a list needs all of
 * its orders. With `onUnreadable` the function is called for each such record, and the list goes on without it.
 */
export interface ListOptions {
  readonly limit: number;
  readonly onUnreadable?: (error: Error) => void;
  /** Only orders whose last attempt belongs to the process of this id, whose scripts may wait for them (see `Processes`). */
  readonly holder?: string;
}

export interface OfOwner extends Pick<ListOptions, 'limit' | 'onUnreadable'> {
  readonly owner: string;
  readonly fromMs?: number;
  /** Only orders with lower numbers: the next page of a list that is newest first. */
  readonly beforeNumber?: number;
  readonly newestFirst?: boolean;
}

export interface UnsettledOptions extends ListOptions {
  readonly owner?: string;
  readonly fromMs?: number;
  readonly untilMs?: number;
  readonly newestFirst?: boolean;
}

/** `holder`: the process to which the order belongs, where the journal records that (see `Processes`). */
export interface IsTellingDue {
  (order: Order, holder?: string): boolean;
  /** Set where the telling takes back an earlier one, of this time (`toldAtMs` of the order): nobody was told then. */
  readonly takesBackMs?: number | undefined;
}

export interface Journal {
  /**
   * Opens an order for an intent, or finds the order that has its request id. When the promise resolves, the result is on disk. Atomic
   * across all processes that share the journal. Rejects with a GatewayError `journal_unavailable` when nothing could be written: then
   * nothing may be sent. An order is reopened only if it took no money and v1's history has not proven it absent. It keeps its number; its
   * time, echo and format become those of the new attempt. An intent beyond the bounds that earlier steps enforce (64 characters of request
   * id, 16 KiB in all) is a bug and rejects with a RangeError.
   */
  open(intent: NewOrder): Promise<Opened>;

  /**
   * Writes one more answer about an order, merged by `succeedOutcome`, without goods (tokens and card PINs become
   * `goodsMissing`). Returns the order with the answer, on disk. While the disk accepts no writes, v1's answers are kept in this process and
   * written later (decision 0038). Rejects with a plain Error when the write fails otherwise or no such order exists. `settledAtMs` changes
   * only when the answer has changed the order, and never when the order is final. A reference that another order of this owner already has
   * stays with that order for `findByReference`.
   * An answer that took no money is about one attempt: `attempt` names it, because the answer may be written long after it was given.
   */
  settle(owner: string, requestId: string, latest: Outcome, atMs: number, attempt?: number): Promise<Order>;

  /**
   * Writes the time at which a script was told the order's end, or `NOT_TOLD` or `TOLD_PENDING`. Called only for exceptions: a success
   * without `toldAtMs` was told when it was settled. Does nothing for an unknown order; rejects when the write fails.
   * `isDue` judges the order as it is at the write; where that is false nothing is written. It is also called for orders that are read while this is not
   * on disk. `attempt` as for `settle`.
   */
  tell(owner: string, requestId: string, toldAtMs: number, isDue?: IsTellingDue, attempt?: number): Promise<void>;

  find(owner: string, requestId: string): Promise<Order | undefined>;
  findByReference(owner: string, reference: string): Promise<Order | undefined>;
  /**
   * The orders of this reference under all keys: for each key the order that `findByReference` gives. It takes one look-up per key, so it is
   * meant for proofs by a history in which several keys may have sold, and not for sales.
   */
  listByReference(reference: string): Promise<readonly Order[]>;
  findByNumber(owner: string, number: number): Promise<Order | undefined>;
  /** Whether v1 has ever given an order of this owner a reference. That proves that v1 has accepted the key. */
  hasReference(owner: string): Promise<boolean>;

  /**
   * Orders that are not final and not proven free of charge (no outcome, `pending`, `unknown`), opened in [fromMs, untilMs), oldest first,
   * or newest first where asked. Cheap for one owner; for all owners it reads the keys of all unsettled orders.
   */
  listUnsettled(options: UnsettledOptions): Promise<readonly Order[]>;

  /**
   * Orders of one owner that are `NOT_TOLD` and were opened from `fromMs` on, oldest first, ended or not. Cheap: only exceptional orders are
   * in this list.
   */
  listUntold(options: ListOptions & { readonly owner: string; readonly fromMs: number }): Promise<readonly Order[]>;

  /**
   * Orders whose last attempt was opened in [fromMs, untilMs), oldest first, or newest first where asked. Orders added meanwhile may be
   * seen or not.
   */
  list(
    options: ListOptions & { readonly fromMs: number; readonly untilMs: number; readonly newestFirst?: boolean },
  ): AsyncIterable<Order>;

  /**
   * Orders of one owner by their numbers, that is by the times of their first attempts; newest first where asked. `fromMs` excludes
   * orders first opened before, even if reopened later. Orders added meanwhile may be seen or not.
   */
  listOfOwner(options: OfOwner): AsyncIterable<Order>;

  /** The fingerprint of every key that has an order. It takes one look-up per key, so it is meant for operators and not for sales. */
  owners(): Promise<readonly string[]>;

  /**
   * Notes an order that was told pending because the journal could be neither written nor read. Nothing was sent for it. Once orders can be
   * written, it is written as `not_sent`, unless the journal has its id already. Absent in stores whose reads cannot fail. (Decision 0012.)
   */
  readonly doubt?: (intent: NewOrder) => void;

  /** True while orders can be written; `/readyz` depends on it. */
  isWritable(): boolean;

  /** Where gateways on several machines share the journal: the processes that are alive. */
  readonly processes?: Processes;

  close(): Promise<void>;
}

/**
 * The gateway processes that share a journal, each by the id that it writes into its orders as `holder`. `now`: the time by which all of them go, that of
 * their database.
 */
export interface Processes extends TimeOfAnother {
  /** The id of this process. */
  readonly own: string;
  /** Writes down that this process was alive at this time (ms since the epoch). */
  sign(atMs: number): Promise<void>;
  list(): Promise<readonly { readonly id: string; readonly signedAtMs: number }[]>;
  /** `signedAtMs`: the row stays if it has another sign by now. */
  remove(id: string, signedAtMs?: number): Promise<void>;
  /** The sales that the processes have told. */
  readonly toldSales: ToldStore;
}

/** Events for an operator; none of them stops the journal. */
export type JournalEvent =
  | { readonly kind: 'write_failed'; readonly error: unknown }
  | { readonly kind: 'write_stalled'; readonly waitedMs: number }
  | { readonly kind: 'write_recovered' }
  /** v1's answers about these orders, kept while nothing could be written, are on disk now. */
  | { readonly kind: 'answers_written'; readonly orders: number }
  /** The process ends before kept answers could be written; these orders remain open attempts in the journal. */
  | { readonly kind: 'answers_unwritten'; readonly orders: number }
  | { readonly kind: 'swept'; readonly orders: number }
  | { readonly kind: 'sweep_failed'; readonly error: unknown }
  /** Retention found a record that this build cannot read, and did not delete it. */
  | { readonly kind: 'record_unreadable'; readonly error: unknown };

/** The write failed, or the disk gave no answer and the write may or may not have failed. */
export class WriteFailure extends Error {
  constructor(cause: unknown) {
    super(`The journal could not be written${cause instanceof Error ? `: ${cause.message}` : '.'}`, { cause });
    this.name = 'WriteFailure';
  }
}

/** Nothing was asked: the journal's database is known to be away, which `write_failed` has told. */
export class JournalAway extends Error {
  constructor() {
    super('PostgreSQL cannot be reached');
  }
}

export type JournalReads = Pick<
  Journal,
  | 'find'
  | 'findByReference'
  | 'listByReference'
  | 'findByNumber'
  | 'hasReference'
  | 'listUnsettled'
  | 'listUntold'
  | 'list'
  | 'listOfOwner'
  | 'owners'
>;

/** A journal for readers: `open`, `settle` and `tell` reject. */
export function readOnlyJournal(reads: JournalReads, close: () => Promise<void>): Journal {
  const readOnly = new Error('The journal was opened for reading only.');
  return {
    ...reads,
    open: () => Promise.reject(new GatewayError('journal_unavailable', undefined, { cause: readOnly })),
    settle: () => Promise.reject(readOnly),
    tell: () => Promise.reject(readOnly),
    isWritable: () => false,
    close,
  };
}

/** Reads one order of a list. When this build cannot read it: calls `onUnreadable` and returns undefined, or throws without `onUnreadable`. */
export function readOrReport<T>(read: () => T, onUnreadable: ListOptions['onUnreadable']): T | undefined {
  try {
    return read();
  } catch (error) {
    if (onUnreadable === undefined) throw error;
    onUnreadable(error as Error);
    return undefined;
  }
}

export interface OrderKey {
  readonly owner: string;
  readonly requestId: string;
}

/** One text for owner and request id. The length keeps apart pairs whose joined texts are equal. */
export function keyText({ owner, requestId }: OrderKey): string {
  return `${owner.length} ${owner}${requestId}`;
}
