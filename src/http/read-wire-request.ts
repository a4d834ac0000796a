/** A request that somebody saved, read exactly as the gateway would: by the real reader, over a real socket on this machine. */
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { LegacyRequest, SavedRequest } from '../domain/legacy';
import { DEFAULT_HTTP_LIMITS } from './http-limits';
import { readRequest } from './read-request';

/** Throws a GatewayError for what the gateway would refuse to read. */
export async function readWireRequest(saved: SavedRequest): Promise<LegacyRequest> {
  let answer: (request: Promise<LegacyRequest>) => void;
  const read = new Promise<LegacyRequest>((resolve) => (answer = resolve));
  const server = createServer((request, response) => {
    const reading = readRequest(request, DEFAULT_HTTP_LIMITS, '127.0.0.1');
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

/** With a length that fits, whatever the headers said: saved requests are edited by hand. */
export function bytesOf({ method, target, headers, body }: SavedRequest): Buffer {
  const kept = headers.filter(
    (header) =>
      !/^(?:content-length|transfer-encoding|connection|expect|host)\s*:/i.test(header) && !/^[\w-]+\s*:\s*$/.test(header),
  );
  const length = body.length === 0 ? [] : [`Content-Length: ${body.length}`];
  const head = [`${method} ${target} HTTP/1.1`, 'Host: explain', 'Connection: close', ...kept, ...length, '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n')), body]);
}
