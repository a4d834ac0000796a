/** Who may use the admin calls: whoever shows the token, or, without one, whoever calls from this machine itself. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import ipaddr from 'ipaddr.js';
import type { Secret } from '../domain/credentials';

const BEARER = /^Bearer +(\S+) *$/i;

export type Guard = (request: Request, response: Response, next: NextFunction) => void;

export function createAdminGuard(token: Secret | undefined): Guard {
  if (token === undefined) return localGuard;
  const expected = digest(token.revealForUseOnly());
  return (request, response, next) => {
    const shown = BEARER.exec(request.headers.authorization ?? '')?.[1];
    // Digests have one length, so the comparison takes the same time for every wrong token.
    if (shown !== undefined && timingSafeEqual(digest(shown), expected)) return next();
    response.status(401).set('www-authenticate', 'Bearer').json({
      status: 'error',
      message: 'Admin calls carry the header `Authorization: Bearer <ADMIN_TOKEN>`.',
    });
  };
}

/**
 * Without a token the server listens on loopback only, yet every web page in a browser of this machine can reach that.
 * A page's request shows itself by a foreign origin, or by a host name that was made to point here.
 */
function localGuard(request: Request, response: Response, next: NextFunction): void {
  const site = request.headers['sec-fetch-site'];
  const isOwnPage = site === undefined || site === 'same-origin' || site === 'none';
  if (isOwnPage && isLocalHost(request.headers.host) && isLocalOrigin(request.headers.origin)) return next();
  response.status(403).json({ status: 'error', message: 'Without ADMIN_TOKEN, admin calls are taken from this machine only.' });
}

function isLocalOrigin(origin: string | undefined): boolean {
  return origin === undefined || (URL.canParse(origin) && isLocalHost(new URL(origin).host));
}

function isLocalHost(host: string | undefined): boolean {
  const name = (host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || (isIP(name) !== 0 && ipaddr.process(name).range() === 'loopback');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
