// Each line of sandbox/demo.yaml against a whole house: what should be sold is sold, and what should be refused is refused.
import { Reseller, type SentOrder } from '../../../src/cli/demo/reseller';
import { loadShop, type ResellerScript } from '../../../src/cli/demo/shop';
import { useHouse } from '../../flows/house';

const SHOP = { ...loadShop(), mood_share: 0 };
const house = useHouse();
let run = 0;

const open = (script: ResellerScript): Reseller =>
  new Reseller(SHOP, script, { url: house.url, run: `t${(run += 1)}x`, random: Math.random });

/** Last digits that make the sandbox decline. */
const declining = (script: ResellerScript): Reseller =>
  new Reseller(
    { ...SHOP, mood_share: 100 },
    { ...script, moods: { '0000': 1 } },
    { url: house.url, run: `d${(run += 1)}x`, random: Math.random },
  );

/** How many orders v1 has of this reseller. */
function countAtV1(key: string): number | undefined {
  const { accounts } = house.service.sandbox!.admin.overview();
  return accounts.flatMap(({ wallets }) => wallets).find(({ apiKey }) => apiKey.revealForUseOnly() === key)?.orders;
}

const SALES = SHOP.resellers.flatMap((script) =>
  script.sales.map((sale): [string, string, ResellerScript] => [script.title, sale.send, { ...script, sales: [sale] }]),
);
test.each(SALES)("what %s sends to %s is sold and told in the script's own words", async (_title, _send, script) => {
  const reseller = open(script);
  await reseller.visit('sale');
  const [order] = reseller.orders as [SentOrder];
  expect(order.conclusion).toBe('sold');
  // Asking for the order, and sending it again where it has an id, does not change it.
  await reseller.visit('status');
  if (order.isRepeatable) await reseller.visit('repeat');
  expect(order.conclusion).toBe('sold');
  expect(reseller.orders).toHaveLength(1);
});

test.each(SHOP.resellers)(
  '$title is told failed for a decline, and sells nothing by a mistake, a look or a wrong key',
  async (script) => {
    const { key } = script;
    const before = countAtV1(key);
    for (const mistake of script.mistakes) await open({ ...script, mistakes: [mistake] }).visit('mistake');
    for (const look of script.looks) await open({ ...script, looks: [look] }).visit('look');
    await open(script).visit('wrong_key');
    expect(countAtV1(key)).toBe(before);

    const reseller = declining({ ...script, sales: script.sales.slice(0, 1) });
    await reseller.visit('sale');
    expect(reseller.orders.map(({ conclusion }) => conclusion)).toEqual(['failed']);
    expect(house.service.sandbox!.admin.overview().orders[0]).toMatchObject({ status: 'failed' });
  },
);

test('every look gets what it asks for', async () => {
  for (const { looks, key, pin, title } of SHOP.resellers)
    for (const look of looks) {
      const path = look.split(' ')[1]!.replace(/\$[a-z]+/g, '01234567891');
      const answer = await fetch(`${house.url}${path}`, { headers: { authorization: `Token ${key}:${pin}` } });
      expect({ title, look, status: answer.status }).toEqual({ title, look, status: 200 });
    }
});
