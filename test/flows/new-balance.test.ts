/** Rule 3 of the compat section: replies include `new_balance`, also for services whose answers have no balance. */
import { send, useHouse } from './house';

const house = useHouse();

const SALES: readonly [string, string, object][] = [
  ['recharge cards in A', '/api/recharge_card', { network: 1, plan_type: '100', quantity: 2, card_name: 'Shop' }],
  ['recharge cards in B', '/api/rechargepin/', { network: 1, network_amount: '100', quantity: 1, name_on_card: 'Shop' }],
  ['data cards in A', '/api/data_card', { network: 1, plan_type: '102', quantity: 1, card_name: 'Shop' }],
  ['data cards in B', '/api/data_card/', { network: 1, data_plan: 103, quantity: 1, name_on_card: 'Shop' }],
  ['SMS in A', '/api/bulksms', { sender: 'SHOP', number: '08030000001,08030000002', message: 'Hello' }],
  ['SMS in B', '/api/sendsms/', { sender: 'SHOP', recetipient: '08030000003', message: 'Hello', DND: false }],
];

test.each(SALES)('%s: the reply, its replay and its status have both balances and the charge', async (title, path, fields) => {
  const before = await house.wallet();
  const id = title.replaceAll(' ', '-');
  const sold = await send(house.url, path, { ...fields, 'request-id': id });
  expect([sold.status, sold.body.status]).toEqual([200, 'success']);
  const after = await house.wallet();
  expect(after).toBeLessThan(before);
  const charged = Math.round((before - after) * 100) / 100;
  const money = {
    old_balance: before,
    oldbal: before,
    balance_before: before,
    previous_balance: before,
    new_balance: after,
    newbal: after,
    balance_after: after,
    after_balance: after,
    paid_amount: charged,
    amount: charged,
  };
  expect(sold.body).toMatchObject(money);
  expect((await send(house.url, path, { ...fields, 'request-id': id })).body).toMatchObject(money);
  expect((await send(house.url, `/api/transaction/${id}`)).body).toMatchObject(money);
  expect(await house.wallet()).toBe(after);
});

/** How often v1 has been asked for a receipt. */
const receiptsAsked = (): Promise<number> => house.sample('compat_upstream_seconds_count{path="/receipt",outcome="found"}');

test('only a sale without balances costs a receipt, and only one', async () => {
  const before = await receiptsAsked();
  const airtime = await send(house.url, '/api/topup/', { network: 'MTN', mobile_number: '08030000051', amount: 100 });
  expect(airtime.body.new_balance).toBe(await house.wallet());
  expect(await receiptsAsked()).toBe(before);
  await send(house.url, '/api/recharge_card', { network: 2, plan_type: '500', quantity: 1, card_name: 'Shop' });
  expect(await receiptsAsked()).toBe(before + 1);
});
