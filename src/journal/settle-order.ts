/** How one more answer changes a journalled order. Pure; every store applies it inside its own transaction. */
import type { Order } from '../domain/order';
import { isFinal, isSafeToRefund, succeedOutcome, type Delivery, type Outcome } from '../domain/outcome';

/** Longer texts of v1 are cut: nobody reads them, and a record has a bounded size. */
const TEXT_CHARACTERS_MAX = 1000;

/** The order after one more answer; the very same object when the answer changes nothing. */
export function settleOrder(order: Order, latest: Outcome, atMs: number): Order {
  const outcome = succeedOutcome(order.outcome, withoutGoods(latest));
  return outcome === order.outcome ? order : { ...order, outcome, settledAtMs: atMs };
}

/** True while the money of an order may have moved without a final word: no outcome, `pending` or `unknown`. */
export function isUnsettled(order: Order): boolean {
  return order.outcome === undefined || !(isFinal(order.outcome) || isSafeToRefund(order.outcome));
}

/** The outcome as it may stand on disk: tokens and card PINs are gone, also where v1 repeats them in its message. */
export function withoutGoods(outcome: Outcome): Outcome {
  if (outcome.kind === 'unknown' || outcome.kind === 'not_sent') return { ...outcome, reason: cut(outcome.reason) };
  const delivery = 'delivery' in outcome ? outcome.delivery : undefined;
  const goods = delivery === undefined ? [] : goodsOf(delivery);
  const message = outcome.message === undefined ? {} : { message: cut(withoutTexts(outcome.message, goods)) };
  if (outcome.kind === 'rejected' || delivery === undefined) return { ...outcome, ...message };
  return { ...outcome, ...message, delivery: withoutSecrets(delivery, goods.length > 0) };
}

function withoutSecrets(delivery: Delivery, hasGoods: boolean): Delivery {
  const { token, ...rest }: { -readonly [Key in keyof Delivery]: Delivery[Key] } = delivery;
  delete rest.pins;
  // A null token says "prepaid meters only, there is none": that is knowledge, not a secret.
  return { ...rest, ...(token === null ? { token } : {}), ...(hasGoods ? { goodsMissing: true } : {}) };
}

function goodsOf(delivery: Delivery): readonly string[] {
  const token = typeof delivery.token === 'string' ? [delivery.token] : [];
  return [...token, ...(delivery.pins ?? []).flatMap((card) => [card.pin, card.serial])].filter((text) => text !== '');
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
