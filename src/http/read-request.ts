/** Step 1: bytes → LegacyRequest. Whatever a stranger sends, the only error that leaves here is a GatewayError. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../domain/errors';
import type { LegacyRequest } from '../domain/legacy';
import { readFormFields } from './body/form-fields';
import { readBodyFields } from './body/judge-body';
import { readBytes } from './body/read-bytes';
import type { BodyLimits } from './http-limits';
import { readHeaders } from './read-headers';
import { hasFragment, queryOf, readPath, readRawPath } from './request-path';

/**
 * Reads the body of every method: a GET may carry one (facts, section 2.2). Throws a GatewayError: `bad_credentials`,
 * `unreadable_body`, `body_too_large`, `body_too_slow` or `repeated_field`.
 */
export async function readRequest(request: IncomingMessage, limits: BodyLimits, clientAddress: string): Promise<LegacyRequest> {
  const target = request.url ?? '/';
  if (hasFragment(target)) throw new GatewayError('unreadable_body', 'The address may not hold "#".');
  const headers = readHeaders(request);
  const query = readFormFields(queryOf(target), 'query string', limits);
  const bytes = await readBytes(request, limits);
  const body = await readBodyFields(bytes, request.headers['content-type'], limits);
  const method = (request.method ?? 'GET').toUpperCase();
  return { method, path: readPath(target), rawPath: readRawPath(target), query, body, bytes, headers, clientAddress };
}
