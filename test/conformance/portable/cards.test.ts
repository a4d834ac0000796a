import { expectRejected, openTarget, type Target } from '../target';

let v1: Target;
beforeAll(async () => {
  v1 = await openTarget();
});
afterAll(() => v1.close());

const CARD = { pin: expect.any(String), serial: expect.any(String) };
const mtnPlan = async () => {
  const { data_plans } = (await v1.get('/catalog')).body.data;
  return data_plans.find((plan: { network: string }) => plan.network === 'MTN');
};

test('[4.exam_pin-1] an exam of the catalog is sold', async () => {
  const [exam_name] = Object.keys((await v1.get('/catalog')).body.data.exam_prices);
  const { status, body } = await v1.buy('/exam_pin', { exam_name, quantity: 1 });
  expect({ status, said: body.status }).toEqual({ status: 200, said: 'success' });
});

test('[4.exam_pin-2] [2.7-7] [2.5-1] the reply holds message, reference, one pin per quantity and balances', async () => {
  const [exam_name] = Object.keys((await v1.get('/catalog')).body.data.exam_prices);
  const { body } = await v1.buy('/exam_pin', { exam_name, quantity: 2 });
  expect(body).toEqual({
    status: 'success',
    message: expect.any(String),
    data: {
      reference: expect.any(String),
      pins: [CARD, CARD],
      balance_before: expect.any(Number),
      balance_after: expect.any(Number),
    },
  });
});

test('[4.exam_pin-3] an exam that is not in the catalog is rejected', async () => {
  expectRejected(await v1.buy('/exam_pin', { exam_name: 'GCSE', quantity: 1 }));
});

test('[4.exam_pin-4] [8-11] the quantity is 1 to 5', async () => {
  expect((await v1.buy('/exam_pin', { exam_name: 'WAEC', quantity: 5 })).body.data.pins).toHaveLength(5);
  for (const quantity of [0, 6, -1]) expectRejected(await v1.buy('/exam_pin', { exam_name: 'WAEC', quantity }));
});

test('[4.exam_pin-5] the quantity is required', async () => {
  expectRejected(await v1.buy('/exam_pin', { exam_name: 'WAEC' }));
});

test('[4.exam_pin-6] each PIN is paid for', async () => {
  const price = (await v1.get('/catalog')).body.data.exam_prices.WAEC;
  const { data } = (await v1.buy('/exam_pin', { exam_name: 'WAEC', quantity: 3 })).body;
  expect(data.balance_before - data.balance_after).toBeCloseTo(3 * price, 6);
});

test('[4.recharge-card-1] the networks and denominations can be read', async () => {
  const { status, body } = await v1.get('/recharge-card');
  expect({ status, said: body.status }).toEqual({ status: 200, said: 'success' });
});

test('[4.recharge-card-2] [4.recharge-card-7] [4.recharge-card-3] [2.7-7] [2.7-10] a card of each network is printed, by default one', async () => {
  for (const network_id of [1, 2, 3, 4]) {
    const { body } = await v1.buy('/recharge-card', { network_id, denomination: 100 });
    expect(body).toEqual({
      status: 'success',
      message: expect.stringContaining('1'),
      data: { reference: expect.any(String), pins: [CARD] },
    });
  }
});

test('[4.recharge-card-4] another network_id is rejected', async () => {
  for (const network_id of [0, 5, -1]) expectRejected(await v1.buy('/recharge-card', { network_id, denomination: 100 }));
});

test('[4.recharge-card-5] a denomination that is not offered is rejected', async () => {
  expectRejected(await v1.buy('/recharge-card', { network_id: 1, denomination: 123 }));
});

test('[4.recharge-card-6] [8-12] the quantity is 1 to 50 and the message states how many cards are ready', async () => {
  const { body } = await v1.buy('/recharge-card', { network_id: 1, denomination: 100, quantity: 50 });
  expect(body.data.pins).toHaveLength(50);
  expect(body.message).toContain('50');
  for (const quantity of [0, 51]) expectRejected(await v1.buy('/recharge-card', { network_id: 1, denomination: 100, quantity }));
});

test('[4.recharge-card-8] [8-14] the name on the card has at most 30 characters', async () => {
  const buy = (name_on_card: string) => v1.buy('/recharge-card', { network_id: 1, denomination: 100, name_on_card });
  expect((await buy('N'.repeat(30))).body.status).toBe('success');
  expectRejected(await buy('N'.repeat(31)));
});

test('[2.5-2] no two cards of an order are the same', async () => {
  const { pins } = (await v1.buy('/recharge-card', { network_id: 2, denomination: 100, quantity: 20 })).body.data;
  expect(new Set(pins.map((card: { pin: string }) => card.pin)).size).toBe(20);
});

test('[4.data-card-1] the plans of a network can be read', async () => {
  const { status, body } = await v1.get('/data-card?net=MTN');
  expect({ status, said: body.status }).toEqual({ status: 200, said: 'success' });
});

test('[4.data-card-2] [4.data-card-3] [2.7-7] [2.7-10] the plan ids of POST /data print a data card, by default one', async () => {
  const { body } = await v1.buy('/data-card', { plan_id: (await mtnPlan()).id });
  expect(body).toEqual({ status: 'success', message: expect.any(String), data: { reference: expect.any(String), pins: [CARD] } });
});

test('[4.data-card-4] [8-13] the quantity is 1 to 5', async () => {
  const { id: plan_id } = await mtnPlan();
  expect((await v1.buy('/data-card', { plan_id, quantity: 5 })).body.data.pins).toHaveLength(5);
  for (const quantity of [0, 6]) expectRejected(await v1.buy('/data-card', { plan_id, quantity }));
});
