import { readWrittenRequest, bytesOf } from '../../src/http/read-written-request';

test('a written request is read by the rules of the public server', async () => {
  const request = await readWrittenRequest(
    {
      method: 'post',
      target: '//api/topup/?a=1',
      headers: { AUTHORIZATION: 'Token k', 'User-Agent': 'adex', 'content-type': 'text/plain' },
      body: '{"network":1}',
    },
    '192.0.2.1',
  );
  expect(request).toEqual({
    method: 'POST',
    path: '/api/topup/',
    rawPath: '//api/topup/',
    query: new Map([['a', '1']]),
    body: new Map([['network', 1]]),
    bytes: Buffer.from('{"network":1}'),
    headers: {
      authorization: 'Token k',
      token: undefined,
      userAgent: 'adex',
      sent: { authorization: 'Token k', 'user-agent': 'adex', 'content-type': 'text/plain' },
    },
    clientAddress: '192.0.2.1',
  });
});

test('what the public server refuses is refused', async () => {
  const broken = { method: 'POST', target: '/api/topup/', headers: {}, body: '{"network":1' };
  const marked = { method: 'GET', target: '/api/user#x', headers: {}, body: '' };
  for (const request of [broken, marked])
    await expect(readWrittenRequest(request, '192.0.2.1')).rejects.toMatchObject({ code: 'unreadable_body' });
});

test("the length is that of the body, and headers of the connection are the gateway's own", () => {
  const written = bytesOf({
    method: 'POST',
    target: '/a',
    headers: ['Content-Length: 999', 'transfer-encoding: chunked', 'Host: x', 'Expect: 100-continue', 'Accept:', 'A: b'],
    body: Buffer.from('₦1'),
  });
  expect(written.toString()).toBe(
    'POST /a HTTP/1.1\r\nHost: explain\r\nConnection: close\r\nA: b\r\nContent-Length: 4\r\n\r\n₦1',
  );
});

test('without a body there is no length', () => {
  expect(bytesOf({ method: 'GET', target: '/', headers: [], body: Buffer.alloc(0) }).toString()).toBe(
    'GET / HTTP/1.1\r\nHost: explain\r\nConnection: close\r\n\r\n',
  );
});
