/** Requests that never become one: Node's parser gave up. Even these are answered in JSON, in the words of both formats. */
import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError } from '../../domain/errors';
import type { LegacyReply } from '../../domain/legacy';
import type { Refuse } from '../app';

/** How long the reply may take to be read before the connection is torn down. */
const LINGER_MS = 1_000;

/** What Node's parser tells. */
export interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** True while a whole request of this connection waits for its reply: nothing else may be written on it. */
export function isReplyOwed(socket: Duplex): boolean {
  const owed = owedReply(socket);
  return owed !== undefined && (owed.req.complete || owed.headersSent);
}

/** For the server's `clientError` event. */
export function answerBrokenRequest(error: ParseError, socket: Duplex, refuse: Refuse): void {
  if (isReplyOwed(socket)) {
    // The broken bytes follow a whole request whose reply is still to come. Words written now would be taken for that
    // reply, and "failed" for a purchase under way.
    const owed = owedReply(socket);
    if (owed !== undefined) owed.shouldKeepAlive = false;
    return;
  }
  const [status, refusal] = judge(error.code);
  answerRaw(socket, status, refusal, refuse);
}

/** Writes a whole reply to a bare connection and ends it. */
export function answerRaw(socket: Duplex, status: number, refusal: GatewayError, refuse: Refuse): void {
  // More broken bytes after the reply: it is on its way, let it arrive.
  if (socket.writableEnded) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const text = JSON.stringify(wordsOf(refusal, refuse));
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

/** Nothing stands behind an event handler: a bug in the wording must not end the process. */
function wordsOf(refusal: GatewayError, refuse: Refuse): LegacyReply['body'] {
  try {
    return refuse(refusal).body;
  } catch {
    return { error: [refusal.detail], message: refusal.detail, msg: refusal.detail };
  }
}

type OwedReply = ServerResponse & { readonly req: IncomingMessage };

function owedReply(socket: Duplex): OwedReply | undefined {
  return (socket as { readonly _httpMessage?: OwedReply | null })._httpMessage ?? undefined;
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
