/** A catalog for requests whose values are made up: every word is found, and always as the same row. */
import { createHash } from 'node:crypto';
import { textOf, type JsonObject, type JsonValue } from '../../domain/json';
import type { CatalogLists } from '../../gateway/read/catalog-lists';

/** Kobo. */
const PRICE = 50_000;

const LISTS: CatalogLists['lists'] = {
  data_plans: ['MTN', 'GLO', 'AIRTEL', '9MOBILE'].flatMap((network, at) =>
    ['SME', 'GIFTING', 'CORPORATE'].map((type, index) => ({
      id: 1_001 + at * 10 + index,
      network,
      network_id: at + 1,
      name: `${network} 1GB`,
      plan_name: '1GB',
      data_size: '1GB',
      data_type: type,
      validity: '30 days',
      price: PRICE,
    })),
  ),
  cable_plans: ['GOTV', 'DSTV', 'STARTIMES'].map((provider, index) => ({
    id: 2_001 + index,
    provider,
    cable_id: String(index + 1),
    name: `${provider} BASIC`,
    plan_name: 'BASIC',
    price: PRICE,
  })),
  cable_providers: ['GOTV', 'DSTV', 'STARTIMES'].map((name, index) => ({ id: index + 1, name })),
  discos: [{ id: 501, name: 'A DISCO', charge: 10_000 }],
  exams: ['WAEC', 'NECO', 'NABTEB'].map((name, index) => ({ id: index + 1, name, price: PRICE })),
  recharge_cards: ['MTN', 'GLO', 'AIRTEL', '9MOBILE'].map((network) => ({ network, denomination: 100, price: PRICE })),
};

export const SAMPLE_CATALOG: CatalogLists = {
  lists: LISTS,
  find: (list, key, value) => rowOf(list, key, value),
};

/** Another word is another row, so that a field that comes to hold another word is seen. */
function rowOf(list: string, key: string, value: JsonValue): JsonObject | undefined {
  const [row] = LISTS[list] ?? [];
  if (row === undefined) return undefined;
  const number = createHash('sha256').update(textOf(value)).digest().readUInt16BE(0);
  return { ...row, id: number, name: `ROW ${number}`, [key]: value };
}
