import { createForwardHeaders, isForwardable } from '../../src/http/forward-headers';

const ADDRESS = '203.0.113.9';
/** Headers by which some server may decide who calls, what is asked for, or where the body ends. */
const MISLEADING =
  'Forwarded Forwarded-For X-Forwarded X-Forwarded-For X-Forwarded-Host X-Original-Forwarded-For X-Original-URL X-Original-Host X-Rewrite-URL ' +
  'X-HTTP-Method-Override X-Method-Override X-HTTP-Method X-Real-IP X-Client-IP Client-IP True-Client-IP CF-Connecting-IP Fastly-Client-IP ' +
  'Fly-Client-IP X-Cluster-Client-IP X-Envoy-External-Address X-Envoy-Original-Path Remote-Addr X-Remote-Addr X-Remote-IP X-Remote-User Via ' +
  'Proxy Proxy-Authorization X-ProxyUser-Ip WL-Proxy-Client-IP X-Host X-Forwarded-Server X-Appengine-User-IP Host Connection Keep-Alive TE ' +
  'Trailer Upgrade Expect HTTP2-Settings Content-Length Transfer-Encoding';

describe('the headers that v1 sees', () => {
  const forwardHeaders = createForwardHeaders();

  test('are those of a client of its API, and one address', () => {
    const kept = {
      authorization: 'Bearer k',
      'content-type': 'application/json',
      'content-length': '3',
      'idempotency-key': '1',
      'if-none-match': '"1"',
      traceparent: '00-1-2-01',
      origin: 'https://shop.example',
    };
    const dropped = { cookie: 'session=1', 'x-private': '1', user_agent: 'x', te: 'trailers', expect: '100-continue' };
    expect(forwardHeaders({ ...kept, ...dropped }, ADDRESS)).toEqual({ ...kept, 'x-forwarded-for': ADDRESS });
  });

  test.each(MISLEADING.split(' '))(
    'never include %s, with any separator between its words, whatever the setting says',
    (name) => {
      for (const between of ['-', '_', '.']) {
        const spelt = name.toLowerCase().replaceAll('-', between);
        expect(isForwardable(spelt)).toBe(false);
        // The headers of the body's framing are removed with it.
        const isFraming = /^(?:content-length|transfer-encoding)$/.test(spelt);
        const { 'x-forwarded-for': address, ...others } = forwardHeaders({ [spelt]: '10.0.0.9' }, ADDRESS);
        expect([address, others]).toEqual([ADDRESS, isFraming ? { [spelt]: '10.0.0.9' } : {}]);
      }
    },
  );

  test.each(['x-tenant', 'cookie', 'x-api-version', 'x_tenant', 'x-zip-code', 'x-client-version', 'referer'])(
    'include %s where the setting names it',
    (name) => {
      expect(isForwardable(name)).toBe(true);
      expect(createForwardHeaders({ more: [name] })({ [name]: 'a' }, ADDRESS)).toHaveProperty([name], 'a');
    },
  );

  test.each(['', 'x tenant', 'x:y', 'content_type', 'user.agent'])('can never be extended by %j', (name) =>
    expect(isForwardable(name)).toBe(false),
  );

  test('leave out what the caller lists under Connection, but never the framing of the body', () => {
    const headers = {
      connection: 'keep-alive, X-Forwarded-For, Range, Content-Length',
      range: 'bytes=0-1',
      'content-length': '3',
    };
    expect(forwardHeaders(headers, ADDRESS)).toEqual({ 'content-length': '3', 'x-forwarded-for': ADDRESS });
  });

  test('that are left out are logged once by name; a name that could be a number or a key is not, and the number of names is limited', () => {
    const told: string[] = [];
    const forward = createForwardHeaders({ onDropped: (name) => told.push(name) });
    for (let time = 0; time < 2; time++)
      forward(
        { cookie: 'a', host: 'x', connection: 'close', 'x-b3-traceid': '1', x08031234567: '1', sandbox_demo: '1' },
        ADDRESS,
      );
    expect(told).toEqual(['cookie', 'x-b3-traceid', ':value']);
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    for (const a of letters) for (const b of letters) forward({ [`x-${a}${b}`]: '1' }, ADDRESS);
    expect(told).toHaveLength(100);
  });
});
