/** v1's catalog in the words of the mapping: lists of plain rows, amounts in kobo, with an index for joins. */
import { textOf, type JsonObject, type JsonValue } from '../../domain/json';
import type { PriceList } from '../../price-lists/price-lists';
import type { Mapping } from '../../mapping/mapping';
import { normaliseWord } from '../../mapping/table';
import { readNaira } from '../../upstream/answer-data';

export interface CatalogLists {
  readonly lists: Readonly<Record<string, readonly JsonObject[]>>;
  /** The row whose column `key` has this value; texts are compared as words of tables are. */
  readonly find: (list: string, key: string, value: JsonValue) => JsonObject | undefined;
  /** The id of the only row with this name. Undefined where several rows have it: the gateway must not guess which one to buy. */
  readonly named: (list: string, columns: { readonly id: string; readonly name: string }, word: string) => JsonValue | undefined;
}

const made = new WeakMap<PriceList, { readonly hash: string; readonly lists: CatalogLists }>();

/** The lists are made once per catalog and mapping, and shared by all requests. None where there is no catalog. */
export function catalogListsOf<Catalog extends PriceList | undefined>(
  catalog: Catalog,
  mapping: Mapping,
): CatalogLists | Extract<Catalog, undefined>;
export function catalogListsOf(catalog: PriceList | undefined, mapping: Mapping): CatalogLists | undefined {
  if (catalog === undefined) return undefined;
  const known = made.get(catalog);
  if (known?.hash === mapping.hash) return known.lists;
  const lists = createLists(catalog, mapping);
  made.set(catalog, { hash: mapping.hash, lists });
  return lists;
}

function createLists(catalog: PriceList, mapping: Mapping): CatalogLists {
  const lists: Record<string, readonly JsonObject[]> = {
    data_plans: catalog.data_plans.map((plan) => ({
      id: plan.id,
      network: plan.network,
      network_id: plan.network_id ?? null,
      name: plan.display_name || plan.plan_name,
      plan_name: plan.plan_name,
      data_size: plan.data_size,
      data_type: plan.data_type,
      validity: plan.validity,
      price: priceOf(plan.selling_price),
    })),
    cable_plans: catalog.cable_plans.map((plan) => ({
      id: plan.id,
      provider: plan.provider,
      cable_id: plan.cable_id,
      name: plan.display_name || plan.plan_name,
      plan_name: plan.plan_name,
      price: priceOf(plan.selling_price),
    })),
    cable_providers: providersOf(catalog),
    discos: catalog.discos.map((disco) => ({ id: disco.disco_id, name: disco.disco_name, charge: priceOf(disco.charge) })),
    exams: Object.entries(catalog.exam_prices).map(([name, price]) => ({
      id: mapping.tables.get('exam')?.idOf(name) ?? name,
      name,
      price: priceOf(price),
    })),
    recharge_cards: Object.entries(catalog.recharge_card_prices).flatMap(([network, prices]) =>
      Object.entries(prices).map(([denomination, price]) => ({
        network,
        denomination: Number(denomination),
        price: priceOf(price),
      })),
    ),
  };
  const indexes = new Map<string, ReadonlyMap<string, JsonObject>>();
  const named: CatalogLists['named'] = (list, { id, name }, word) => {
    const [named, written] = [nameIn(word), asWritten(word)];
    const rows = (lists[list] ?? []).filter((row) => nameIn(row[name]) === named);
    const exact = rows.filter((row) => asWritten(row[name]) === written);
    const [number, ...others] = new Set((exact.length > 0 ? exact : rows).map((row) => row[id] ?? null));
    return others.length > 0 ? undefined : number;
  };
  return {
    lists,
    named,
    find(list, key, value) {
      const name = `${list}.${key}`;
      let index = indexes.get(name);
      if (index === undefined) {
        index = new Map((lists[list] ?? []).map((row) => [normaliseWord(textOf(row[key])), row]));
        indexes.set(name, index);
      }
      return index.get(normaliseWord(textOf(value)));
    },
  };
}

/** A name reduced to letters, digits, and points inside numbers: 1.5GB is not 15GB. */
function nameIn(value: JsonValue | undefined): string {
  return textOf(value)
    .toLowerCase()
    .replace(/(?<!\d)\.|\.(?!\d)|[^a-z0-9.]/g, '');
}

function asWritten(value: JsonValue | undefined): string {
  return textOf(value).toLowerCase().replace(/\s+/g, '');
}

function priceOf(naira: string | number): JsonValue {
  return readNaira(naira) ?? null;
}

/** One row per provider. Many packages in v1's list have the id 0, which means no provider (specification, 2.2). */
function providersOf(catalog: PriceList): JsonObject[] {
  const ids = new Map<string, number>();
  for (const { provider, cable_id: id } of catalog.cable_plans) {
    const number = Number(id);
    const known = ids.get(provider);
    if (Number.isSafeInteger(number) && (known === undefined || known === 0 || (number !== 0 && number < known)))
      ids.set(provider, number);
  }
  return [...ids].map(([name, id]) => ({ id, name })).sort((a, b) => a.id - b.id);
}
