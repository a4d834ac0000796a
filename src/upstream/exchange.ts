/**
 * One HTTP exchange with v1: a request goes out at most once, an answer of bounded size comes back before the deadline,
 * or the failure says whether a byte may have left. Built on undici's `dispatch` because only its handler tells the
 * moment at which writing begins: that moment, not an error code, is what proves that nothing was sent.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Client, type Dispatcher } from 'undici';
import { type Clock, startAge, systemClock } from '../domain/clock';

export interface Wire {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: string | null;
}

export interface Answer {
  readonly kind: 'answered';
  readonly httpStatus: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
  /** The server's clock, as it told it. */
  readonly date?: string | undefined;
}

export interface Failure {
  readonly kind: 'failed';
  /** True from just before the first byte is handed to a socket. */
  readonly isStarted: boolean;
  /** Every code that caused it: more than one when several addresses of a host were tried. */
  readonly codes: readonly string[];
  readonly detail: string;
  /** Of a call that found no turn. */
  readonly retryAfterSeconds?: number;
}

export type Exchanged = Answer | Failure;

/** Our own codes, next to those of Node and undici. */
export const DEADLINE_PASSED = 'DEADLINE_PASSED';
const REPLY_TOO_LARGE = 'REPLY_TOO_LARGE';
/** Too many calls wait for their turn already. */
export const NO_TURN = 'NO_TURN';
export const WRITTEN_TWICE = 'WRITTEN_TWICE';

// Longest delay that setTimeout takes; a longer one fires at once.
const TIMEOUT_MAX_MS = 2_147_483_647;

export interface ExchangeLimits {
  /** From connect to last byte. */
  readonly timeoutMs: number;
  /** By when the first byte must have left; at most `timeoutMs`. */
  readonly leaveWithinMs?: number | undefined;
  /** Asked when the first byte is about to leave. */
  readonly mayLeave?: (() => boolean) | undefined;
  readonly replyBytesMax: number;
}

/** Sends and waits; never rejects. */
export function exchange(
  dispatcher: Dispatcher,
  wire: Wire,
  limits: ExchangeLimits,
  clock: Clock = systemClock,
): Promise<Exchanged> {
  return new Promise((resolve) => {
    const handler = new ExchangeHandler(resolve, limits, startAge(clock));
    try {
      // The deadline covers the whole call, so undici's own limits between headers and bytes are off.
      dispatcher.dispatch({ ...wire, headersTimeout: 0, bodyTimeout: 0 }, handler);
    } catch (error) {
      handler.onResponseError(undefined, error);
    }
  });
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #resolve: (exchanged: Exchanged) => void;
  readonly #timeoutMs: number;
  readonly #leaveWithinMs: number;
  readonly #mayLeave: () => boolean;
  readonly #replyBytesMax: number;
  readonly #age: () => number;
  #timer: NodeJS.Timeout;
  #isLastTimer: boolean;
  #controller: Dispatcher.DispatchController | undefined;
  #isDone = false;
  #httpStatus = 0;
  #retryAfter: string | undefined;
  #date: string | undefined;
  #bytes = 0;
  readonly #chunks: Buffer[] = [];

  constructor(
    resolve: (exchanged: Exchanged) => void,
    { timeoutMs, leaveWithinMs = timeoutMs, mayLeave = () => true, replyBytesMax }: ExchangeLimits,
    age: () => number,
  ) {
    this.#resolve = resolve;
    this.#timeoutMs = timeoutMs;
    this.#leaveWithinMs = Math.min(leaveWithinMs, timeoutMs);
    this.#isLastTimer = this.#leaveWithinMs === timeoutMs;
    this.#mayLeave = mayLeave;
    this.#replyBytesMax = replyBytesMax;
    this.#age = age;
    this.#timer = this.#wakeIn(this.#leaveWithinMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The timer is not enough: in a process that was frozen a connection may be ready before the timers are looked at, and
    // one clock may have stood still. By then others may have proven that this order never was at v1.
    if (this.#controller === undefined && (this.#age() >= this.#leaveWithinMs || !this.#mayLeave())) this.#giveUp();
    // A call that was given up while it waited for a connection must not be written after all: its caller has been told
    // that nothing was sent. An abort at this point comes before the first byte.
    if (this.#isDone) return controller.abort(new Error('given up before it was sent'));
    // undici documents that a request may be started again on another connection. Money is not sent twice.
    if (this.#controller !== undefined)
      return controller.abort(codedError(WRITTEN_TWICE, 'the request would have been written twice'));
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // RFC 9110 section 15.2: interim answers (103 and the like) precede the one that counts.
    if (statusCode < 200) return;
    this.#httpStatus = statusCode;
    this.#retryAfter = firstOf(headers['retry-after']);
    this.#date = firstOf(headers['date']);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#replyBytesMax)
      return this.#stop(REPLY_TOO_LARGE, `the answer is larger than ${this.#replyBytesMax} bytes`);
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#finish({
      kind: 'answered',
      httpStatus: this.#httpStatus,
      text: bytes.toString('utf8'),
      retryAfter: this.#retryAfter,
      date: this.#date,
    });
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#fail(errorCodes(error), errorMessage(error));
  }

  #wakeIn(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#onTime(), Math.min(Math.max(0, delayMs), TIMEOUT_MAX_MS));
  }

  /** The time in which it had to leave is over, and then its whole time: a call that has left by the first is seldom there at the second. */
  #onTime(): void {
    if (this.#controller === undefined || this.#isLastTimer) return this.#giveUp();
    this.#isLastTimer = true;
    this.#timer = this.#wakeIn(this.#timeoutMs - this.#age());
  }

  #giveUp(): void {
    const detail =
      this.#controller === undefined ? 'it could not leave in time' : `no complete answer within ${this.#timeoutMs} ms`;
    this.#stop(DEADLINE_PASSED, detail);
  }

  #stop(code: string, detail: string): void {
    this.#fail([code], detail);
    this.#controller?.abort(codedError(code, detail));
  }

  #fail(codes: readonly string[], detail: string): void {
    this.#finish({ kind: 'failed', isStarted: this.#controller !== undefined, codes, detail });
  }

  #finish(exchanged: Exchanged): void {
    if (this.#isDone) return;
    this.#isDone = true;
    clearTimeout(this.#timer);
    this.#resolve(exchanged);
  }
}

function codedError(code: string, detail: string): Error {
  return Object.assign(new Error(detail), { code });
}

/** The codes at the root of an error; a failure to reach any of several addresses has one per address. */
function errorCodes(error: unknown): readonly string[] {
  // Read by shape, not by class: an error may come from another realm, and then it is an instance of nothing here.
  if (typeof error !== 'object' || error === null) return ['NO_CODE'];
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) return error.errors.flatMap(errorCodes);
  return ['code' in error && typeof error.code === 'string' ? error.code : 'NO_CODE'];
}

function errorMessage(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  return 'message' in error && typeof error.message === 'string' ? error.message : 'an error without words';
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** v1 answers it 401, in its own words, which proves all that is asked. */
export const PROBE_PATH = '/balance';
/** A probe of this process, by a header that the pass-through forwards: where it comes back, UPSTREAM_URL leads to ourselves. */
const PROBE_ID = `probe-${randomUUID()}`;
/** What the pass-through answers then. */
export const LEADS_BACK = 'UPSTREAM_URL of the gateway leads back to the gateway.';

export function isOwnProbe({ 'x-request-id': id }: IncomingHttpHeaders): boolean {
  return id === PROBE_ID;
}

const CONNECT_MS_MAX = 5_000;
const PROBE_MS_MAX = 7_000;
const REPLY_BYTES_MAX = 256 * 1024;

export interface Probe {
  readonly exchanged: Promise<Exchanged>;
  readonly abandon: () => void;
}

/** One question to v1 that moves nothing and shows no key, on a connection of its own: the calls of scripts may all hang. */
export function probeV1(baseUrl: string): Probe {
  const base = new URL(baseUrl);
  const connect = { timeout: CONNECT_MS_MAX, rejectUnauthorized: true };
  const client = new Client(base.origin, { connect, pipelining: 1, allowH2: false });
  const wire = {
    method: 'GET' as const,
    path: `${base.pathname.replace(/\/+$/, '')}${PROBE_PATH}`,
    headers: ['accept', 'application/json', 'user-agent', 'compat-gateway', 'x-request-id', PROBE_ID, 'connection', 'close'],
    body: null,
  };
  const exchanged = exchange(client, wire, { timeoutMs: PROBE_MS_MAX, replyBytesMax: REPLY_BYTES_MAX });
  const abandon = (): void => void client.destroy().catch(() => undefined);
  void exchanged.then(abandon);
  return { exchanged, abandon };
}
