/**
 * The life of a journalled order: an intent opens it, answers settle it, and when a script was told is noted. Pure; every store applies
 * these inside its own transaction.
 */
import { isSameIntent, lastTriedAt, NOT_TOLD, type NewOrder, type Opened, type Order, type Trail } from '../domain/order';
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
  type Sought,
  type Succeeded,
  succeedOutcome,
} from '../domain/outcome';

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

// The border holds these bounds already; here they are an assertion, so a breach is a bug.
const OWNER_CHARACTERS_MAX = 64;
const REQUEST_ID_CHARACTERS_MAX = 64;

/** Longer texts of v1 are cut: nobody reads them, and a record has a bounded size. */
const TEXT_CHARACTERS_MAX = 1000;

/** v1's references have about 20 characters. What is longer than this is none: it could not be looked up by. */
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
    // Zero is no number: PHP takes it for false.
    let number = Math.max(1, Math.floor(openedAtMs - EPOCH_MS) * NUMBERS_PER_MS + counter);
    while (isTaken(number)) number += 1;
    return number;
  };
}

/**
 * What an intent becomes when it meets what the journal already holds. A reopened order keeps its number and counts one attempt more;
 * its time, echo and format become those of the new attempt, so that "how long has this been open" is never answered with the age of
 * an attempt that already ended.
 */
export function decideOpening(existing: Order | undefined, intent: NewOrder, takeNumber: () => number): Opened {
  if (existing === undefined) return { kind: 'opened', order: buildOrder(intent, { number: takeNumber(), tries: 1 }) };
  if (!isSameIntent(existing, intent)) return { kind: 'conflict', order: existing };
  const { outcome } = existing;
  if (outcome === undefined || isOver(outcome) || !isSafeToRefund(outcome)) return { kind: 'found', order: existing };
  return { kind: 'reopened', order: buildOrder(intent, { number: existing.number, tries: existing.tries + 1 }) };
}

/**
 * The order after one more answer, which went through `withoutGoods` before; the very same object when the answer
 * changes nothing.
 */
export function settleOrder(order: Order, latest: Outcome, atMs: number): Order {
  const isOutdated = isProvenAbsent(latest) && !speaksOf(order, latest.sought, atMs);
  const outcome = isOutdated ? order.outcome : succeedOutcome(order.outcome, latest);
  if (outcome === undefined || outcome === order.outcome) return order;
  const { number, tries, toldAtMs } = order;
  // An end of which v1 tells more is of the time when it was first told.
  const settledAtMs = order.outcome !== undefined && isFinal(order.outcome) ? order.settledAtMs : atMs;
  return buildOrder(order, { number, tries, outcome, settledAtMs, toldAtMs });
}

/** A proof of absence speaks of the tries that it saw; one without them, of those before `atMs`, when it was sought. */
function speaksOf(order: Order, sought: Sought | undefined, atMs: number): boolean {
  if (sought === undefined) return lastTriedAt(order) <= atMs;
  return sought.tries === order.tries && sought.lastTriedAtMs === lastTriedAt(order);
}

/**
 * As `settleOrder`, for an answer that was given to the attempt of this number, if that is known. What took no money says nothing of a
 * later attempt, which may be under way; anything else v1 says of the request id, whichever attempt it was.
 */
export function settleAttempt(order: Order, latest: Outcome, atMs: number, tries: number | undefined): Order {
  const isOfAnother = tries !== undefined && tries !== order.tries && isSafeToRefund(latest) && !isFinal(latest);
  return isOfAnother ? order : settleOrder(order, latest, atMs);
}

/** The order with the time at which a script was told its success; the very same object when that is known already. */
export function tellOrder(order: Order, toldAtMs: number): Order {
  if (order.toldAtMs === toldAtMs) return order;
  const { number, tries, outcome, settledAtMs } = order;
  return buildOrder(order, { number, tries, outcome, settledAtMs, toldAtMs });
}

/** True while the money of an order may have moved without a final word: no outcome, `pending` or `unknown`. */
export function isUnsettled(order: Order): boolean {
  return order.outcome === undefined || !(isFinal(order.outcome) || isSafeToRefund(order.outcome));
}

/** True while it is known that a script has not heard of the order, whatever became of it. */
export function isUntold({ toldAtMs }: Order): boolean {
  return toldAtMs === NOT_TOLD;
}

/** The order of lists: oldest first. */
export function byTime(one: Listed, other: Listed): number {
  return one.openedAtMs - other.openedAtMs || one.number - other.number || (one.owner < other.owner ? -1 : 1);
}

type Listed = Pick<Order, 'openedAtMs' | 'number' | 'owner'>;

/** An intent as it was given, or as a record has it: there what is absent may be null. */
type Intent = Omit<NewOrder, 'trail' | 'askedHash' | 'headerId' | 'addressHash'> & {
  readonly trail?: Trail | null | undefined;
  readonly askedHash?: string | null | undefined;
  readonly headerId?: string | null | undefined;
  readonly addressHash?: string | undefined;
};

/** What became of it so far. */
interface Fate {
  readonly number: number;
  readonly tries: number;
  readonly outcome?: Outcome | null | undefined;
  readonly settledAtMs?: number | null | undefined;
  readonly toldAtMs?: number | undefined;
}

/**
 * An order field by field: nothing else that a caller's object carries ever reaches a disk, and what is absent stays out.
 * Assigning, because V8 takes microseconds to spread an object of this many fields and a fraction of one to assign them.
 */
export function buildOrder(intent: Intent, fate: Fate): Order {
  const { owner, requestId, operation, format, fields, echo, contentHash, openedAtMs } = intent;
  const { askedHash, headerId, addressHash, trail } = intent;
  const { number, tries, outcome, settledAtMs, toldAtMs } = fate;
  const order: Mutable<Order> = { owner, requestId, operation, format, fields, echo, contentHash, openedAtMs, number, tries };
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

/**
 * The outcome as it may stand on disk: tokens and card PINs are gone, also where v1 repeats them in its message. Built
 * field by field: whatever else v1's answer may carry one day does not slip onto the disk.
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
  if (message !== undefined) kept.message = cut(withoutTexts(message, goods));
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
  // A null token says that there is none: that is knowledge, not a secret.
  if (token === null) kept.token = null;
  if (hasGoods) kept.goodsMissing = true;
  else if (goodsMissing !== undefined) kept.goodsMissing = goodsMissing;
  return kept;
}

function goodsOf(delivery: Delivery | undefined): readonly string[] {
  const token = typeof delivery?.token === 'string' ? [delivery.token] : [];
  return [...token, ...(delivery?.pins ?? []).flatMap((card) => [card.pin, card.serial])].filter((text) => text !== '');
}

/** Goods are found again whatever separates their digits: `1234-5678` and `1234 5678` are one token. */
function withoutTexts(message: string, goods: readonly string[]): string {
  let text = message;
  for (const good of goods) {
    const characters = [...good.replace(/[\s-]/g, '')].map((character) => character.replace(/[^0-9A-Za-z]/, '\\$&'));
    // Very short goods would blot out innocent digits.
    if (characters.length >= 4) text = text.replace(new RegExp(characters.join('[\\s-]*'), 'gi'), '***');
  }
  return text;
}

function cut(text: string): string {
  return text.length <= TEXT_CHARACTERS_MAX ? text : `${text.slice(0, TEXT_CHARACTERS_MAX - 1)}…`;
}
