import ipaddr from 'ipaddr.js';
import { parseAddress } from '../account/parse-address';

/** Addresses and networks whose X-Forwarded-For is believed, besides loopback. */
export type TrustedProxies = readonly (readonly [ipaddr.IPv4 | ipaddr.IPv6, number])[];

/** Throws on what is neither an address nor a network. */
export function parseTrustedProxies(texts: readonly string[]): TrustedProxies {
  return texts.map((text) => {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });
}

/**
 * The caller's address. X-Forwarded-For counts only from loopback and trusted proxies, and only with one single value; anything
 * else in it leaves the address unknown, which no allowlist holds. Falling back to the proxy's own address would open
 * every account that lists it.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  trusted: TrustedProxies,
): string | undefined {
  const peer = socketAddress === undefined ? undefined : parseAddress(socketAddress);
  if (peer === undefined || forwardedFor === undefined || !isTrusted(peer, trusted)) return peer;
  return parseAddress(forwardedFor);
}

function isTrusted(peer: string, trusted: TrustedProxies): boolean {
  if (peer === '127.0.0.1' || peer === '::1') return true;
  if (trusted.length === 0 && !peer.startsWith('127.')) return false;
  const address = ipaddr.parse(peer);
  if (address.range() === 'loopback') return true;
  return trusted.some(([network, bits]) => network.kind() === address.kind() && address.match([network, bits] as never));
}
