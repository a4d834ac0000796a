/** The few headers that carry meaning, each with one value. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../domain/errors';
import type { LegacyHeaders } from '../domain/legacy';

/**
 * Node keeps the first of several Authorization headers and joins several Token headers. Which key a script meant would
 * be a guess, and another reader on the way may guess otherwise: differing ones are refused.
 */
export function readHeaders(request: IncomingMessage): LegacyHeaders {
  return {
    authorization: onlyValue(request.rawHeaders, 'authorization'),
    token: onlyValue(request.rawHeaders, 'token'),
    userAgent: request.headers['user-agent'],
    sent: request.headers,
  };
}

function onlyValue(rawHeaders: readonly string[], name: string): string | undefined {
  let found: string | undefined;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] ?? '';
    // The length is compared first: most headers end here without being lower-cased.
    if (header.length !== name.length || header.toLowerCase() !== name) continue;
    const value = rawHeaders[index + 1] ?? '';
    if (found !== undefined && found !== value) {
      throw new GatewayError('bad_credentials', `Several ${name} headers with different values were sent.`);
    }
    found = value;
  }
  return found;
}
