import { clientAddress, parseTrustedProxies } from '../../../src/sandbox/http/client-address';

const trusted = parseTrustedProxies(['10.1.0.0/16', '192.0.2.7', '2001:db8::/32']);

describe('the address of a caller', () => {
  test.each([
    ['198.51.100.1', undefined, '198.51.100.1'],
    ['::ffff:198.51.100.1', undefined, '198.51.100.1'],
    ['198.51.100.1', '10.0.0.9', '198.51.100.1'],
    ['127.0.0.1', '10.0.0.9', '10.0.0.9'],
    ['::1', '10.0.0.9', '10.0.0.9'],
    ['127.0.0.9', ' 10.0.0.9 ', '10.0.0.9'],
    ['::ffff:127.0.0.1', '::ffff:10.0.0.9', '10.0.0.9'],
    ['10.1.2.3', '10.0.0.9', '10.0.0.9'],
    ['192.0.2.7', '2001:DB8:0::1', '2001:db8::1'],
    ['2001:db8::5', '10.0.0.9', '10.0.0.9'],
    ['192.0.2.8', '10.0.0.9', '192.0.2.8'],
    ['127.0.0.1', '10.0.0.9, 127.0.0.1', undefined],
    ['127.0.0.1', 'unknown', undefined],
    ['127.0.0.1', '', undefined],
    ['127.0.0.1', '0x7f.1', undefined],
    ['127.0.0.1', '2130706433', undefined],
    [undefined, '10.0.0.9', undefined],
  ])('of socket %s forwarding %s is %s', (socket, forwarded, expected) => {
    expect(clientAddress(socket, forwarded, trusted)).toBe(expected);
  });

  test('cannot be configured with what is no network', () => {
    for (const text of ['proxy', '10.0.0.0/99', '']) expect(() => parseTrustedProxies([text])).toThrow();
  });
});
