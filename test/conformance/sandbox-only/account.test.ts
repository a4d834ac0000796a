import { expectRejected, freshPhone, openSandboxTarget, type SandboxTarget } from '../target';

let v1: SandboxTarget;
beforeEach(async () => {
  v1 = await openSandboxTarget();
});
afterEach(() => v1.close());

const sale = (more: Record<string, unknown> = {}) => ({ network: 'MTN', phone: freshPhone(), amount: 100, ...more });

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
  expectRejected(await v1.buy('/airtime', sale()), 403);
  expect((await v1.buy('/data', { plan_id: 101, phone: freshPhone() })).body.status).toBe('success');
  v1.sandbox.admin.switchService('airtime', true);
  expect((await v1.buy('/airtime', sale())).body.status).toBe('success');
});

test('[1-4] [2.1-6] live and sandbox keys of one account use the same addresses and different wallets', async () => {
  v1.sandbox.admin.changeAccount('acme', { keys: { live: 'acme_live_demo', sandbox: 'sandbox_acme' } });
  await v1.as('acme_live_demo').buy('/airtime', sale());
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
  replies.push(await v1.buy('/airtime', sale()));
  expect(replies.map(({ status }) => status)).toEqual([401, 403, 429]);
  for (const { body } of replies) expect(Object.keys(body)).toEqual(['status', 'message']);
});

test('[4.airtime-10] the airtime discount is that of the tier of the account', async () => {
  const charge = async () => {
    const { data } = (await v1.buy('/airtime', sale())).body;
    return data.balance_before - data.balance_after;
  };
  expect(await charge()).toBeCloseTo(98, 6);
  v1.sandbox.admin.changeAccount('demo', { tier: 'premium' });
  expect(await charge()).toBeCloseTo(97, 6);
});

test('[4.receipt-3] an order of another account is unknown', async () => {
  const { reference } = (await v1.buy('/airtime', sale())).body.data;
  expect((await v1.as('acme_live_demo').get(`/receipt?reference=${reference}`)).status).toBe(404);
});

test('[4-11] a request_id belongs to the caller: another account buys with the same one', async () => {
  const body = sale({ request_id: 'shared' });
  const first = await v1.buy('/airtime', body);
  const second = await v1.as('acme_live_demo').buy('/airtime', body);
  expect(second.body).not.toHaveProperty('duplicate');
  expect(second.body.data.reference).not.toBe(first.body.data.reference);
});
