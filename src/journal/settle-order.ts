/** How one more answer changes a journalled order. Pure; every store applies it inside its own transaction. */
import { lastTriedAt, type Order } from '../domain/order';
import { isFinal, isProvenAbsent, isSafeToRefund, succeedOutcome } from '../domain/outcome';
import type { Declined, Delivery, Outcome, Pending, Rejected, Sought, Succeeded } from '../domain/outcome';
import { buildOrder, type Fate } from './build-order';

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** Longer texts of v1 are cut: nobody reads them, and a record has a bounded size. */
const TEXT_CHARACTERS_MAX = 1000;

/** v1's references have about 20 characters. What is longer than this is none: it could not be looked up by. */
export const REFERENCE_CHARACTERS_MAX = 200;

/**
 * The order after one more answer, which went through `withoutGoods` before; the very same object when the answer
 * changes nothing.
 */
export function settleOrder(order: Order, latest: Outcome, atMs: number): Order {
  const isOutdated = isProvenAbsent(latest) && !speaksOf(order, latest.sought, atMs);
  const outcome = isOutdated ? order.outcome : succeedOutcome(order.outcome, latest);
  if (outcome === undefined || outcome === order.outcome) return order;
  return buildOrder(order, { ...fateOf(order), outcome, settledAtMs: atMs });
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
  return order.toldAtMs === toldAtMs ? order : buildOrder(order, { ...fateOf(order), toldAtMs });
}

function fateOf({ number, tries, outcome, settledAtMs, toldAtMs }: Order): Fate {
  return { number, tries, outcome, settledAtMs, toldAtMs };
}

/** A proof of absence speaks of the tries that it saw; one without them, of those before `atMs`, when it was sought. */
function speaksOf(order: Order, sought: Sought | undefined, atMs: number): boolean {
  if (sought === undefined) return lastTriedAt(order) <= atMs;
  return sought.tries === order.tries && sought.lastTriedAtMs === lastTriedAt(order);
}

/** True while the money of an order may have moved without a final word: no outcome, `pending` or `unknown`. */
export function isUnsettled(order: Order): boolean {
  return order.outcome === undefined || !(isFinal(order.outcome) || isSafeToRefund(order.outcome));
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
