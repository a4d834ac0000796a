import { createPriceLists } from '../../../src/price-lists/price-lists';
import { catalogListsOf, type CatalogLists } from '../../../src/gateway/read/catalog-lists';
import { CATALOG_LISTS } from '../../../src/mapping/language/schema';
import { createVirtualClock } from '../../domain/virtual-clock';
import { mappingWith, shippedMapping } from '../../mapping/mapping-set';
import { CREDENTIALS, createScriptedUpstream } from '../scripted-upstream';

const plan = (id: number, change: object = {}): object => ({
  id,
  network: 'MTN',
  plan_name: '1GB',
  display_name: '',
  data_type: 'SME',
  data_size: '1GB',
  validity: '30 days',
  selling_price: '480.50',
  ...change,
});
const BODY = {
  status: 'success',
  data: {
    data_plans: [plan(1), plan(15, { display_name: 'One gig', selling_price: 'soon' })],
    cable_plans: [
      { id: 1, provider: 'GOTV', cable_id: '0', plan_name: 'Lite', display_name: '', selling_price: '410' },
      { id: 2, provider: 'GOTV', cable_id: '1', plan_name: 'Max', display_name: 'GOtv Max', selling_price: '5700' },
      { id: 3, provider: 'DSTV', cable_id: '2', plan_name: 'Padi', display_name: '', selling_price: '3600' },
    ],
    discos: [{ disco_id: 3, disco_name: 'Abuja Electric', charge: '100' }],
    exam_prices: { WAEC: 3400 },
    recharge_card_prices: { MTN: { '100': 98 } },
  },
} as never;

async function catalog(): Promise<{ lists: CatalogLists; again: () => CatalogLists; other: () => CatalogLists }> {
  const upstream = createScriptedUpstream(createVirtualClock(), [], () => ({ kind: 'found', body: BODY }));
  const found = await createPriceLists({ upstream, clock: Date.now }).get({
    credentials: CREDENTIALS,
    clientAddress: '192.0.2.7',
    timeoutMs: 1_000,
  });
  const again = (): CatalogLists => catalogListsOf(found!, shippedMapping());
  return { lists: again(), again, other: () => catalogListsOf(found!, mappingWith()) };
}

test('the lists are those that mappings may name', async () => {
  const { lists } = await catalog();
  expect(Object.keys(lists.lists).sort()).toEqual([...CATALOG_LISTS].sort());
});

test('rows are plain, their prices in kobo, and a name is there even when v1 shows none', async () => {
  const { lists } = (await catalog()).lists;
  expect(lists['data_plans']).toEqual([
    expect.objectContaining({ id: 1, name: '1GB', price: 480_50 }),
    expect.objectContaining({ id: 15, name: 'One gig', price: null }),
  ]);
  expect(lists['discos']).toEqual([{ id: 3, name: 'Abuja Electric', charge: 100_00 }]);
  expect(lists['exams']).toEqual([{ id: 1, name: 'WAEC', price: 3_400_00 }]);
  expect(lists['recharge_cards']).toEqual([{ network: 'MTN', denomination: 100, price: 98_00 }]);
});

test('a provider is one row, with the number that names it', async () => {
  expect((await catalog()).lists.lists['cable_providers']).toEqual([
    { id: 1, name: 'GOTV' },
    { id: 2, name: 'DSTV' },
  ]);
});

test('a row is found by number or by word, as people write it', async () => {
  const { find } = (await catalog()).lists;
  expect(find('data_plans', 'id', 15)).toMatchObject({ name: 'One gig' });
  expect(find('discos', 'name', 'abuja-electric')).toMatchObject({ id: 3 });
  expect(find('discos', 'name', 'Ikeja')).toBeUndefined();
  expect(find('nowhere', 'id', 1)).toBeUndefined();
});

test('the lists of one catalog are made once for each mapping', async () => {
  const { lists, again, other } = await catalog();
  expect(again()).toBe(lists);
  expect(other()).not.toBe(lists);
});
