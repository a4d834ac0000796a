import { V1_ENDPOINTS, type V1Endpoint, type V1FieldType } from '../../src/upstream/v1';
import { sandboxOfFile } from '../conformance/target';

const v1 = sandboxOfFile();

/** One good request for each POST endpoint. */
const GOOD: Readonly<Record<string, Record<string, unknown>>> = {
  '/data': { plan_id: 101, phone: '08031234567', network: 'MTN', ported: true },
  '/airtime': { network: 'MTN', phone: '08031234567', amount: 100, ported: true },
  '/validate-cable': { cable_id: 1, smartcard: '7012345678' },
  '/cabletv': { plan_id: 11, smartcard: '7012345678', phone: '08031234567' },
  '/validate-meter': { disco_id: 1, meter_number: '45012345678', meter_type: 'prepaid' },
  '/electricity': { disco_id: 1, meter_number: '45012345678', meter_type: 'prepaid', amount: 1_000, phone: '08031234567' },
  '/exam_pin': { exam_name: 'WAEC', quantity: 1 },
  '/recharge-card': { network_id: 1, denomination: 100, quantity: 1, name_on_card: 'ACME' },
  '/data-card': { plan_id: 101, quantity: 1 },
  '/bulk_sms': { sender_id: 'ACME', message: 'Hello', recipients: ['08031234567'] },
};

/** Values that no field of this type can have. */
const WRONG: Readonly<Record<V1FieldType, readonly unknown[]>> = {
  string: [1, true, {}, [], ['08031234567'], { $ne: '' }, [[['deep']]]],
  integer: ['1', 1.5, true, {}, [1], 1e300, 9_007_199_254_740_993, -1, { valueOf: 1 }],
  number: ['100', true, {}, [100], [[100]], 1e300, -100, 100.001],
  boolean: ['true', 1, 0, 'yes', {}, [true]],
  list: [1, true, {}, [1], [['08031234567']], [null], ['not a number'], '', [], ' , '],
};

const posts: readonly V1Endpoint[] = V1_ENDPOINTS.filter((endpoint) => endpoint.method === 'POST');
const fields = posts.flatMap(({ path, kind, fields }) =>
  Object.entries(fields).map(([name, field]) => ({ path, kind, name, ...field })),
);

/** Sends a request, late enough after the request before for every rate limit. */
const send = (path: string, kind: string, body: Record<string, unknown>) => {
  v1.clock.advance(kind === 'lookup' ? 16_000 : 3 * 60_000);
  return v1.post(path, kind === 'purchase' ? { pin: '1234', ...body } : body);
};

const readState = async () => ({
  balance: await v1.balance(),
  orders: v1.sandbox.admin.countOrders(),
});

describe('broken input', () => {
  test.each(posts.map(({ path, kind }) => ({ path, kind })))('the valid request to $path is accepted', async ({ path, kind }) => {
    expect((await send(path, kind, GOOD[path] ?? {})).status).toBe(200);
  });

  const judged = fields.filter(({ isIgnored }) => !isIgnored);
  test.each(judged)('$path refuses every wrong and missing $name with 400, names it, and charges nothing', async (field) => {
    const { path, kind, name, type, isAlsoText, required } = field;
    const before = await readState();
    const missing = required ? [undefined, null] : [];
    for (const wrong of [...WRONG[type].map((value) => (value === '1' && isAlsoText === true ? '01' : value)), ...missing]) {
      const { status, body } = await send(path, kind, { ...GOOD[path], [name]: wrong });
      expect({ wrong, status, said: body.status }).toEqual({ wrong, status: 400, said: 'error' });
      expect(body.message).toContain(name);
    }
    expect(await readState()).toEqual(before);
  });

  test.each(judged.filter(({ type }) => type === 'string'))('$path bounds the length of $name', async ({ path, kind, name }) => {
    const { status } = await send(path, kind, { ...GOOD[path], [name]: '0'.repeat(3_000) });
    expect(status).toBe(400);
  });

  test('a request_id has 1 to 64 characters, and an emoji counts as one', async () => {
    const buy = (request_id: unknown) => send('/airtime', 'purchase', { ...GOOD['/airtime'], request_id });
    expect((await buy('')).status).toBe(400);
    expect((await buy('x'.repeat(65))).status).toBe(400);
    expect((await buy('😀'.repeat(64))).body.status).toBe('success');
  });

  test('unknown fields are ignored, also fields named like properties of every JavaScript object', async () => {
    const body = { ...GOOD['/airtime'], extra: { deep: [1] }, constructor: 1, toString: 'x' };
    expect((await send('/airtime', 'purchase', body)).body.status).toBe('success');
  });

  test('fields inside __proto__ are not read', async () => {
    v1.clock.advance(60_000);
    const reply = await fetch(`${v1.url}/airtime`, {
      method: 'POST',
      headers: { authorization: 'Bearer sandbox_demo', 'content-type': 'application/json' },
      body: '{"pin":"1234","__proto__":{"network":"MTN","phone":"08031234567","amount":100}}',
    });
    expect(reply.status).toBe(400);
  });

  test('a body beyond the size limit, invalid UTF-8 and very deep nesting are refused with 400', async () => {
    const headers = { authorization: 'Bearer sandbox_demo', 'content-type': 'application/json' };
    const large = JSON.stringify({ ...GOOD['/airtime'], pin: '1234', message: 'm'.repeat(300_000) });
    const bodies = [large, Buffer.from([0x7b, 0xff, 0x7d]), '['.repeat(50_000)];
    for (const body of bodies) {
      const reply = await fetch(`${v1.url}/airtime`, { method: 'POST', headers, body });
      expect({ status: reply.status, body: await reply.json() }).toMatchObject({ status: 400, body: { status: 'error' } });
    }
  });

  test.each(['page=0', 'page=-1', 'page=x', 'page=1&page=2', 'per_page=', 'per_page=9', 'per_page=51', 'filter=all'])(
    'GET /transactions?%s is refused with 400',
    async (query) => {
      expect((await v1.get(`/transactions?${query}`)).status).toBe(400);
    },
  );

  test.each(['', '?net=', '?net=NOBODY', '?net=MTN&net=GLO'])('GET /data-card%s is refused with 400', async (query) => {
    expect((await v1.get(`/data-card${query}`)).status).toBe(400);
  });

  test('a receipt call without a reference or with two references is refused', async () => {
    expect((await v1.get('/receipt')).status).toBe(400);
    expect((await v1.get('/receipt?reference=')).status).toBe(400);
    expect((await v1.get('/receipt?reference=a&reference=b')).status).toBe(404);
  });
});
