import { readWrittenRequest } from '../../src/http/read-written-request';

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
