import { forwardHeaders } from '../../src/http/forward-headers';

describe('forwardHeaders', () => {
  test('v1 hears of one address, whatever the caller claims', () => {
    const headers = {
      'x-forwarded-for': '10.0.0.9',
      x_forwarded_for: '10.0.0.9',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-real-ip': '10.0.0.9',
      forwarded: 'for=10.0.0.9',
      via: '1.1 x',
      'true-client-ip': '10.0.0.9',
      authorization: 'Bearer k',
    };
    forwardHeaders(headers, '203.0.113.9');
    expect(headers).toEqual({ authorization: 'Bearer k', 'x-forwarded-for': '203.0.113.9' });
  });

  test('what concerns one connection is dropped, also what the caller lists, but never the framing of the body', () => {
    const headers = {
      connection: 'keep-alive, X-Forwarded-For, x-private, Content-Length',
      'keep-alive': 'timeout=5',
      te: 'trailers',
      upgrade: 'websocket',
      expect: '100-continue',
      'x-private': '1',
      'content-length': '3',
    };
    forwardHeaders(headers, '203.0.113.9');
    expect(headers).toEqual({ 'content-length': '3', 'x-forwarded-for': '203.0.113.9' });
  });
});
