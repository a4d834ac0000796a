/** Who may use the admin server: whoever shows the token, or, without one, whoever calls from this machine and is no page of others. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import ipaddr from 'ipaddr.js';
import type { Secret } from '../domain/credentials';

const BEARER = /^Bearer +(\S+) *$/i;

export type Guard = (request: Request, response: Response, next: NextFunction) => void;

export function createAdminGuard(token: Secret | undefined): Guard {
  if (token === undefined) return localGuard;
  const isToken = createTokenCheck(token);
  return (request, response, next) => {
    const shown = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (shown !== undefined && isToken(shown)) return next();
    response.status(401).set('www-authenticate', 'Bearer').json({
      status: 'error',
      message: 'Admin calls carry the header `Authorization: Bearer <ADMIN_TOKEN>`.',
    });
  };
}

/** Whether this is the token. Digests have one length, so the comparison takes the same time for every wrong one. */
export function createTokenCheck(token: Secret): (shown: string) => boolean {
  const expected = digest(token.revealForUseOnly());
  return (shown) => timingSafeEqual(digest(shown), expected);
}

/**
 * Before everything else, probes included. Without a token the server listens on loopback only, yet a page in a browser
 * of this machine reaches that under a host name of its own that was made to point here, and may then read what it gets.
 */
export function createHostGuard(token: Secret | undefined): Guard {
  return (request, response, next) => {
    if (token !== undefined || isLocalHost(request.headers.host)) return next();
    refuse(
      response,
      'Without ADMIN_TOKEN this server answers under the names of this machine only: localhost, 127.0.0.1 or [::1], not under the one in Host.',
    );
  };
}

/** Under the right name a page of somebody else cannot read an answer, but its call could still do something. */
function localGuard(request: Request, response: Response, next: NextFunction): void {
  if (!isOfForeignPage(request)) return next();
  refuse(
    response,
    "Without ADMIN_TOKEN, admin calls are taken from programs on this machine and from this server's own pages, and this one is of another web page, or of a browser that does not say of which.",
  );
}

/** Fetch Metadata (W3C): a browser says whose page calls. A command-line client sends none of these, and does not call itself Mozilla. */
export function isOfForeignPage({ headers }: Pick<Request, 'headers'>): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (origin !== undefined && hostOf(origin) !== hostOf(`http://${host}`)) return true;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin === undefined && /^mozilla\b/i.test(headers['user-agent'] ?? '');
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

/** No browser leaves the name out; some balancers probe with HTTP/1.0, which has none. */
function isLocalHost(host: string | undefined): boolean {
  if (host === undefined) return true;
  const name = host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || (isIP(name) !== 0 && ipaddr.process(name).range() === 'loopback');
}

function refuse(response: Response, message: string): void {
  response.status(403).json({ status: 'error', message });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
