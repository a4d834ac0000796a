import { createPriceLists } from '../../../src/price-lists/price-lists';
import { catalogListsOf } from '../../../src/gateway/read/catalog-lists';
import { orderRoot } from '../../../src/gateway/tell/merge-reply';
import { ROOTS } from '../../../src/mapping/compile-value';
import { OUTPUT_TRANSFORMS, TABLE_TRANSFORMS } from '../../../src/mapping/output-transforms';
import { CATALOG_LISTS } from '../../../src/mapping/language/schema';
import { TRANSFORM_KINDS } from '../../../src/mapping/shape/kind-of-value';
import type { Kind } from '../../../src/mapping/shape/shape';
import { ROOT_SHAPES, ROW_SHAPES } from '../../../src/mapping/shape/source-shapes';
import { createVirtualClock } from '../../domain/virtual-clock';
import { CREDENTIALS, createScriptedUpstream } from '../../gateway/scripted-upstream';
import { shippedMapping } from '../mapping-set';
import { isOfKind } from './is-of-kind';

const BODY = {
  status: 'success',
  data: {
    data_plans: [
      {
        id: 1,
        network: 'MTN',
        network_id: 1,
        plan_name: '1GB',
        display_name: '1GB',
        data_type: 'SME',
        data_size: '1GB',
        validity: '30 days',
        selling_price: '480.50',
      },
    ],
    cable_plans: [{ id: 1, provider: 'GOTV', cable_id: '1', plan_name: 'Lite', display_name: 'Lite', selling_price: '410' }],
    discos: [{ disco_id: 3, disco_name: 'Abuja Electric', charge: '100' }],
    exam_prices: { WAEC: 3400 },
    recharge_card_prices: { MTN: { '100': 98 } },
  },
} as never;

test('the lists of the catalog have the columns that the checker knows, of the kinds that it knows', async () => {
  const upstream = createScriptedUpstream(createVirtualClock(), [], () => ({ kind: 'found', body: BODY }));
  const catalog = await createPriceLists({ upstream, clock: Date.now }).get({
    credentials: CREDENTIALS,
    clientAddress: '192.0.2.7',
    timeoutMs: 1_000,
  });
  const { lists } = catalogListsOf(catalog!, shippedMapping());
  expect(Object.keys(lists).sort()).toEqual([...CATALOG_LISTS].sort());
  for (const [list, [row]] of Object.entries(lists)) {
    const columns = ROW_SHAPES[`catalog.${list}`]!;
    expect({ list, columns: Object.keys(row!).sort() }).toEqual({ list, columns: Object.keys(columns).sort() });
    for (const [column, kind] of Object.entries(columns))
      expect({ list, column, fits: isOfKind[kind as Kind](row![column]) }).toMatchObject({ fits: true });
  }
});

test('an order has the parts that the checker knows, of the kinds that it knows', () => {
  const delivery = {
    charged: 100,
    balanceBefore: 900,
    balanceAfter: 800,
    cashback: 1,
    token: 't',
    pins: [{ pin: '1', serial: '2' }],
  };
  const root = orderRoot(
    {
      owner: 'o',
      requestId: 'r',
      operation: 'buy',
      format: 'a',
      fields: {},
      echo: { ref: 'r' },
      contentHash: '',
      openedAtMs: 1,
      number: 1,
      tries: 1,
    },
    { kind: 'succeeded', reference: 'v1-1', delivery } as never,
  );
  const shape = ROOT_SHAPES['order'] as Readonly<Record<string, Kind>>;
  expect(Object.keys(root).sort()).toEqual(Object.keys(shape).sort());
  for (const [part, kind] of Object.entries(shape))
    expect({ part, kind, fits: isOfKind[kind](root[part]) }).toMatchObject({ fits: true });
});

test('every source that values can come from has a shape, and every transform takes and gives a kind', () => {
  expect([...Object.keys(ROOT_SHAPES), 'v1', 'row'].sort()).toEqual(Object.keys(ROOTS).sort());
  expect(Object.keys(TRANSFORM_KINDS).sort()).toEqual(
    [...Object.keys(OUTPUT_TRANSFORMS), ...Object.keys(TABLE_TRANSFORMS)].sort(),
  );
});
