import { askV1, send, useHouse, type Told } from './house';

const house = useHouse();

const buy = (id: unknown, change: Record<string, unknown> = {}, key?: string): Promise<Told> =>
  send(
    house.url,
    '/api/topup/',
    { network: '1', phone: '08031234567', amount: '100', bypass: true, 'request-id': id, ...change },
    key === undefined ? {} : { key },
  );

test.each([
  [3, '9MOBILE', '08091234571'],
  [4, 'AIRTEL', '08021234571'],
])(
  'an original MSORG number %i is sold once as %s, by number and by name, and refused as ported',
  async (network, name, phone) => {
    const id = `original-${network}`;
    const ask = (change: Record<string, unknown>): Promise<Told> =>
      send(house.url, '/api/topup/', { network, mobile_number: phone, amount: 100, 'request-id': id, ...change });
    const refused = await ask({ Ported_number: true });
    expect([refused.status, refused.body.status]).toEqual([400, 'fail']);
    const first = await ask({});
    expect(first.body).toMatchObject({ status: 'success', network: name, network_name: name, Ported_number: false });
    const after = await house.wallet();
    const receipt = await askV1(house.service, `/receipt?reference=${first.body.reference}`);
    expect(JSON.stringify(receipt.body)).toContain(name);
    for (const again of [{}, { Ported_number: 'false' }, { network: name }])
      expect((await ask(again)).body).toMatchObject({ status: 'success', network: name, reference: first.body.reference });
    const status = await send(house.url, `/api/transaction/${id}`);
    expect(status.body).toMatchObject({ status: 'success', network: name, reference: first.body.reference });
    expect((await ask({ Ported_number: true })).body.status).toBe('fail');
    expect(await house.wallet()).toBe(after);
  },
);

test.each<[string, Record<string, unknown>]>([
  ['another amount', { amount: 200 }],
  ['another phone', { phone: '08031234500' }],
  ['another network', { network: 4, phone: '08091234567' }],
])('one id for %s is another order: refused, and nothing is charged', async (_title, change) => {
  const id = `conflict ${_title}`;
  await buy(id);
  const before = await house.wallet();
  const { status, body } = await buy(id, change);
  expect([status, body.status, body.id]).toEqual([409, 'fail', null]);
  expect(body.error[0]).toMatch(/already used for another order. Nothing was charged/);
  expect(body['request-id']).toBe(id);
  expect(await house.wallet()).toBe(before);
});

test.each<[string, string, object, object, object]>([
  [
    "the customer's phone beside a meter",
    '/api/billpayment/',
    { disco_name: 1, meter_number: '45700012345', MeterType: 1, amount: 1_000 },
    { Customer_Phone: '08031234567' },
    {},
  ],
  [
    "the customer's phone beside a smartcard",
    '/api/cable/',
    { cable: 1, iuc: '7023456789', cable_plan: 11 },
    { phone: '08031234567' },
    { phone: '08031234568' },
  ],
  [
    'the order of the recipients',
    '/api/bulksms/',
    { sender: 'MyShop', message: 'Ready.' },
    { number: '08031234567,08051234567' },
    { number: '+2348051234567, 08031234567' },
  ],
  ['"ported"', '/api/data/', { network: 1, data_plan: 101, phone: '08031234567' }, { bypass: true }, { bypass: false }],
])('one id for a sale in which only %s differs is the same order, sold once and never told as failed', async (...played) => {
  const [title, at, sale, first, again] = played;
  const id = `beside ${title}`;
  const sold = await send(house.url, at, { ...sale, ...first, 'request-id': id });
  expect(sold.body).toMatchObject({ status: 'success' });
  const after = await house.wallet();
  const { status, body } = await send(house.url, at, { ...sale, ...again, 'request-id': id });
  expect({ status, ...body }).toMatchObject({ status: 'success', reference: sold.body.reference });
  expect(await house.wallet()).toBe(after);
});

test('two different orders under one id at the same time: one is sold, one is refused', async () => {
  const before = await house.wallet();
  const replies = await Promise.all([buy('same-second', { phone: '08035551234' }), buy('same-second', { phone: '08035551235' })]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  const sold = replies.find(({ status }) => status === 200)!.body;
  expect(before - (await house.wallet())).toBeCloseTo(sold.oldbal - sold.newbal, 2);
});

test('one id under two keys is two orders', async () => {
  const one = await buy('shared');
  const other = await buy('shared', {}, 'acme_live_demo:1234');
  expect([one.body.status, other.body.status]).toEqual(['success', 'success']);
  expect(other.body.reference).not.toBe(one.body.reference);
});

test('what v1 rejected may be tried again under its id', async () => {
  const poor = await buy('poor', { amount: 5_000 }, 'acme_live_poor:1234');
  expect([poor.status, poor.body.status, poor.body.id]).toEqual([400, 'fail', null]);
  expect((await buy('poor', { amount: 5_000 }, 'acme_live_poor:1234')).status).toBe(400);
  // The id is free for the sale that can be paid only because nothing was sold under it: same content, or another id.
  expect((await buy('poor', { amount: 50 }, 'acme_live_poor:1234')).status).toBe(409);
});

test('a long id is shortened for v1 and echoed whole', async () => {
  const id = `AIRTIMEPIN|${'x'.repeat(90)}`;
  const first = await buy(id, { phone: '08031239999' });
  expect(first.body).toMatchObject({ status: 'success', 'request-id': id });
  expect((await buy(id, { phone: '08031239999' })).body.reference).toBe(first.body.reference);
  expect((await send(house.url, `/api/transaction/${encodeURIComponent(id)}`)).body.reference).toBe(first.body.reference);
});
