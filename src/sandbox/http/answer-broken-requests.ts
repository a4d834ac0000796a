import { STATUS_CODES, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { refuse } from '../answer';
import { Refusal, type RefusalCode } from '../refusal';

const LINGER_MS = 1_000;
const BROKEN: Readonly<Record<string, RefusalCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_too_slow',
};

/** What Node would answer by itself, with an empty body, is answered as section 7 answers everything: with a status and a message. */
export function answerBrokenRequests(server: Server, listener: RequestListener): void {
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Duplex) => {
    const owed = (socket as { readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null })._httpMessage;
    // The broken bytes follow a whole request whose answer is still to come; an error written now would be taken for it.
    if (owed && (owed.req.complete || owed.headersSent)) owed.shouldKeepAlive = false;
    else endWith(socket, new Refusal(BROKEN[code] ?? 'malformed_request'));
  });
  // RFC 9110 section 10.1.1 lets an unknown Expect be ignored.
  server.on('checkExpectation', listener);
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => endWith(socket, new Refusal('wrong_method', 'CONNECT')));
}

function endWith(socket: Duplex, refusal: Refusal): void {
  // The parser repeats its complaint for every further byte.
  if (!socket.writable) return;
  const { status, body } = refuse(refusal);
  const text = JSON.stringify(body);
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
  // Destroyed at once, with bytes unread, the connection would be reset and the answer lost on its way.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
