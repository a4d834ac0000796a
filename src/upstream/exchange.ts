/**
 * One HTTP exchange with v1: a request goes out at most once, an answer of bounded size comes back before the deadline,
 * or the failure says whether a byte may have left. Built on undici's `dispatch` because only its handler is called at
 * the moment at which writing begins. That moment, not an error code, proves whether nothing was sent.
 */
import type { Dispatcher } from 'undici';
import { type Clock, startAge, systemClock } from '../domain/clock';

export interface Wire {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Names and values alternate. */
  readonly headers: string[];
  readonly body: string | null;
}

/** An answer of v1, unread. */
export interface HttpAnswer {
  readonly kind: 'answered';
  readonly httpStatus: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
  /** The `Date` header of the answer. */
  readonly date?: string | undefined;
  /** The `Content-Encoding` header of the answer. */
  readonly encoding?: string | undefined;
}

/** The headers of every request to v1. Without `accept-encoding`, an answer may come in any encoding (RFC 9110 section 12.5.3). */
export const COMMON_HEADERS: readonly string[] = [
  ...['accept', 'application/json'],
  ...['accept-encoding', 'identity'],
  ...['user-agent', 'compat-gateway'],
];

/** The words for an operator that name the encoding of an unreadable answer: something in front of v1 may compress all the same. */
export function encodingWords({ encoding }: HttpAnswer): string {
  return encoding === undefined ? '' : ` (Content-Encoding: ${encoding.slice(0, 40)})`;
}

export interface Failure {
  readonly kind: 'failed';
  /** True from just before the first byte is handed to a socket. */
  readonly isStarted: boolean;
  /** The codes of the errors that caused the failure: more than one when several addresses of a host were tried. */
  readonly codes: readonly string[];
  readonly detail: string;
  /** Set for a call that got no turn. */
  readonly retryAfterSeconds?: number;
}

export type Exchanged = HttpAnswer | Failure;

/** Our own codes, next to those of Node and undici. */
export const DEADLINE_PASSED = 'DEADLINE_PASSED';
export const REPLY_TOO_LARGE = 'REPLY_TOO_LARGE';
/** The call was not queued: too many calls wait for their turn already. */
export const NO_TURN = 'NO_TURN';
export const WRITTEN_TWICE = 'WRITTEN_TWICE';

// Longest delay that setTimeout takes; a longer one fires at once.
const TIMEOUT_MAX_MS = 2_147_483_647;

interface ExchangeLimits {
  /** From connect to last byte. */
  readonly timeoutMs: number;
  /** By when the first byte must have left; at most `timeoutMs`. */
  readonly leaveWithinMs?: number | undefined;
  /** Called just before the first byte leaves; when it returns false, the call is not sent. */
  readonly mayLeave?: (() => boolean) | undefined;
  readonly replyBytesMax: number;
}

/** Sends the request and waits for the answer or the failure; never rejects. */
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
  #encoding: string | undefined;
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
    // The timer is not enough: after a freeze of the process, a connection may become ready before the timers run, and one of
    // the two clocks may have stood still. Meanwhile another process may have proven that v1 never had this order.
    if (this.#controller === undefined && (this.#age() >= this.#leaveWithinMs || !this.#mayLeave())) this.#giveUp();
    // A call that was given up while it waited for a connection must not be written after all: its failure already says
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
    // RFC 9110 section 15.2: interim answers (103 and the like) precede the one that counts. A 100 never comes here: we ask for none, and at one
    // that comes all the same undici breaks the connection, so the call ends as unknown.
    if (statusCode < 200) return;
    this.#httpStatus = statusCode;
    this.#retryAfter = firstOf(headers['retry-after']);
    this.#date = firstOf(headers['date']);
    this.#encoding = firstOf(headers['content-encoding']);
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
      encoding: this.#encoding,
    });
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#fail(errorCodes(error), errorMessage(error));
  }

  #wakeIn(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#onTime(), Math.min(Math.max(0, delayMs), TIMEOUT_MAX_MS));
  }

  /** Runs when `leaveWithinMs` is over. The timer for `timeoutMs` is set only then, because most calls have ended by that time. */
  #onTime(): void {
    if (this.#controller === undefined || this.#isLastTimer) return this.#giveUp();
    this.#isLastTimer = true;
    this.#timer = this.#wakeIn(this.#timeoutMs - this.#age());
  }

  #giveUp(): void {
    const unanswered = `no complete answer within ${Math.round(this.#timeoutMs)} ms`;
    const detail = this.#controller === undefined ? 'it could not leave in time' : unanswered;
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

/** The codes of the errors at the root of an error; a failure to reach any of several addresses has one per address. */
function errorCodes(error: unknown): readonly string[] {
  // Read by shape, not by class: `instanceof` does not recognise an error that another realm has made.
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
