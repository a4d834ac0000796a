import { kobo, ZERO_KOBO, type AmountMinor } from '../../domain/amount';
import type { CablePlan, Cashback, CatalogFile, DataPlan, Disco, Network, Price } from './catalog-file';

/** What is sold, found by id in one step. */
export class Catalog {
  readonly file: CatalogFile;
  readonly #plans: ReadonlyMap<number, DataPlan>;
  readonly #cablePlans: ReadonlyMap<number, CablePlan>;
  readonly #discos: ReadonlyMap<number, Disco>;
  readonly #networks: ReadonlyMap<string, Network>;
  readonly #networkIds: ReadonlyMap<number, Network>;
  readonly #prefixes: ReadonlyMap<string, string>;

  constructor(file: CatalogFile) {
    this.file = file;
    this.#plans = new Map(file.data_plans.map((plan) => [plan.id, plan]));
    this.#cablePlans = new Map(file.cable_plans.map((plan) => [plan.id, plan]));
    this.#discos = new Map(file.discos.map((disco) => [disco.id, disco]));
    this.#networks = new Map(file.networks.map((network) => [network.name, network]));
    this.#networkIds = new Map(file.networks.map((network) => [network.id, network]));
    this.#prefixes = new Map(file.networks.flatMap(({ name, prefixes }) => prefixes.map((prefix) => [prefix, name])));
  }

  dataPlan(id: number): DataPlan | undefined {
    return this.#plans.get(id);
  }

  cablePlan(id: number): CablePlan | undefined {
    return this.#cablePlans.get(id);
  }

  disco(id: number): Disco | undefined {
    return this.#discos.get(id);
  }

  network(name: string): Network | undefined {
    return this.#networks.get(name);
  }

  networkById(id: number): Network | undefined {
    return this.#networkIds.get(id);
  }

  /** As the catalog writes it (text) or as a number; nothing else is one. */
  hasCableId(cableId: unknown): boolean {
    return this.file.cable_providers.some(({ cable_id: id }) => cableId === id || cableId === String(id));
  }

  /** The network whose prefix the number bears, or undefined when the prefix is nobody's. */
  networkOfPhone(phone: string): string | undefined {
    return this.#prefixes.get(phone.slice(0, 5)) ?? this.#prefixes.get(phone.slice(0, 4));
  }
}

/** The price for one tier. */
export function priceFor(price: Price, tier: string): AmountMinor {
  if (typeof price === 'number') return price;
  const found = price[tier];
  if (found === undefined) throw new Error(`the catalog has no price for tier ${tier}`);
  return found;
}

/** So many per cent of an amount, to the nearest kobo, half a kobo up. Per cent have at most two decimals. */
export function percentOf(amount: AmountMinor, percent: number): AmountMinor {
  return kobo(Math.floor((amount * Math.round(percent * 100) + 5_000) / 10_000));
}

/** What a purchase earns once it has succeeded. */
export function cashbackOf(cashback: Cashback | null | undefined, amount: AmountMinor): AmountMinor {
  if (cashback === null || cashback === undefined) return ZERO_KOBO;
  return 'fixed' in cashback ? cashback.fixed : percentOf(amount, cashback.percent);
}
