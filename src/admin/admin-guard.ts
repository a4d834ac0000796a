/** Decides who may use the admin server: clients with the token. If none is set, clients on this machine except foreign web pages. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import ipaddr from 'ipaddr.js';
import type { Secret } from '../domain/credentials';

const BEARER = /^Bearer +(\S+) *$/i;

type Guard = (request: Request, response: Response, next: NextFunction) => void;

export function createAdminGuard(token: Secret | undefined): Guard {
  if (token === undefined) return localGuard;
  const isToken = createTokenCheck(token);
  return (request, response, next) => {
    const shown = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (shown !== undefined && isToken(shown)) return next();
    response.set('www-authenticate', 'Bearer');
    refuse(response, 401, 'Admin calls carry the header `Authorization: Bearer <ADMIN_TOKEN>`.');
  };
}

/** Makes a comparison with the token. It compares digests of equal length, so its time does not depend on the text. */
export function createTokenCheck(token: Secret): (shown: string) => boolean {
  const expected = digest(token.revealForUseOnly());
  return (shown) => timingSafeEqual(digest(shown), expected);
}

/**
 * Applies to all requests, including probes. Without a token the server listens on loopback only. But a page in a browser on this
 * machine may use a host name of its own that resolves to loopback (DNS rebinding), and could then read the answers.
 */
export function createHostGuard(token: Secret | undefined): Guard {
  return (request, response, next) => {
    if (token !== undefined || isLocalHost(request.headers.host)) return next();
    refuse(response, 403, 'Without ADMIN_TOKEN this server only answers requests whose Host is localhost, 127.0.0.1 or [::1].');
  };
}

/** Refuses calls of foreign pages. Under a local host name they cannot read the answer, but the call could still change something. */
function localGuard(request: Request, response: Response, next: NextFunction): void {
  if (!isOfForeignPage(request)) return next();
  refuse(
    response,
    403,
    "Without ADMIN_TOKEN, admin calls are taken from programs on this machine and from this server's own pages, and this one is of another web page, or of a browser that does not say of which.",
  );
}

/**
 * Whether a page of another site makes the call. A browser sends the origin of the page or Fetch Metadata (W3C). A command-line client
 * sends neither, and its User-Agent does not begin with Mozilla.
 */
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

/** Whether a Host header names this machine. It may be absent: browsers always send one, but some balancers probe with HTTP/1.0. */
function isLocalHost(host: string | undefined): boolean {
  if (host === undefined) return true;
  const name = host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1');
  // `isIP` takes zones that `ipaddr` cannot read.
  return name === 'localhost' || (isIP(name) !== 0 && ipaddr.isValid(name) && ipaddr.process(name).range() === 'loopback');
}

/** The reply to an admin call that is not done: a sentence for the operator. */
export function refuse(response: Response, status: number, message: string): void {
  response.status(status).json({ status: 'error', message });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
