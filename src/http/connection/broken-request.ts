/** Requests that Node's parser cannot read. They too get a reply in JSON, with the fields of all formats. */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { GatewayError } from '../../domain/errors';
import type { LegacyReply } from '../../domain/legacy';
import type { PartialRequest, Refuse } from '../app';
import { readPath } from '../request-path';

/** How long the caller has to read the reply before the connection is destroyed. */
const LINGER_MS = 1_000;

/** The error that Node's server gives with `clientError`. */
export interface ParseError extends Error {
  readonly code?: string;
}

/** True while a complete request of this connection waits for its reply, or the reply has begun: nothing else may be written then. */
export function isReplyOwed(socket: Duplex): boolean {
  const owed = owedReply(socket);
  return owed !== undefined && (owed.req.complete || owed.headersSent);
}

/** For the server's `clientError` event. `head` is what has arrived of the next head, if its beginning is sure. */
export function answerBrokenRequest(error: ParseError, socket: Duplex, head: Buffer | undefined, refuse: Refuse): void {
  const owed = owedReply(socket);
  if (owed !== undefined && isReplyOwed(socket)) {
    // The broken bytes follow a complete request whose reply is still to come. A refusal written now would be read as
    // that reply: "failed" for a purchase under way.
    owed.shouldKeepAlive = false;
    return;
  }
  const [status, refusal] = judge(error.code);
  // The address has not arrived in time, or is not known. It may be that of a question about a charged order, for which "failed" would be false.
  if (owed === undefined && (head === undefined || (status === 408 && !head.includes('\n')))) return endSoon(socket);
  answerRaw(socket, status, refusal, (broken) => refuse(broken, owed === undefined ? addressIn(head) : addressOf(owed.req)));
}

// The parser takes no method in lower case, but such a request is a question all the same.
const BROKEN_LINE = /^([A-Za-z-]+) (\S[^\r\n]*?)(?: HTTP\/\d\.\d[ \t]*)?(?:[\r\n]|$)/;

/** Method and path of the broken request, if readable. The refusal needs them: a question about an order may not get "failed" either. */
function addressIn(head: Buffer | undefined): PartialRequest | undefined {
  const [, method, target] = BROKEN_LINE.exec(head?.toString('latin1') ?? '') ?? [];
  return method === undefined || target === undefined ? undefined : { method: method.toUpperCase(), path: readPath(target) };
}

/** The same of a request whose body is broken. Express shortens `url`, and keeps the whole. */
function addressOf({
  method = '',
  url = '',
  originalUrl = url,
}: IncomingMessage & { readonly originalUrl?: string }): PartialRequest {
  return { method, path: readPath(originalUrl) };
}

/** Writes a whole reply to a bare connection and ends it. */
export function answerRaw(socket: Duplex, brokenStatus: number, refusal: GatewayError, refuse: Refuse): void {
  // These broken bytes came after the reply was written: let the reply arrive.
  if (socket.writableEnded) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const reply = wordsOf(refusal, refuse);
  const status = reply.status === refusal.status ? brokenStatus : reply.status;
  const text = JSON.stringify(reply.body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  endSoon(socket, `${head.join('\r\n')}\r\n\r\n${text}`);
}

/** Destroying the connection at once, with bytes unread, would reset it, and the last reply could be lost. */
function endSoon(socket: Duplex, text?: string): void {
  if (socket.writableEnded) return;
  socket.on('error', () => socket.destroy());
  socket.end(text);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Nothing catches an exception of an event handler: a bug in making the refusal must not end the process. */
function wordsOf(refusal: GatewayError, refuse: Refuse): Pick<LegacyReply, 'status' | 'body'> {
  const { detail, status } = refusal;
  try {
    return refuse(refusal);
  } catch {
    return { status, body: { error: [detail], message: detail, msg: detail } };
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

// A complete head, with nothing after it.
const SPACED_HEAD = /^(GET|HEAD) (\/[\t\x20-\x7e\x80-\xff]*) (HTTP\/1\.[01])\r\n([^]*\r\n)?\r\n$/;
const BARE = /[\t\x20\x80-\xff]/g;
/** Such a request is not mended: a proxy in front may have judged its length, and so its end, in another way. */
const FRAMED = /^(?:content-length|transfer-encoding)[ \t]*:/im;
const CONNECTION_HEADER = /^connection[ \t]*:.*\r\n/gim;

/**
 * Encodes bare spaces, tabs and bytes beyond ASCII in the address of a GET or HEAD, and asks for one reply and the end of the connection.
 * Undefined for any other request. Scripts send `…&smart_card_number=1& &cablename=GOTV` (facts, section 2.6), and an order's id in a status
 * address may hold any character. PHP streams and older versions of cURL send such bytes unencoded (measured: query-with-a-bare-space.http).
 * The servers these scripts were written for accept that; Node's parser does not.
 */
export function encodeSpacedTarget(head: Buffer): Buffer | undefined {
  const match = SPACED_HEAD.exec(head.toString('latin1'));
  if (match === null) return undefined;
  const [, method = '', target = '', version = '', headers = ''] = match;
  const encoded = target.replace(BARE, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`);
  if (encoded === target || headers.includes('\r\n\r\n') || FRAMED.test(headers)) return undefined;
  const kept = headers.replace(CONNECTION_HEADER, '');
  return Buffer.from(`${method} ${encoded} ${version}\r\n${kept}Connection: close\r\n\r\n`, 'latin1');
}

/** Hands the mended bytes to the server as a new connection, because its parser for the old one has given up. */
export function serveMended(server: Server, socket: Socket, mended: Buffer): void {
  server.emit('connection', new MendedConnection(socket, mended));
}

class MendedConnection extends Duplex {
  /** `client-address` reads it. */
  readonly remoteAddress: string | undefined;
  /** As of a socket: the request is here already when the connection waits for its turn. */
  readonly bytesRead: number;
  readonly #socket: Socket;
  #unread: Buffer | undefined;

  constructor(socket: Socket, bytes: Buffer) {
    super();
    this.#socket = socket;
    this.#unread = bytes;
    this.bytesRead = bytes.length;
    this.remoteAddress = socket.remoteAddress;
    socket.once('close', () => this.destroy());
  }

  override _read(): void {
    if (this.#unread !== undefined) this.push(this.#unread);
    this.#unread = undefined;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroySoon();
    done(error);
  }
}
