import { airtime, expectRejected, freshPhone, sandboxOfTest } from '../target';

const v1 = sandboxOfTest();

test('[1-3] [5-7] [7.1-6] an account that is no vendor gets 403 and the message of the specification', async () => {
  const reply = await v1.as('acme_live_nonvendor').get('/balance');
  expectRejected(reply, 403);
  expect(reply.body.message).toBe('API access requires a vendor account.');
});

test('[7.1-7] a suspended account gets 401', async () => {
  expectRejected(await v1.as('acme_live_suspended').get('/balance'), 401);
});

test('[7.1-8] an account whose API access is disabled gets 403', async () => {
  v1.sandbox.admin.changeAccount('demo', { api_access: false });
  expectRejected(await v1.get('/balance'), 403);
});

test('[7.1-11] a service that is switched off answers 403 and its neighbours sell', async () => {
  v1.sandbox.admin.switchService('airtime', false);
  expectRejected(await v1.buy('/airtime', airtime()), 403);
  expect((await v1.buy('/data', { plan_id: 101, phone: freshPhone() })).body.status).toBe('success');
  v1.sandbox.admin.switchService('airtime', true);
  expect((await v1.buy('/airtime', airtime())).body.status).toBe('success');
});

test('[1-4] [2.1-6] live and sandbox keys of one account use the same addresses and different wallets', async () => {
  v1.sandbox.admin.changeAccount('acme', { keys: { live: 'acme_live_demo', sandbox: 'sandbox_acme' } });
  await v1.as('acme_live_demo').buy('/airtime', airtime());
  expect((await v1.as('acme_live_demo').get('/balance')).body.data).toMatchObject({ sandbox: false, wallet_balance: 999_902 });
  expect((await v1.as('sandbox_acme').get('/balance')).body.data).toMatchObject({ sandbox: true, wallet_balance: 1_000_000 });
});

test('[5-6] [5-17] [7.1-12] a regenerated key works and the old one gets 401 at once', async () => {
  const key = v1.sandbox.admin.regenerateKey('acme_live_demo');
  expect(key).toMatch(/^acme_live_/);
  expectRejected(await v1.as('acme_live_demo').get('/balance'), 401);
  expect((await v1.as(key).get('/balance')).status).toBe(200);
});

test('[5-8] keys do not expire', async () => {
  v1.clock.advance(10 * 365 * 24 * 3_600_000);
  expect((await v1.get('/balance')).status).toBe(200);
});

test('[2.2-21] the catalog is priced for the tier of the account', async () => {
  const price = async () => (await v1.get('/catalog')).body.data.data_plans[0].selling_price;
  const standard = await price();
  v1.sandbox.admin.changeAccount('demo', { tier: 'premium' });
  expect(Number(await price())).toBeLessThan(Number(standard));
});

test('[2.2-34] cards, exams and cable packages are priced for the tier of the account as well', async () => {
  const prices = async () => {
    const { cable_plans, exam_prices, recharge_card_prices } = (await v1.get('/catalog')).body.data;
    const [card] = (await v1.get('/recharge-card')).body.data.networks[0].denominations;
    const faces = Object.values<Record<string, number>>(recharge_card_prices).flatMap((of) => Object.values(of));
    return [Number(cable_plans[0].selling_price), exam_prices.WAEC, card.price, ...faces];
  };
  const standard = await prices();
  v1.sandbox.admin.changeAccount('demo', { tier: 'premium' });
  for (const [index, price] of (await prices()).entries()) expect(price).toBeLessThan(standard[index] ?? 0);
  const { body } = await v1.buy('/recharge-card', { network_id: 1, denomination: 100, quantity: 2 });
  expect((await v1.get(`/receipt?reference=${body.data.reference}`)).body.data.charge).toBe(194);
});

test('[7.2-11] a body of 401, 403 or 429 holds status and message only', async () => {
  const replies = [await v1.as('sandbox_nobody').get('/balance'), await v1.as('acme_live_nonvendor').get('/balance')];
  v1.sandbox.admin.setMood('sandbox_demo', 'too-many', 1);
  replies.push(await v1.buy('/airtime', airtime()));
  expect(replies.map(({ status }) => status)).toEqual([401, 403, 429]);
  for (const { body } of replies) expect(Object.keys(body)).toEqual(['status', 'message']);
});

test('[4.airtime-10] the airtime discount is that of the tier of the account', async () => {
  const charge = async () => {
    const { data } = (await v1.buy('/airtime', airtime())).body;
    return data.balance_before - data.balance_after;
  };
  expect(await charge()).toBeCloseTo(98, 6);
  v1.sandbox.admin.changeAccount('demo', { tier: 'premium' });
  expect(await charge()).toBeCloseTo(97, 6);
});

test('[4.receipt-3] an order of another account is unknown', async () => {
  const { reference } = (await v1.buy('/airtime', airtime())).body.data;
  expect((await v1.as('acme_live_demo').get(`/receipt?reference=${reference}`)).status).toBe(404);
});

test('[4-11] a request_id belongs to the caller: another account buys with the same one', async () => {
  const body = airtime({ request_id: 'shared' });
  const first = await v1.buy('/airtime', body);
  const second = await v1.as('acme_live_demo').buy('/airtime', body);
  expect(second.body).not.toHaveProperty('duplicate');
  expect(second.body.data.reference).not.toBe(first.body.data.reference);
});

const from = (address: string) => ({ 'x-forwarded-for': address });
const locked = () => v1.as('acme_live_iplocked');

test('[5-5] [7.1-13] a request from an address outside the list gets 403', async () => {
  expectRejected(await locked().get('/balance', from('10.0.0.8')), 403);
  expectRejected(await locked().post('/airtime', airtime(), from('10.0.0.8')), 403);
});

test('[5-9] a purchase from a listed address needs no PIN', async () => {
  expect((await locked().post('/airtime', airtime(), from('10.0.0.9'))).body.status).toBe('success');
  expect((await locked().post('/airtime', airtime())).body.status).toBe('success');
});

test('[5-14] an account without a list may come from anywhere and needs its PIN', async () => {
  const demo = v1.as('acme_live_demo');
  expect((await demo.post('/airtime', airtime({ pin: '1234' }), from('203.0.113.7'))).body.status).toBe('success');
  expectRejected(await demo.post('/airtime', airtime(), from('203.0.113.7')));
});

test('[5-15] an unusable or double forwarded address is on no list', async () => {
  for (const address of ['10.0.0.9, 127.0.0.1', '127.0.0.1,10.0.0.8', 'unknown', '127.1', '']) {
    expectRejected(await locked().get('/balance', from(address)), 403);
  }
});

test('[5-11] [7.1-3] a wrong PIN gives 400 and the message invalid transaction PIN', async () => {
  const reply = await v1.buy('/airtime', airtime({ pin: '9999' }));
  expectRejected(reply);
  expect(reply.body.message).toMatch(/invalid transaction pin/i);
});

test('[5-4] [8-4] three wrong PINs lock purchases for ten minutes, whatever the PIN', async () => {
  for (let count = 0; count < 3; count += 1) await v1.buy('/airtime', airtime({ pin: '9999' }));
  const lockedAt = v1.clock.now();
  const reply = await v1.buy('/airtime', airtime());
  expectRejected(reply, 403);
  expect(reply.body.message).toMatch(/lock/i);
  v1.clock.advance(lockedAt + 10 * 60_000 - v1.clock.now() - 1);
  expectRejected(await v1.post('/airtime', airtime({ pin: '1234' })), 403);
  v1.clock.advance(1);
  expect((await v1.post('/airtime', airtime({ pin: '1234' }))).body.status).toBe('success');
});

test('[8-5] a PIN has 4, 5 or 6 digits', async () => {
  for (const pin of ['9876', '98765', '987654']) {
    v1.sandbox.admin.changeAccount('demo', { pin });
    expect((await v1.buy('/airtime', airtime({ pin }))).body.status).toBe('success');
  }
});

test('[5-12] the lock is on purchases only', async () => {
  for (let count = 0; count < 3; count += 1) await v1.buy('/airtime', airtime({ pin: '9999' }));
  expect((await v1.get('/balance')).status).toBe(200);
});

test('[5-13] a right PIN forgives the wrong ones before it', async () => {
  for (const pin of ['9999', '9999', '1234', '9999', '9999']) await v1.buy('/airtime', airtime({ pin }));
  expect((await v1.buy('/airtime', airtime())).body.status).toBe('success');
});
