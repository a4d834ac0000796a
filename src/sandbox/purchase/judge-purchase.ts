import { V1_REQUEST_ID_MAX } from '../../upstream/v1';
import type { Caller } from '../account/account';
import type { Answer } from '../answer';
import { walletBook } from '../order/ledger';
import type { Mood } from '../order/mood';
import { fingerprintOf } from '../order/order';
import { Refusal } from '../refusal';
import type { World } from '../world';
import { checkFields, type Fields } from '../field/check-fields';
import { purchaseReply } from './purchase-reply';
import type { PurchaseService } from '../service/purchase-service';
import { PURCHASE_SERVICES } from '../service/purchase-services';

/**
 * The road of a purchase after authentication, in the one order that keeps retries honest (docs/sandbox.md, "How a purchase
 * is judged"). Up to the charge every step may refuse and nothing has happened; it runs in one turn of the event loop, so two
 * requests with one request_id can never both get as far as the charge.
 */
export function judgePurchase(world: World, service: PurchaseService, caller: Caller, body: Fields): Answer {
  const { account, walletId } = caller;
  world.pins.check(account, body['pin']);

  // Before limits, validation and the duplicate window: a repeat must find its order whatever else it would be refused for.
  const original = findOriginal(world, walletId, body);
  if (original !== undefined) return purchaseReply(PURCHASE_SERVICES[original.category], original, true);

  // What is charged in memory alone would be gone with the process, after its caller was told of it. Nothing is charged here.
  if (!world.store.isWritable()) throw new Refusal('internal');
  if (world.switchedOff.has(service.category)) throw new Refusal('service_off', service.category);
  world.limits.take(account.id, service.category === 'bulk_sms' ? ['purchase', 'bulk_sms'] : ['purchase']);
  checkFields(service.endpoint, body);
  const requestId = requestIdOf(body);
  const quote = service.quote(body, world.catalog, account.tier);

  const fingerprint = fingerprintOf(walletId, quote);
  if (!world.isRelaxed && world.orders.hasIdentical(fingerprint, world.clock.now())) throw new Refusal('duplicate_request');
  if (world.ledger.balance(walletBook(walletId)) < quote.charge) throw new Refusal('insufficient_balance');

  const mood = world.moods.take(walletId, requestId, quote.number);
  if (mood.course === undefined) return strikeUncharged(mood);
  const order = world.cashier.accept(walletId, quote, requestId, mood.course);
  return { ...purchaseReply(service, order, false), ...(mood.fault === undefined ? {} : { fault: mood.fault }) };
}

function findOriginal(world: World, walletId: string, body: Fields) {
  const id = body['request_id'];
  return typeof id === 'string' && id !== '' ? world.orders.findByRequestId(walletId, id) : undefined;
}

function requestIdOf(body: Fields): string | null {
  const id = body['request_id'];
  if (typeof id !== 'string') return null;
  if (id === '' || [...id].length > V1_REQUEST_ID_MAX) {
    throw new Refusal('invalid_field', 'request_id', `must be 1 to ${V1_REQUEST_ID_MAX} characters`);
  }
  return id;
}

function strikeUncharged(mood: Mood): Answer {
  if (mood.fault === 'too-many') throw new Refusal('too_many_requests', '', '', 1);
  // The body is never seen: the fault takes its place.
  return { status: 502, body: {}, ...(mood.fault === undefined ? {} : { fault: mood.fault }), isAboutOrder: true };
}
