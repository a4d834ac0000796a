import { authenticate, type Caller } from './account';
import { Refusal, refuse, type Answer, type V1Request } from './answer';
import { CATEGORIES } from './catalog';
import type { Fields } from './fields';
import { judgePurchase } from './purchase';
import { readCardDenominations, readCatalog, readDataCards, validateCable, validateMeter } from './read-catalog';
import { readBalance, readReceipt, readTransactions } from './read-orders';
import { PURCHASE_SERVICES } from './services';
import type { World } from './world';

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

/** Answers one request. Synchronous, so that nothing can come between the judging and the charge; throws on a bug of ours alone. */
export function answerRequest(world: World, request: V1Request): Answer {
  try {
    return route(world, request);
  } catch (error) {
    if (error instanceof Refusal) return refuse(error);
    throw error;
  }
}

function route(world: World, { method, path, query, body, authorization, address }: V1Request): Answer {
  // Which addresses exist is no secret, so 404 and 405 need no key.
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
