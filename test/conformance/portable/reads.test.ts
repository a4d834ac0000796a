import { airtime, expectRejected, freshPhone, v1OfFile } from '../target';

const v1 = v1OfFile();

const MONEY = expect.stringMatching(/^\d+\.\d{2}$/);
const TIME = expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
const TEXT = expect.any(String);
const NUMBER = expect.any(Number);
const STATUS = expect.stringMatching(/^(?:success|pending|processing|failed)$/);
const expectIntegers = (...values: unknown[]) => {
  for (const value of values) expect(Number.isInteger(value)).toBe(true);
};
const textOrNull = (value: unknown) => value === null || typeof value === 'string';

test('[2.1-1] [2.1-2] [2.1-3] [2.1-4] [5-2] [4-1] [1-6] the balance has a number of naira, the cashback, NGN, and sandbox for a sandbox key', async () => {
  const { status, body } = await v1.get('/balance');
  const data = { wallet_balance: NUMBER, cashback_balance: NUMBER, currency: 'NGN', sandbox: v1.key.startsWith('sandbox_') };
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'success', data } });
});

test('[9-1] [4-18] the version is in the path: the same address without it is no endpoint', async () => {
  expect((await v1.raw('/../balance', { headers: { authorization: `Bearer ${v1.key}` } })).status).toBe(404);
});

test('[4-20] GET /balance and GET /catalog take no parameters', async () => {
  for (const path of ['/balance', '/catalog']) expect((await v1.get(`${path}?page=2&x`)).body).toEqual((await v1.get(path)).body);
});

test('[2.2-1] [1-6] the catalog holds data plans, cable plans and discos', async () => {
  const { data_plans, cable_plans, discos } = await v1.catalog();
  for (const list of [data_plans, cable_plans, discos]) expect(list.length).toBeGreaterThan(0);
});

test('[2.2-2] [2.2-3] [2.2-4] [2.2-5] prices of exams, cards and SMS are numbers, and cashback is keyed by service', async () => {
  const { exam_prices, recharge_card_prices, bulk_sms_pricing, cashback } = await v1.catalog();
  for (const price of Object.values(exam_prices)) expect(price).toEqual(NUMBER);
  const networks = Object.values<Record<string, unknown>>(recharge_card_prices);
  for (const [face, price] of networks.flatMap((prices) => Object.entries(prices))) {
    expect(face).toMatch(/^\d+$/);
    expect(price).toEqual(NUMBER);
  }
  expect(bulk_sms_pricing).toEqual({ price_per_page: NUMBER, discount_percent: NUMBER, cost_price: NUMBER });
  expect(Object.keys(cashback)).toContain('airtime');
});

test('[2.2-6] [2.2-7] [2.2-8] [2.2-9] [2.2-10] [2.2-19] a data plan has the fields and types of its table, and one of seven networks', async () => {
  const text = { plan_id: TEXT, plan_name: TEXT, display_name: TEXT, data_type: TEXT, data_size: TEXT, validity: TEXT };
  const network = expect.stringMatching(/^(?:ALPHA|KIRANI|SMILE|MTN|GLO|AIRTEL|9MOBILE)$/);
  for (const plan of (await v1.catalog()).data_plans) {
    expect(plan).toMatchObject({ ...text, network, selling_price: MONEY });
    expectIntegers(plan.id, plan.network_id);
    expect(textOrNull(plan.cashback_type)).toBe(true);
    expect(plan.cashback_value === null || typeof plan.cashback_value === 'number').toBe(true);
  }
});

test('[2.2-11] [2.2-12] [2.2-13] [2.2-14] [2.2-15] a cable plan has the fields and types of its table, its cable_id is a known one', async () => {
  const text = { plan_id: TEXT, plan_name: TEXT, display_name: TEXT };
  for (const plan of (await v1.catalog()).cable_plans) {
    const provider = expect.stringMatching(/^(?:DSTV|GOTV|STARTIMES)$/);
    expect(plan).toMatchObject({ ...text, provider, cable_id: expect.stringMatching(/^(?:0|1|2|3|107)$/), selling_price: MONEY });
    expectIntegers(plan.id);
  }
});

test('[2.2-16] [2.2-17] [2.2-18] a disco has an id from 1 to 12, a name and a charge with two decimals', async () => {
  for (const disco of (await v1.catalog()).discos) {
    expect(disco).toMatchObject({ disco_name: TEXT, charge: MONEY });
    expectIntegers(disco.disco_id);
    expect(disco.disco_id >= 1 && disco.disco_id <= 12).toBe(true);
  }
});

test('[4.receipt-1] [1-6] [2.3-1] [2.3-2] [2.3-3] [2.3-4] [2.3-5] [2.3-6] [2.3-7] [2.3-8] [2.3-9] [2.3-10] [2.3-11] [2.3-12] [2.3-13] [2.3-14] [2.3-16] [2.3-17] [2.3-18] a receipt tells the purchase in the fields of its table', async () => {
  const phone = freshPhone();
  const { reference, balance_before, balance_after } = (await v1.buy('/airtime', airtime({ phone }))).body.data;
  const { status, body } = await v1.get(`/receipt?reference=${reference}`);
  expect({ status, body }).toEqual({ status: 200, body: { status: 'success', success: true, data: expect.any(Object) } });
  const { id, provider_ref, ...data } = body.data;
  expect(data).toMatchObject({
    reference,
    transaction_ref: reference,
    category: 'airtime',
    type: 'debit',
    amount: NUMBER,
    status: STATUS,
    description: expect.stringMatching(/airtime/i),
    phone,
    balance_before,
    balance_after,
    charge: NUMBER,
    created_at: TIME,
    pins: [],
    token: null,
    meta: expect.any(Object),
    recharge_card: null,
  });
  expectIntegers(id);
  expect(textOrNull(provider_ref)).toBe(true);
});

test('[2.3-15] [2.3-18] the receipt of a card order holds its pins and a recharge_card', async () => {
  const { data } = (await v1.buy('/recharge-card', { network_id: 1, denomination: 100, quantity: 2 })).body;
  expect(await v1.receipt(data.reference)).toMatchObject({ pins: data.pins, recharge_card: expect.any(Object) });
});

test('[4.receipt-5] the reference is required', async () => {
  for (const query of ['', '?reference=']) expectRejected(await v1.get(`/receipt${query}`));
});

test('[4.receipt-2] [7.1-9] an unknown reference gives 404, status error, success false and a message', async () => {
  const { status, body } = await v1.get('/receipt?reference=NOSUCHREFERENCE');
  expect(status).toBe(404);
  expect(body).toEqual({ status: 'error', success: false, message: expect.stringMatching(/not found/i) });
});

describe('the history', () => {
  const list = async (query = '') => (await v1.get(`/transactions${query}`)).body.data;

  beforeAll(async () => {
    for (let count = 0; count < 12; count += 1) await v1.buy('/airtime', airtime({ amount: 50 }));
    await v1.buy('/recharge-card', { network_id: 1, denomination: 100 });
  }, 120_000);

  test('[2.4-1] [2.4-2] [2.4-3] [2.4-4] [2.4-5] [2.4-6] [2.4-7] a row has the fields and types of its table', async () => {
    for (const { id, ...row } of (await list()).transactions) {
      expectIntegers(id);
      const text = { transaction_ref: TEXT, category: TEXT, description: TEXT };
      expect(row).toMatchObject({ ...text, amount: MONEY, status: STATUS, created_at: TIME });
    }
  });

  test('[2.4-8] total, page, per_page and total_pages are integers that agree', async () => {
    const { total, page, per_page, total_pages } = await list('?per_page=10');
    expectIntegers(total, page, per_page, total_pages);
    expect(total_pages).toBe(Math.ceil(total / per_page));
  });

  test('[4.transactions-1] [4.transactions-2] page is 1 and per_page 20 by default', async () => {
    expect(await list()).toMatchObject({ page: 1, per_page: 20 });
  });

  test('[4.transactions-3] [8-16] per_page is 10 to 50', async () => {
    expect((await list('?per_page=10')).transactions).toHaveLength(10);
    expect((await list('?per_page=50')).per_page).toBe(50);
    for (const value of ['9', '51', 'many']) expectRejected(await v1.get(`/transactions?per_page=${value}`));
  });

  test('[4.transactions-4] [1-6] the second page goes on where the first ends', async () => {
    const first = await list('?per_page=10');
    const second = await list('?per_page=10&page=2');
    expect(second.page).toBe(2);
    expect(second.transactions[0].id).toBeLessThan(first.transactions[9].id);
  });

  test('[4.transactions-5] filter keeps one service', async () => {
    const { transactions, total } = await list('?filter=airtime');
    expect(total).toBeGreaterThanOrEqual(12);
    for (const row of transactions) expect(row.category).toBe('airtime');
  });

  test('[4.transactions-6] the newest comes first', async () => {
    const ids = (await list()).transactions.map((row: { id: number }) => row.id);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
  });
});
