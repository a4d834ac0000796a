/** How the text of a setting becomes a value. A text that is not what the setting expects gives undefined, and a sentence says what was expected. */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isAbsolute, relative, sep } from 'node:path';
import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import { Secret } from '../domain/credentials';
import { isForwardable } from '../http/forward-headers';
import { USUAL_TIME_ZONE } from '../domain/day';

/** The word that chooses the embedded sandbox where production asks for a choice. */
export const SANDBOX = 'sandbox';
/** The widest network of trusted proxies: its members can all buy without a PIN on keys that are locked to addresses. */
export const PROXY_BITS_MIN = 8;

/** What a setting is, in words, and how its text becomes a value. A text that is not `expected` gives undefined. */
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
  // Printable ASCII, because both travel in headers.
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

/** Names alone: an offset such as `+01:00` is a zone to some versions of Node only. */
export function parseTimeZone(text: string): string | undefined {
  // Known to be one: asking the system takes ten milliseconds of each start.
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

/** True for names and addresses that only this machine reaches. */
export function isLoopback(hostName: string): boolean {
  if (hostName === 'localhost') return true;
  return isIP(hostName) !== 0 && ipaddr.process(hostName).range() === 'loopback';
}

const isWildcard = (name: string): boolean => name === '0.0.0.0' || name === '::';

/** Whether two servers that listen there would take the same connections. */
export function doHostsMeet(one: string, other: string): boolean {
  return one === other || isWildcard(one) || isWildcard(other) || (isLoopback(one) && isLoopback(other));
}

/** True when v1 would be the server that listens there, whose every call then calls it again. */
export function leadsBack(upstreamUrl: string, host: string, port: number): boolean {
  const url = new URL(upstreamUrl);
  const named = url.hostname.replace(/^\[|\]$/g, '');
  // Whoever calls such an address comes to this machine by loopback.
  const name = isWildcard(named) ? 'localhost' : named;
  const usualPort = url.protocol === 'https:' ? 443 : 80;
  const isHere = (): boolean =>
    isLoopback(name) || Object.values(networkInterfaces()).some((own) => own?.some(({ address }) => address === name));
  return Number(url.port || usualPort) === port && (name === host || (doHostsMeet(name, host) && isHere()));
}

/** Whether a file or folder is this folder, or lies below it. */
export function liesIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way.split(sep)[0] !== '..' && !isAbsolute(way);
}

/** Credentials stand before the last @ of an address; PostgreSQL takes a password among the parameters as well. */
export function withoutCredentials(url: string): string {
  return url.replace(/^(\w+:\/\/)?.*@/s, '$1[secret]@').replace(/([?&]\w*password=)[^&]*/gi, '$1[secret]');
}

/** A text that was refused. No address that is shown takes parameters, and what stands there is often a token. */
export function showRefused(name: string, text: string): string {
  const shown = withoutCredentials(text);
  return name.endsWith('_URL') ? shown.replace(/([?#]).+$/s, '$1[secret]') : shown;
}
