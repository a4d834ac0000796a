import { KnownAddresses } from '../../../src/http/connection/known-addresses';

test('an address that has sold is known, and its neighbours in the same IPv6 network', () => {
  const known = new KnownAddresses();
  expect(known.isEmpty).toBe(true);
  known.add('2001:db8:1:2::7');
  known.add('203.0.113.7');
  expect(known.isEmpty).toBe(false);
  expect(['2001:db8:1:2::8', '2001:db8:1:2::/64', '203.0.113.7'].map((address) => known.has(address))).toEqual([
    true,
    true,
    true,
  ]);
  expect(['2001:db8:1:3::7', '203.0.113.8'].map((address) => known.has(address))).toEqual([false, false]);
});
