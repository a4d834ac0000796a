/** The v1 service over HTTP: a bounded pool of keep-alive connections, one deadline per call, no redirects, no second try. */
import { isIP } from 'node:net';
import { Pool } from 'undici';
import type { JsonObject } from '../domain/json';
import { classifyFailure, classifyFinding, classifyReply } from './classify';
import { DEADLINE_PASSED, exchange, type Answer, type Exchanged, type Wire } from './exchange';
import type { CallContext, Finding, SentOutcome, Upstream, V1Call } from './upstream';

/** One call that has ended, for whoever watches v1. */
export interface CallDone {
  readonly method: V1Call['method'];
  /** From the host on, without its query. */
  readonly path: string;
  /** Of a purchase. */
  readonly requestId?: string;
  readonly fingerprint: string;
  readonly exchanged: Exchanged;
  /** What the order or the question came to. */
  readonly outcome: SentOutcome['outcome']['kind'] | Finding['kind'];
  readonly durationMs: number;
}

export interface HttpUpstreamOptions {
  /** The v1 base address, e.g. `https://v1.example/api/v1`. */
  readonly baseUrl: string;
  /** Most connections at a time; calls beyond them wait inside their own deadline. */
  readonly connections?: number;
  readonly connectTimeoutMs?: number;
  readonly replyBytesMax?: number;
  /** Milliseconds since the epoch, for a `Retry-After` that names a date. */
  readonly clock?: () => number;
  /** Told of each call when it has ended; must not throw. */
  readonly onCall?: (call: CallDone) => void;
}

const CONNECTIONS = 128;
const CONNECT_TIMEOUT_MS = 2_000;
const REPLY_BYTES_MAX = 1024 * 1024;
const RETRY_AFTER_SECONDS_MAX = 86_400;

/** Makes the pool; the first call opens the first connection. */
export function createHttpUpstream(options: HttpUpstreamOptions): Upstream {
  const base = new URL(options.baseUrl);
  const basePath = base.pathname.replace(/\/+$/, '');
  const {
    connections = CONNECTIONS,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    replyBytesMax = REPLY_BYTES_MAX,
    clock = Date.now,
  } = options;
  // HTTP/2 stays off: a stream cannot show the moment at which a request begins to leave.
  const pool = new Pool(base.origin, { connections, connectTimeout: connectTimeoutMs, pipelining: 1, allowH2: false });

  const retryAfterOf = (answer: Answer) => parseRetryAfter(answer.retryAfter, clock);

  /** Carries the call, reads what it came to, and tells the watcher of both. */
  async function judged<Judged>(
    call: V1Call,
    {
      body,
      requestId,
      context,
    }: { readonly body: JsonObject | undefined; readonly requestId?: string; readonly context: CallContext },
    judge: (exchanged: Exchanged) => Judged,
    outcomeOf: (judgement: Judged) => CallDone['outcome'],
  ): Promise<Judged> {
    const startedAtMs = performance.now();
    const exchanged = await carry(call, body, context, { pool, basePath, replyBytesMax });
    const judgement = judge(exchanged);
    options.onCall?.({
      method: call.method,
      path: `${basePath}${call.path}`,
      ...(requestId === undefined ? {} : { requestId }),
      fingerprint: context.credentials.fingerprint,
      exchanged,
      outcome: outcomeOf(judgement),
      durationMs: performance.now() - startedAtMs,
    });
    return judgement;
  }

  return {
    send(call, requestId, context): Promise<SentOutcome> {
      const pin = context.credentials.pin?.revealForUseOnly();
      const body = { ...call.body, ...(pin === undefined ? {} : { pin }), request_id: requestId };
      const judge = (exchanged: Exchanged): SentOutcome =>
        exchanged.kind === 'answered'
          ? classifyReply(exchanged, requestId, retryAfterOf(exchanged))
          : { outcome: classifyFailure(exchanged), isDuplicate: false };
      return judged(call, { body, requestId, context }, judge, ({ outcome }) => outcome.kind);
    },

    find(call, context): Promise<Finding> {
      const body = call.method === 'POST' ? (call.body ?? {}) : undefined;
      const judge = (exchanged: Exchanged): Finding =>
        exchanged.kind === 'answered'
          ? atServerTime(classifyFinding(exchanged, retryAfterOf(exchanged)), exchanged)
          : { kind: 'unavailable', reason: classifyFailure(exchanged).reason };
      return judged(call, { body, context }, judge, ({ kind }) => kind);
    },

    // Whatever could be waited for has been: an order whose call is cut off is found again in the journal.
    close: () => pool.destroy(),
  };
}

/** Sends the call over a connection of the pool and waits for the answer, inside the context's limits. */
async function carry(
  call: V1Call,
  body: JsonObject | undefined,
  { clientAddress, credentials, timeoutMs, leaveWithinMs, mayLeave }: CallContext,
  { pool, basePath, replyBytesMax }: { readonly pool: Pool; readonly basePath: string; readonly replyBytesMax: number },
): Promise<Exchanged> {
  // v1 judges its allowlist by this one value: two values, or none, would let a stranger buy without a PIN.
  if (isIP(clientAddress) === 0) return neverLeft('UND_ERR_INVALID_ARG', "the caller's address is not an IP address");
  if (!(timeoutMs > 0)) return neverLeft(DEADLINE_PASSED, 'no time was left for the call');
  const wire: Wire = {
    method: call.method,
    path: pathOf(basePath, call),
    headers: [
      'authorization',
      `Bearer ${credentials.apiKey.revealForUseOnly()}`,
      'accept',
      'application/json',
      'user-agent',
      'compat-gateway',
      'x-forwarded-for',
      clientAddress,
      ...(body === undefined ? [] : ['content-type', 'application/json']),
    ],
    body: body === undefined ? null : JSON.stringify(body),
  };
  return exchange(pool, wire, { timeoutMs, leaveWithinMs, mayLeave, replyBytesMax });
}

/** What was found, with v1's own time of it: by that, two clocks can be compared. */
function atServerTime(finding: Finding, { date }: Answer): Finding {
  const serverAtMs = date === undefined ? Number.NaN : Date.parse(date);
  return finding.kind === 'found' && Number.isFinite(serverAtMs) ? { ...finding, serverAtMs } : finding;
}

function neverLeft(code: string, detail: string): Exchanged {
  return { kind: 'failed', isStarted: false, codes: [code], detail };
}

function pathOf(basePath: string, call: V1Call): string {
  const query = call.query === undefined ? '' : new URLSearchParams(call.query).toString();
  return `${basePath}${call.path}${query === '' ? '' : `?${query}`}`;
}

/**
 * RFC 9110 section 10.2.3: whole seconds or a date. A date begins with the name of its day; `Date.parse` would find a year
 * in `-5` and `1.5` as well, and a pause that has passed long ago would be no pause.
 */
function parseRetryAfter(value: string | undefined, clock: () => number): number | undefined {
  const text = value?.trim() ?? '';
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : /^[A-Za-z]{3,9},? /.test(text)
      ? Math.ceil((Date.parse(text) - clock()) / 1000)
      : Number.NaN;
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), RETRY_AFTER_SECONDS_MAX) : undefined;
}
