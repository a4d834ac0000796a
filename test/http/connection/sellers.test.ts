import { Sellers } from '../../../src/http/connection/sellers';

test('an address that has sold is known, and its neighbours in the same IPv6 network', () => {
  const sellers = new Sellers();
  expect(sellers.isEmpty).toBe(true);
  sellers.sold('2001:db8:1:2::7');
  sellers.sold('203.0.113.7');
  expect(sellers.isEmpty).toBe(false);
  expect(['2001:db8:1:2::8', '2001:db8:1:2::/64', '203.0.113.7'].map((address) => sellers.has(address))).toEqual([
    true,
    true,
    true,
  ]);
  expect(['2001:db8:1:3::7', '203.0.113.8'].map((address) => sellers.has(address))).toEqual([false, false]);
});
