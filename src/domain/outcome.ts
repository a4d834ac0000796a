/**
 * How an order ended so far (the glossary's six words), and which ending may follow which. The successions are the
 * heart of the promise: an answer that proves nothing never overwrites one that does.
 */
import type { AmountMinor } from './amount';

export interface CardPin {
  readonly pin: string;
  readonly serial: string;
}

/** What v1 told about the money and the goods of an order. Absent means not told. */
export interface Delivery {
  readonly balanceBefore?: AmountMinor;
  readonly balanceAfter?: AmountMinor;
  readonly charged?: AmountMinor;
  readonly cashback?: AmountMinor;
  /** Electricity token; null when v1 says there is none. Never journalled. */
  readonly token?: string | null;
  /** Card and exam PINs. Never journalled. */
  readonly pins?: readonly CardPin[];
  /** True when goods belong to this order but are not in this answer (they are never journalled). */
  readonly goodsMissing?: boolean;
}

interface Told {
  /** v1's own words, shown to the script. */
  readonly message?: string;
  readonly reference?: string;
  readonly delivery?: Delivery;
}

/** v1 confirmed. */
export interface Succeeded extends Told {
  readonly kind: 'succeeded';
}
/** v1 charged, the provider has not confirmed. */
export interface Pending extends Told {
  readonly kind: 'pending';
}
/** Charged and refunded. */
export interface Declined extends Told {
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
  /** Proven afterwards: v1's history, read long after the last attempt, does not have the order. */
  readonly isProven?: boolean;
  /** Which tries the proof is about, as they stood when it was sought: it closes the order only if there was none since. */
  readonly sought?: Sought;
}
/** The tries of an order at one moment, in the order's own times: no clock is compared with another. */
export interface Sought {
  readonly tries: number;
  /** When the last attempt that the journal knows of began or ended. */
  readonly lastTriedAtMs: number;
}
/** The money may have moved. */
export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: string;
  /** v1 has an order under the same request id, and nobody can tell whether it is this one. */
  readonly isDoubted?: boolean;
  /** Marks the start of a new attempt; it must not reopen an order that is final. */
  readonly isBeginning?: boolean;
}

export type Outcome = Succeeded | Pending | Declined | Rejected | NotSent | Unknown;
export type OutcomeKind = Outcome['kind'];

/** Which of the three words an outcome is told in. Unknown is pending: v1 may have charged. */
export const TOLD_AS = {
  succeeded: 'success',
  pending: 'pending',
  unknown: 'pending',
  declined: 'failure',
  rejected: 'failure',
  not_sent: 'failure',
} as const satisfies Readonly<Record<OutcomeKind, string>>;

/** What is known of an attempt that was cut short, or that runs elsewhere. */
export const UNENDED: Unknown = { kind: 'unknown', reason: 'an earlier try did not end' };
/** Written before another attempt, or somebody could prove in the middle of it that the order never was at v1. */
export const BEGINNING: Unknown = { ...UNENDED, isBeginning: true };

/** v1's reference of an order that ended so; `undefined` where v1 has told none. */
export function referenceOf(outcome: Outcome | undefined): string | undefined {
  return outcome !== undefined && 'reference' in outcome ? outcome.reference : undefined;
}

/** Nothing follows these. */
export function isFinal(outcome: Outcome): boolean {
  return outcome.kind === 'succeeded' || outcome.kind === 'declined';
}

/** Nothing is ever sent for the order again: it has its end, or v1's history has proven that it never was. */
export function isOver(outcome: Outcome): boolean {
  return isFinal(outcome) || isProvenAbsent(outcome);
}

/** v1's history has proven that the order never was there. */
export function isProvenAbsent(outcome: Outcome): outcome is NotSent {
  return outcome.kind === 'not_sent' && outcome.isProven === true;
}

/** Nothing was charged by the attempt that ended so. */
export function isRefusal(outcome: Outcome | undefined): boolean {
  return outcome?.kind === 'rejected' || outcome?.kind === 'not_sent';
}

/** True when v1 took no money and never will for this order as it stands: only then may a script hear "failed". */
export function isSafeToRefund(outcome: Outcome): boolean {
  return outcome.kind === 'declined' || isRefusal(outcome);
}

/**
 * What is known of an order after one more answer about it.
 *
 * `previous` is undefined for an order of which no byte has been sent. A `rejected` or `not_sent` answer speaks only of
 * its own attempt: after an earlier attempt whose fate is open (`unknown`, `pending`) it proves nothing, so the earlier word stands.
 * Only `reconcile` can prove that an unknown order was never sent.
 */
export function succeedOutcome(previous: Outcome | undefined, latest: Outcome): Outcome {
  if (previous === undefined) return latest;
  // Proven absent: only an answer that v1 has it after all says more.
  if (isProvenAbsent(previous)) return isTold(latest) ? latest : previous;
  if (isRefusal(previous)) return latest.kind === 'unknown' && latest.isBeginning === true ? previous : latest;
  if (isFinal(previous)) return previous.kind === latest.kind ? withDelivery(latest, previous) : previous;
  if (previous.kind === 'pending')
    return latest.kind === 'pending' || isFinal(latest) ? withDelivery(latest, previous) : previous;
  // Unknown: only an answer about the order itself says more.
  if (isProvenAbsent(latest)) return latest;
  if (isRefusal(latest)) return previous;
  if (previous.kind !== 'unknown' || previous.isDoubted !== true || latest.kind !== 'unknown') return latest;
  // The doubt stays; that another attempt begins is news all the same.
  return latest.isBeginning === true ? { ...latest, isDoubted: true } : previous;
}

function withDelivery(latest: Outcome, previous: Outcome): Outcome {
  if (!isTold(latest) || !isTold(previous)) return latest;
  const reference = latest.reference ?? previous.reference;
  // Given back: what was charged, and the balances around it, are no price of it any more.
  if (latest.kind === 'declined') return reference === undefined ? latest : { ...latest, reference };
  const { goodsMissing, ...told }: Delivery = { ...previous.delivery, ...latest.delivery };
  // An answer without a token takes back none: who says that an order was found may leave it out.
  const token = told.token ?? previous.delivery?.token;
  const delivery: Delivery = token === undefined ? told : { ...told, token };
  // Goods that this answer brings are missing no longer.
  const isMissing = goodsMissing === true && !hasGoods(latest.delivery);
  const known: Delivery = { ...delivery, ...(isMissing ? { goodsMissing } : {}) };
  return {
    ...latest,
    ...(reference === undefined ? {} : { reference }),
    ...(Object.keys(known).length === 0 ? {} : { delivery: known }),
  };
}

function isTold(outcome: Outcome): outcome is Succeeded | Pending | Declined {
  return outcome.kind === 'succeeded' || outcome.kind === 'pending' || outcome.kind === 'declined';
}

function hasGoods(delivery: Delivery | undefined): boolean {
  return (delivery?.pins?.length ?? 0) > 0 || typeof delivery?.token === 'string';
}
