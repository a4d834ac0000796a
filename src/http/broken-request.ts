/** Requests that never become one: Node's parser gave up. Even these are answered in JSON, in the words of both formats. */
import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError } from '../domain/errors';
import type { Refuse } from './app';

/** How long the reply may take to be read before the connection is torn down. */
const LINGER_MS = 1_000;

/** For the server's `clientError` event. */
export function answerBrokenRequest(error: Error & { readonly code?: string }, socket: Duplex, refuse: Refuse): void {
  const owed = (socket as { readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null })._httpMessage;
  if (owed !== undefined && owed !== null && (owed.req.complete || owed.headersSent)) {
    // The broken bytes follow a whole request whose reply is still to come. Words written now would be taken for that
    // reply, and "failed" for a purchase under way.
    owed.shouldKeepAlive = false;
    return;
  }
  const [status, refusal] = judge(error.code);
  answerRaw(socket, status, refuse(refusal));
}

/** Writes a whole reply to a bare connection and ends it. */
export function answerRaw(socket: Duplex, status: number, { body }: { readonly body: unknown }): void {
  // More broken bytes after the reply: it is on its way, let it arrive.
  if (socket.writableEnded) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
  // Destroyed at once, with bytes unread, the connection would be reset and the reply lost on its way.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function judge(code: string | undefined): readonly [status: number, refusal: GatewayError] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [431, new GatewayError('body_too_large', 'The headers of the request are too large.')];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, new GatewayError('body_too_slow', 'The request did not arrive in time.')];
    default:
      return [400, new GatewayError('unreadable_body', 'The request is not well-formed HTTP.')];
  }
}
