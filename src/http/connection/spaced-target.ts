/**
 * A GET whose address holds bare spaces, tabs or bytes beyond ASCII. Scripts ask for `…&smart_card_number=1& &cablename=GOTV` (facts, section 2.6); PHP
 * streams and the older versions of cURL put it on the wire as it stands (measured: query-with-a-bare-space.http), the
 * servers these scripts were written for take it, and Node's parser does not; and an order's id in a status address may hold anything. The request is mended and read again.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

// The whole head in one packet and nothing behind it.
const SPACED_HEAD = /^(GET|HEAD) (\/[\t\x20-\x7e\x80-\xff]*) (HTTP\/1\.[01])\r\n([^]*\r\n)?\r\n$/;
const BARE = /[\t\x20\x80-\xff]/g;
/** With a body, or lengths to disagree about, mending could show another request than a proxy in front has seen. */
const FRAMED = /^(?:content-length|transfer-encoding)[ \t]*:/im;
const CONNECTION_HEADER = /^connection[ \t]*:.*\r\n/gim;

/** The same request with these encoded, one reply and then the end of the connection; undefined for anything else. */
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
