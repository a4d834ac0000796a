import { sale, sandboxOfTest } from '../conformance/target';

const v1 = sandboxOfTest();
const overview = () => v1.sandbox.admin.overview();
const demo = () =>
  overview().accounts.find(({ wallets }) => wallets.some(({ apiKey }) => apiKey.revealForUseOnly() === 'sandbox_demo'))!;

test('the overview shows a sale in its wallet and among the orders', async () => {
  const before = demo().wallets.find(({ mode }) => mode === 'sandbox')!;
  const { body } = await v1.post('/airtime', sale());
  const after = demo().wallets.find(({ mode }) => mode === 'sandbox')!;
  expect(after.orders).toBe(before.orders + 1);
  expect(after.balance).toBeLessThan(before.balance);
  expect(overview().orders[0]).toMatchObject({ reference: body.data.reference, walletId: after.id, status: 'success' });
});

test('the overview shows set moods and PIN locks', async () => {
  v1.sandbox.admin.setMood('sandbox_demo', 'pending', 2);
  expect(demo().wallets.find(({ mode }) => mode === 'sandbox')!.mood).toEqual({ mood: 'pending', calls: 2 });
  expect(overview().moods).toContainEqual({ name: 'decline', digits: '0000' });
  for (let count = 0; count < 3; count += 1) await v1.post('/airtime', sale({ pin: '9999' }));
  expect(demo().isPinLocked).toBe(true);
});

test('the overview contains no key and no PIN as text', () => {
  const text = JSON.stringify(overview());
  expect(text).not.toContain('sandbox_demo"');
  expect(text).not.toMatch(/\b1234\b/);
});
