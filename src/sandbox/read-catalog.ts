import { kobo, nairaNumber, nairaText } from '../domain/amount';
import type { Caller } from './account';
import { Refusal, succeed, type Answer } from './answer';
import { percentOf, priceFor, type Cashback, type Catalog, type DataPlan, type Price } from './catalog';
import { checkFields, customerNumberOf, integerOf, meterTypeOf, postEndpoint, type Fields } from './fields';
import type { World } from './world';

/** GET /catalog. */
export function readCatalog({ catalog }: World, { account }: Caller): Answer {
  return succeed(catalogReply(catalog, account.tier));
}

/** The data of GET /catalog (section 2.2) for one tier. */
function catalogReply(catalog: Catalog, tier: string): Record<string, unknown> {
  const { file } = catalog;
  const page = file.bulk_sms.price_per_page;
  return {
    data_plans: file.data_plans.map((plan) => dataPlanReply(catalog, plan, tier)),
    cable_plans: file.cable_plans.map((plan) => ({
      id: plan.id,
      provider: plan.provider,
      cable_id: String(plan.cable_id),
      plan_id: plan.supplier,
      plan_name: plan.name,
      display_name: `${plan.provider} ${plan.name}`,
      selling_price: nairaText(priceFor(plan.price, tier)),
    })),
    discos: file.discos.map((disco) => ({ disco_id: disco.id, disco_name: disco.name, charge: nairaText(disco.charge) })),
    exam_prices: asNumbers(file.exams, tier),
    recharge_card_prices: Object.fromEntries(
      Object.entries(file.recharge_cards).map(([network, prices]) => [network, asNumbers(prices, tier)]),
    ),
    bulk_sms_pricing: {
      price_per_page: nairaNumber(page),
      discount_percent: file.bulk_sms.discount_percent,
      cost_price: nairaNumber(kobo(page - percentOf(page, file.bulk_sms.discount_percent))),
    },
    cashback: {
      airtime: cashbackReply(file.cashback.airtime),
      cabletv: cashbackReply(file.cashback.cabletv),
      electricity: cashbackReply(file.cashback.electricity),
    },
  };
}

/** One item of data_plans[] (section 2.2). */
function dataPlanReply(catalog: Catalog, plan: DataPlan, tier: string): Record<string, unknown> {
  const cashback = cashbackReply(plan.cashback ?? null);
  return {
    id: plan.id,
    network: plan.network,
    plan_id: plan.supplier,
    plan_name: `${plan.size} ${plan.type}`,
    display_name: `${plan.network} ${plan.size} ${plan.type}${plan.validity === '' ? '' : ` (${plan.validity})`}`,
    data_type: plan.type,
    data_size: plan.size,
    validity: plan.validity,
    selling_price: nairaText(priceFor(plan.price, tier)),
    network_id: catalog.networks.get(plan.network)?.id ?? 0,
    cashback_type: cashback?.type ?? null,
    cashback_value: cashback?.value ?? null,
  };
}

function asNumbers(prices: Readonly<Record<string, Price>>, tier: string): Record<string, number> {
  return Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, nairaNumber(priceFor(price, tier))]));
}

function cashbackReply(cashback: Cashback | null): { type: string; value: number } | null {
  if (cashback === null) return null;
  return 'fixed' in cashback
    ? { type: 'fixed', value: nairaNumber(cashback.fixed) }
    : { type: 'percent', value: cashback.percent };
}

/** GET /recharge-card: the cards on sale, with prices. The specification shows no form of this reply; docs/sandbox.md decides it. */
export function readCardDenominations(world: World, caller: Caller): Answer {
  const networks = world.catalog.file.networks.flatMap(({ id, name }) => {
    const prices = world.catalog.file.recharge_cards[name];
    if (prices === undefined) return [];
    const denominations = Object.entries(prices).map(([denomination, price]) => ({
      denomination: Number(denomination),
      price: nairaNumber(priceFor(price, caller.account.tier)),
    }));
    return [{ network_id: id, network: name, denominations }];
  });
  return succeed({ networks });
}

/** GET /data-card?net=…: the plans of a network in the form of the catalog. */
export function readDataCards(world: World, caller: Caller, query: Fields): Answer {
  const name = query['net'];
  if (name === undefined || name === '') throw new Refusal('missing_field', 'net');
  const network = typeof name === 'string' ? world.catalog.networks.get(name) : undefined;
  if (network === undefined) throw new Refusal('invalid_field', 'net', 'must be a network name of the catalog');
  const plans = world.catalog.file.data_plans
    .filter((plan) => plan.network === network.name)
    .map((plan) => dataPlanReply(world.catalog, plan, caller.account.tier));
  return succeed({ network: network.name, plans });
}

// Numbers without an owner, for which a lookup fails. The specification has no such numbers; docs/sandbox.md has.
const WITHOUT_OWNER = /9999$/;

const validateCableEndpoint = postEndpoint('/validate-cable');
const validateMeterEndpoint = postEndpoint('/validate-meter');

/** POST /validate-cable (free). */
export function validateCable(world: World, caller: Caller, body: Fields): Answer {
  world.limits.take(caller.account.id, ['lookup']);
  checkFields(validateCableEndpoint, body);
  const cableId = body['cable_id'];
  // An id is accepted as text, the form of the catalog, or as a number.
  if (!world.catalog.file.cable_providers.some(({ cable_id: id }) => cableId === id || cableId === String(id))) {
    throw new Refusal('invalid_field', 'cable_id', 'is not a provider id of the catalog');
  }
  const smartcard = customerNumberOf(body, 'smartcard');
  if (WITHOUT_OWNER.test(smartcard)) throw new Refusal('lookup_not_found', 'smartcard number');
  const name = world.mint.customerName(smartcard);
  return succeed({ name, customer_name: name, smartcard }, { success: true, message: 'Smartcard verified.' });
}

/** POST /validate-meter (free). */
export function validateMeter(world: World, caller: Caller, body: Fields): Answer {
  world.limits.take(caller.account.id, ['lookup']);
  checkFields(validateMeterEndpoint, body);
  if (!world.catalog.discos.has(integerOf(body, 'disco_id'))) {
    throw new Refusal('invalid_field', 'disco_id', 'is not a company of the catalog');
  }
  const meter = customerNumberOf(body, 'meter_number');
  meterTypeOf(body);
  if (WITHOUT_OWNER.test(meter)) throw new Refusal('lookup_not_found', 'meter number');
  return succeed({ name: world.mint.customerName(meter), address: world.mint.address(meter) });
}
