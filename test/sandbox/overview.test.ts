import { sale, sandboxOfTest } from '../conformance/target';

const v1 = sandboxOfTest();
const overview = () => v1.sandbox.admin.overview();
const demo = () =>
  overview().accounts.find(({ wallets }) => wallets.some(({ apiKey }) => apiKey.revealForUseOnly() === 'sandbox_demo'))!;

test('the overview shows a sale in its wallet, the orders, the postings and the rate limits', async () => {
  const before = demo().wallets.find(({ mode }) => mode === 'sandbox')!;
  const { body } = await v1.post('/airtime', sale());
  const after = demo().wallets.find(({ mode }) => mode === 'sandbox')!;
  expect(after.orders).toBe(before.orders + 1);
  expect(after.balance).toBeLessThan(before.balance);
  expect(overview().orders[0]).toMatchObject({ reference: body.data.reference, walletId: after.id, status: 'success' });
  const charge = overview().postings.find(({ kind }) => kind === 'charge')!;
  expect(charge.lines).toContainEqual({ book: `wallet:${after.id}`, amount: 0 - overview().orders[0]!.charge });
  expect(demo().limits).toContainEqual({ name: 'purchase', used: 1, count: 30, windowMs: 60_000 });
});

test('the overview shows set moods, switched services and PIN locks', async () => {
  v1.sandbox.admin.setMood('sandbox_demo', 'pending', 2);
  v1.sandbox.admin.switchService('airtime', false);
  expect(demo().wallets.find(({ mode }) => mode === 'sandbox')!.mood).toEqual({ mood: 'pending', calls: 2 });
  expect(overview().services).toContainEqual({ name: 'airtime', isOn: false });
  expect(overview().moods).toContainEqual({ name: 'decline', digits: '0000' });
  v1.sandbox.admin.switchService('airtime', true);
  for (let count = 0; count < 3; count += 1) await v1.post('/airtime', sale({ pin: '9999' }));
  expect(demo().isPinLocked).toBe(true);
});

test('the overview contains no key and no PIN as text', () => {
  const text = JSON.stringify(overview());
  expect(text).not.toContain('sandbox_demo"');
  expect(text).not.toMatch(/\b1234\b/);
});

test('the overview lists at most fifty postings, newest first', async () => {
  for (let count = 0; count < 52; count += 1) v1.sandbox.admin.fundWallet('sandbox_demo', count + 1);
  const { postings } = overview();
  expect(postings).toHaveLength(50);
  expect(postings[0]).toMatchObject({
    kind: 'adjustment',
    lines: expect.arrayContaining([expect.objectContaining({ amount: 5_200 })]),
  });
});
