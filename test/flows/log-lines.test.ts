/** What an operator finds in the log of a whole house: each request by the ids of its script, the journal and v1. */
import { connect } from 'node:net';
import { AIRTIME, buyAirtime, send, useHouse, type LogLine } from './house';
import { until } from '../until';

const PHONE = AIRTIME.mobile_number;
const METER = '45012345678';

const house = useHouse();

const lines = (): LogLine[] => house.log();
const find = (text: string): LogLine[] => house.logLines.filter((line) => line.includes(text)).map((line) => JSON.parse(line));
const last = (): LogLine => lines().at(-1)!;

test("a sale is found by its request id, its order number and v1's reference", async () => {
  const { body } = await buyAirtime(house, { 'request-id': 'SHOP-17' });
  const [line, ...more] = find('SHOP-17');
  expect(more).toEqual([]);
  expect(line).toMatchObject({
    event: 'request',
    requestId: 'SHOP-17',
    order: body.id,
    reference: body.reference,
    outcome: 'succeeded',
    path: '/api/topup/',
  });
  expect(find(String(body.id))).toEqual([line]);
  expect(find(body.reference)).toEqual([line]);
});

test('a sale without an id is found by the id that v1 got', async () => {
  await buyAirtime(house, { amount: 101 });
  expect(last()).toMatchObject({ requestId: expect.stringMatching(/^CG[0-9A-Z]{26}$/), order: expect.any(Number) });
});

test.each([
  ['a field', { 'request-id': 'REFUSED-1', amount: 'much' }, {}, 'REFUSED-1'],
  ['a number without quotes', { 'request-id': 7719, amount: 'much' }, {}, '7719'],
  [
    'a number too long to be kept',
    `{"network":1,"mobile_number":"${PHONE}","amount":100,"request-id":11111111111111111111}`,
    {},
    '11111111111111111111',
  ],
  ['a header', { amount: 'much' }, { 'X-Request-Id': 'REFUSED-3' }, 'REFUSED-3'],
])('a refused order is found by its id, which stands in %s', async (_what, more, headers, id) => {
  const before = lines().length;
  const { status, body } = await send(house.url, '/api/topup/', typeof more === 'string' ? more : { ...AIRTIME, ...more }, {
    headers,
  });
  expect(status).toBe(400);
  const [line] = lines().slice(before);
  expect(line).toMatchObject({ outcome: 'refused', requestId: id, refusedAs: 'invalid_field', detail: body.error[0] });
});

test('an order under a used id is found by that id too', async () => {
  await buyAirtime(house, { 'request-id': 'TWICE-1', amount: 102 });
  await buyAirtime(house, { 'request-id': 'TWICE-1', amount: 103 });
  expect(find('TWICE-1').map((line) => [line.outcome, line.refusedAs])).toEqual([
    ['succeeded', undefined],
    ['refused', 'request_id_reused'],
  ]);
});

test('a status query has its ids, and its address none', async () => {
  const { body } = await buyAirtime(house, { 'request-id': 'ASKED-1', amount: 104 });
  await send(house.url, '/api/transaction/ASKED-1');
  expect(last()).toMatchObject({
    path: '/api/transaction/:value',
    requestId: 'ASKED-1',
    order: body.id,
    reference: body.reference,
  });
  await send(house.url, '/api/data/NOBODYS-1/');
  expect(last()).toMatchObject({ path: '/api/data/:value/', requestId: 'NOBODYS-1', refusedAs: 'order_unknown' });
});

test('a request id that is a phone number is masked, and found by the output of the fingerprint command', async () => {
  await buyAirtime(house, { 'request-id': `T-${PHONE}-1`, amount: 105 });
  const { requestId } = last();
  expect(requestId).toMatch(/^id~[0-9a-f]{16}$/);
  await buyAirtime(house, { 'request-id': `T-${PHONE}-1`, amount: 106 });
  await send(house.url, `/api/data/T-${PHONE}-1/`);
  expect(lines().slice(-2)).toMatchObject([
    { requestId, refusedAs: 'request_id_reused' },
    { requestId, path: '/api/data/:value/' },
  ]);
});

test("no customer's number and no key reaches the log, wherever a broken script writes it", async () => {
  const spelt = [
    PHONE,
    '0803-123-4567',
    '+2348031234567',
    '%30803 123 4567',
    '０８０３１２３４５６７',
    METER,
    'sandbox_demo',
    'ada@shop.example',
  ];
  for (const text of spelt) {
    const segment = encodeURIComponent(text);
    for (const path of [
      `/api/topup/${segment}`,
      `/${segment}`,
      `/api/data/${segment}/`,
      `/api/v1/${segment}`,
      `/api/v1/receipt/${segment}?reference=${segment}`,
    ])
      await (
        await fetch(`${house.url}${path}?${segment}=${segment}`, { headers: { Authorization: 'Token sandbox_demo:1234' } })
      ).text();
    await buyAirtime(house, { amount: 107, [text]: 1 });
    await send(house.url, '/api/topup/', `{"${text}":1,"${text}":2}`);
    await buyAirtime(house, { network: text });
    await send(house.url, `/api/topup/${segment}`, AIRTIME, { method: 'PUT' });
  }
  const metrics = await house.metrics();
  const shapes = [/803[-. ]?123[-. ]?4567/, new RegExp(METER), /sandbox_demo/, /ada(@|%40)shop/];
  // The number of a meter cannot be told from an order id, by which orders are asked for.
  const written = [...house.logLines.map((line) => line.replace(`"requestId":"${METER}"`, '')), ...metrics.split('\n')];
  expect(written.filter((line) => shapes.some((shape) => shape.test(line.normalize('NFKC'))))).toEqual([]);
  expect(metrics).toContain('compat_unknown_fields_total{operation="buy_airtime",field=":value"}');
});

test('characters that turn the direction of text are written as numbers', async () => {
  await buyAirtime(house, { 'request-id': 'a\u202eb\u200bc', amount: 108 });
  expect(last()).toMatchObject({ requestId: 'a\\u202eb\\u200bc' });
  await send(house.url, `/api/data/${encodeURIComponent('x\u202ey\u2066')}/`);
  expect(last().detail).toContain('x\\u202ey\\u2066');
  expect(house.logLines.filter((line) => /[\p{Cf}\p{Zl}\p{Zp}]/u.test(line))).toEqual([]);
});

test('a line of the pass-through has its method, path, status, time and address', async () => {
  const response = await fetch(`${house.url}/api/v1/balance?since=08031234567`, {
    headers: { Authorization: 'Bearer sandbox_demo' },
  });
  await response.text();
  await until(() => last().kind === 'passthrough');
  expect(last()).toMatchObject({
    method: 'GET',
    path: '/api/v1/balance',
    status: 200,
    durationMs: expect.any(Number),
    address: '127.0.0.1',
  });
});

test('a request that is refused before the walk logs why, and from which address it came', async () => {
  await send(house.url, '/api/topup/', '{"network":', { headers: { 'Idempotency-Key': 'DOOR-1' } });
  expect(last()).toMatchObject({
    kind: 'compat',
    refusedAs: 'unreadable_body',
    detail: expect.stringContaining('The JSON body is broken'),
    address: '127.0.0.1',
    requestId: 'DOOR-1',
  });
});

test('bytes that are no HTTP leave a log line as well', async () => {
  const { hostname, port } = new URL(house.url);
  const socket = connect(Number(port), hostname, () => socket.write('GET / HTTP/1.1\r\nno header\r\n\r\n'));
  await new Promise((resolve) => socket.once('data', resolve).on('error', resolve));
  socket.destroy();
  await until(() => last().kind === 'broken');
  expect(last()).toMatchObject({ refusedAs: 'unreadable_body', detail: 'The request is not well-formed HTTP.' });
});
