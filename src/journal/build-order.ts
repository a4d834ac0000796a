/**
 * An order field by field: nothing else that a caller's object carries ever reaches a disk, and what is absent stays out.
 * Assigning, because V8 takes microseconds to spread an object of this many fields and a fraction of one to assign them.
 */
import type { NewOrder, Order, Trail } from '../domain/order';
import type { Outcome } from '../domain/outcome';

type Assignable = { -readonly [Key in keyof Order]: Order[Key] };

/** An intent as it was given, or as a record has it: there what is absent may be null. */
export type Intent = Omit<NewOrder, 'trail' | 'askedHash' | 'headerId' | 'addressHash'> & {
  readonly trail?: Trail | null | undefined;
  readonly askedHash?: string | null | undefined;
  readonly headerId?: string | null | undefined;
  readonly addressHash?: string | undefined;
};

/** What became of it so far. */
export interface Fate {
  readonly number: number;
  readonly tries: number;
  readonly outcome?: Outcome | null | undefined;
  readonly settledAtMs?: number | null | undefined;
  readonly toldAtMs?: number | undefined;
}

export function buildOrder(intent: Intent, fate: Fate): Order {
  const { owner, requestId, operation, format, fields, echo, contentHash, openedAtMs } = intent;
  const { askedHash, headerId, addressHash, trail } = intent;
  const { number, tries, outcome, settledAtMs, toldAtMs } = fate;
  const order: Assignable = { owner, requestId, operation, format, fields, echo, contentHash, openedAtMs, number, tries };
  if (askedHash !== undefined && askedHash !== null) order.askedHash = askedHash;
  if (addressHash !== undefined) order.addressHash = addressHash;
  if (headerId !== undefined && headerId !== null) order.headerId = headerId;
  if (trail !== undefined && trail !== null) order.trail = trail;
  if (toldAtMs !== undefined) order.toldAtMs = toldAtMs;
  if (outcome === undefined || outcome === null || settledAtMs === undefined || settledAtMs === null) return order;
  order.outcome = outcome;
  order.settledAtMs = settledAtMs;
  return order;
}
