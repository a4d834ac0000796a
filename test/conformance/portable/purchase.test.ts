import { airtime, expectRejected, freshId, freshPhone, phoneEnding, v1OfFile } from '../target';

const v1 = v1OfFile();

let plans: { data: number; cable: number };
beforeAll(async () => {
  const { data_plans, cable_plans } = await v1.catalog();
  plans = { data: data_plans.find(({ network }: { network: string }) => network === 'MTN').id, cable: cable_plans[0].id };
});

/** What every purchase needs, and nothing else: another sale each time. */
const PURCHASES: Readonly<Record<string, () => Record<string, unknown>>> = {
  '/data': () => ({ plan_id: plans.data, phone: freshPhone() }),
  '/airtime': () => ({ network: 'MTN', phone: freshPhone(), amount: 100 }),
  '/cabletv': () => ({ plan_id: plans.cable, smartcard: freshPhone('7000') }),
  '/electricity': () => ({ disco_id: 1, meter_number: freshPhone('4500'), meter_type: 'prepaid', amount: 1_000 }),
  '/exam_pin': () => ({ exam_name: 'WAEC', quantity: 1 }),
  '/recharge-card': () => ({ network_id: 1, denomination: 100 }),
  '/data-card': () => ({ plan_id: plans.data }),
  '/bulk_sms': () => ({ sender_id: 'ACME', message: `Hello ${freshPhone()}`, recipients: [freshPhone()] }),
};
const PATHS = Object.keys(PURCHASES);

test('[4-15] [4-4] [4-5] request_id is an optional field of every purchase, and its repeat is the original order, charged once', async () => {
  for (const path of PATHS) {
    const sale = { ...PURCHASES[path]?.(), request_id: freshId() };
    const first = await v1.buy(path, sale);
    const charged = await v1.balance();
    expect({ path, said: first.body.status }).toEqual({ path, said: 'success' });
    const { status, body } = await v1.buy(path, sale);
    expect({ path, status, body }).toEqual({ path, status: 200, body: { ...first.body, duplicate: true } });
    expect(await v1.balance()).toBe(charged);
  }
});

test('[4-16] [7.1-1] every required field of every purchase is missed by name', async () => {
  for (const path of PATHS) {
    for (const name of Object.keys(PURCHASES[path]?.() ?? {})) {
      const reply = await v1.buy(path, { ...PURCHASES[path]?.(), [name]: undefined });
      expectRejected(reply);
      expect({ path, name, message: reply.body.message }).toMatchObject({ path, message: expect.stringContaining(name) });
    }
  }
});

test('[4-19] every field has the type of its table, of every purchase', async () => {
  for (const path of PATHS) {
    for (const name of [...Object.keys(PURCHASES[path]?.() ?? {}), 'request_id']) {
      for (const wrong of [{ of: 'another type' }, true]) {
        const reply = await v1.buy(path, { ...PURCHASES[path]?.(), [name]: wrong });
        expectRejected(reply);
        expect({ path, name, message: reply.body.message }).toMatchObject({ path, message: expect.stringContaining(name) });
      }
    }
  }
});

test('[7.2-10] an identical purchase of every service within five seconds is refused', async () => {
  for (const path of PATHS) {
    const sale = { ...PURCHASES[path]?.(), pin: v1.pin };
    await v1.buy(path, sale);
    const reply = await v1.post(path, sale);
    expectRejected(reply);
    expect({ path, message: reply.body.message }).toEqual({ path, message: 'Duplicate request detected' });
  }
});

test('[4-6] [8-6] a request_id of 64 characters is taken and a longer one rejected', async () => {
  const id = freshId().padEnd(64, 'x');
  expect((await v1.buy('/airtime', airtime({ request_id: id }))).body.status).toBe('success');
  expectRejected(await v1.buy('/airtime', airtime({ request_id: `${id}x` })));
});

test('[4-7] a purchase without request_id is sold', async () => {
  expect((await v1.buy('/airtime', airtime())).body.status).toBe('success');
});

test('[4-8] two requests with one request_id at the same time make one purchase', async () => {
  const sale = airtime({ request_id: freshId(), pin: v1.pin });
  const before = await v1.balance();
  await v1.pace();
  const replies = await Promise.all([v1.post('/airtime', sale), v1.post('/airtime', sale), v1.post('/airtime', sale)]);
  expect(new Set(replies.map(({ body }) => body.data.reference)).size).toBe(1);
  const [reply] = replies;
  expect(reply?.body.data.balance_before).toBe(before);
  expect(await v1.balance()).toBe(reply?.body.data.balance_after);
});

const declined = (more: Record<string, unknown> = {}) => airtime({ phone: phoneEnding('0000'), ...more });
const DECLINED = {
  status: 'error',
  success: false,
  message: expect.stringMatching(/refunded/i),
  refunded: true,
  reference: expect.any(String),
};

test('[7-3] [3-4] [7.1-19] [7.2-3] [7.2-4] [7.2-5] a phone, smartcard or meter ending in 0000 is declined with HTTP 400, success false, refunded true and a reference', async () => {
  const meter = { disco_id: 1, meter_number: phoneEnding('0000'), meter_type: 'prepaid', amount: 1_000 };
  const cable = { plan_id: plans.cable, smartcard: phoneEnding('0000') };
  for (const [path, sale] of Object.entries({ '/airtime': declined(), '/cabletv': cable, '/electricity': meter })) {
    const { status, body } = await v1.buy(path, sale);
    expect({ path, status, body }).toEqual({ path, status: 400, body: DECLINED });
  }
});

test('[3-5] a declined purchase is refunded and its receipt says failed', async () => {
  const before = await v1.balance();
  const { body } = await v1.buy('/airtime', declined());
  expect(await v1.balance()).toBe(before);
  expect((await v1.receipt(body.reference)).status).toBe('failed');
});

test('[7-4] a declined purchase is safe to retry', async () => {
  const sale = declined();
  const first = await v1.buy('/airtime', sale);
  const second = await v1.post('/airtime', { ...sale, pin: v1.pin });
  expect(second.body).toEqual(DECLINED);
  expect(second.body.reference).not.toBe(first.body.reference);
});

test('[4-9] the same request_id after a decline returns the declined order with duplicate true', async () => {
  const sale = declined({ request_id: freshId() });
  const first = await v1.buy('/airtime', sale);
  const { status, body } = await v1.buy('/airtime', sale);
  expect({ status, body }).toEqual({ status: 400, body: { ...first.body, duplicate: true } });
});
