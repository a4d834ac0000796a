/**
 * One connection of a caller, one request after the other. Node's own server parses whatever has arrived, thousands of requests in one packet, and
 * gives every one to the application. Here its parser gets the bytes in parts that end where a request ends, and the next part only when the request
 * before it is answered: what follows a reply that closes the connection is never acted on, since nobody would hear of it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { LoopTurns } from './loop-turns';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface ConnectionOptions {
  readonly turns: LoopTurns;
  /** Who takes turns with others: the caller, also behind a trusted proxy. */
  readonly addressOf: (peer: string, request?: IncomingMessage) => string;
  readonly begin: (exchange: Exchange) => void;
  /** The parser took these bytes for no HTTP, and Node does not say so. */
  readonly onBroken: (socket: Duplex) => void;
}

const HEAD_END = '\r\n\r\n';
/** A head is longer than its end: blank lines alone do not become thousands of parts. */
const HEAD_END_FROM = 'GET / HTTP/1.1'.length;

export class Connection {
  readonly socket: Duplex;
  /** Where it comes from. */
  readonly peer: string;
  #parse: (bytes: Buffer) => void = () => undefined;
  readonly #options: ConnectionOptions;
  #current: Exchange | undefined;
  /** The current one, until all that has come is parsed: its body is whole then, nearly always, and is read without waiting. */
  #beginning: Exchange | undefined;
  /** Parsed, not begun: one at most, or two when a head's end came in two packets. */
  #waiting: Exchange[] = [];
  #unparsed: Buffer | undefined;
  /** The last one that was parsed, perhaps not yet to its end. */
  #parsed: IncomingMessage | undefined;
  /** One has asked for another protocol: from then on Node hides the errors of its parser, and what it leaves behind the end of a request. */
  #isUpgrading = false;
  #bodyLeft = 0;
  #isResting = false;
  #isHeldBack = false;
  #isReleased = false;
  #unsent = 0;
  #unsentSinceMs = 0;

  constructor(socket: Duplex, peer: string, options: ConnectionOptions) {
    this.socket = socket;
    this.peer = peer;
    this.#options = options;
  }

  /** Once the parser of Node's server listens. */
  read(): void {
    const { socket } = this;
    const [parse] = socket.listeners('data') as ((bytes: Buffer) => void)[];
    if (parse === undefined) throw new Error('The server does not read its connections as before.');
    this.#parse = parse;
    socket.off('data', parse);
    socket.on('data', (bytes: Buffer) => {
      this.#unparsed = this.#unparsed === undefined ? bytes : Buffer.concat([this.#unparsed, bytes]);
      this.#readOn();
    });
    // Node resumes reading for each request whose body nobody wanted.
    socket.on('resume', () => this.#isHeldBack && socket.pause());
  }

  /** True from the last byte of a request to the last byte of its reply. */
  get isRequestUnderWay(): boolean {
    return this.#waiting.length > 0 || this.#isResting || this.#current?.request.complete === true;
  }

  /** For each request that the parser finds. */
  take(exchange: Exchange): void {
    const { headers } = exchange.request;
    this.#parsed = exchange.request;
    this.#isUpgrading ||= headers.upgrade !== undefined;
    this.#bodyLeft = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 0;
    if (this.#current !== undefined || this.#isResting) this.#waiting.push(exchange);
    else this.#beginning = this.#current = exchange;
  }

  /** True when what is written has waited so long and not a byte of it has left. */
  hasStalled(nowMs: number, limitMs: number): boolean {
    const unsent = unsentBytes(this.socket);
    if (unsent === 0 || unsent !== this.#unsent) this.#unsentSinceMs = nowMs;
    this.#unsent = unsent;
    return nowMs - this.#unsentSinceMs >= limitMs && unsent > 0;
  }

  /** The parser is freed or has given up: further bytes are ignored. */
  release(): void {
    this.#isReleased = true;
    this.#unparsed = undefined;
    this.#waiting = [];
  }

  /** Parses what may be parsed, and lets begin what that has brought. */
  #readOn(): void {
    this.#parseOn();
    const exchange = this.#beginning;
    if (exchange === undefined) return;
    this.#beginning = undefined;
    const { turns, addressOf } = this.#options;
    exchange.response.on('close', this.#onAnswered);
    turns.begin(addressOf(this.peer, exchange.request), () => this.#begin(exchange));
  }

  #begin(exchange: Exchange): void {
    if (!exchange.response.closed) this.#options.begin(exchange);
  }

  readonly #onAnswered = (): void => {
    this.#current = undefined;
    if (this.#isReleased) return void this.socket.end();
    if (this.socket.destroyed || this.socket.writableEnded) return this.release();
    const [next] = this.#waiting;
    if (next === undefined && this.#unparsed === undefined) return;
    this.#isResting = true;
    const { turns, addressOf } = this.#options;
    turns.later(addressOf(this.peer, next?.request), () => {
      this.#isResting = false;
      this.#waiting.shift();
      this.#current = next;
      next?.response.on('close', this.#onAnswered);
      this.#readOn();
      if (next !== undefined) this.#begin(next);
    });
  };

  #parseOn(): void {
    // One is parsed ahead: of broken bytes behind a request the caller must hear in its reply, which then is the last.
    while (this.#unparsed !== undefined && this.#waiting.length === 0 && !this.#isResting) {
      // A parser that is freed may already read for another connection.
      if (this.#isReleased || this.socket.destroyed) return this.release();
      const bytes = this.#unparsed;
      const end = this.#bodyLeft > 0 ? Math.min(this.#bodyLeft, bytes.length) : endOfHead(bytes);
      this.#bodyLeft = Math.max(0, this.#bodyLeft - end);
      this.#unparsed = end < bytes.length ? bytes.subarray(end) : undefined;
      if (!this.#isUpgrading) this.#parse(bytes.subarray(0, end));
      else if (!this.#parseWatched(bytes, end)) return this.#options.onBroken(this.socket);
    }
    const isHeldBack = this.#unparsed !== undefined;
    if (isHeldBack === this.#isHeldBack) return;
    this.#isHeldBack = isHeldBack;
    if (isHeldBack) this.socket.pause();
    else this.socket.resume();
  }

  /** Parses up to `end`; what the parser leaves behind the end of a request stays for the next time. False when it has given up. */
  #parseWatched(bytes: Buffer, end: number): boolean {
    const before = this.#parsed;
    const wasWhole = before?.complete;
    const taken = countTaken(this.socket, bytes.subarray(0, end), this.#parse);
    if (taken === end || this.#isReleased) return true;
    const hasEnded = this.#parsed?.complete === true && (this.#parsed !== before || wasWhole === false);
    if (hasEnded) this.#unparsed = bytes.subarray(taken);
    return hasEnded;
  }
}

/** Calls `parse` and gives how many bytes the parser of the socket has taken; all of them where it has said that they are broken. */
function countTaken(socket: Duplex, part: Buffer, parse: (part: Buffer) => void): number {
  const { parser } = socket as { readonly parser?: Parser | null };
  if (parser === undefined || parser === null) return part.length;
  const execute = parser.execute.bind(parser);
  let taken: unknown;
  parser.execute = (bytes) => (taken = execute(bytes));
  try {
    parse(part);
  } finally {
    // The method of its kind shows again.
    delete (parser as Partial<Parser>).execute;
  }
  return typeof taken === 'number' ? taken : part.length;
}

interface Parser {
  execute: (bytes: Buffer) => unknown;
}

/** Of a single large write only the queue below it tells whether it moves. */
function unsentBytes(socket: Duplex): number {
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return socket.writableLength + (handle?.writeQueueSize ?? 0);
}

/** Up to the next blank line: the end of a head, of a chunked body, or of neither. */
function endOfHead(bytes: Buffer): number {
  const at = bytes.indexOf(HEAD_END, HEAD_END_FROM, 'latin1');
  return at < 0 ? bytes.length : at + HEAD_END.length;
}
