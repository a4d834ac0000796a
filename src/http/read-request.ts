/** Step 1: bytes → LegacyRequest. For any bytes, the only error thrown is a GatewayError. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../domain/errors';
import type { LegacyHeaders, LegacyRequest } from '../domain/legacy';
import { readTraceParent } from '../domain/trace';
import { readFormFields } from './body/form-fields';
import { readBodyFields, readBytes } from './body/read-body';
import type { BodyLimits } from './http-limits';
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
  const arriving = readBytes(request, limits);
  const bytes = arriving instanceof Promise ? await arriving : arriving;
  const fields = readBodyFields(bytes, request.headers['content-type'], limits);
  const body = fields instanceof Promise ? await fields : fields;
  const method = (request.method ?? 'GET').toUpperCase();
  const trace = readTraceParent(request.headers['traceparent']);
  return { method, path: readPath(target), rawPath: readRawPath(target), query, body, bytes, headers, clientAddress, trace };
}

/**
 * The few headers that carry meaning, each with one value. Node keeps the first of several Authorization headers and joins several Token headers.
 * Headers with different values are refused: choosing one would be a guess, and another server on the way may choose the other.
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

/**
 * Refuses a request that Node's parser accepts but another server on the way may read as a different one; undefined for any
 * other request. The connection ends after the refusal, because the next bytes may belong to this request or be a new one.
 */
export function refuseDoubtfulFraming(request: IncomingMessage, response: ServerResponse): GatewayError | undefined {
  const doubt = doubtIn(request);
  if (doubt === undefined) return undefined;
  response.shouldKeepAlive = false;
  return new GatewayError('unreadable_body', doubt);
}

function doubtIn({ httpVersion, headers, rawHeaders }: IncomingMessage): string | undefined {
  // Node's parser accepts 0.9 and 2.0 as well.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return `HTTP/${httpVersion} is not served here.`;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    // RFC 9112 section 6.1: the framing of such a message is faulty, even with a final chunk.
    if (httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding. Send a Content-Length.';
    // With any other coding, also an empty one, Node's parser reads no body or goes by Content-Length. The next server may read a body.
    if (coding.toLowerCase() !== 'chunked') return 'The only Transfer-Encoding that is read here is "chunked".';
    // After a tab, Node shows the value as "chunked", but its parser reads no body. It reports that only for a request without `Upgrade`.
    if (headers.upgrade !== undefined)
      return 'A request that asks for an upgrade has no Transfer-Encoding. Send a Content-Length.';
  }
  // RFC 9112 section 3.2. One server on the way may use the first Host, another the last.
  return hostsIn(rawHeaders) > 1 ? 'The request has several Host headers.' : undefined;
}

function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}
