/**
 * The order journal: what was asked and what became of it, durable before anything is sent. Every store passes the same
 * suite (`test/journal/journal-suite.ts`); the interface is that suite.
 */
import type { Opened, NewOrder, Order } from '../domain/order';
import type { Outcome } from '../domain/outcome';

/**
 * A record that this build cannot read (a newer one wrote it) ends a listing: whoever proves something by a list must have
 * all of it. With `onUnreadable` it is told instead, once for each, and the others come.
 */
export interface ListOptions {
  readonly limit: number;
  readonly onUnreadable?: (error: Error) => void;
  /** Only what this process wrote last, where the journal knows of several (`processes`). */
  readonly holder?: string;
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
   * such order exists. `settledAtMs` moves only when the answer changed something. A reference that another order of
   * this owner already has stays with that order for `findByReference`.
   * An answer that took no money is about one attempt: `tries` names it where the answer is written long after it was given.
   */
  settle(owner: string, requestId: string, latest: Outcome, atMs: number, tries?: number): Promise<Order>;

  /**
   * Writes when a script was told the order's end, or `NOT_TOLD` or `TOLD_PENDING`. Only for what is out of the ordinary: a success
   * without it was told when it was settled. An order that is not there is left alone; rejects when the write fails. `tries` as for `settle`.
   */
  tell(owner: string, requestId: string, toldAtMs: number, tries?: number): Promise<void>;

  find(owner: string, requestId: string): Promise<Order | undefined>;
  findByReference(owner: string, reference: string): Promise<Order | undefined>;
  findByNumber(owner: string, number: number): Promise<Order | undefined>;
  /** Whether v1 has ever given an order of this owner a reference, which it does for no key that it refuses. */
  hasReference(owner: string): Promise<boolean>;

  /**
   * Orders that are not final and not proven free of charge (no outcome, `pending`, `unknown`), oldest first. Cheap for
   * one owner, and then only those opened from `fromMs` on; for all owners it walks the keys of everything unsettled.
   */
  listUnsettled(options: ListOptions & { readonly owner?: string; readonly fromMs?: number }): Promise<readonly Order[]>;

  /** Orders whose last attempt was opened in [fromMs, untilMs), oldest first. Orders added meanwhile may be seen or not. */
  list(options: ListOptions & { readonly fromMs: number; readonly untilMs: number }): AsyncIterable<Order>;

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
}
