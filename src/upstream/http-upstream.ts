/** The v1 service over HTTP: kept connections, as many as v1 can bear, shared fairly; one deadline per call, no redirects, no second try. */
import { isIP } from 'node:net';
import { startAge, systemClock } from '../domain/clock';
import type { JsonObject } from '../domain/json';
import { newSpanId, writeTraceParent } from '../domain/trace';
import { classifyFailure, classifyFinding, classifyReply, unavailable } from './classify';
import { DEADLINE_PASSED, exchange, NO_TURN, type Answer, type Exchanged, type Failure, type Wire } from './exchange';
import { createCallTurns, type CallTurns, type CallTurnsOptions, type CallTurnsState } from './call-turns';
import { createConnections, type Connections } from './connections';
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
  /** Most connections at a time, and so most calls; those beyond them wait inside their own deadline. */
  readonly connections?: number;
  readonly connectTimeoutMs?: number;
  /** Told of each call that had to wait for its turn; must not throw. */
  readonly onWaited?: CallTurnsOptions['onWaited'];
  readonly replyBytesMax?: number;
  /** Milliseconds since the epoch, for a `Retry-After` that names a date where v1 does not tell its own time. */
  readonly clock?: () => number;
  /** Told of each call when it has ended; must not throw. */
  readonly onCall?: (call: CallDone) => void;
}

const CONNECTIONS = 4_096;
const CONNECT_TIMEOUT_MS = 2_000;
const REPLY_BYTES_MAX = 1024 * 1024;
/** Of its whole time a call waits at most so much for its turn: what were sent later would have no time for its answer. */
const WAIT_PART = 0.75;
const RETRY_AFTER_SECONDS_MAX = 86_400;

/** The upstream, and how many calls it has as of now. */
export interface HttpUpstream extends Upstream {
  readonly turns: CallTurnsState;
  /**
   * Seconds until another try is worth it, where purchases with this path and key have waited for their turn for so many
   * milliseconds, or no more may wait; undefined otherwise.
   */
  readonly crowdedSeconds: (path: string, fingerprint: string, waitMs: number) => number | undefined;
}

/** What each call is carried with. */
interface Carrier {
  readonly turns: CallTurns;
  readonly connections: Connections;
  readonly basePath: string;
  readonly replyBytesMax: number;
  readonly retryAfterOf: (answer: Answer) => number | undefined;
}

/** One call on its way. A purchase has a request id. */
interface Carried {
  readonly call: V1Call;
  readonly body: JsonObject | undefined;
  readonly requestId?: string;
  readonly context: CallContext;
}

/** Opens nothing yet; the first call opens the first connection. */
export function createHttpUpstream(options: HttpUpstreamOptions): HttpUpstream {
  const base = new URL(options.baseUrl);
  const basePath = base.pathname.replace(/\/+$/, '');
  const { connections: most = CONNECTIONS, connectTimeoutMs = CONNECT_TIMEOUT_MS, clock = Date.now } = options;
  const turns = createCallTurns({ most, onWaited: options.onWaited });
  const connections = createConnections({ origin: base.origin, connectTimeoutMs });
  const retryAfterOf = (answer: Answer) => parseRetryAfter(answer.retryAfter, () => serverTimeOf(answer) ?? clock());
  const carrier: Carrier = {
    turns,
    connections,
    basePath,
    replyBytesMax: options.replyBytesMax ?? REPLY_BYTES_MAX,
    retryAfterOf,
  };

  /** Carries the call, reads what it came to, and tells the watcher of both. */
  async function judged<Judged>(
    carried: Carried,
    judge: (exchanged: Exchanged) => Judged,
    outcomeOf: (judgement: Judged) => CallDone['outcome'],
  ): Promise<Judged> {
    const { call, requestId, context } = carried;
    const startedAtMs = performance.now();
    const exchanged = await carry(carried, carrier);
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
      return judged({ call, body, requestId, context }, judge, ({ outcome }) => outcome.kind);
    },

    find(call, context): Promise<Finding> {
      const body = call.method === 'POST' ? (call.body ?? {}) : undefined;
      const judge = (exchanged: Exchanged): Finding =>
        exchanged.kind === 'answered'
          ? atServerTime(classifyFinding(exchanged, retryAfterOf(exchanged)), exchanged)
          : unavailable(classifyFailure(exchanged).reason, exchanged.retryAfterSeconds);
      return judged({ call, body, context }, judge, ({ kind }) => kind);
    },

    crowdedSeconds: (path, fingerprint, waitMs) => turns.crowdedSeconds(fingerprint, path, waitMs),

    get turns() {
      return turns.state;
    },

    // Whatever could be waited for has been: an order whose call is cut off is found again in the journal.
    close() {
      turns.close();
      return connections.close();
    },
  };
}

/** Waits for the call's turn where it must, sends it and waits for the answer, inside the context's limits. */
async function carry(carried: Carried, carrier: Carrier): Promise<Exchanged> {
  const { call, requestId, context } = carried;
  const { turns, connections, replyBytesMax } = carrier;
  const { fingerprint } = context.credentials;
  // v1 judges its allowlist by this one value: two values, or none, would let a stranger buy without a PIN.
  if (isIP(context.clientAddress) === 0) return neverLeft('UND_ERR_INVALID_ARG', "the caller's address is not an IP address");
  if (!(context.timeoutMs > 0)) return neverLeft(DEADLINE_PASSED, 'no time was left for the call');
  const wire = wireOf(carried, carrier.basePath);
  const lane = turns.laneOf(call.path, requestId !== undefined);
  let { timeoutMs, leaveWithinMs } = context;
  if (!turns.take(fingerprint, lane)) {
    const age = startAge(systemClock);
    const fate = await turns.wait(fingerprint, lane, Math.min(timeoutMs * WAIT_PART, leaveWithinMs ?? timeoutMs));
    const retryAfterSeconds = turns.retrySeconds(fingerprint, lane);
    if (fate === 'late') return { ...neverLeft(DEADLINE_PASSED, 'its turn did not come in time'), retryAfterSeconds };
    if (fate === 'full') return { ...neverLeft(NO_TURN, 'too many calls wait for their turn already'), retryAfterSeconds };
    // The first byte has what is left of its time, and so has the answer.
    const waitedMs = age();
    timeoutMs -= waitedMs;
    if (leaveWithinMs !== undefined) leaveWithinMs -= waitedMs;
  }
  const begunAtMs = performance.now();
  const connection = connections.take();
  const exchanged = await exchange(connection, wire, { timeoutMs, leaveWithinMs, mayLeave: context.mayLeave, replyBytesMax });
  connections.giveBack(connection);
  const retryAfterSeconds = exchanged.kind === 'answered' ? carrier.retryAfterOf(exchanged) : undefined;
  turns.end(fingerprint, lane, { exchanged, begunAtMs, retryAfterSeconds });
  return exchanged;
}

function wireOf({ call, body, context: { clientAddress, credentials, trace } }: Carried, basePath: string): Wire {
  const headers = [
    'authorization',
    `Bearer ${credentials.apiKey.revealForUseOnly()}`,
    'accept',
    'application/json',
    'user-agent',
    'compat-gateway',
    'x-forwarded-for',
    clientAddress,
  ];
  if (body !== undefined) headers.push('content-type', 'application/json');
  if (trace !== undefined) headers.push('traceparent', writeTraceParent({ ...trace, parentId: trace.childId ?? newSpanId() }));
  return { method: call.method, path: pathOf(basePath, call), headers, body: body === undefined ? null : JSON.stringify(body) };
}

/** What was found, with v1's own time of it: by that, two clocks can be compared. */
function atServerTime(finding: Finding, answer: Answer): Finding {
  const serverAtMs = serverTimeOf(answer);
  return finding.kind === 'found' && serverAtMs !== undefined ? { ...finding, serverAtMs } : finding;
}

function serverTimeOf({ date }: Answer): number | undefined {
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
 * RFC 9110 section 10.2.3: whole seconds or a date. A date begins with the name of its day; `Date.parse` would find a year
 * in `-5` and `1.5` as well, and a pause that has passed long ago would be no pause.
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
