import { V1_REQUEST_ID_MAX } from '../upstream/v1';
import { authenticate, type Caller } from './account';
import { Refusal, refuse, type Answer, type V1Request } from './answer';
import { CATEGORIES, type Category } from './catalog';
import { type Fields, checkFields } from './fields';
import { readCardDenominations, readCatalog, readDataCards, validateCable, validateMeter } from './read-catalog';
import { readBalance, readReceipt, readTransactions } from './read-orders';
import { PURCHASE_SERVICES } from './services';
import type { World } from './world';
import { walletBook } from './order/ledger';
import type { Fault } from './order/mood';
import { fingerprintOf, type Order } from './order/order';

/** `fields` is the body of a POST and the query of a GET. */
type Handler = (world: World, caller: Caller, fields: Fields) => Answer;

/** Every endpoint of section 4: by path, then by method. */
const ENDPOINTS = new Map<string, { GET?: Handler; POST?: Handler }>([
  ['/balance', { GET: readBalance }],
  ['/catalog', { GET: readCatalog }],
  ['/recharge-card', { GET: readCardDenominations }],
  ['/data-card', { GET: readDataCards }],
  ['/validate-cable', { POST: validateCable }],
  ['/validate-meter', { POST: validateMeter }],
  ['/receipt', { GET: readReceipt }],
  ['/transactions', { GET: readTransactions }],
]);
for (const category of CATEGORIES) {
  const { path } = PURCHASE_SERVICES[category].endpoint;
  const POST: Handler = (world, caller, body) => judgePurchase(world, category, caller, body);
  ENDPOINTS.set(path, { ...ENDPOINTS.get(path), POST });
}

/** Answers one request. It is synchronous, so no other request runs between the checks and the charge. Throws only for a bug of the sandbox. */
export function answerRequest(world: World, request: V1Request): Answer {
  try {
    return route(world, request);
  } catch (error) {
    if (error instanceof Refusal) return refuse(error);
    throw error;
  }
}

function route(world: World, { method, path, query, body, authorization, address }: V1Request): Answer {
  // The list of endpoints is public, so 404 and 405 need no key.
  const handlers = ENDPOINTS.get(path);
  if (handlers === undefined) throw new Refusal('unknown_path');
  const handler = method === 'GET' || method === 'POST' ? handlers[method] : undefined;
  if (handler === undefined) {
    return { ...refuse(new Refusal('wrong_method', method)), headers: { allow: Object.keys(handlers).join(', ') } };
  }
  const caller = authenticate(world.accounts, authorization, address);
  if (method === 'GET') return handler(world, caller, query);
  if (body instanceof Refusal) throw body;
  return handler(world, caller, body as Fields);
}

/**
 * Judges a purchase after authentication. The order of the steps keeps retries honest (docs/sandbox.md, "How a purchase is
 * judged"). Each step before the charge may refuse, and then nothing has happened. All steps run in one turn of the event loop,
 * so only one of two requests with the same request_id can reach the charge.
 */
function judgePurchase(world: World, category: Category, caller: Caller, body: Fields): Answer {
  const { account, walletId } = caller;
  world.pins.check(account, body['pin']);

  // This comes before limits, validation and the duplicate window: a repeat must find its order even where a new purchase would be refused.
  const id = body['request_id'];
  const original = typeof id === 'string' && id !== '' ? world.orders.findByRequestId(walletId, id) : undefined;
  if (original !== undefined) return answerOrder(original, true);

  // Without a writable store the charge would exist in memory only, and a crash would lose it after the caller had received its reply.
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

/** The answer of a mood without a charge: a refusal, or a fault that replaces the answer. The body beside such a fault is never sent. */
function answerUncharged(fault: Fault): Answer {
  if (fault === 'too-many') throw new Refusal('too_many_requests', '', '', 1);
  return { status: 502, body: {}, fault, isAboutOrder: true };
}

/** The reply to a purchase, from the current state of the order (section 7, the first three of the four ways to end). */
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
      message: isPending ? 'The order is being processed. Do not retry it.' : service.successMessage(order),
      ...duplicate,
      data: { reference: order.reference, ...service.result(order) },
    },
  };
}
