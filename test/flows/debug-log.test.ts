/** What LOG_LEVEL=debug logs of a sale beyond info: each step of it, and nothing about its customer or its key. */
import { AIRTIME, buyAirtime, send, useHouse } from './house';

const PHONE = AIRTIME.mobile_number;

const quiet = useHouse();
const talkative = useHouse({ logLevel: 'debug' });

test('a sale has one line at info, and one for each of its steps at debug', async () => {
  for (const house of [quiet, talkative]) await buyAirtime(house, { 'request-id': 'SHOP-1' });
  expect(quiet.log().filter(({ requestId }) => requestId === 'SHOP-1')).toMatchObject([{ event: 'request' }]);
  const lines = talkative.log().filter(({ requestId }) => requestId === 'SHOP-1');
  const { order, fingerprint } = lines.find(({ event }) => event === 'request')!;
  expect(lines).toMatchObject([
    { level: 'debug', event: 'request_read', operation: 'buy_airtime', format: 'b', kind: expect.any(String), fingerprint },
    { level: 'debug', event: 'order_opened', kind: 'opened', order },
    {
      level: 'debug',
      event: 'upstream_call',
      method: 'POST',
      path: '/api/v1/airtime',
      status: 200,
      durationMs: expect.any(Number),
      outcome: 'succeeded',
      fingerprint,
    },
    { level: 'debug', event: 'order_settled', kind: 'succeeded', outcome: 'succeeded', order },
    { level: 'info', event: 'request' },
  ]);
  expect(JSON.stringify(lines[0]!.reason)).toMatch(/\w{4}/);
});

test('no phone number, key or PIN is in the lines of sales of every kind, lost, refused and repeated', async () => {
  const sales: readonly object[] = [
    { 'request-id': `T-${PHONE}-1` },
    { 'request-id': `T-${PHONE}-1` },
    { amount: 101 },
    // v1 refuses this sale with words that may contain the number.
    { amount: 9_999_999, 'request-id': 'MUCH-1' },
  ];
  for (const sale of sales) await buyAirtime(talkative, sale);
  await buyAirtime(talkative, { amount: 102 }, { key: 'acme_live_demo:98765' });
  await send(talkative.url, `/api/data/T-${PHONE}-1/`);
  await send(talkative.url, '/api/validateiuc', { smart_card_number: '45012345678', cablename: 'GOTV' });
  const text = talkative.logLines.join('');
  expect(text).toMatch(/"event":"upstream_call"/);
  expect(text).toMatch(/"requestId":"id~[0-9a-f]{16}".*"event":"order_opened"/);
  for (const secret of ['8031234567', '45012345678', 'sandbox_demo', 'acme_live_demo', '98765', '"1234"', ':1234'])
    expect(talkative.logLines.filter((line) => line.includes(secret))).toEqual([]);
});
