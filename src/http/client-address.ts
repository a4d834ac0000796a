/**
 * The address that v1 compares with a key's allowlist. A wrong one would let strangers buy without a PIN, so nothing here
 * guesses. A forwarded address counts only from a proxy that the operator has named. An unreadable one is refused: the
 * proxy's own address, used instead, may be on an allowlist.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { GatewayError } from '../domain/errors';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

export type ClientAddress = (request: IncomingMessage) => string;

/** Tells the server which of its connections come from trusted proxies, and which caller is behind one. */
export interface Proxies {
  readonly isProxy: (peer: string) => boolean;
  /** The caller behind a trusted proxy, or the peer itself. */
  readonly callerOf: (peer: string, request: IncomingMessage) => string;
}

export const NO_PROXIES: Proxies = { isProxy: () => false, callerOf: (peer) => peer };

const IPV4_IN_IPV6 = '::ffff:';
const IPV4_WITH_PORT = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/;
const BRACKETED = /^\[([^\]]+)\](?::\d{1,5})?$/;

/**
 * `onIgnored` is called for each forwarded address that does not count, because no proxy is trusted or this one is not.
 * `trustedProxies` are addresses or networks (`10.0.0.0/8`, `::1`); an unreadable one throws a plain Error at start.
 * `Forwarded`, `X-Real-IP` and the like are not read: a proxy that does not set them forwards those that a stranger has sent.
 */
export function createClientAddress(trustedProxies: readonly string[], onIgnored: () => void = () => undefined): ClientAddress {
  const trusted = trustedProxies.map(readNetwork);
  const isTrusted = (address: Address): boolean => trusted.some((network) => contains(network, address));
  return (request) => {
    const peer = peerOf(request);
    const forwarded = request.headers['x-forwarded-for'];
    if (forwarded === undefined) return peer;
    if (trusted.length === 0 || !isTrusted(ipaddr.process(peer))) {
      onIgnored();
      return peer;
    }
    return judgeForwarded(String(forwarded), isTrusted);
  };
}

export function createProxies(trustedProxies: readonly string[], clientAddress: ClientAddress): Proxies {
  if (trustedProxies.length === 0) return NO_PROXIES;
  const trusted = trustedProxies.map(readNetwork);
  return {
    isProxy: (peer) => isIP(peer) !== 0 && trusted.some((network) => contains(network, ipaddr.process(withoutZone(peer)))),
    callerOf(peer, request) {
      try {
        return clientAddress(request);
      } catch {
        return peer;
      }
    },
  };
}

/** Reads right to left, because only the right end was written by a trusted proxy. The first address that is not trusted is the caller. */
function judgeForwarded(header: string, isTrusted: (address: Address) => boolean): string {
  let nearest: Address | undefined;
  for (const entry of header.split(',').reverse()) {
    nearest = parseEntry(entry.trim());
    if (nearest === undefined)
      throw new GatewayError('bad_forwarded_address', 'X-Forwarded-For has an entry that is no IP address.');
    if (!isTrusted(nearest)) break;
  }
  // Where all addresses are trusted, the last one read (the leftmost) is the caller.
  return addressText(nearest);
}

function peerOf(request: IncomingMessage): string {
  const peer = request.socket.remoteAddress;
  // Node has no address for a connection that has ended. No caller will read this refusal.
  if (peer === undefined)
    throw new GatewayError('bad_forwarded_address', 'The connection was closed before its address was read.');
  return withoutMapping(peer);
}

/** The address as plain IPv4 where a server that listens on IPv6 shows it as `::ffff:…`, and without the zone of IPv6. */
export function withoutMapping(peer: string): string {
  const mapped = peer.startsWith(IPV4_IN_IPV6) ? peer.slice(IPV4_IN_IPV6.length) : '';
  return isIP(mapped) === 4 ? mapped : withoutZone(peer);
}

/** isIP decides what an address is: ipaddr.js alone would read `127.1`, `0177.0.0.1` and `2130706433` as addresses. */
function parseEntry(entry: string): Address | undefined {
  const text = IPV4_WITH_PORT.exec(entry)?.[1] ?? BRACKETED.exec(entry)?.[1] ?? entry;
  return isIP(text) === 0 || text.includes('%') ? undefined : ipaddr.process(text);
}

function readNetwork(text: string): Network {
  const [address = '', bits, ...rest] = text.trim().split('/');
  const parsed = isIP(address) === 0 ? undefined : ipaddr.parse(address);
  const bitsMax = parsed?.kind() === 'ipv4' ? 32 : 128;
  const length = bits === undefined ? bitsMax : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  if (parsed === undefined || rest.length > 0 || length < 0 || length > bitsMax) {
    throw new Error(`"${text}" is not an IP address or a network: write one, such as 10.0.0.7 or 10.0.0.0/8.`);
  }
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && length >= 96) return [parsed.toIPv4Address(), length - 96];
  return [parsed, length];
}

function contains([network, bits]: Network, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}

function addressText(address: Address | undefined): string {
  return address === undefined ? '' : withoutZone(address.toString());
}

function withoutZone(text: string): string {
  return text.split('%', 1)[0] ?? text;
}
