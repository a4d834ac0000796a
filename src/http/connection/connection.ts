/**
 * One connection of a caller, one request after the other. Node's own server parses all bytes that have arrived, which may be thousands of requests in
 * one packet, and gives each to the application at once. Here its parser gets the bytes in parts that end where a request ends. The next part follows
 * only when the request before it is answered. So requests behind a reply that closes the connection are never served: their replies could not be sent.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { untilRead } from '../until-read';
import type { Arrived } from './aligned-messages';
import type { LoopTurns } from './loop-turns';

interface RequestToServe {
  readonly request: IncomingMessage & Partial<Arrived>;
  readonly response: ServerResponse;
}

export interface ConnectionOptions {
  readonly turns: LoopTurns;
  /** The address by which turns are shared: the caller's, also behind a trusted proxy. */
  readonly addressOf: (peer: string, request?: IncomingMessage) => string;
  readonly begin: (toServe: RequestToServe) => void;
  /** Called when the parser has rejected the bytes and Node gives no `clientError`. */
  readonly onBroken: (socket: Duplex) => void;
}

/** Having so much of a head, we keep no further packet of it: more than any sensible request line. */
const HEAD_KEPT = 2_048;
const HEAD_END = '\r\n\r\n';
/** The search in a new head or a chunked body skips the shortest possible head, so that blank lines alone do not become thousands of parts. */
const HEAD_END_FROM = 'GET / HTTP/1.1'.length;
const [CR, LF] = Buffer.from('\r\n');
const EMPTY = Buffer.alloc(0);

export class Connection {
  readonly socket: Duplex;
  /** The IP address at the other end: the caller's or a proxy's. */
  readonly peer: string;
  /** Its last request was mended and is served as a connection of its own, which writes to this socket and ends it. */
  isServedMended = false;
  /** The application has the current request, and tells how it ended. */
  hasBegun = false;
  /**
   * What has arrived of the next head, or its beginning. A refusal needs its address, however many packets have brought it. A byte of a body never comes
   * here: it could give the address of another request. So it is undefined where the beginning of the head is not sure.
   */
  head: Buffer | undefined;
  #parse: (bytes: Buffer) => void = () => undefined;
  #firstSinceMs: number | undefined;
  readonly #options: ConnectionOptions;
  #current: RequestToServe | undefined;
  /** The current request until all bytes so far are parsed. It begins only then, when its body is nearly always complete and is read without waiting. */
  #beginning: RequestToServe | undefined;
  /** Requests parsed but not begun: one at most, or two when one part held the end of a chunked body and the next head. */
  #waiting: RequestToServe[] = [];
  #unparsed: Buffer | undefined;
  /** The request parsed last, until it is sure that the next byte begins another. */
  #last: IncomingMessage | undefined;
  /** The last bytes of the part before, where it may have ended within a blank line. Empty where the next byte follows a blank line or is of a counted body. */
  #torn: Buffer = EMPTY;
  /** While `#isUpgrading`: the request parsed last; its body may be incomplete. */
  #parsed: IncomingMessage | undefined;
  /** A request had an `Upgrade` header. From then on Node reports neither errors of its parser nor the bytes that it leaves after a request. */
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

  /**
   * Takes over the reading. To be called when Node's server listens for `data`; throws when it does not. The first bytes have waited since `firstSinceMs`,
   * if it is given, and so has a request whose head ends in them.
   */
  read(firstSinceMs?: number): void {
    const { socket } = this;
    const [parse] = socket.listeners('data') as ((bytes: Buffer) => void)[];
    if (parse === undefined) throw new Error('The server does not read its connections as before.');
    this.#parse = parse;
    this.#firstSinceMs = firstSinceMs;
    socket.off('data', parse);
    socket.on('data', (bytes: Buffer) => {
      this.#unparsed = this.#unparsed === undefined ? bytes : Buffer.concat([this.#unparsed, bytes]);
      this.#readOn();
      this.#firstSinceMs = undefined;
    });
    // Node resumes the socket after each request whose body was not read.
    socket.on('resume', () => this.#isHeldBack && socket.pause());
  }

  /** True from the last byte of a request to the last byte of its reply. */
  get isRequestUnderWay(): boolean {
    return this.isServedMended || this.#waiting.length > 0 || this.#isResting || this.#current?.request.complete === true;
  }

  /** To be called for each request that the parser finds. */
  take(toServe: RequestToServe): void {
    const { headers } = toServe.request;
    if (this.#firstSinceMs !== undefined) toServe.request.arrivedAtMs = this.#firstSinceMs;
    this.#isUpgrading ||= headers.upgrade !== undefined;
    if (this.#isUpgrading) this.#parsed = toServe.request;
    this.head = undefined;
    this.#last = toServe.request;
    this.#bodyLeft = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 0;
    if (this.#current !== undefined || this.#isResting) this.#waiting.push(toServe);
    else this.#beginning = this.#current = toServe;
  }

  /** True when written bytes have waited for `limitMs` and none of them has left. */
  hasStalled(nowMs: number, limitMs: number): boolean {
    const unsent = unsentBytes(this.socket);
    if (unsent === 0 || unsent !== this.#unsent) this.#unsentSinceMs = nowMs;
    this.#unsent = unsent;
    return nowMs - this.#unsentSinceMs >= limitMs && unsent > 0;
  }

  /** To be called when the parser is freed or has given up: further bytes are ignored. */
  release(): void {
    this.#isReleased = true;
    this.#unparsed = undefined;
    this.#waiting = [];
  }

  /** Parses the bytes that may be parsed now, then begins the request that they have completed. */
  #readOn(): void {
    this.#parseOn();
    const toServe = this.#beginning;
    if (toServe === undefined) return;
    this.#beginning = undefined;
    const { turns, addressOf } = this.#options;
    toServe.response.on('close', this.#onAnswered);
    turns.begin(addressOf(this.peer, toServe.request), () => this.#begin(toServe));
  }

  #begin(toServe: RequestToServe): void {
    const begin = (hasLeft: boolean): void => {
      // One that broke before its turn is refused already.
      const isBroken = this.#isReleased && !toServe.request.complete;
      if (hasLeft || isBroken || toServe.response.closed) return;
      this.hasBegun = true;
      this.#options.begin(toServe);
    };
    const reading = untilRead();
    if (reading === undefined) begin(false);
    // Node closes the response some turns after its caller has left.
    else void reading.then(() => begin(this.socket.readableEnded));
  }

  readonly #onAnswered = (): void => {
    this.#current = undefined;
    this.hasBegun = false;
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
    // One request is parsed ahead of the current one. If its bytes are broken, the reply under way still can announce the end of the connection.
    while (this.#unparsed !== undefined && this.#waiting.length === 0 && !this.#isResting) {
      // A freed parser may already belong to another connection.
      if (this.#isReleased || this.socket.destroyed) return this.release();
      const bytes = this.#unparsed;
      const end = this.#bodyLeft > 0 ? Math.min(this.#bodyLeft, bytes.length) : this.#endOfHead(bytes);
      this.#bodyLeft = Math.max(0, this.#bodyLeft - end);
      this.#unparsed = end < bytes.length ? bytes.subarray(end) : undefined;
      const part = bytes.subarray(0, end);
      this.#keepHead(part);
      if (!this.#isUpgrading) this.#parse(part);
      else if (!this.#parseWatched(bytes, end)) return this.#options.onBroken(this.socket);
      if (this.#last?.complete === true && this.#torn.length === 0) this.#last = undefined;
    }
    const isHeldBack = this.#unparsed !== undefined;
    if (isHeldBack === this.#isHeldBack) return;
    this.#isHeldBack = isHeldBack;
    if (isHeldBack) this.socket.pause();
    else this.socket.resume();
  }

  #keepHead(part: Buffer): void {
    if (this.#last !== undefined) return;
    if (this.head === undefined) {
      // Blank lines before a head are allowed (RFC 9112 section 2.2), and no part of it.
      const from = part.findIndex((byte) => byte !== CR && byte !== LF);
      if (from >= 0) this.head = part.subarray(from);
    } else if (this.head.length < HEAD_KEPT) this.head = Buffer.concat([this.head, part]);
  }

  /** Where the next blank line ends: it may end a head, a chunked body, or neither. It may have begun in the part before. */
  #endOfHead(bytes: Buffer): number {
    const isHeadBegun = this.#last?.complete ?? this.head !== undefined;
    const seam = this.#torn.length === 0 ? undefined : Buffer.concat([this.#torn, bytes.subarray(0, HEAD_END.length - 1)]);
    const inSeam = seam?.indexOf(HEAD_END, 0, 'latin1') ?? -1;
    const found = inSeam < 0 ? bytes.indexOf(HEAD_END, isHeadBegun ? 0 : HEAD_END_FROM, 'latin1') : inSeam - this.#torn.length;
    if (inSeam >= 0 || found >= 0) {
      this.#torn = EMPTY;
      return found + HEAD_END.length;
    }
    const tail = Buffer.concat([this.#torn, bytes.subarray(-HEAD_END.length)]).subarray(-HEAD_END.length);
    this.#torn = tail.includes(HEAD_END, 0, 'latin1') ? EMPTY : tail.subarray(1 - HEAD_END.length);
    return bytes.length;
  }

  /** Parses up to `end`. Bytes that the parser leaves after the end of a request stay unparsed for the next time. False when the parser has given up. */
  #parseWatched(bytes: Buffer, end: number): boolean {
    const before = this.#parsed;
    const wasWhole = before?.complete;
    const taken = countTaken(this.socket, bytes.subarray(0, end), this.#parse);
    if (taken === end || this.#isReleased) return true;
    const hasEnded = this.#parsed?.complete === true && (this.#parsed !== before || wasWhole === false);
    if (hasEnded) [this.#unparsed, this.#torn] = [bytes.subarray(taken), EMPTY];
    return hasEnded;
  }
}

/** Calls `parse` and returns how many bytes the socket's parser has taken; all of them where it has reported an error. */
function countTaken(socket: Duplex, part: Buffer, parse: (part: Buffer) => void): number {
  const { parser } = socket as { readonly parser?: Parser | null };
  if (parser === undefined || parser === null) return part.length;
  const execute = parser.execute.bind(parser);
  let taken: unknown;
  parser.execute = (bytes) => (taken = execute(bytes));
  try {
    parse(part);
  } finally {
    // Uncovers the prototype's method again.
    delete (parser as Partial<Parser>).execute;
  }
  return typeof taken === 'number' ? taken : part.length;
}

interface Parser {
  execute: (bytes: Buffer) => unknown;
}

/** Includes the queue of the socket's handle: only that queue shows whether a single large write makes progress. */
function unsentBytes(socket: Duplex): number {
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return socket.writableLength + (handle?.writeQueueSize ?? 0);
}
