/** A request that stands in a file instead of on a wire, read by the same rules. */
import { GatewayError } from '../domain/errors';
import type { LegacyRequest } from '../domain/legacy';
import { readFormFields } from './body/form-fields';
import { readBodyFields } from './body/read-body';
import { DEFAULT_HTTP_LIMITS } from './http-limits';
import { hasFragment, queryOf, readPath, readRawPath } from './request-path';

/** As a case writes it. */
export interface WrittenRequest {
  readonly method: string;
  /** Path and query as they stand on a request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Throws a GatewayError for what the public server would refuse to read. */
export async function readWrittenRequest(written: WrittenRequest, clientAddress: string): Promise<LegacyRequest> {
  const headers = new Map(Object.entries(written.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const { method, target } = written;
  if (hasFragment(target)) throw new GatewayError('unreadable_body', 'The address may not hold "#".');
  const bytes = Buffer.from(written.body);
  return {
    method: method.toUpperCase(),
    path: readPath(target),
    rawPath: readRawPath(target),
    query: readFormFields(queryOf(target), 'query string', DEFAULT_HTTP_LIMITS),
    bytes,
    body: await readBodyFields(bytes, headers.get('content-type'), DEFAULT_HTTP_LIMITS),
    headers: {
      authorization: headers.get('authorization'),
      token: headers.get('token'),
      userAgent: headers.get('user-agent'),
      sent: Object.fromEntries(headers),
    },
    clientAddress,
  };
}
