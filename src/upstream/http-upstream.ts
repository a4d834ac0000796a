/** The v1 service over HTTP: kept connections, as many as v1 can bear, shared fairly; one deadline per call, no redirects, no repetition. */
import { isIP } from 'node:net';
import { startAge, systemClock } from '../domain/clock';
import type { JsonObject } from '../domain/json';
import { newSpanId, writeTraceParent } from '../domain/trace';
import { classifyFailure, classifyFinding, classifyReply, unavailable } from './classify';
import {
  COMMON_HEADERS,
  DEADLINE_PASSED,
  exchange,
  NO_TURN,
  type HttpAnswer,
  type Exchanged,
  type Failure,
  type Wire,
} from './exchange';
import { CallTurns, type CallTurnsOptions, type CallTurnsState } from './call-turns';
import { createConnections, type Connections } from './connections';
import type { CallContext, Finding, SentOutcome, Upstream, V1Call } from './upstream';

/** One call that has ended, for the parts that watch v1. */
export interface CallDone {
  readonly method: V1Call['method'];
  /** The path after the host, without the query. */
  readonly path: string;
  /** Set for a purchase. */
  readonly requestId?: string;
  readonly fingerprint: string;
  readonly exchanged: Exchanged;
  /** The outcome of the purchase, or the finding of a call that moves no money. */
  readonly outcome: SentOutcome['outcome']['kind'] | Finding['kind'];
  readonly durationMs: number;
}

export interface HttpUpstreamOptions {
  /** The v1 base address, e.g. `https://v1.example/api/v1`. */
  readonly baseUrl: string;
  /** Most connections at a time, and so most calls. Further calls wait for their turn inside their own deadline. */
  readonly connections?: number;
  readonly connectTimeoutMs?: number;
  /** Called for each call that had to wait for its turn; must not throw. */
  readonly onWaited?: CallTurnsOptions['onWaited'];
  readonly replyBytesMax?: number;
  /** Milliseconds since the epoch, for a `Retry-After` that names a date in an answer without a `Date` header. */
  readonly clock?: () => number;
  /** Called for each call that has ended; must not throw. */
  readonly onCall?: (call: CallDone) => void;
}

const CONNECTIONS = 4_096;
const CONNECT_TIMEOUT_MS = 2_000;
const REPLY_BYTES_MAX = 1024 * 1024;
/** The price list may be longer than other answers: this holds some 50,000 plans. */
const CATALOG_BYTES_MAX = 16 * REPLY_BYTES_MAX;
/** The part of its whole time that a call may wait for its turn: a call sent later would have too little time for its answer. */
const WAIT_PART = 0.75;
const RETRY_AFTER_SECONDS_MAX = 86_400;

/** The upstream, with the present state of its calls. */
export interface HttpUpstream extends Upstream {
  readonly turns: CallTurnsState;
  /**
   * Seconds until a further purchase with this path and key is worth sending, if such purchases have waited `waitMs` for their
   * turn or no more of them may wait; undefined otherwise.
   */
  readonly crowdedSeconds: (path: string, fingerprint: string, waitMs: number) => number | undefined;
}

/** The parts that every call is sent with. */
interface CallParts {
  readonly turns: CallTurns;
  readonly connections: Connections;
  readonly basePath: string;
  readonly replyBytesMax: number;
  readonly retryAfterOf: (answer: HttpAnswer) => number | undefined;
}

/** One call to be sent. A purchase has a request id. */
interface OutgoingCall {
  readonly call: V1Call;
  readonly body: JsonObject | undefined;
  readonly requestId?: string;
  readonly context: CallContext;
}

/** Opens no connection yet; the first call opens the first one. */
export function createHttpUpstream(options: HttpUpstreamOptions): HttpUpstream {
  const base = new URL(options.baseUrl);
  const basePath = base.pathname.replace(/\/+$/, '');
  const { connections: most = CONNECTIONS, connectTimeoutMs = CONNECT_TIMEOUT_MS, clock = Date.now } = options;
  const turns = new CallTurns({ most, onWaited: options.onWaited });
  const connections = createConnections({ origin: base.origin, connectTimeoutMs });
  const retryAfterOf = (answer: HttpAnswer) => parseRetryAfter(answer.retryAfter, () => serverTimeOf(answer) ?? clock());
  const parts: CallParts = {
    turns,
    connections,
    basePath,
    replyBytesMax: options.replyBytesMax ?? REPLY_BYTES_MAX,
    retryAfterOf,
  };

  /** Sends the call, judges its answer or failure, and reports both to `onCall`. */
  async function judged<Judged>(
    outgoing: OutgoingCall,
    judge: (exchanged: Exchanged) => Judged,
    outcomeOf: (judgement: Judged) => CallDone['outcome'],
  ): Promise<Judged> {
    const { call, requestId, context } = outgoing;
    const startedAtMs = performance.now();
    const exchanged = await sendInTurn(outgoing, parts);
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
          ? classifyReply(exchanged, call, requestId, retryAfterOf(exchanged), context.credentials)
          : { outcome: classifyFailure(exchanged), isDuplicate: false };
      return judged({ call, body, requestId, context }, judge, ({ outcome }) => outcome.kind);
    },

    find(call, context): Promise<Finding> {
      const body = call.method === 'POST' ? (call.body ?? {}) : undefined;
      const judge = (exchanged: Exchanged): Finding =>
        exchanged.kind === 'answered'
          ? atServerTime(classifyFinding(exchanged, retryAfterOf(exchanged), context.credentials), exchanged)
          : unavailable(classifyFailure(exchanged).reason, exchanged.retryAfterSeconds);
      return judged({ call, body, context }, judge, ({ kind }) => kind);
    },

    crowdedSeconds: (path, fingerprint, waitMs) => turns.crowdedSeconds(fingerprint, path, waitMs),

    get turns() {
      return turns.state;
    },

    // The stop has waited for calls already. An order whose call is cut off here is in the journal and is settled later.
    close() {
      turns.close();
      return connections.close();
    },
  };
}

/** Waits for the call's turn if there is none at once, sends the call and waits for the answer, all inside the context's limits. */
async function sendInTurn(outgoing: OutgoingCall, parts: CallParts): Promise<Exchanged> {
  const { call, requestId, context } = outgoing;
  const { turns, connections } = parts;
  const replyBytesMax = call.path === '/catalog' ? CATALOG_BYTES_MAX : parts.replyBytesMax;
  const { fingerprint } = context.credentials;
  // v1 judges its allowlist by this one value: two values, or none, would let a stranger buy without a PIN.
  if (isIP(context.clientAddress) === 0) return neverLeft('UND_ERR_INVALID_ARG', "the caller's address is not an IP address");
  if (!(context.timeoutMs > 0)) return neverLeft(DEADLINE_PASSED, 'no time was left for the call');
  const wire = wireOf(outgoing, parts.basePath);
  const lane = turns.laneOf(call.path, requestId !== undefined);
  let { timeoutMs, leaveWithinMs } = context;
  if (!turns.take(fingerprint, lane)) {
    const age = startAge(systemClock);
    const fate = await turns.wait(fingerprint, lane, Math.min(timeoutMs * WAIT_PART, leaveWithinMs ?? timeoutMs));
    const retryAfterSeconds = turns.retrySeconds(fingerprint, lane);
    if (fate === 'late') return { ...neverLeft(DEADLINE_PASSED, 'its turn did not come in time'), retryAfterSeconds };
    if (fate === 'full') return { ...neverLeft(NO_TURN, 'too many calls wait for their turn already'), retryAfterSeconds };
    // The wait has used up a part of both limits: that for the first byte and that for the answer.
    const waitedMs = age();
    timeoutMs -= waitedMs;
    if (leaveWithinMs !== undefined) leaveWithinMs -= waitedMs;
  }
  const begunAtMs = performance.now();
  const connection = connections.take();
  const exchanged = await exchange(connection, wire, { timeoutMs, leaveWithinMs, mayLeave: context.mayLeave, replyBytesMax });
  connections.giveBack(connection);
  const retryAfterSeconds = exchanged.kind === 'answered' ? parts.retryAfterOf(exchanged) : undefined;
  turns.end(fingerprint, lane, { exchanged, begunAtMs, retryAfterSeconds });
  return exchanged;
}

function wireOf({ call, body, context: { clientAddress, credentials, trace } }: OutgoingCall, basePath: string): Wire {
  const headers = [
    'authorization',
    `Bearer ${credentials.apiKey.revealForUseOnly()}`,
    ...COMMON_HEADERS,
    'x-forwarded-for',
    clientAddress,
  ];
  if (body !== undefined) headers.push('content-type', 'application/json');
  if (trace !== undefined) headers.push('traceparent', writeTraceParent({ ...trace, parentId: trace.childId ?? newSpanId() }));
  return { method: call.method, path: pathOf(basePath, call), headers, body: body === undefined ? null : JSON.stringify(body) };
}

/** Adds the time of v1's `Date` header to the finding, for comparing v1's clock with ours. */
function atServerTime(finding: Finding, answer: HttpAnswer): Finding {
  const serverAtMs = serverTimeOf(answer);
  return finding.kind === 'found' && serverAtMs !== undefined ? { ...finding, serverAtMs } : finding;
}

function serverTimeOf({ date }: HttpAnswer): number | undefined {
  const atMs = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isFinite(atMs) ? atMs : undefined;
}

function neverLeft(code: string, detail: string): Failure {
  return { kind: 'failed', isStarted: false, codes: [code], detail };
}

function pathOf(basePath: string, call: V1Call): string {
  if (call.query === undefined) return `${basePath}${call.path}`;
  const query = new URLSearchParams(call.query).toString();
  return `${basePath}${call.path}${query === '' ? '' : `?${query}`}`;
}

/**
 * Seconds of a `Retry-After`, which RFC 9110 section 10.2.3 defines as whole seconds or a date; at most a day. A date begins with
 * the name of its day. Without that test `Date.parse` would read a year in `-5` and `1.5`, and the pause would be 0.
 */
function parseRetryAfter(value: string | undefined, clock: () => number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : /^[A-Za-z]{3,9},? /.test(text)
      ? Math.ceil((Date.parse(text) - clock()) / 1000)
      : Number.NaN;
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), RETRY_AFTER_SECONDS_MAX) : undefined;
}
