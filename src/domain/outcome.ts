/**
 * The six outcomes of an order, and which outcome may follow which (`succeedOutcome`). This protects money: an answer that
 * proves nothing never overwrites an answer that proves something.
 */
import type { AmountMinor } from './amount';

export interface CardPin {
  readonly pin: string;
  readonly serial: string;
}

/** Money and goods of an order in v1's answers. An absent field was in none of them. */
export interface Delivery {
  readonly balanceBefore?: AmountMinor;
  readonly balanceAfter?: AmountMinor;
  readonly charged?: AmountMinor;
  readonly cashback?: AmountMinor;
  /** Electricity token; null when v1 says that there is none. Never journalled. */
  readonly token?: string | null;
  /** Card and exam PINs. Never journalled. */
  readonly pins?: readonly CardPin[];
  /** True when the order has goods that are not here, because they are never journalled. */
  readonly goodsMissing?: boolean;
}

/** The outcomes that v1 gives to an order that it has. */
interface SaidByV1 {
  /** v1's message, shown to the script. */
  readonly message?: string;
  readonly reference?: string;
  readonly delivery?: Delivery;
}

/** v1 confirmed. */
export interface Succeeded extends SaidByV1 {
  readonly kind: 'succeeded';
}
/** v1 charged, the provider has not confirmed. */
export interface Pending extends SaidByV1 {
  readonly kind: 'pending';
}
/** Charged and refunded. */
export interface Declined extends SaidByV1 {
  readonly kind: 'declined';
}
/** v1 said no before charging. */
export interface Rejected {
  readonly kind: 'rejected';
  /** v1's 4xx. */
  readonly httpStatus: number;
  readonly message?: string;
  readonly retryAfterSeconds?: number;
}
/** No byte left, so nothing is charged; the same request id may try again. */
export interface NotSent {
  readonly kind: 'not_sent';
  readonly reason: string;
  /** Proven later: v1's history, read long after the last attempt, does not have the order. */
  readonly isProven?: boolean;
  /** The attempts that the proof covers. It closes the order only if there was no further attempt. */
  readonly sought?: ProofStart;
}
/**
 * The attempts of an order when a proof began. It has only times of the order itself, so clocks of two machines are not compared. The
 * names of its fields stand in records on disk.
 */
export interface ProofStart {
  /** How many attempts there were. */
  readonly tries: number;
  /** When the last attempt in the journal began or ended. */
  readonly lastTriedAtMs: number;
}
/** The money may have moved. */
export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: string;
  /** v1 has an order under the same request id, and it is not certain whether it is this one. */
  readonly isDoubted?: boolean;
  /** Marks the start of a new attempt; it must not reopen an order that is final. */
  readonly isBeginning?: boolean;
}

export type Outcome = Succeeded | Pending | Declined | Rejected | NotSent | Unknown;
export type OutcomeKind = Outcome['kind'];

/** What a script is told for each outcome. `unknown` is told as pending, because v1 may have charged. */
export const TOLD_AS = {
  succeeded: 'success',
  pending: 'pending',
  unknown: 'pending',
  declined: 'failure',
  rejected: 'failure',
  not_sent: 'failure',
} as const satisfies Readonly<Record<OutcomeKind, string>>;

/** The outcome while an earlier attempt was cut off, or is under way at another process. */
export const ATTEMPT_NOT_ENDED: Unknown = { kind: 'unknown', reason: 'an earlier attempt did not end' };
/** The outcome while the journal cannot show the order: v1 may have charged. */
export const JOURNAL_UNREAD: Unknown = { kind: 'unknown', reason: 'the journal cannot be read' };
/** Written before another attempt. Otherwise another process could prove during the attempt that the order never was at v1. */
export const ATTEMPT_BEGINS: Unknown = { ...ATTEMPT_NOT_ENDED, isBeginning: true };

/** Whether an attempt of an order with this outcome may be under way: its end is not in the journal. The process may also have died. */
export function isAttemptMarked(outcome: Outcome | undefined): boolean {
  return outcome === undefined || (outcome.kind === 'unknown' && outcome.isBeginning === true);
}

/** v1's reference of the order; `undefined` where v1 has given none. */
export function referenceOf(outcome: Outcome | undefined): string | undefined {
  return outcome !== undefined && 'reference' in outcome ? outcome.reference : undefined;
}

/** What v1 charged for the order and gave for it; empty where v1 has said neither. */
export function deliveryOf(outcome: Outcome | undefined): Delivery {
  return (outcome !== undefined && 'delivery' in outcome ? outcome.delivery : undefined) ?? {};
}

/** No other outcome follows a final one. */
export function isFinal(outcome: Outcome): boolean {
  return outcome.kind === 'succeeded' || outcome.kind === 'declined';
}

/** Nothing is ever sent again for the order: it is final, or v1's history has proven that v1 never had it. */
export function isOver(outcome: Outcome): boolean {
  return isFinal(outcome) || isProvenAbsent(outcome);
}

/** Charged, and v1's receipt will show the end: sending the order again could only do harm (specification, section 7). */
export function isWaitingForProvider(outcome: Outcome | undefined): outcome is Pending & { readonly reference: string } {
  return outcome?.kind === 'pending' && outcome.reference !== undefined;
}

/** v1's history has proven that v1 never had the order. */
export function isProvenAbsent(outcome: Outcome): outcome is NotSent {
  return outcome.kind === 'not_sent' && outcome.isProven === true;
}

/** Whether other processes judge this by its time: a lease of an attempt, or a proof that the order never was at v1. */
export function isJudgedByTime(outcome: Outcome): boolean {
  return isProvenAbsent(outcome) || isAttemptMarked(outcome);
}

/** An attempt with this outcome charged nothing. */
export function isRefusal(outcome: Outcome | undefined): boolean {
  return outcome?.kind === 'rejected' || outcome?.kind === 'not_sent';
}

/** v1's refusal of a purchase like one that it made within the last five seconds (specification, section 7, which names no HTTP code for it). */
export function isRefusedAsIdentical(outcome: Outcome | undefined): boolean {
  return outcome?.kind === 'rejected' && /^duplicate request/i.test(outcome.message ?? '');
}

/** True when v1 has taken no money for the order or has given it back. Only then may a script hear "failed". */
export function isSafeToRefund(outcome: Outcome): boolean {
  return outcome.kind === 'declined' || isRefusal(outcome);
}

/**
 * The outcome of an order after one more answer about it.
 *
 * `previous` is undefined for an order for which no byte was sent. A `rejected` or `not_sent` answer is only about its own
 * attempt. It proves nothing about an earlier attempt with an open outcome (`unknown`, `pending`), so the earlier outcome stands.
 * Only `reconcile` can prove that an unknown order was never sent.
 */
export function succeedOutcome(previous: Outcome | undefined, latest: Outcome): Outcome {
  if (previous === undefined) return latest;
  // Proven absent: only an answer by which v1 has the order after all changes that.
  if (isProvenAbsent(previous)) return isAtV1(latest) ? latest : previous;
  if (isRefusal(previous)) return latest.kind === 'unknown' && latest.isBeginning === true ? previous : latest;
  if (isFinal(previous)) return previous.kind === latest.kind ? withDelivery(latest, previous) : previous;
  if (previous.kind === 'pending')
    return latest.kind === 'pending' || isFinal(latest) ? withDelivery(latest, previous) : previous;
  // Unknown: an answer about one attempt only (a refusal) changes nothing.
  if (isProvenAbsent(latest)) return latest;
  if (isRefusal(latest)) return previous;
  if (previous.kind !== 'unknown' || previous.isDoubted !== true || latest.kind !== 'unknown') return latest;
  // The doubt stays, but the lease of a new attempt must be kept as well.
  return latest.isBeginning === true ? { ...latest, isDoubted: true } : previous;
}

function withDelivery(latest: Outcome, previous: Outcome): Outcome {
  if (!isAtV1(latest) || !isAtV1(previous)) return latest;
  const reference = latest.reference ?? previous.reference;
  // The money was given back: the earlier charge and balances no longer apply.
  if (latest.kind === 'declined') return reference === undefined ? latest : { ...latest, reference };
  const { goodsMissing, ...told }: Delivery = { ...previous.delivery, ...latest.delivery };
  // An answer without a token does not remove a known token: v1 may leave it out where it only reports a duplicate.
  const token = told.token ?? previous.delivery?.token;
  const delivery: Delivery = token === undefined ? told : { ...told, token };
  // If the goods are known, they are not missing.
  const isMissing = goodsMissing === true && !hasGoods(delivery);
  const known: Delivery = { ...delivery, ...(isMissing ? { goodsMissing } : {}) };
  return {
    ...latest,
    ...(reference === undefined ? {} : { reference }),
    ...(Object.keys(known).length === 0 ? {} : { delivery: known }),
  };
}

/** v1 has the order, or had it: it has judged the key and the PIN before. */
export function isAtV1(outcome: Outcome): outcome is Succeeded | Pending | Declined {
  return outcome.kind === 'succeeded' || outcome.kind === 'pending' || outcome.kind === 'declined';
}

function hasGoods(delivery: Delivery | undefined): boolean {
  return (delivery?.pins?.length ?? 0) > 0 || typeof delivery?.token === 'string';
}
