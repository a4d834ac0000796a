/** Where a request is addressed to, as every later step sees it. */
import { decodePath } from '../domain/decode-path';

// RFC 9112 section 3.2.2: a proxy's client sends the whole address; only what follows the host counts here.
const SCHEME_AND_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** The request target from its path on; always begins with a slash. */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(SCHEME_AND_HOST, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The query string without its question mark, still encoded. */
export function queryOf(target: string): string {
  const start = target.indexOf('?');
  return start === -1 ? '' : target.slice(start + 1);
}

/** No client sends one (RFC 9112 section 3.2): what stands behind it, one reader would take for the path and another would not. */
export function hasFragment(target: string): boolean {
  return target.includes('#');
}

/** The path as it was sent, still encoded. */
export function readRawPath(target: string): string {
  const path = originForm(target);
  const end = path.search(/[?#]/);
  return end < 0 ? path : path.slice(0, end);
}

/**
 * The path, percent-decoded once, with single slashes (scripts join a base ending in a slash with `/api/…`: facts,
 * section 7) and its trailing slash as sent. Whatever cannot be decoded stays as it is: it may be the id of an order.
 */
export function readPath(target: string): string {
  const path = decodePath(readRawPath(target));
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') : path;
}

/** Spellings of a dot and of a slash that one server or another decodes: plain, overlong, of full width. */
const DOT = /%(?:2e|c0%2e|c0%ae|e0%80%ae|ef%bc%8e|uff0e)/gi;
const SLASH = /%(?:2f|5c|c0%af|u2215)|\\/gi;

/** True when some reader could take the path for one that climbs, also encoded several times, and with Windows separators. */
export function isClimbing(target: string): boolean {
  const path = target.split(/[?#]/, 1)[0] ?? '';
  if (!path.includes('..') && !path.includes('%')) return false;
  const read = path
    .replace(/%(?:25)+/g, '%')
    .replace(DOT, '.')
    .replace(SLASH, '/');
  // A blank, a NUL or a semicolon behind the dots ends the name for some.
  return /(?:^|\/)\.\.(?![\w.~-])/.test(read);
}
