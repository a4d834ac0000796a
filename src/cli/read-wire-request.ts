import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { LegacyRequest } from '../domain/legacy';
import { DEFAULT_HTTP_LIMITS } from '../http/http-limits';
import { readRequest } from '../http/read-request';

/** Reads a request exactly as the gateway would: the bytes go through a real socket on this machine to the real reader. */
export async function readWireRequest(wire: Buffer): Promise<LegacyRequest> {
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
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(wire));
  socket.on('error', () => undefined).resume();
  try {
    return await read;
  } finally {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  }
}
