import { kobo, nairaNumber, nairaText } from '../../domain/amount';
import { priceFor, percentOf, type Catalog } from './catalog';
import type { Cashback, DataPlan, Price } from './catalog-file';

const asNumbers = (prices: Readonly<Record<string, Price>>, tier: string) =>
  Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, nairaNumber(priceFor(price, tier))]));

const cashbackReply = (cashback: Cashback | null) => {
  if (cashback === null) return null;
  return 'fixed' in cashback
    ? { type: 'fixed', value: nairaNumber(cashback.fixed) }
    : { type: 'percent', value: cashback.percent };
};

/** One item of data_plans[] (section 2.2). */
export function dataPlanReply(catalog: Catalog, plan: DataPlan, tier: string): Record<string, unknown> {
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
    network_id: catalog.network(plan.network)?.id ?? 0,
    cashback_type: cashback?.type ?? null,
    cashback_value: cashback?.value ?? null,
  };
}

/** The data of GET /catalog (section 2.2) for one tier. */
export function catalogReply(catalog: Catalog, tier: string): Record<string, unknown> {
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
