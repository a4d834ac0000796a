import { airtime, expectRejected, v1OfFile } from '../target';

const v1 = v1OfFile();

const ENDPOINTS = {
  GET: ['/balance', '/catalog', '/receipt', '/transactions'],
  POST: ['/data', '/airtime', '/validate-cable', '/cabletv', '/validate-meter', '/electricity', '/exam_pin', '/bulk_sms'],
};
const json = { 'content-type': 'application/json' };

test('[4-2] [7.1-10] a wrong method gives 405 with status error on every endpoint', async () => {
  for (const path of ENDPOINTS.GET) expectRejected(await v1.post(path, {}), 405);
  for (const path of ENDPOINTS.POST) expectRejected(await v1.get(path), 405);
});

test('[4-17] [4-1] HEAD, OPTIONS, PUT, PATCH and DELETE are wrong methods everywhere', async () => {
  for (const path of [...ENDPOINTS.GET, ...ENDPOINTS.POST, '/recharge-card', '/data-card']) {
    for (const method of ['OPTIONS', 'PUT', 'PATCH', 'DELETE']) expectRejected(await v1.raw(path, { method }), 405);
    expect((await v1.raw(path, { method: 'HEAD' })).status).toBe(405);
  }
});

test('[4-14] [4-1] an address that is no endpoint gives 404 with status error', async () => {
  for (const path of ['', '/', '/nothing', '/balance/', '/data/1', '/%zz']) expectRejected(await v1.raw(path, {}), 404);
});

test('[5-1] [7.1-4] a request without a key gives 401', async () => {
  for (const path of ENDPOINTS.GET) expectRejected(await v1.raw(path, {}), 401);
  for (const path of ENDPOINTS.POST) expectRejected(await v1.raw(path, { method: 'POST', headers: json, body: '{}' }), 401);
});

test('[7.1-5] [5-10] a wrong key gives 401, and a key under another scheme than Bearer', async () => {
  for (const authorization of ['Bearer sandbox_nobody', `Token ${v1.key}`]) {
    expectRejected(await v1.raw('/balance', { headers: { authorization } }), 401);
  }
});

test('[4-3] [4-10] a body that is not a JSON object is rejected, and one of another content type', async () => {
  const headers = { authorization: `Bearer ${v1.key}`, ...json };
  for (const body of ['', '{', '[]', '"text"', 'null', 'phone=1']) {
    expectRejected(await v1.raw('/validate-cable', { method: 'POST', headers, body }));
  }
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
  const body = 'cable_id=1&smartcard=7012345678';
  expectRejected(await v1.raw('/validate-cable', { method: 'POST', headers: form, body }));
});

test('[7.1-2] [5-3] a purchase without the PIN gives 400', async () => {
  await v1.pace();
  expectRejected(await v1.post('/airtime', airtime()));
});

test('[8-5] a PIN that is not 4 to 6 digits gives 400', async () => {
  // Three in a row might lock the account of a real service.
  for (const pin of v1.isRemote ? ['123'] : ['123', '1234567', 'abcd']) {
    await v1.pace();
    expectRejected(await v1.post('/airtime', airtime({ pin })));
  }
});

test('[7-1] [1-2] [7.1-20] a success has HTTP 200, status success, a message and data', async () => {
  const { status, body } = await v1.buy('/airtime', airtime());
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'success', message: expect.any(String), data: expect.any(Object) });
});

test('[7-5] [7-2] status of a reply is success, pending or error', async () => {
  const replies = [await v1.get('/balance'), await v1.get('/nosuch'), await v1.post('/data', {})];
  for (const reply of replies) expect(reply.body.status).toMatch(/^(?:success|pending|error)$/);
});
