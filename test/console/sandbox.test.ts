import { send, useHouses } from '../flows/house';
import { consoleOf, type ConsoleAsked } from './ask-console';

const house = useHouses();
let asked: ConsoleAsked;
beforeEach(() => void (asked = consoleOf(house.service.adminUrl)));

const wallet = () => house.service.sandbox!.admin.overview().accounts.find(({ id }) => id === 'demo')!.wallets[0]!;
const sell = (phone: string) =>
  send(house.url, '/api/topup/', { network: 1, mobile_number: phone, amount: 100, Ported_number: true, 'request-id': phone });

test('a sale is shown with the last digits of its number, and its wallet in naira', async () => {
  await sell('08031234567');
  const { text, html } = await asked.get('/sandbox');
  expect(text).toMatch(/demo:sandbox airtime …4567 ₦98 .*success/);
  expect(text).toMatch(/Demo vendor demo sandbox ₦999,902/);
  expect(text).toMatch(/0004 reset-after-charge charged, then the connection is reset/);
  expect(html).not.toContain('08031234567');
  expect(html).not.toContain('sandbox_demo');
});

test('a wallet is topped up and reset, and the clock is moved', async () => {
  const { balance } = wallet();
  expect((await asked.post('/sandbox/fund', { wallet: 'demo:sandbox', naira: '2500' })).text).toContain('was topped up');
  expect(wallet().balance - balance).toBe(250_000);
  await asked.post('/sandbox/reset', { wallet: 'demo:sandbox' });
  expect(wallet().balance).toBe(balance);
  const { admin } = house.service.sandbox!;
  const before = admin.now();
  await asked.post('/sandbox/clock', { minutes: '90' });
  expect(admin.now() - before).toBeGreaterThanOrEqual(90 * 60_000);
});

test('a mood strikes the next purchase, and a pending order is ended', async () => {
  await asked.post('/sandbox/mood', { wallet: 'demo:sandbox', mood: 'decline', calls: '1' });
  expect((await sell('08031234567')).body).toMatchObject({ status: 'fail' });
  await asked.post('/sandbox/mood', { wallet: 'demo:sandbox', mood: 'pending', calls: '1' });
  const sold = sell('08031234568');
  const { admin } = house.service.sandbox!;
  while (admin.countOrders() < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  const [order] = admin.overview().orders;
  expect(order!.status).toBe('pending');
  expect((await asked.get('/sandbox')).text).toContain('Succeed Decline');
  await asked.post('/sandbox/settle', { reference: order!.reference, result: 'success' });
  expect((await sold).body).toMatchObject({ status: 'success' });
}, 30_000);

test.each([
  ['fund', { wallet: 'demo:sandbox', naira: '-5' }, 'a positive amount of naira'],
  ['fund', { wallet: 'nobody', naira: '5' }, 'There is no such wallet.'],
  ['mood', { wallet: 'demo:sandbox', mood: 'none', calls: '1' }, 'no mood is called none'],
  ['mood', { wallet: 'demo:sandbox', mood: 'decline', calls: '' }, 'the number of calls must be a whole number'],
  ['clock', { minutes: '-1' }, 'the clock can only be moved forward'],
  ['clock', { minutes: '' }, 'the clock can only be moved forward'],
  ['settle', { reference: 'x', result: 'success' }, 'no order has the reference x'],
  ['unlock', { account: 'demo' }, ''],
  ['unlock', { account: 'zzz' }, 'there is no account zzz'],
])('%s with %j: %s', async (action, fields, words) => {
  const { status, text } = await asked.post(`/sandbox/${action}`, fields);
  expect(status).toBe(words === '' ? 200 : 400);
  expect(text).toContain(words);
});
