import type { Problem } from '../../mapping/problem';
import type { Locate } from '../../mapping/read-yaml';
import type { CatalogFile, Price } from './catalog-file';

/** What the schema cannot say: names that must exist, ids that must be unique, prices for every tier. */
export function checkCatalog(file: string, catalog: CatalogFile, locate: Locate): readonly Problem[] {
  const problems: Problem[] = [];
  const report = (path: readonly PropertyKey[], code: string, message: string) =>
    problems.push({ file, ...locate(path), code, severity: 'error', message });
  const names = new Set(catalog.networks.map((network) => network.name));
  const checkNetwork = (path: readonly PropertyKey[], name: string) => {
    if (!names.has(name)) report(path, 'unknown-network', `no network is called ${name}`);
  };
  const checkPrice = (path: readonly PropertyKey[], price: Price) => {
    if (typeof price === 'number') return;
    for (const tier of catalog.tiers) if (price[tier] === undefined) report(path, 'missing-price', `no price for tier ${tier}`);
    for (const tier of Object.keys(price)) {
      if (!catalog.tiers.includes(tier)) report([...path, tier], 'unknown-tier', `no tier is called ${tier}`);
    }
  };
  checkUnique(catalog.networks, 'networks', 'name', report);
  checkUnique(catalog.networks, 'networks', 'id', report);
  checkUnique(catalog.data_plans, 'data_plans', 'id', report);
  checkUnique(catalog.cable_plans, 'cable_plans', 'id', report);
  checkUnique(catalog.discos, 'discos', 'id', report);
  catalog.data_plans.forEach((plan, index) => {
    checkNetwork(['data_plans', index, 'network'], plan.network);
    checkPrice(['data_plans', index, 'price'], plan.price);
  });
  catalog.cable_plans.forEach((plan, index) => {
    checkPrice(['cable_plans', index, 'price'], plan.price);
    if (!catalog.cable_providers.some(({ cable_id }) => cable_id === plan.cable_id)) {
      report(['cable_plans', index, 'cable_id'], 'unknown-provider', `no cable provider has the id ${plan.cable_id}`);
    }
  });
  for (const [exam, price] of Object.entries(catalog.exams)) checkPrice(['exams', exam], price);
  for (const [network, prices] of Object.entries(catalog.recharge_cards)) {
    checkNetwork(['recharge_cards', network], network);
    for (const [face, price] of Object.entries(prices)) checkPrice(['recharge_cards', network, face], price);
  }
  return problems;
}

type Report = (path: readonly PropertyKey[], code: string, message: string) => void;

function checkUnique<K extends string>(
  items: readonly Readonly<Record<K, unknown>>[],
  list: string,
  key: K,
  report: Report,
): void {
  const seen = new Set<unknown>();
  items.forEach((item, index) => {
    if (seen.has(item[key])) report([list, index, key], 'not-unique', `${key} ${String(item[key])} stands twice`);
    seen.add(item[key]);
  });
}
