/** Parsers of settings: text → value, or undefined for a text that the setting does not accept. */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isAbsolute, relative, sep } from 'node:path';
import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import { Secret } from '../domain/credentials';
import { isForwardable } from '../http/forward-headers';
import { USUAL_TIME_ZONE } from '../domain/day';

/** The value of UPSTREAM_URL that chooses the embedded sandbox. */
export const SANDBOX = 'sandbox';
/** The shortest prefix of a trusted network. All its members can buy without a PIN with keys that are locked to addresses. */
export const PROXY_BITS_MIN = 8;

/** A setting: its description, the values it expects, and its parser, which gives undefined for any other text. */
export function setting<T>(sentence: string, expected: string, parse: (text: string) => T | undefined) {
  return z
    .string()
    .transform((text, context) => {
      const value = parse(text);
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', message: `must be ${expected}` });
      return z.NEVER;
    })
    .meta({ sentence });
}

export const host = (sentence: string) =>
  setting(sentence, 'a host name or an address', (text) => (/^[A-Za-z0-9._:-]+$/.test(text) ? text : undefined));
export const port = (sentence: string) =>
  setting(sentence, 'a port from 0 to 65535 (0 takes a free one)', (text) => parseWhole(text, 0, 65_535));
export const folder = (sentence: string) => setting(sentence, 'a folder', (text) => text);
export const flag = (sentence: string) => setting(sentence, '1 or 0', parseFlag);
export const choice = <Word extends string>(sentence: string, words: readonly Word[]) =>
  setting(sentence, `one of ${words.join(', ')}`, (text) => words.find((word) => word === text));
export const secret = (sentence: string) =>
  // Printable ASCII, because secrets are sent in headers.
  setting(sentence, 'text without spaces', (text) => (/^[\x21-\x7e]+$/.test(text) ? new Secret(text) : undefined));

export function parseUpstreamUrl(text: string): string | undefined {
  if (text === SANDBOX) return text;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPlain = url.username === '' && url.password === '' && !text.includes('?') && !text.includes('#');
  if (!isPlain || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  return url.href.replace(/\/+$/, '');
}

export function parsePath(text: string): string | undefined {
  const isPath = /^(?:\/[A-Za-z0-9._~-]+)+$/.test(text);
  return isPath && !text.split('/').some((part) => part === '.' || part === '..') ? text : undefined;
}

export function parseWhole(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  return value >= min && value <= max ? value : undefined;
}

function parseFlag(text: string): boolean | undefined {
  if (/^(?:1|true|yes|on)$/i.test(text)) return true;
  return /^(?:0|false|no|off)$/i.test(text) ? false : undefined;
}

export function parseHeaderNames(text: string): readonly string[] | undefined {
  const names = text.split(',').map((part) => part.trim().toLowerCase());
  return names.every(isForwardable) ? names : undefined;
}

export const TIME_ZONE = USUAL_TIME_ZONE;

/** Accepts only names: an offset such as `+01:00` is a time zone only for some versions of Node. */
export function parseTimeZone(text: string): string | undefined {
  // Not checked, because the check takes ten milliseconds of each start.
  if (text === TIME_ZONE) return text;
  if (!/^[A-Za-z]/.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).format(0) && text;
  } catch {
    return undefined;
  }
}

export function parseNetworks(text: string): readonly string[] | undefined {
  const networks = text.split(',').map((part) => part.trim());
  return networks.every(isNetwork) ? networks : undefined;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return false;
  if (bits === undefined) return true;
  const bitsBefore = version === 6 && ipaddr.IPv6.parse(address).isIPv4MappedAddress() ? 96 : 0;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128) && Number(bits) >= bitsBefore + PROXY_BITS_MIN;
}

/** Whether this JOURNAL_URL names a PostgreSQL server. */
export const isDatabaseUrl = (url: string): boolean => /^postgres(?:ql)?:/i.test(url);

/** True for names and addresses that can be reached only from this machine. */
export function isLoopback(hostName: string): boolean {
  if (hostName === 'localhost') return true;
  return isIP(hostName) !== 0 && ipaddr.process(hostName).range() === 'loopback';
}

const isWildcard = (name: string): boolean => name === '0.0.0.0' || name === '::';

/** Whether servers that listen on these two hosts would compete for the same connections. */
export function doHostsConflict(one: string, other: string): boolean {
  return one === other || isWildcard(one) || isWildcard(other) || (isLoopback(one) && isLoopback(other));
}

/** True when `upstreamUrl` leads to the server on this host and port, so that each call to v1 would come back to it. */
export function leadsBack(upstreamUrl: string, host: string, port: number): boolean {
  const url = new URL(upstreamUrl);
  const named = url.hostname.replace(/^\[|\]$/g, '');
  // A call to a wildcard address reaches this machine by loopback.
  const name = isWildcard(named) ? 'localhost' : named;
  const usualPort = url.protocol === 'https:' ? 443 : 80;
  const isHere = (): boolean =>
    isLoopback(name) || Object.values(networkInterfaces()).some((own) => own?.some(({ address }) => address === name));
  return Number(url.port || usualPort) === port && (name === host || (doHostsConflict(name, host) && isHere()));
}

/** Whether `path` is `folder` or inside it. */
export function liesIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way.split(sep)[0] !== '..' && !isAbsolute(way);
}

/** Hides credentials before the last @ of an address, and passwords among its parameters, which PostgreSQL accepts too. */
export function withoutCredentials(url: string): string {
  return url.replace(/^(\w+:\/\/)?.*@/s, '$1[secret]@').replace(/([?&]\w*password=)[^&]*/gi, '$1[secret]');
}

/** A refused value as it may be shown. Parameters of addresses are hidden: no setting needs them, and they often contain tokens. */
export function showRefused(name: string, text: string): string {
  const shown = withoutCredentials(text);
  return name.endsWith('_URL') ? shown.replace(/([?#]).+$/s, '$1[secret]') : shown;
}
