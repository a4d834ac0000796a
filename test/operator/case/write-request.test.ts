import { writeRequest } from '../../../src/operator/case/write-request';

test('the fields of a POST become a JSON body, and the key is sent as a token', () => {
  expect(writeRequest({ send: { to: 'POST /api/topup/', fields: { network: 1 } } }, {})).toEqual({
    method: 'POST',
    target: '/api/topup/',
    headers: { 'Content-Type': 'application/json', Authorization: expect.stringMatching(/^Token \S+:1234$/) },
    body: '{"network":1}',
  });
});

test('the fields of a GET become its query, encoded as PHP encodes it', () => {
  const { target, body } = writeRequest({ send: { to: 'GET /api/x?a=1', fields: { b: 'x y', c: true, d: null } } }, {});
  expect({ target, body }).toEqual({ target: '/api/x?a=1&b=x%20y&c=1', body: '' });
});

test('a form, a raw body and a query of a case are written into the request as given', () => {
  expect(writeRequest({ send: { to: 'POST /x', form: { a: false } } }, {})).toMatchObject({
    body: 'a=0',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  expect(writeRequest({ send: { to: 'GET /x', raw: '{"a":1}', query: { b: 1 } } }, {})).toMatchObject({
    target: '/x?b=1',
    body: '{"a":1}',
  });
});

test.each([
  ['bearer', { Authorization: expect.stringMatching(/^Bearer /) }],
  ['basic', { Authorization: expect.stringMatching(/^Basic [A-Za-z0-9+/]+=*$/) }],
  ['none', {}],
  ['Token: a:1234', { Authorization: 'Token: a:1234' }],
])('a case with auth %s sends its key in that form', (auth, headers) => {
  expect(writeRequest({ send: 'GET /x', auth }, {}).headers).toEqual(headers);
});

test('$reply.NAME is filled in from the reply before, in addresses and headers', () => {
  const step = { send: { to: 'GET /api/topup/$reply.id' }, auth: 'Token $reply.AccessToken' };
  const { target, headers } = writeRequest(step, { id: 7, AccessToken: 'abc' });
  expect({ target, headers }).toEqual({ target: '/api/topup/7', headers: { Authorization: 'Token abc' } });
});
