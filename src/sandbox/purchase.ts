import { V1_REQUEST_ID_MAX } from '../upstream/v1';
import type { Caller } from './account';
import { Refusal, type Answer } from './answer';
import type { Category } from './catalog';
import { checkFields, type Fields } from './fields';
import { walletBook } from './order/ledger';
import type { Fault } from './order/mood';
import { fingerprintOf, type Order } from './order/order';
import { PURCHASE_SERVICES } from './services';
import type { World } from './world';

/**
 * A purchase after authentication, judged in the one order that keeps retries honest (docs/sandbox.md, "How a purchase is
 * judged"). Every step up to the charge may refuse, and then nothing has happened. All of it runs in one turn of the event loop,
 * so two requests with one request_id can never both get as far as the charge.
 */
export function judgePurchase(world: World, category: Category, caller: Caller, body: Fields): Answer {
  const { account, walletId } = caller;
  world.pins.check(account, body['pin']);

  // Before limits, validation and the duplicate window: a repeat must find its order whatever else it would be refused for.
  const id = body['request_id'];
  const original = typeof id === 'string' && id !== '' ? world.orders.findByRequestId(walletId, id) : undefined;
  if (original !== undefined) return answerOrder(original, true);

  // A charge that stands in memory alone would be lost with the process after its caller was told of it.
  if (!world.store.isWritable()) throw new Refusal('internal');
  if (world.switchedOff.has(category)) throw new Refusal('service_off', category);
  world.limits.take(account.id, category === 'bulk_sms' ? ['purchase', 'bulk_sms'] : ['purchase']);
  const service = PURCHASE_SERVICES[category];
  checkFields(service.endpoint, body);
  const requestId = typeof id === 'string' ? checkRequestId(id) : null;
  const quote = service.quote(body, world.catalog, account.tier);

  if (!world.isRelaxed && world.orders.hasIdentical(fingerprintOf(walletId, quote), world.clock.now())) {
    throw new Refusal('duplicate_request');
  }
  if (world.ledger.balance(walletBook(walletId)) < quote.charge) throw new Refusal('insufficient_balance');

  const mood = world.moods.take(walletId, requestId, quote.number);
  if (mood.course === undefined) return answerUncharged(mood.fault);
  const order = world.cashier.accept(walletId, quote, requestId, mood.course);
  const answer = answerOrder(order, false);
  return mood.fault === undefined ? answer : { ...answer, fault: mood.fault };
}

function checkRequestId(id: string): string {
  if (id !== '' && [...id].length <= V1_REQUEST_ID_MAX) return id;
  throw new Refusal('invalid_field', 'request_id', `must be 1 to ${V1_REQUEST_ID_MAX} characters`);
}

/** A mood that charges nothing: a refusal, or a fault that takes the place of the answer, so that its body is never seen. */
function answerUncharged(fault: Fault): Answer {
  if (fault === 'too-many') throw new Refusal('too_many_requests', '', '', 1);
  return { status: 502, body: {}, fault, isAboutOrder: true };
}

/** The reply to a purchase from the order as it now is (section 7, the first three of the four ways to end). */
function answerOrder(order: Order, isRepeat: boolean): Answer {
  const duplicate = isRepeat ? { duplicate: true } : {};
  if (order.status === 'failed') {
    const message = 'Transaction failed. Your wallet has been refunded.';
    const { reference } = order;
    const body = { status: 'error', success: false, message, refunded: true, reference, ...duplicate };
    return { status: 400, isAboutOrder: true, body };
  }
  const service = PURCHASE_SERVICES[order.category];
  const isPending = order.status === 'pending';
  return {
    status: 200,
    isAboutOrder: true,
    body: {
      status: order.status,
      ...service.extra?.(order),
      ...(isPending ? { success: true, pending: true } : {}),
      message: isPending ? 'The order is being processed. Do not retry it.' : service.congratulate(order),
      ...duplicate,
      data: { reference: order.reference, ...service.result(order) },
    },
  };
}
