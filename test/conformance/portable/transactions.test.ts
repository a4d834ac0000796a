import { expectRejected, freshPhone, openTarget, type Target } from '../target';

let v1: Target;
beforeAll(async () => {
  v1 = await openTarget();
});
afterAll(() => v1.close());

const list = async (query = '') => (await v1.get(`/transactions${query}`)).body.data;

beforeAll(async () => {
  for (let count = 0; count < 12; count += 1) await v1.buy('/airtime', { network: 'MTN', phone: freshPhone(), amount: 50 });
  await v1.buy('/recharge-card', { network_id: 1, denomination: 100 });
}, 120_000);

test('[2.4-1] [2.4-2] [2.4-3] a row holds an integer id, transaction_ref and category', async () => {
  for (const row of (await list()).transactions) {
    expect(Number.isInteger(row.id)).toBe(true);
    expect(row).toMatchObject({ transaction_ref: expect.any(String), category: expect.any(String) });
  }
});

test('[2.4-4] the amount of a row is text with two decimals', async () => {
  for (const row of (await list()).transactions) expect(row.amount).toMatch(/^\d+\.\d{2}$/);
});

test('[2.4-5] [2.4-6] [2.4-7] a row holds status, description and created_at', async () => {
  for (const row of (await list()).transactions) {
    expect(row.status).toMatch(/^(?:success|pending|processing|failed)$/);
    expect(row.description).toEqual(expect.any(String));
    expect(row.created_at).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
  }
});

test('[2.4-8] total, page, per_page and total_pages are integers that agree', async () => {
  const { total, page, per_page, total_pages } = await list('?per_page=10');
  for (const value of [total, page, per_page, total_pages]) expect(Number.isInteger(value)).toBe(true);
  expect(total_pages).toBe(Math.ceil(total / per_page));
});

test('[4.transactions-1] page is 1 by default', async () => {
  expect((await list()).page).toBe(1);
});

test('[4.transactions-2] per_page is 20 by default', async () => {
  expect((await list()).per_page).toBe(20);
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
