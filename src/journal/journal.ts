/**
 * The order journal: what was asked and what became of it, durable before anything is sent. Every store passes the same
 * suite (`test/journal/journal-suite.ts`); the interface is that suite.
 */
import { GatewayError } from '../domain/errors';
import type { Opened, NewOrder, Order } from '../domain/order';
import type { Outcome } from '../domain/outcome';
import type { ToldStore } from './told-sales';

/**
 * A record that this build cannot read (a newer one wrote it) ends a listing: whoever proves something by a list must have
 * all of it. With `onUnreadable` it is told instead, once for each, and the others come.
 */
export interface ListOptions {
  readonly limit: number;
  readonly onUnreadable?: (error: Error) => void;
  /** Only those for which a script of this process may wait, where the journal knows of several (`processes`). */
  readonly holder?: string;
}

export interface OfOwner extends Pick<ListOptions, 'limit' | 'onUnreadable'> {
  readonly owner: string;
  readonly fromMs?: number;
  /** Only those with lower numbers: the next page of a list that is shown newest first. */
  readonly beforeNumber?: number;
  readonly newestFirst?: boolean;
}

export interface Journal {
  /**
   * Takes an intent in. When the promise resolves the answer is on disk. Atomic across all processes that share the
   * journal. Rejects with a GatewayError `journal_unavailable` when nothing could be written: then nothing may be sent.
   * Only what took no money is reopened, and not what v1's history has proven absent. A reopened order keeps its number; its time, echo and format are those of the new attempt. An intent beyond the bounds
   * that the border holds (64 characters of request id, 16 KiB in all) is a bug and rejects with a RangeError.
   */
  open(intent: NewOrder): Promise<Opened>;

  /**
   * Writes one more answer about an order, merged by `succeedOutcome`, without goods (tokens and card PINs become
   * `goodsMissing`). Gives the order as it now stands, on disk; what v1 said while the disk takes nothing is kept in this process and
   * written later (decision 0038). Rejects with a plain Error when the write fails otherwise or no
   * such order exists. `settledAtMs` moves only when the answer changed something, and never once the order is final. A reference that another order of
   * this owner already has stays with that order for `findByReference`.
   * An answer that took no money is about one attempt: `tries` names it, because the answer may be written long after it was given.
   */
  settle(owner: string, requestId: string, latest: Outcome, atMs: number, tries?: number): Promise<Order>;

  /**
   * Writes when a script was told the order's end, or `NOT_TOLD` or `TOLD_PENDING`. Only for what is out of the ordinary: a success
   * without it was told when it was settled. An order that is not there is left alone; rejects when the write fails. `tries` as for `settle`.
   */
  tell(owner: string, requestId: string, toldAtMs: number, tries?: number): Promise<void>;

  find(owner: string, requestId: string): Promise<Order | undefined>;
  findByReference(owner: string, reference: string): Promise<Order | undefined>;
  /**
   * The orders of this reference, whatever key they were placed with: of each key the one that `findByReference` gives. One look-up per key:
   * for proofs by a history in which several keys may have sold, not for sales.
   */
  listByReference(reference: string): Promise<readonly Order[]>;
  findByNumber(owner: string, number: number): Promise<Order | undefined>;
  /** Whether v1 has ever given an order of this owner a reference, which it does for no key that it refuses. */
  hasReference(owner: string): Promise<boolean>;

  /**
   * Orders that are not final and not proven free of charge (no outcome, `pending`, `unknown`), oldest first, and only those opened from
   * `fromMs` on. Cheap for one owner; for all owners it walks the keys of everything unsettled.
   */
  listUnsettled(options: ListOptions & { readonly owner?: string; readonly fromMs?: number }): Promise<readonly Order[]>;

  /**
   * Orders of one owner that are `NOT_TOLD` and were opened from `fromMs` on, oldest first, ended or not. Cheap: an order stands in this list
   * because something out of the ordinary was written of it.
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
   * Orders of one owner in the order of their numbers, which is that of their first attempts; newest first where asked. `fromMs` leaves out
   * what was first opened before, also where it was opened again later. Orders added meanwhile may be seen or not.
   */
  listOfOwner(options: OfOwner): AsyncIterable<Order>;

  /** Every key that an order was placed with, as its fingerprint. One look-up per key: for people who look, not for sales. */
  owners(): Promise<readonly string[]>;

  /**
   * Notes an order that was told pending because the journal could be neither written nor read. Nothing was sent for it: once orders can
   * be written, it stands in the journal as not sent, unless the journal knows its id. Absent where reading cannot fail. (Decision 0012.)
   */
  readonly doubt?: (intent: NewOrder) => void;

  /** True while orders can be written; probes ask this. */
  isWritable(): boolean;

  /** Where gateways on several machines share the journal: which of them are alive. */
  readonly processes?: Processes;

  close(): Promise<void>;
}

/** The gateways that share a journal, each by the `holder` of what it writes. */
export interface Processes {
  /** This one. */
  readonly own: string;
  /** Writes down that this process was alive at this time (ms since the epoch). */
  sign(atMs: number): Promise<void>;
  list(): Promise<readonly { readonly id: string; readonly signedAtMs: number }[]>;
  remove(id: string): Promise<void>;
  /** What they have told. */
  readonly told: ToldStore;
}

/** What an operator should hear of; nothing of it stops the journal. */
export type JournalEvent =
  | { readonly kind: 'write_failed'; readonly error: unknown }
  | { readonly kind: 'write_stalled'; readonly waitedMs: number }
  | { readonly kind: 'write_recovered' }
  /** What v1 had said of these orders while nothing could be written is on disk now. */
  | { readonly kind: 'answers_written'; readonly orders: number }
  /** The process ends before that could be written; these orders are open attempts in the journal. */
  | { readonly kind: 'answers_unwritten'; readonly orders: number }
  | { readonly kind: 'swept'; readonly orders: number }
  | { readonly kind: 'sweep_failed'; readonly error: unknown }
  /** Retention met a record that this build cannot read, and left it alone. */
  | { readonly kind: 'record_unreadable'; readonly error: unknown };

/** The write failed, or nobody knows whether it did: the disk gave no answer. */
export class WriteFailure extends Error {
  constructor(cause: unknown) {
    super(`The journal could not be written${cause instanceof Error ? `: ${cause.message}` : '.'}`, { cause });
    this.name = 'WriteFailure';
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

/** The journal of those who only look: opening and settling reject. */
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

/** Reads one order of several. Undefined, and told, where this build cannot read it; throws where nobody wants to be told. */
export function readOrTell<T>(read: () => T, onUnreadable: ListOptions['onUnreadable']): T | undefined {
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

/** The length keeps apart what only together reads the same. */
export function keyText({ owner, requestId }: OrderKey): string {
  return `${owner.length} ${owner}${requestId}`;
}
