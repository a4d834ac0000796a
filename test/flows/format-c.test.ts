/** Scripts that were written for a Topupmate server, sold to by the started gateway. */
import { askV1, send, useHouse } from './house';

const house = useHouse();

const receiptOf = async (reference: string) => (await askV1(house.service, `/receipt?reference=${reference}`)).body.data;

interface Sale {
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Fields of v1's own description of the order. */
  readonly receipt: string;
  readonly told?: Readonly<Record<string, unknown>>;
}
const PIN = expect.stringMatching(/^[0-9A-Z-]{8,}(?:,[0-9A-Z-]{8,})*$/);
const PIN_WITH_SERIAL = expect.stringMatching(/^[0-9A-Z-]{8,}<=>[0-9A-Z-]+(?:,[0-9A-Z-]{8,}<=>[0-9A-Z-]+)*$/);
const ported = { ported_number: 'false' };
const SALES: Readonly<Record<string, Sale>> = {
  'airtime of 9MOBILE by the number 3': {
    path: '/api/airtime/',
    fields: { network: '3', phone: '08091114567', amount: '101', airtime_type: 'VTU', ...ported },
    receipt: '9MOBILE',
  },
  'airtime of AIRTEL by the number 4': {
    path: '/api/airtime/',
    fields: { network: '4', phone: '08021114567', amount: '102', airtime_type: 'VTU', ...ported },
    receipt: 'AIRTEL',
  },
  'airtime of GLO by the number 2': {
    path: '/api/airtime/',
    fields: { network: 2, phone: '08051114567', amount: 103, ...ported },
    receipt: 'GLO',
  },
  data: {
    path: '/api/data/',
    fields: { network: '1', phone: '08031114567', data_plan: '102', ...ported },
    receipt: 'MTN',
    told: { network: 'MTN', plan_name: expect.any(String) },
  },
  'cable TV': {
    path: '/api/cabletv/',
    fields: { provider: '1', iucnumber: '0041234567', plan: '12', subtype: 'RENEW', phone: '08031114567' },
    receipt: 'GOTV',
    told: { cable_name: 'GOTV', iuc: '0041234567' },
  },
  electricity: {
    path: '/api/electricity/',
    fields: { provider: '8', meternumber: '04511114567', metertype: 'prepaid', amount: '2000', phone: '08031114567' },
    receipt: 'Abuja',
    told: { token: expect.stringMatching(/^[\d-]{16,}$/) },
  },
  'exam PINs': { path: '/api/exam/', fields: { provider: '2', quantity: '2' }, receipt: 'NECO', told: { pin: PIN_WITH_SERIAL } },
  'recharge cards, pinned by the address': {
    path: '/c/api/rechargepin/',
    fields: { network: '4', quantity: 2, plan: '100', businessname: 'My Shop' },
    receipt: 'AIRTEL',
    told: { pin: PIN, serial: PIN, quantity: 2, load_pin: expect.any(String) },
  },
  'data cards, pinned by the address': {
    path: '/c/api/datapin/',
    fields: { network: '3', quantity: 1, data_plan: '102', businessname: 'My Shop' },
    receipt: 'MTN',
    told: { pin: PIN },
  },
};

test.each(Object.entries(SALES))('%s: sold through format C', async (title, { path, fields, receipt, told = {} }) => {
  const ref = `sale ${title}`;
  const { status, body } = await send(house.url, path, { ...fields, ref });
  expect([status, body]).toEqual([200, expect.objectContaining({ status: 'success', Status: 'successful', ref, ...told })]);
  for (const name of ['msg', 'message', 'error']) expect(body).not.toHaveProperty(name);
  expect(await receiptOf(body.reference)).toMatchObject({ status: 'success', description: expect.stringContaining(receipt) });
});

test('a smartcard and a meter are looked up, and the name is in msg', async () => {
  for (const [path, fields] of [
    ['/api/cabletv/verify/', { provider: '1', iucnumber: '0041234567' }],
    ['/api/electricity/verify/', { provider: '8', meternumber: '04511114567', metertype: 'prepaid' }],
  ] as const) {
    const { body } = await send(house.url, path, fields);
    expect(body).toMatchObject({
      status: 'success',
      Status: 'successful',
      invalid: false,
      name: expect.stringMatching(/^[A-Z]/i),
    });
    expect(body.msg).toBe(body.name);
    expect(body.Customer_Name).toBe(body.name);
  }
});

test('a declined order is told as failed, and the wallet has its money back', async () => {
  const before = await house.wallet();
  const { status, body } = await send(house.url, '/api/cabletv/', {
    provider: 1,
    iucnumber: '0041230000',
    plan: 12,
    ref: 'declined',
  });
  expect([status, body]).toEqual([400, expect.objectContaining({ status: 'fail', Status: 'failed', ref: 'declined', id: null })]);
  expect(await house.wallet()).toBe(before);
});

test('a pending order is told as processing, and its ref can be asked for', async () => {
  const fields = { provider: 8, meternumber: '04511110003', metertype: 'prepaid', amount: 1000, ref: 'pending' };
  const told = await send(house.url, '/api/electricity/', fields, { headers: { 'User-Agent': 'axios/1.7' } });
  const asked = await send(house.url, '/c/api/transaction/status/?reference=pending');
  for (const { status, body } of [told, asked]) {
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'processing', Status: 'processing', ref: 'pending' });
    for (const name of ['success', 'error', 'token']) expect(body).not.toHaveProperty(name);
  }
}, 30_000);

test('a number with two meanings, with a phone of neither network, buys nothing', async () => {
  const before = (await askV1(house.service, '/transactions')).body.data.total;
  const { status, body } = await send(house.url, '/api/airtime/', {
    network: 3,
    phone: '08031114567',
    amount: 100,
    ref: 'doubt',
    ...ported,
  });
  expect([status, body.status, body.id]).toEqual([400, 'fail', null]);
  expect(body.msg).toContain('GLO in format A and AIRTEL in format B and 9MOBILE in format C');
  expect((await askV1(house.service, '/transactions')).body.data.total).toBe(before);
});
