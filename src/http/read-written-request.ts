/** Reads a request from a file, by the same rules as one from a socket. */
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { GatewayError } from '../domain/errors';
import type { LegacyRequest, SavedRequest } from '../domain/legacy';
import { withoutKeys } from '../domain/shown-words';
import { readFormFields } from './body/form-fields';
import { readBodyFields } from './body/read-body';
import { DEFAULT_HTTP_LIMITS } from './http-limits';
import { hasFragment, queryOf, readPath, readRawPath } from './request-path';
import { readRequest } from './read-request';

/** The request of a case file. */
export interface WrittenRequest {
  readonly method: string;
  /** Path and query, encoded as on a request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Throws a GatewayError for a request that the public server would refuse to read. */
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

/**
 * Reads a saved request with `readRequest`, over a real socket on this machine. Throws a GatewayError for a request that the gateway would
 * refuse. The detail is for the operator, so it shows no key.
 */
export async function readWireRequest(saved: SavedRequest): Promise<LegacyRequest> {
  let answer: (request: Promise<LegacyRequest>) => void;
  const read = new Promise<LegacyRequest>((resolve) => (answer = resolve));
  const server = createServer((request, response) => {
    const reading = readRequest(request, DEFAULT_HTTP_LIMITS, '127.0.0.1').catch((error: unknown) => {
      if (!(error instanceof GatewayError)) throw error;
      const { authorization, token } = request.headers;
      throw new GatewayError(error.code, withoutKeys(error.detail, { authorization, token: token?.toString() }));
    });
    answer(reading);
    reading.catch(() => undefined).finally(() => response.end());
  });
  server.on('clientError', (error, socket) => {
    answer(Promise.reject(new Error(`This is no HTTP request: ${error.message}`)));
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(bytesOf(saved)));
  socket.on('error', () => undefined).resume();
  try {
    return await read;
  } finally {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  }
}

/** The bytes of a saved request, with the true Content-Length whatever its headers say: saved requests are edited by hand. */
export function bytesOf({ method, target, headers, body }: SavedRequest): Buffer {
  const kept = headers.filter(
    (header) =>
      !/^(?:content-length|transfer-encoding|connection|expect|host)\s*:/i.test(header) && !/^[\w-]+\s*:\s*$/.test(header),
  );
  const length = body.length === 0 ? [] : [`Content-Length: ${body.length}`];
  const head = [`${method} ${target} HTTP/1.1`, 'Host: explain', 'Connection: close', ...kept, ...length, '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n')), body]);
}
