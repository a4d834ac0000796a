import { nairaNumber } from '../../domain/amount';
import type { Caller } from '../account/account';
import type { Answer } from '../answer';
import { priceFor } from '../catalog/catalog';
import { dataPlanReply } from '../catalog/catalog-reply';
import type { Fields } from '../field/check-fields';
import { Refusal } from '../refusal';
import type { World } from '../world';

/** GET /recharge-card: what can be printed. The specification shows no shape; this one is decided in docs/sandbox.md. */
export function rechargeCards(world: World, caller: Caller): Answer {
  const networks = world.catalog.file.networks.flatMap(({ id, name }) => {
    const prices = world.catalog.file.recharge_cards[name];
    if (prices === undefined) return [];
    const denominations = Object.entries(prices).map(([denomination, price]) => ({
      denomination: Number(denomination),
      price: nairaNumber(priceFor(price, caller.account.tier)),
    }));
    return [{ network_id: id, network: name, denominations }];
  });
  return { status: 200, body: { status: 'success', data: { networks } } };
}

/** GET /data-card?net=…: the plans of a network as the catalog lists them. */
export function dataCards(world: World, caller: Caller, query: Fields): Answer {
  const name = query['net'];
  if (name === undefined || name === '') throw new Refusal('missing_field', 'net');
  const network = typeof name === 'string' ? world.catalog.network(name) : undefined;
  if (network === undefined) throw new Refusal('invalid_field', 'net', 'must be a network name of the catalog');
  const plans = world.catalog.file.data_plans
    .filter((plan) => plan.network === network.name)
    .map((plan) => dataPlanReply(world.catalog, plan, caller.account.tier));
  return { status: 200, body: { status: 'success', data: { network: network.name, plans } } };
}
