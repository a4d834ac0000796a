import { expectRejected, freshId, freshPhone, openTarget, type Target } from '../target';

let v1: Target;
let plans: { data: number; cable: number };
beforeAll(async () => {
  v1 = await openTarget();
  const { data_plans, cable_plans } = (await v1.get('/catalog')).body.data;
  plans = { data: data_plans.find(({ network }: { network: string }) => network === 'MTN').id, cable: cable_plans[0].id };
});
afterAll(() => v1.close());

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

test('[4-15] [4-4] request_id is an optional field of every purchase, and its repeat is the original order', async () => {
  for (const path of PATHS) {
    const sale = { ...PURCHASES[path]?.(), request_id: freshId() };
    const first = await v1.buy(path, sale);
    expect({ path, said: first.body.status }).toEqual({ path, said: 'success' });
    expect({ path, body: (await v1.buy(path, sale)).body }).toEqual({ path, body: { ...first.body, duplicate: true } });
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
