import { openTarget, type Target } from '../target';

let v1: Target;
beforeAll(async () => {
  v1 = await openTarget();
});
afterAll(() => v1.close());

test('[2.1-1] [4-1] [1-6] wallet_balance is a number of naira and the body has status success', async () => {
  const { status, body } = await v1.get('/balance');
  expect(status).toBe(200);
  expect(body.status).toBe('success');
  expect(body.data.wallet_balance).toEqual(expect.any(Number));
});

test('[9-1] [4-18] the version is in the path: the same address without it is no endpoint', async () => {
  expect((await v1.raw('/../balance', { headers: { authorization: `Bearer ${v1.key}` } })).status).toBe(404);
});

test('[4-20] GET /balance and GET /catalog take no parameters', async () => {
  for (const path of ['/balance', '/catalog']) expect((await v1.get(`${path}?page=2&x`)).body).toEqual((await v1.get(path)).body);
});

test('[2.1-2] cashback_balance is a number', async () => {
  expect((await v1.get('/balance')).body.data.cashback_balance).toEqual(expect.any(Number));
});

test('[2.1-3] the currency is NGN', async () => {
  expect((await v1.get('/balance')).body.data.currency).toBe('NGN');
});

test('[2.1-4] [5-2] sandbox is true exactly for a sandbox key', async () => {
  expect((await v1.get('/balance')).body.data.sandbox).toBe(v1.key.startsWith('sandbox_'));
});
