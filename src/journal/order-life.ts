/**
 * The life of an order in the journal: an intent opens it, v1's answers settle it, and the time at which a script was told is noted.
 * The functions are pure; every store applies them inside its own transaction.
 */
import { isSameIntent, lastAttemptAt, NOT_TOLD, type NewOrder, type Opened, type Order, type Trail } from '../domain/order';
import {
  type Declined,
  type Delivery,
  isFinal,
  isOver,
  isProvenAbsent,
  isSafeToRefund,
  type Outcome,
  type Pending,
  type Rejected,
  type ProofStart,
  type Succeeded,
  succeedOutcome,
} from '../domain/outcome';

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

// Earlier steps enforce these bounds already. Here they are an assertion: a breach is a bug.
const OWNER_CHARACTERS_MAX = 64;
const REQUEST_ID_CHARACTERS_MAX = 64;

/** Longer texts of v1 are cut, because a record has a bounded size. */
const TEXT_CHARACTERS_MAX = 1000;

/** v1's references have about 20 characters. A longer text than this is not kept as a reference: it could not be a key of the store. */
export const REFERENCE_CHARACTERS_MAX = 200;

/** Zero of the numbers that scripts see as `id`. */
const EPOCH_MS = Date.UTC(2026, 0, 1);
const NUMBERS_PER_MS = 1000;

/** Throws a RangeError for an intent whose keys or time no store could hold. */
export function checkIntent(intent: NewOrder): void {
  if (intent.owner.length === 0 || intent.owner.length > OWNER_CHARACTERS_MAX) {
    throw new RangeError(`The owner of an order has 1 to ${OWNER_CHARACTERS_MAX} characters, not ${intent.owner.length}.`);
  }
  if (intent.requestId.length === 0 || intent.requestId.length > REQUEST_ID_CHARACTERS_MAX) {
    throw new RangeError(`A request id has 1 to ${REQUEST_ID_CHARACTERS_MAX} characters, not ${intent.requestId.length}.`);
  }
  if (!Number.isSafeInteger(intent.openedAtMs) || intent.openedAtMs < 0 || intent.openedAtMs >= 2 ** 48) {
    throw new RangeError(`The time of an order is a whole number of milliseconds since 1970, not ${intent.openedAtMs}.`);
  }
}

/** The lowest number of an order that is first opened at this time. */
export function firstNumberAt(openedAtMs: number): number {
  return Math.max(1, Math.min(Math.ceil(openedAtMs - EPOCH_MS) * NUMBERS_PER_MS, Number.MAX_SAFE_INTEGER));
}

/** A text that may be the number of an order: until 2057 all numbers have up to 15 digits. */
export const ORDER_NUMBER = /^\d{1,15}$/;

/** When the order of this number was first opened. */
export const firstOpenedAt = (number: number): number => EPOCH_MS + Math.floor(number / NUMBERS_PER_MS);

export type TakeNumber = (openedAtMs: number, isTaken: (number: number) => boolean) => number;

/**
 * Numbers that rise with time: milliseconds since 2026 times 1000, plus a counter of this process. Two processes may pick
 * the same one in the same millisecond, so a store hands in what the owner already has and the next free one is taken.
 */
export function createOrderNumbers(): TakeNumber {
  let lastMs = -1;
  let counter = 0;
  return (openedAtMs, isTaken) => {
    counter = openedAtMs === lastMs ? counter + 1 : 0;
    lastMs = openedAtMs;
    // Never 0: PHP reads an `id` of 0 as false.
    let number = Math.max(1, Math.floor(openedAtMs - EPOCH_MS) * NUMBERS_PER_MS + counter);
    while (isTaken(number)) number += 1;
    return number;
  };
}

/**
 * Decides whether an intent opens an order, reopens `existing`, finds it, or conflicts with it. A reopened order keeps its number and has
 * one attempt more. Its time, echo and format become those of the new attempt; otherwise the age of an order would count from an attempt
 * that has already ended.
 */
export function decideOpening(existing: Order | undefined, intent: NewOrder, takeNumber: () => number): Opened {
  if (existing === undefined) return { kind: 'opened', order: buildOrder(intent, { number: takeNumber(), attempts: 1 }) };
  if (!isSameIntent(existing, intent)) return { kind: 'conflict', order: existing };
  const { outcome } = existing;
  if (outcome === undefined || isOver(outcome) || !isSafeToRefund(outcome) || wasRefusedSince(intent, existing))
    return { kind: 'found', order: existing };
  return { kind: 'reopened', order: buildOrder(intent, { number: existing.number, attempts: existing.attempts + 1 }) };
}

/** A script waits no longer; a refusal that seems later was written before somebody set the clock back. */
const WAITED_MOST_MS = 180_000;
/** Whoever sends the request again so soon after the refusal has hardly heard it: hardly any script repeats by itself. */
export const CROSSING_MS = 100;

/** Whether the refusal was written after the request had come, or just before: a script that heard it may have refunded this very order (decision 0011). */
function wasRefusedSince({ cameAtMs = Infinity }: NewOrder, { settledAtMs = -Infinity }: Order): boolean {
  const sinceMs = settledAtMs - cameAtMs;
  return sinceMs > -CROSSING_MS && sinceMs < WAITED_MOST_MS;
}

/**
 * The order after one more answer, which must have passed `withoutGoods` before. Returns the very same object when the
 * answer changes nothing.
 */
export function settleOrder(order: Order, latest: Outcome, atMs: number): Order {
  const isOutdated = isProvenAbsent(latest) && !coversAttempts(order, latest.sought, atMs);
  const outcome = isOutdated ? order.outcome : succeedOutcome(order.outcome, latest);
  if (outcome === undefined || outcome === order.outcome) return order;
  const { number, attempts, toldAtMs } = order;
  // When v1 adds details to a final outcome, the order keeps the time at which it became final.
  const settledAtMs = order.outcome !== undefined && isFinal(order.outcome) ? order.settledAtMs : atMs;
  return buildOrder(order, { number, attempts, outcome, settledAtMs, toldAtMs });
}

/** Whether a proof of absence covers all attempts of the order. A proof without `sought` covers the attempts up to `atMs`. */
function coversAttempts(order: Order, sought: ProofStart | undefined, atMs: number): boolean {
  if (sought === undefined) return lastAttemptAt(order) <= atMs;
  return sought.tries === order.attempts && sought.lastTriedAtMs === lastAttemptAt(order);
}

/**
 * As `settleOrder`, for an answer to the attempt of this number (undefined: not known). An answer that took no money is about that attempt
 * alone: a later one may be under way. Every other answer of v1 is about the request id, whichever attempt got it.
 */
export function settleAttempt(order: Order, latest: Outcome, atMs: number, attempt: number | undefined): Order {
  const isOfAnother = attempt !== undefined && attempt !== order.attempts && isSafeToRefund(latest) && !isFinal(latest);
  return isOfAnother ? order : settleOrder(order, latest, atMs);
}

/** The order with `toldAtMs` (a time, `NOT_TOLD` or `TOLD_PENDING`); the very same object when the order has that value already. */
export function tellOrder(order: Order, toldAtMs: number): Order {
  if (order.toldAtMs === toldAtMs) return order;
  const { number, attempts, outcome, settledAtMs } = order;
  return buildOrder(order, { number, attempts, outcome, settledAtMs, toldAtMs });
}

/** True while the money of an order may have moved and no outcome is final: no outcome, `pending` or `unknown`. */
export function isUnsettled(order: Order): boolean {
  return order.outcome === undefined || !(isFinal(order.outcome) || isSafeToRefund(order.outcome));
}

/** Whether retention may delete the order: it ended before this time, however long before it was opened. */
export function hasEndedBefore(untilMs: number, order: Order): boolean {
  return !isUnsettled(order) && order.settledAtMs! < untilMs;
}

/** True while it is known that a script has not heard of the order, whatever became of it. */
export function isUntold({ toldAtMs }: Order): boolean {
  return toldAtMs === NOT_TOLD;
}

/** Compares two orders for lists: oldest first. */
export function byTime(one: Listed, other: Listed): number {
  return one.openedAtMs - other.openedAtMs || one.number - other.number || (one.owner < other.owner ? -1 : 1);
}

export const byTimeBack = (one: Listed, other: Listed): number => byTime(other, one);

type Listed = Pick<Order, 'openedAtMs' | 'number' | 'owner'>;

/** An intent as a caller of the journal gives it, or as read from a record, where absent fields may be null. */
type Intent = Omit<NewOrder, 'trail' | 'wordsHash' | 'headerId' | 'addressHash'> & {
  readonly trail?: Trail | null | undefined;
  readonly wordsHash?: string | null | undefined;
  readonly headerId?: string | null | undefined;
  readonly addressHash?: string | undefined;
};

/** The part of an order that changes after its opening. */
interface Progress {
  readonly number: number;
  readonly attempts: number;
  readonly outcome?: Outcome | null | undefined;
  readonly settledAtMs?: number | null | undefined;
  readonly toldAtMs?: number | undefined;
}

/**
 * Builds an order field by field: further properties of the given objects never reach the disk, and absent fields stay absent.
 * Fields are assigned, because V8 needs microseconds to spread an object of this many fields and less than one to assign them.
 */
export function buildOrder(intent: Intent, progress: Progress): Order {
  const { owner, requestId, operation, format, fields, echo, contentHash, openedAtMs } = intent;
  const { wordsHash, headerId, addressHash, trail } = intent;
  const { number, attempts, outcome, settledAtMs, toldAtMs } = progress;
  const order: Mutable<Order> = { owner, requestId, operation, format, fields, echo, contentHash, openedAtMs, number, attempts };
  if (wordsHash !== undefined && wordsHash !== null) order.wordsHash = wordsHash;
  if (addressHash !== undefined) order.addressHash = addressHash;
  if (headerId !== undefined && headerId !== null) order.headerId = headerId;
  if (trail !== undefined && trail !== null) order.trail = trail;
  if (toldAtMs !== undefined) order.toldAtMs = toldAtMs;
  if (outcome === undefined || outcome === null || settledAtMs === undefined || settledAtMs === null) return order;
  order.outcome = outcome;
  order.settledAtMs = settledAtMs;
  return order;
}

/**
 * The outcome as it may be written to disk: without tokens and card PINs, also where v1 repeats them in its message. Built
 * field by field, so that fields which v1 may add to its answers one day do not reach the disk.
 */
export function withoutGoods(outcome: Outcome): Outcome {
  if (outcome.kind === 'unknown') {
    const { isDoubted, isBeginning } = outcome;
    const marks = { ...(isDoubted === true ? { isDoubted } : {}), ...(isBeginning === true ? { isBeginning } : {}) };
    return { kind: 'unknown', reason: cut(outcome.reason), ...marks };
  }
  if (outcome.kind === 'not_sent') {
    const { reason, isProven, sought } = outcome;
    return {
      kind: 'not_sent',
      reason: cut(reason),
      ...(isProven === true ? { isProven: true } : {}),
      ...(sought === undefined ? {} : { sought: { tries: sought.tries, lastTriedAtMs: sought.lastTriedAtMs } }),
    };
  }
  if (outcome.kind === 'rejected') {
    const kept: Mutable<Rejected> = { kind: 'rejected', httpStatus: outcome.httpStatus };
    if (outcome.message !== undefined) kept.message = cut(outcome.message);
    if (outcome.retryAfterSeconds !== undefined) kept.retryAfterSeconds = outcome.retryAfterSeconds;
    return kept;
  }
  const { kind, message, reference, delivery } = outcome;
  const kept: Mutable<Succeeded | Pending | Declined> = { kind };
  const goods = goodsOf(delivery);
  if (message !== undefined) {
    const known = withoutTexts(message, goods);
    kept.message = cut(kind === 'declined' ? known : withoutLongNumbers(known, delivery?.goodsMissing));
  }
  if (reference !== undefined && reference.length <= REFERENCE_CHARACTERS_MAX) kept.reference = reference;
  if (delivery !== undefined) kept.delivery = withoutSecrets(delivery, goods.length > 0);
  return kept;
}

function withoutSecrets(delivery: Delivery, hasGoods: boolean): Delivery {
  const { balanceBefore, balanceAfter, charged, cashback, token, goodsMissing } = delivery;
  const kept: Mutable<Delivery> = {};
  if (balanceBefore !== undefined) kept.balanceBefore = balanceBefore;
  if (balanceAfter !== undefined) kept.balanceAfter = balanceAfter;
  if (charged !== undefined) kept.charged = charged;
  if (cashback !== undefined) kept.cashback = cashback;
  // A null token means that v1 gives none for this order. That is no secret.
  if (token === null) kept.token = null;
  if (hasGoods) kept.goodsMissing = true;
  else if (goodsMissing !== undefined) kept.goodsMissing = goodsMissing;
  return kept;
}

function goodsOf(delivery: Delivery | undefined): readonly string[] {
  const token = typeof delivery?.token === 'string' ? [delivery.token] : [];
  const goods = [...token, ...(delivery?.pins ?? []).flatMap((card) => [card.pin, card.serial])];
  // Words or units may surround the digits in v1's field, and not in its message.
  return goods.flatMap((good) => [good, ...(good.match(/\d(?:[\s.,-]*\d){7,}/g) ?? [])]);
}

/** Replaces goods in a message by `***`, whatever separates their digits there: `1234-5678` and `1234 5678` are one token. */
function withoutTexts(message: string, goods: readonly string[]): string {
  let text = message;
  for (const good of goods) {
    const characters = [...good.replace(/[\s.,-]/g, '')].map((character) => character.replace(/[^0-9A-Za-z]/, '\\$&'));
    // Goods shorter than four characters are not replaced: the same digits may occur in an amount or a date.
    if (characters.length >= 4) text = text.replace(new RegExp(characters.join('[\\s.,-]*'), 'gi'), '***');
  }
  return text;
}

/**
 * Replaces numbers that only goods can have where the goods themselves are not known: of 14 digits or more, because phones and meters have up
 * to 13. Where v1 gave goods that cannot be read, or sold PINs and gave none, of ten digits or more, as the shortest PINs have.
 */
export function withoutLongNumbers(text: string, isGiven = false): string {
  return text.replace(isGiven ? /\d(?:[\s.,-]*\d){9,}/g : /\d(?:[\s.,-]*\d){13,}/g, '***');
}

function cut(text: string): string {
  return text.length <= TEXT_CHARACTERS_MAX ? text : `${text.slice(0, TEXT_CHARACTERS_MAX - 1)}…`;
}
