import { systemClock } from '../../../src/domain/clock';
import { createPriceLists, readCatalog } from '../../../src/price-lists/price-lists';
import { catalogListsOf, type CatalogLists } from '../../../src/gateway/read/catalog-lists';
import { CATALOG_LISTS } from '../../../src/mapping/language/schema';
import { createVirtualClock } from '../../domain/virtual-clock';
import { mappingWith, shippedMapping } from '../../mapping/mapping-set';
import { dataPlan } from '../../price-lists/data-plan';
import { CREDENTIALS, createScriptedUpstream } from '../scripted-upstream';

const BODY = {
  status: 'success',
  data: {
    data_plans: [dataPlan(1), dataPlan(15, { display_name: 'One gig', selling_price: 'soon' })],
    cable_plans: [
      { id: 1, provider: 'GOTV', cable_id: '0', plan_name: 'Lite', display_name: '', selling_price: '410' },
      { id: 2, provider: 'GOTV', cable_id: '1', plan_name: 'Max', display_name: 'GOtv Max', selling_price: '5700' },
      { id: 3, provider: 'DSTV', cable_id: '2', plan_name: 'Padi', display_name: '', selling_price: '3600' },
    ],
    discos: [{ disco_id: 3, disco_name: 'Abuja Electric', charge: '100' }],
    exam_prices: { WAEC: 3400 },
    // What 100 less 3.1 % is to a double.
    recharge_card_prices: { MTN: { '100': 96.89999999999999 } },
  },
} as never;

async function catalog(): Promise<{ lists: CatalogLists; again: () => CatalogLists; other: () => CatalogLists }> {
  const upstream = createScriptedUpstream(createVirtualClock(), [], () => ({ kind: 'found', body: BODY }));
  const found = await createPriceLists({ upstream, clock: systemClock }).get({
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
  expect(lists['recharge_cards']).toEqual([{ network: 'MTN', denomination: 100, price: 96_90 }]);
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

describe('the number of what a word names', () => {
  /** The number of this word among plans such as `7 MTN 1GB`. */
  const numberOf = (plans: readonly string[], word: string): unknown => {
    const rows = plans.map((one) => dataPlan(parseInt(one, 10), { plan_name: one.replace(/^\d+ /, '') }));
    const catalog = readCatalog({ data: { data_plans: rows } })!;
    return catalogListsOf(catalog, shippedMapping()).named('data_plans', { id: 'id', name: 'name' }, word);
  };

  test.each<[string, readonly string[], string, number | undefined]>([
    ['a name is found as people write it', ['7 MTN SME 1.5GB'], ' mtn sme-1.5gb', 7],
    ['a point in a number counts', ['9 MTN 15GB'], 'MTN 1.5GB', undefined],
    ['1.5 is not 15', ['7 MTN 1.5GB', '9 MTN 15GB'], 'MTN 1.5GB', 7],
    ['15 is not 1.5', ['7 MTN 1.5GB', '9 MTN 15GB'], 'mtn 15 gb', 9],
    ['of several that a word may name none is taken by guess', ['7 1GB', '9 1GB'], '1GB', undefined],
    ['but for the one that is written so', ['7 Compact', '9 Compact+'], 'compact', 7],
    ['with its sign', ['7 Compact', '9 Compact+'], 'Compact +', 9],
    ['a row that stands there twice is one', ['7 1GB', '7 1GB'], '1GB', 7],
  ])('%s', (_title, plans, word, number) => {
    expect(numberOf(plans, word)).toBe(number);
  });
});
