/** Callers with a title: log lines and metrics show it beside the fingerprint, and strangers cannot multiply the labels. */
import { buyAirtime, send, useHouse } from './house';

const house = useHouse({ callers: { sandbox_demo: { title: 'Ada & Sons' }, acme_live_demo: { guard: 'off' } } });
const sell = (key: string, amount = 100) => buyAirtime(house, { amount }, { key });

test('log lines and metrics name a caller, and count all callers without a title as `other`', async () => {
  expect((await sell('sandbox_demo:1234')).body).toMatchObject({ status: 'success' });
  expect((await sell('sandbox_demo:1234', 5)).body).toMatchObject({ status: 'fail' });
  expect((await sell('acme_live_demo:1234', 200)).body).toMatchObject({ status: 'success' });
  for (let stranger = 0; stranger < 20; stranger += 1)
    await send(house.url, '/api/user/', undefined, { key: `sandbox_stranger${stranger}:1234` });
  const lines = house.log().filter(({ event, operation }) => event === 'request' && operation === 'buy_airtime');
  expect(lines.map(({ caller, outcome }) => [caller, outcome])).toEqual([
    ['Ada & Sons', 'succeeded'],
    ['Ada & Sons', expect.stringMatching(/refused|rejected/)],
    [undefined, 'succeeded'],
  ]);
  const page = (await house.metrics()).split('\n').filter((line) => /^compat_(?:caller|wallet)/.test(line));
  const labels = new Set(page.map((line) => /caller="([^"]*)"/.exec(line)?.[1]));
  expect(labels).toEqual(new Set(['Ada & Sons', 'other']));
  expect(page).toContain('compat_caller_requests_total{caller="Ada & Sons",outcome="succeeded"} 1');
  const spent = await house.sample('compat_caller_naira_total{caller="Ada & Sons"}');
  expect(spent).toBeLessThanOrEqual(100);
  expect(spent).toBeGreaterThan(90);
  expect(await house.sample('compat_caller_naira_total{caller="other"}')).toBeGreaterThan(180);
  const shown = (await send(house.url, '/api/user/', undefined)).body.user.wallet_balance as number;
  expect(await house.sample('compat_wallet_naira{caller="Ada & Sons"}')).toBe(shown);
  expect(page.filter((line) => line.startsWith('compat_wallet_naira{'))).toHaveLength(1);
});
