/** The address of a request as every later step reads it. */
import { decodePath } from '../domain/decode-path';

// RFC 9112 section 3.2.2: a client of a proxy sends the whole address. Only the part after the host counts here.
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

/** No client sends a `#` (RFC 9112 section 3.2). Some servers would read the text after it as a part of the path, others would not. */
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
 * section 7) and its trailing slash as sent. A part that cannot be decoded stays as it is: it may be the id of an order.
 */
export function readPath(target: string): string {
  const path = decodePath(readRawPath(target));
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') : path;
}

export const isAtOrBelow = (path: string, base: string): boolean => path === base || path.startsWith(`${base}/`);

/** Spellings of a dot and of a slash that some servers decode: plain, overlong and full-width ones. */
const DOT = /%(?:2e|c0%2e|c0%ae|e0%80%ae|ef%bc%8e|uff0e)/gi;
const SLASH = /%(?:2f|5c|c0%af|u2215)|\\/gi;

/** True when some server could read the path as one with `..`, also encoded several times or with Windows separators. */
export function isClimbing(target: string): boolean {
  const path = target.split(/[?#]/, 1)[0] ?? '';
  if (!path.includes('..') && !path.includes('%')) return false;
  const read = path
    .replace(/%(?:25)+/g, '%')
    .replace(DOT, '.')
    .replace(SLASH, '/');
  // For some servers a blank, a NUL or a semicolon after the dots ends the name.
  return /(?:^|\/)\.\.(?![\w.~-])/.test(read);
}
