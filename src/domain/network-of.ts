/** Whom an address belongs to, for limits: who rents one machine gets a whole /64 of IPv6 addresses and may write from each of them. */

/** The address itself for IPv4, the first 64 bits for IPv6. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  // An embedded IPv4 address stands for two groups.
  const missing = 8 - before.length - after.length - (address.includes('.') ? 1 : 0);
  const groups = tail === undefined ? before : [...before, ...Array<string>(Math.max(0, missing)).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
