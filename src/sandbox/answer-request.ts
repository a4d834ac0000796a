import { authenticate } from './account/authenticate';
import type { Caller } from './account/account';
import { refuse, type Answer, type V1Request } from './answer';
import { catalogReply } from './catalog/catalog-reply';
import type { Fields } from './field/check-fields';
import { judgePurchase } from './purchase/judge-purchase';
import { PURCHASE_SERVICES } from './service/purchase-services';
import { balance } from './read/balance';
import { dataCards, rechargeCards } from './read/cards';
import { validateCable, validateMeter } from './read/lookups';
import { receipt } from './read/receipt';
import { transactions } from './read/transactions';
import { Refusal } from './refusal';
import type { World } from './world';

/** `fields` is the body of a POST and the query of a GET. */
type Handler = (world: World, caller: Caller, fields: Fields) => Answer;
type Route = Partial<Record<'GET' | 'POST', Handler>>;

const catalog: Handler = (world, caller) => ({
  status: 200,
  body: { status: 'success', data: catalogReply(world.catalog, caller.account.tier) },
});

const ROUTES: ReadonlyMap<string, Route> = createRoutes();

/** Answers one request; never throws. Synchronous, so that nothing can come between the judging and the charge. */
export function answerRequest(world: World, request: V1Request): Answer {
  try {
    return route(world, request);
  } catch (error) {
    if (error instanceof Refusal) return refuse(error);
    throw error;
  }
}

function route(world: World, request: V1Request): Answer {
  // An address that does not exist is nobody's secret, so 404 and 405 need no key.
  const handlers = ROUTES.get(request.path);
  if (handlers === undefined) throw new Refusal('unknown_path');
  const { method } = request;
  const handler = method === 'GET' || method === 'POST' ? handlers[method] : undefined;
  if (handler === undefined) {
    return { ...refuse(new Refusal('wrong_method', method)), headers: { allow: Object.keys(handlers).join(', ') } };
  }
  const caller = authenticate(world.accounts, request.authorization, request.address);
  if (method === 'GET') return handler(world, caller, request.query);
  if (request.body instanceof Refusal) throw request.body;
  return handler(world, caller, request.body as Fields);
}

function createRoutes(): Map<string, Route> {
  const routes = new Map<string, Route>([
    ['/balance', { GET: balance }],
    ['/catalog', { GET: catalog }],
    ['/recharge-card', { GET: rechargeCards }],
    ['/data-card', { GET: dataCards }],
    ['/validate-cable', { POST: validateCable }],
    ['/validate-meter', { POST: validateMeter }],
    ['/receipt', { GET: receipt }],
    ['/transactions', { GET: transactions }],
  ]);
  for (const service of Object.values(PURCHASE_SERVICES)) {
    const { path } = service.endpoint;
    routes.set(path, {
      ...routes.get(path),
      POST: (world, caller, body) => judgePurchase(world, service, caller, body),
    });
  }
  return routes;
}
