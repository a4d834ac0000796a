/**
 * v1 changes its price list: plans become dearer or cheaper or are withdrawn, companies of electricity have other names and charges, services are
 * switched off.
 */
import { kobo } from '../../../src/domain/amount';
import { CATEGORIES, type CatalogFile, type Category, type Price } from '../../../src/sandbox/catalog';
import type { Chance } from '../../chance';

export interface PriceChange {
  readonly catalog: CatalogFile;
  readonly switchedOff: readonly Category[];
}

/** From one list to the next no price is half or twice as high (decision 0013). */
const FACTORS = [0.75, 0.9, 1, 1, 1, 1.1, 1.45];
/** Of recharge cards, whose face value an order names: no price is far from it. */
const DISCOUNTS = [0.9, 1, 1.02];
const CHARGES = [0, 0, 5_000, 10_000].map(kobo);

export function drawPriceChange(file: CatalogFile, chance: Chance): PriceChange {
  const changed = (price: Price, factors = FACTORS): Price => {
    const factor = chance.pick(factors);
    const times = (amount: number) => kobo(Math.round(amount * factor));
    return typeof price === 'number' ? times(price) : mapped(price, times);
  };
  const some = <Plan extends { readonly price: Price }>(plans: readonly Plan[]): Plan[] =>
    plans.filter(() => chance.is(0.9)).map((plan) => ({ ...plan, price: changed(plan.price) }));
  return {
    catalog: {
      ...file,
      data_plans: some(file.data_plans),
      cable_plans: some(file.cable_plans),
      discos: file.discos.map(({ id, name }) => ({
        id,
        name: chance.is(0.3) ? `${name} Plc` : name,
        charge: chance.pick(CHARGES),
      })),
      exams: mapped(file.exams, (price) => changed(price)),
      recharge_cards: mapped(file.recharge_cards, (prices) => mapped(prices, (price) => changed(price, DISCOUNTS))),
    },
    switchedOff: CATEGORIES.filter(() => chance.is(0.05)),
  };
}

function mapped<From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
