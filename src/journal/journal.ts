/**
 * The order journal: what was asked and what became of it, durable before anything is sent. Every store passes the same
 * suite (`test/journal/journal-suite.ts`); the interface is that suite.
 */
import type { Opened, NewOrder, Order } from '../domain/order';
import type { Outcome } from '../domain/outcome';

export interface Journal {
  /**
   * Takes an intent in. When the promise resolves the answer is on disk. Atomic across all processes that share the
   * journal. Rejects with a GatewayError `journal_unavailable` when nothing could be written: then nothing may be sent.
   */
  open(intent: NewOrder): Promise<Opened>;

  /**
   * Writes one more answer about an order, merged by `succeedOutcome`, without goods (tokens and card PINs become
   * `goodsMissing`). Gives the order as it now stands, on disk. Rejects with a plain Error when the write fails.
   */
  settle(owner: string, requestId: string, latest: Outcome, atMs: number): Promise<Order>;

  find(owner: string, requestId: string): Promise<Order | undefined>;
  findByReference(owner: string, reference: string): Promise<Order | undefined>;
  findByNumber(owner: string, number: number): Promise<Order | undefined>;

  /** Orders that are not final and not proven free of charge (no outcome, `pending`, `unknown`), oldest first. */
  listUnsettled(options: { readonly owner?: string; readonly limit: number }): Promise<readonly Order[]>;

  /** Orders opened in [fromMs, untilMs), oldest first. */
  list(options: { readonly fromMs: number; readonly untilMs: number; readonly limit: number }): AsyncIterable<Order>;

  /** True while orders can be written; probes ask this. */
  isWritable(): boolean;

  close(): Promise<void>;
}
