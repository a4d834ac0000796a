import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { GatewayError } from '../../src/domain/errors';
import { createClientAddress, createProxies, NO_PROXIES } from '../../src/http/client-address';

const request = (remoteAddress: string | undefined, forwarded?: string, others: Record<string, string> = {}): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: { ...others, ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }) },
  }) as unknown as IncomingMessage;

describe('the trusted proxies', () => {
  test('are the ones named, and the caller behind one has the address that it forwards', () => {
    const trusted = ['10.0.0.0/8', '2001:db8::/32'];
    const { isProxy, callerOf } = createProxies(trusted, createClientAddress(trusted));
    expect(['10.1.2.3', '2001:db8::7', '203.0.113.9', '::1', ''].map(isProxy)).toEqual([true, true, false, false, false]);
    expect(callerOf('10.1.2.3', request('10.1.2.3', '203.0.113.9'))).toBe('203.0.113.9');
    expect(callerOf('203.0.113.9', request('203.0.113.9', '198.51.100.1'))).toBe('203.0.113.9');
    // What cannot be read is refused later, with a sentence.
    expect(callerOf('10.1.2.3', request('10.1.2.3', 'nonsense'))).toBe('10.1.2.3');
  });

  test('are none where none is named', () => {
    expect(createProxies([], createClientAddress([]))).toBe(NO_PROXIES);
    expect(NO_PROXIES.isProxy('127.0.0.1')).toBe(false);
    expect(NO_PROXIES.callerOf('127.0.0.1', request('127.0.0.1', '203.0.113.9'))).toBe('127.0.0.1');
  });
});

describe('the client address', () => {
  const ofStranger = createClientAddress([]);
  const behindProxies = createClientAddress(['10.0.0.0/8', '127.0.0.1', '2001:db8::/32']);

  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('of the connection from %s is %s', (peer, address) => expect(ofStranger(request(peer))).toBe(address));

  test('without trusted proxies no header is believed', () => {
    const lies = { forwarded: 'for=10.0.0.9', 'x-real-ip': '10.0.0.9' };
    expect(ofStranger(request('203.0.113.9', '10.0.0.9', lies))).toBe('203.0.113.9');
  });

  test('a caller that is no trusted proxy is not believed, and its header is not even read', () => {
    expect(behindProxies(request('203.0.113.9', '10.0.0.9'))).toBe('203.0.113.9');
    expect(behindProxies(request('203.0.113.9', 'nonsense'))).toBe('203.0.113.9');
  });

  test.each([
    ['198.51.100.7', '198.51.100.7'],
    ['10.0.0.9, 198.51.100.7', '198.51.100.7'],
    ['nonsense, 198.51.100.7', '198.51.100.7'],
    ['198.51.100.7, 10.1.2.3,10.0.0.9', '198.51.100.7'],
    ['198.51.100.7, ::ffff:10.0.0.9', '198.51.100.7'],
    ['198.51.100.7:5678', '198.51.100.7'],
    ['[2001:db9::1]:80', '2001:db9::1'],
    ['[2001:DB9:0:0::1]', '2001:db9::1'],
    ['2001:db9::1, 2001:db8::7', '2001:db9::1'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['10.0.0.8, 10.0.0.9', '10.0.0.8'],
  ])('a trusted proxy that forwards "%s" gives the address %s', (forwarded, address) => {
    expect(behindProxies(request('::ffff:10.0.0.1', forwarded))).toBe(address);
  });

  test.each([
    '',
    ' ',
    'unknown',
    '_hidden',
    '198.51.100.7,',
    'a, 10.0.0.9',
    '127.1',
    '0177.0.0.1',
    '2130706433',
    '198.51.100.7:port',
    '[::1',
    '"198.51.100.7"',
    '198.51.100.256',
    'fe80::1%eth0',
    '1.2.3.4 5.6.7.8',
  ])('a trusted proxy that forwards "%s" is refused: its own address may stand in an allowlist', (forwarded) => {
    expect(() => behindProxies(request('10.0.0.1', forwarded))).toThrow(
      expect.objectContaining({ code: 'bad_forwarded_address', status: 400 }),
    );
  });

  test('a trusted proxy that forwards no address is the caller itself', () => {
    expect(behindProxies(request('10.0.0.1'))).toBe('10.0.0.1');
  });

  test('a connection that has ended has no address', () => {
    expect(() => ofStranger(request(undefined))).toThrow(GatewayError);
  });

  test('a proxy network may be written as IPv4 in IPv6', () => {
    const address = createClientAddress(['::ffff:10.0.0.0/104']);
    expect(address(request('10.9.9.9', '198.51.100.7'))).toBe('198.51.100.7');
    expect(address(request('11.0.0.1', '198.51.100.7'))).toBe('11.0.0.1');
  });

  test.each(['', 'loopback', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/8', '::1/129', 'proxy.example', '10.1'])(
    '"%s" is refused as a trusted proxy',
    (text) => {
      expect(() => createClientAddress([text])).toThrow(`"${text}" is not an IP address or a network`);
    },
  );

  test('for any forwarded text the result is never a trusted address unless all are, and only a refusal is thrown', () => {
    const entry = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.constantFrom('10.0.0.1', '127.0.0.1', 'unknown', ''),
      fc.string({ maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 5 }), (entries) => {
        try {
          const address = behindProxies(request('127.0.0.1', [...entries, '203.0.113.9', '10.0.0.1'].join(', ')));
          expect(address).toBe('203.0.113.9');
          behindProxies(request('127.0.0.1', entries.join(', ')));
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
        }
      }),
    );
  });
});
