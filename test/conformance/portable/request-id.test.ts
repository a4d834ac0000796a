import { expectRejected, freshId, freshPhone, openTarget, type Target } from '../target';

let v1: Target;
beforeAll(async () => {
  v1 = await openTarget();
});
afterAll(() => v1.close());

const sale = () => ({ network: 'MTN', phone: freshPhone(), amount: 100, request_id: freshId() });

test('[4-4] the same request_id again returns the original order with duplicate true', async () => {
  const body = sale();
  const first = await v1.buy('/airtime', body);
  const second = await v1.buy('/airtime', body);
  expect(second.status).toBe(200);
  expect(second.body).toEqual({ ...first.body, duplicate: true });
});

test('[4-5] the same request_id again charges nothing', async () => {
  const body = sale();
  const first = await v1.buy('/airtime', body);
  await v1.buy('/airtime', body);
  expect((await v1.get('/balance')).body.data.wallet_balance).toBe(first.body.data.balance_after);
});

test('[4-6] [8-6] a request_id of 64 characters is taken and a longer one rejected', async () => {
  const id = freshId().padEnd(64, 'x');
  expect((await v1.buy('/airtime', { ...sale(), request_id: id })).body.status).toBe('success');
  expectRejected(await v1.buy('/airtime', { ...sale(), request_id: `${id}x` }));
});

test('[4-7] a purchase without request_id is sold', async () => {
  expect((await v1.buy('/airtime', { ...sale(), request_id: undefined })).body.status).toBe('success');
});

test('[4-8] two requests with one request_id at the same time make one purchase', async () => {
  const body = { ...sale(), pin: v1.pin };
  const before = (await v1.get('/balance')).body.data.wallet_balance;
  await v1.pace();
  const replies = await Promise.all([v1.post('/airtime', body), v1.post('/airtime', body), v1.post('/airtime', body)]);
  expect(new Set(replies.map((reply) => reply.body.data.reference)).size).toBe(1);
  const [reply] = replies;
  expect(reply?.body.data.balance_before).toBe(before);
  expect((await v1.get('/balance')).body.data.wallet_balance).toBe(reply?.body.data.balance_after);
});
