import { bytesOf } from '../../src/http/read-wire-request';

test('the length is that of the body, and what speaks of the connection is ours', () => {
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
