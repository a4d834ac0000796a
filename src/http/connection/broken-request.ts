/** Requests that never become one: Node's parser gave up. Even these are answered in JSON, in the words of both formats. */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { GatewayError } from '../../domain/errors';
import type { LegacyReply } from '../../domain/legacy';
import type { PartialRequest, Refuse } from '../app';
import { readPath } from '../request-path';

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
  answerRaw(socket, status, refusal, (broken) => refuse(broken, addressIn(error.rawPacket)));
}

const BROKEN_LINE = /^([A-Z]+) (\/[^\r\n]*?)(?: HTTP\/\d\.\d)?(?:\r?\n|$)/;

/** What the broken bytes ask for, if that can be read: a question about an order is not told "failed" either. */
function addressIn(packet: Buffer | undefined): PartialRequest | undefined {
  const [, method, target] = BROKEN_LINE.exec(packet?.toString('latin1') ?? '') ?? [];
  return method === undefined || target === undefined ? undefined : { method, path: readPath(target) };
}

/** Writes a whole reply to a bare connection and ends it. */
export function answerRaw(socket: Duplex, brokenStatus: number, refusal: GatewayError, refuse: Refuse): void {
  // More broken bytes after the reply: it is on its way, let it arrive.
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
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
  // Destroyed at once, with bytes unread, the connection would be reset and the reply lost on its way.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Nothing stands behind an event handler: a bug in the wording must not end the process. */
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

// The whole head in one packet and nothing behind it.
const SPACED_HEAD = /^(GET|HEAD) (\/[\t\x20-\x7e\x80-\xff]*) (HTTP\/1\.[01])\r\n([^]*\r\n)?\r\n$/;
const BARE = /[\t\x20\x80-\xff]/g;
/** With a body, or lengths to disagree about, mending could show another request than a proxy in front has seen. */
const FRAMED = /^(?:content-length|transfer-encoding)[ \t]*:/im;
const CONNECTION_HEADER = /^connection[ \t]*:.*\r\n/gim;

/**
 * A GET whose address holds bare spaces, tabs or bytes beyond ASCII. Scripts ask for `…&smart_card_number=1& &cablename=GOTV` (facts, section 2.6); PHP
 * streams and the older versions of cURL put it on the wire as it stands (measured: query-with-a-bare-space.http), the
 * servers these scripts were written for take it, and Node's parser does not; and an order's id in a status address may hold anything. Here it has them
 * encoded, one reply and then the end of the connection; undefined for anything else.
 */
export function mendSpacedTarget(packet: Buffer): Buffer | undefined {
  const match = SPACED_HEAD.exec(packet.toString('latin1'));
  if (match === null) return undefined;
  const [, method = '', target = '', version = '', headers = ''] = match;
  const encoded = target.replace(BARE, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`);
  if (encoded === target || headers.includes('\r\n\r\n') || FRAMED.test(headers)) return undefined;
  const kept = headers.replace(CONNECTION_HEADER, '');
  return Buffer.from(`${method} ${encoded} ${version}\r\n${kept}Connection: close\r\n\r\n`, 'latin1');
}

/** Gives the mended bytes to the server as a connection of their own: its parser for the old one has given up. */
export function serveMended(server: Server, socket: Socket, mended: Buffer): void {
  server.emit('connection', new MendedConnection(socket, mended));
}

class MendedConnection extends Duplex {
  /** Read by the judgement of the client address. */
  readonly remoteAddress: string | undefined;
  readonly #socket: Socket;
  #unread: Buffer | undefined;

  constructor(socket: Socket, bytes: Buffer) {
    super();
    this.#socket = socket;
    this.#unread = bytes;
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
