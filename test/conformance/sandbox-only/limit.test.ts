import { airtime, expectRejected, freshPhone, sandboxOfTest } from '../target';

const v1 = sandboxOfTest();

const buyNow = (body: Record<string, unknown>) => v1.post('/airtime', { pin: v1.pin, ...body });

test('[8-1] [7.1-14] the 31st purchase within a minute gets 429', async () => {
  for (let count = 0; count < 30; count += 1) expect((await buyNow(airtime())).status).toBe(200);
  expectRejected(await buyNow(airtime()), 429);
  v1.clock.advance(60_000);
  expect((await buyNow(airtime())).status).toBe(200);
});

test('[8-2] the 21st lookup within five minutes gets 429, smartcards and meters together', async () => {
  const cable = () => v1.post('/validate-cable', { cable_id: 1, smartcard: '7012345678' });
  const meter = () => v1.post('/validate-meter', { disco_id: 1, meter_number: '45012345678', meter_type: 'prepaid' });
  for (let count = 0; count < 10; count += 1) expect([(await cable()).status, (await meter()).status]).toEqual([200, 200]);
  expectRejected(await cable(), 429);
  v1.clock.advance(5 * 60_000);
  expect((await meter()).status).toBe(200);
});

test('[8-3] [4.bulk_sms-9] the 21st bulk SMS within an hour gets 429', async () => {
  const send = () => v1.buy('/bulk_sms', { sender_id: 'ACME', message: freshPhone(), recipients: freshPhone() });
  for (let count = 0; count < 20; count += 1) expect((await send()).status).toBe(200);
  expectRejected(await send(), 429);
  v1.clock.advance(60 * 60_000);
  expect((await send()).status).toBe(200);
});

test('[4-12] a repeated request_id is never refused for its rate', async () => {
  const first = airtime({ request_id: 'kept' });
  for (const body of [first, ...Array.from({ length: 29 }, () => airtime())]) await buyNow(body);
  expect((await buyNow(first)).body).toMatchObject({ status: 'success', duplicate: true });
});

test("[8-22] the limit is the account's: live and sandbox key share it, another account has its own", async () => {
  v1.sandbox.admin.changeAccount('demo', { keys: { live: 'demo_live_1', sandbox: 'sandbox_demo' } });
  for (let count = 0; count < 30; count += 1) await buyNow(airtime());
  const post = (key: string) => v1.as(key).post('/airtime', airtime({ pin: v1.pin }));
  expectRejected(await post('demo_live_1'), 429);
  expect((await post('acme_live_demo')).status).toBe(200);
});

test('[8-23] an SMS goes to at most 1,000 recipients', async () => {
  const send = (count: number) => {
    const recipients = Array.from({ length: count }, (_, index) => `0803${String(1_000_000 + index)}`);
    return v1.buy('/bulk_sms', { sender_id: 'ACME', message: 'Hello', recipients });
  };
  expect((await send(1_000)).body.status).toBe('success');
  expectRejected(await send(1_001));
});

test('[3-12] [3-18] no refusal charges, be it for a field, the PIN, the rate, a duplicate or the balance', async () => {
  const twice = airtime({ pin: v1.pin, amount: 50 });
  const poor = v1.as('acme_live_poor');
  const refused = [
    () => poor.post('/airtime', airtime({ pin: v1.pin, amount: 49 })),
    () => poor.post('/airtime', airtime({ pin: '9999' })),
    () => poor.post('/airtime', airtime({ pin: v1.pin, amount: 5_000 })),
    () => poor.post('/airtime', twice),
    async () => {
      for (let count = 0; count < 30; count += 1) await poor.post('/airtime', airtime({ pin: v1.pin, amount: 49 }));
      return poor.post('/airtime', airtime({ pin: v1.pin, amount: 50 }));
    },
  ];
  await poor.post('/airtime', twice);
  const statuses = [];
  for (const refuse of refused) statuses.push((await refuse()).status);
  expect(statuses).toEqual([400, 400, 400, 400, 429]);
  expect((await poor.get('/balance')).body.data.wallet_balance).toBe(51);
  expect((await poor.get('/transactions')).body.data.total).toBe(1);
});

test('[7.2-6] [8-17] [7.2-9] [7.2-7] an identical purchase within five seconds is refused and not charged, after them it is sold', async () => {
  const body = airtime();
  await buyNow(body);
  v1.clock.advance(4_999);
  const reply = await buyNow(body);
  expectRejected(reply);
  expect(reply.body.message).toBe('Duplicate request detected');
  expect(await v1.balance()).toBe(999_902);
  v1.clock.advance(1);
  expect((await buyNow(body)).body.status).toBe('success');
});

test('[7.2-8] another number, amount or service is not identical', async () => {
  const body = airtime();
  await buyNow(body);
  expect((await buyNow({ ...body, amount: 200 })).status).toBe(200);
  expect((await buyNow({ ...body, phone: freshPhone() })).status).toBe(200);
  expect((await v1.post('/data', { plan_id: 101, phone: body.phone, pin: v1.pin })).status).toBe(200);
  expect((await v1.post('/data', { plan_id: 102, phone: body.phone, pin: v1.pin })).status).toBe(200);
});

test('[7.1-15] an empty wallet gets 400 and the message of the specification', async () => {
  const reply = await v1.as('acme_live_poor').buy('/airtime', airtime({ amount: 200 }));
  expectRejected(reply);
  expect(reply.body.message).toBe('Insufficient balance. Please top up your wallet.');
});

test('[7.1-16] a wallet can be spent to the last kobo it has for a purchase', async () => {
  const poor = v1.as('acme_live_poor');
  expect((await poor.buy('/airtime', airtime({ amount: 102.04 }))).body.data.balance_after).toBe(0);
  expectRejected(await poor.buy('/airtime', airtime({ amount: 50 })));
});

test('[8-18] a sandbox wallet starts with 1,000,000 naira and can be reset to it', async () => {
  expect(await v1.balance()).toBe(1_000_000);
  await v1.buy('/airtime', airtime());
  expect(v1.sandbox.admin.resetWallet('sandbox_demo')).toBe(1_000_000);
  expect(await v1.balance()).toBe(1_000_000);
});
