/**
 * Real scripts of each family, whether its requests prove the family or `callers.yaml` names it: an order that is sold, an order
 * that is declined, and an order that v1 finishes late.
 */
import { askV1, renameKeys, useHouse } from '../flows/house';
import { hasPhp, runScript } from './run-script';

const KEY = 'sandbox_demo';

const PROVEN = [
  ['families', 'semmatweb-bwsub'],
  ['families', 'guzzle-a'],
  ['families', 'guzzle-b'],
  ['services.mjs', 'axios-a'],
  ['services.mjs', 'axios-b'],
  ['services.mjs', 'fetch-a'],
  ['services.mjs', 'fetch-b'],
  ['services.mjs', 'topupmate-api'],
  ['services.mjs', 'forbill-ai'],
] as const;
const NAMED = [
  ['families', 'semmatweb', {}],
  ['families', 'habukhan', {}],
  ['families', 'process-is-sold', {}],
  ['families', 'two-format-strict', {}],
  ['services.mjs', 'babspay', {}],
  ['families', 'sells-what-is-pending', {}],
  ['families', 'sells-what-is-pending-a', {}],
  ['services.mjs', 'django-201', {}],
  ['services.mjs', 'msorg-python', { numbers: { network: { 1: 'MTN', 2: 'GLO', 3: '9MOBILE', 4: 'AIRTEL' } } }],
  ['services.mjs', 'msorg-as-client', {}],
] as const;

const house = useHouse({ callers: {} });
let unique = 100;

/** Writes the key's entry into callers.yaml. */
async function nameKey(entry: object): Promise<void> {
  await renameKeys(house, { [KEY]: entry });
  expect(house.service.live.problems()).toEqual([]);
}

/** By the last digits of the number: a sale succeeds, is declined, or takes v1 five seconds. */
const ENDS = { '4567': 'delivered', '0000': 'refunded', '0001': 'delivered' } as const;

async function sell(script: string, family: string, ends: readonly (keyof typeof ENDS)[]): Promise<void> {
  const told = await Promise.all(
    ends.map(async (end) => {
      const order = { phone: `0803${(unique += 1)}${end}`, id: `fam-${unique}` };
      return (await runScript({ script, service: family, address: house.url, key: `${KEY}:1234`, order })).told;
    }),
  );
  expect(told.map((one) => one.told)).toEqual(ends.map((end) => ENDS[end]));
  for (const { reference } of told.filter((one) => one.told === 'delivered'))
    expect((await askV1(house.service, `/receipt?reference=${reference}`)).body.data).toMatchObject({ status: 'success' });
  const metrics = await house.metrics();
  const [, count] = new RegExp(`^compat_families_total\\{family="${family}"\\} (\\d+)$`, 'm').exec(metrics) ?? [];
  expect(Number(count)).toBeGreaterThanOrEqual(ends.length);
}

(hasPhp ? describe : describe.skip)('a script of the family', () => {
  const sales = new Map<string, Promise<void>>();
  beforeAll(() => {
    for (const [script, family] of PROVEN) {
      const sale = sell(script, family, ['4567', '0000', '0001']);
      sale.catch(() => undefined);
      sales.set(family, sale);
    }
  });

  test.each(PROVEN)(
    '%s %s is recognised by its requests, delivers sold orders and refunds declined ones',
    (_script, family) => sales.get(family)!,
    60_000,
  );

  test.each(NAMED)(
    '%s %s is recognised by its key, delivers sold orders and refunds declined ones',
    async (script, family, more) => {
      await Promise.all(sales.values());
      await nameKey({ family, ...more });
      await sell(script, family, ['4567', '0000']);
    },
  );
});
