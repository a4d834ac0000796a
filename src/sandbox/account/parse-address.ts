import ipaddr from 'ipaddr.js';

/** An IP address in one spelling (an IPv4 address mapped into IPv6 is the IPv4 address), or undefined. */
export function parseAddress(text: string): string | undefined {
  const trimmed = text.trim();
  // ipaddr.js also reads 1, 0x7f.1 and the like; an allowlist must not.
  if (!ipaddr.IPv4.isValidFourPartDecimal(trimmed) && !ipaddr.IPv6.isValid(trimmed)) return undefined;
  return ipaddr.process(trimmed).toString();
}
