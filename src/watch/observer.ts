/** Writes the log line and the metrics of each request. It wraps the gateway: no step of the walk knows of it. */
import { randomBytes } from 'node:crypto';
import type { GatewayError } from '../domain/errors';
import { harmless } from '../domain/harmless';
import type { LegacyHeaders, LegacyRequest } from '../domain/legacy';
import { createLru } from '../domain/lru';
import { keepName, showPath, showText, withoutKeys } from '../domain/shown-words';
import { NOT_KEPT } from '../domain/traffic';
import type { ParsedRequest } from '../gateway/read/walk-in';
import type { Served } from '../gateway/gateway';
import type { WrongPin } from '../gateway/order/pin-guard';
import { JournalAway, type JournalEvent } from '../journal/journal';
import type { EndedRequest } from '../http/app';
import type { Reloaded } from '../mapping/live';
import { formatProblem } from '../mapping/problem';
import { errorFields, type Log } from '../telemetry/log';
import type { Metrics } from '../telemetry/metrics';
import type { RepeatedRefusals } from './repeated-refusals';

export type Observer = ReturnType<typeof createObserver>;

const PROBLEMS_LOGGED_MAX = 20;
/** Refused connections are told again when there were none for so long. */
const REFUSED_AGAIN_MS = 600_000;
const SOLD_MAX = 10_000;

interface ObserverOptions {
  /** How a request id may appear in the log. */
  readonly showId?: (id: string) => string;
  /** The request id in the headers of a request whose body could not be read. */
  readonly headerId?: (headers: LegacyHeaders) => string | undefined;
  readonly repeated?: Pick<RepeatedRefusals, 'noteServed'>;
  /** The title of a caller, if it has one. */
  readonly titleOf?: (fingerprint: string) => string | undefined;
}

export function createObserver(log: Log, metrics: Metrics, options: ObserverOptions = {}) {
  const { showId = (id) => id, headerId = () => undefined, titleOf = () => undefined } = options;
  const { repeated = { noteServed: () => undefined } } = options;
  const sold = createLru<number, string>(SOLD_MAX);
  const noting: Noting = { log, metrics, showId, headerId, titleOf, repeated, sold };
  const watching = harmless((error) => log.error('watching', errorFields(error)));
  let refusedAtMs = -Infinity;
  return {
    served: watching((request: LegacyRequest, served: Served, durationMs: number, isAbandoned?: boolean) =>
      noteServed(request, served, { durationMs, isAbandoned }, noting),
    ),
    /** Logs how a request was read, before steps 7 to 11; undefined where the log level leaves that out. */
    read: log.writesDebug
      ? watching((parsed: ParsedRequest, sentId: string | undefined) => noteRead(parsed, sentId, noting))
      : undefined,
    requestDone: watching((ended: EndedRequest) => noteDone(ended, noting)),
    brokenRequest: watching((error: GatewayError) => {
      metrics.requestDone({ outcome: 'refused', refusedAs: error.code, durationMs: 0 });
      log.info('request', { kind: 'broken', refusedAs: error.code, detail: error.detail });
    }),
    /** A connection found no room, or was ended to make some: the script hears nothing, and no request is logged. */
    connectionRefused: watching((why: string) => {
      metrics.connectionRefused(why);
      const detail = 'there is no room for all connections; LimitNOFILE (ulimit -n) decides how many there may be';
      if (performance.now() - refusedAtMs > REFUSED_AGAIN_MS) log.warn('connections_refused', { kind: why, detail });
      refusedAtMs = performance.now();
    }),
    /** v1 has called a PIN wrong: three wrong PINs lock a reseller's purchases. */
    wrongPin: watching((wrong: WrongPin) => {
      metrics.wrongPin();
      log.warn('wrong_pin', { ...wrong });
    }),
    /** While a database is away every waiting sale meets it: a line for each would hide those that tell when it went and when it came back. */
    trouble: watching((what: string, error: unknown) => {
      if (![error, (error as Error | undefined)?.cause].some((one) => one instanceof JournalAway))
        log.error(what, errorFields(error));
    }),
    /** Logs a reload, or a start with the last good mapping. */
    reloaded: (reloaded: Reloaded): void => {
      metrics.reloaded(reloaded.kind, reloaded.hash);
      const { kind, hash: mappingHash } = reloaded;
      if (!('problems' in reloaded)) return log.info('mapping_reload', { kind, mappingHash });
      for (const problem of reloaded.problems.slice(0, PROBLEMS_LOGGED_MAX))
        log.error('mapping_refused', { mappingHash, detail: formatProblem(problem) });
    },
    journal: (event: JournalEvent): void => {
      const count = 'orders' in event ? { count: event.orders } : {};
      if (event.kind === 'swept' || event.kind === 'answers_written' || event.kind === 'write_recovered')
        log.info(`journal_${event.kind}`, count);
      else if ('error' in event) log.error(`journal_${event.kind}`, errorFields(event.error));
      else log.error(`journal_${event.kind}`, 'waitedMs' in event ? { heldMs: event.waitedMs } : count);
    },
    /** Logs a bug; returns the id of its log line. */
    incident: (error: unknown): string => {
      const incident = randomBytes(6).toString('hex');
      log.error('incident', { incident, ...errorFields(error) });
      return incident;
    },
  };
}

/** The log and metrics of a request, and how ids are shown in them. */
interface Noting extends Required<ObserverOptions> {
  readonly log: Log;
  readonly metrics: Metrics;
  /** The sales whose success was told, by the number of the order: its owner. */
  readonly sold: ReturnType<typeof createLru<number, string>>;
}

function noteRead(parsed: ParsedRequest, sentId: string | undefined, { log, showId }: Noting): void {
  const { operation, format, reason, credentials, mapping, request } = parsed;
  const kind = mapping.callerKindOf(request.headers).name;
  const requestId = sentId === undefined ? undefined : showId(sentId);
  const { fingerprint } = credentials;
  log.debug('request_read', { operation: operation.name, format, reason, kind, requestId, fingerprint });
}

/** For a request that went through the walk. */
function noteServed(
  request: LegacyRequest,
  served: Served,
  { durationMs, isAbandoned }: { readonly durationMs: number; readonly isAbandoned: boolean | undefined },
  { log, metrics, showId, titleOf, repeated, sold }: Noting,
): void {
  const { operation, format, family, outcome, refusal, order, heldMs } = served;
  const unknownFields = served.unknownFields.map((name) => keepName(name, request.headers));
  const path = pathOf(request, served.parameters);
  const became = becameOf(served, sold);
  metrics.requestDone({ operation, format, family, outcome: became, refusedAs: refusal?.code, durationMs });
  repeated.noteServed(served);
  if (refusal?.shed !== undefined) metrics.shed(refusal.shed);
  const caller = served.fingerprint === undefined ? undefined : titleOf(served.fingerprint);
  if (served.fingerprint !== undefined) metrics.callerDone(caller, became);
  if (served.repeat !== undefined) metrics.repeated(served.repeat);
  if (operation !== undefined && unknownFields.length > 0) metrics.unknownFields(operation, unknownFields);
  if (operation !== undefined && heldMs !== undefined && outcome !== 'refused') metrics.held(operation, heldMs, outcome);
  log.info('request', {
    method: request.method,
    path,
    status: served.reply.status,
    durationMs,
    operation,
    format,
    reason: served.reason,
    family,
    familyReason: served.familyReason,
    outcome,
    repeat: served.repeat,
    heldMs: heldMs === undefined ? undefined : Math.round(heldMs),
    requestId: order.requestId === undefined ? undefined : showId(order.requestId),
    order: order.number,
    reference: order.reference,
    refusedAs: refusal?.code,
    detail: refusal === undefined ? undefined : detailOf(refusal, request.path, path, request.headers),
    fingerprint: served.fingerprint,
    caller,
    unknownFields: unknownFields.length === 0 ? undefined : [...new Set(unknownFields)].slice(0, 20).join(','),
    isAbandoned: isAbandoned === true ? true : undefined,
    address: request.clientAddress,
    traceId: request.trace?.traceId,
  });
}

/** What sells nothing has the outcome `found` in the metrics: a question about an order, and a repeat of a success that was told before. */
function becameOf({ kind, repeat, outcome, order, fingerprint = '' }: Served, sold: Noting['sold']): Served['outcome'] {
  if (outcome === 'refused' || outcome === 'unavailable') return outcome;
  if (kind !== 'purchase' || repeat === 'replayed') return 'found';
  if (outcome !== 'succeeded' || order.number === undefined) return outcome;
  if (sold.get(order.number) === fingerprint) return 'found';
  sold.set(order.number, fingerprint);
  return outcome;
}

/** For a request that was refused before the walk or passed through to v1. */
function noteDone(ended: EndedRequest, { log, metrics, showId, headerId }: Noting): void {
  const { kind, method, status, durationMs, isAbandoned, address, traceId, refusal: { error, headers = {} } = {} } = ended;
  const path = showPath(ended.path, headers);
  if (error === undefined) {
    metrics.requestDone({ outcome: 'passed', durationMs });
    return log.info('request', { kind, method, path, status, durationMs, isAbandoned, address, traceId });
  }
  metrics.requestDone({ outcome: 'refused', refusedAs: error.code, durationMs });
  const id = headerId(headers);
  const requestId = id === undefined ? undefined : showId(id);
  const detail = detailOf(error, ended.path, path, headers);
  const refusal = { refusedAs: error.code, detail, requestId };
  log.info('request', { kind, method, path, status, durationMs, ...refusal, isAbandoned, address, traceId });
}

/** The address with `:value` in place of each value. The fixed words of a route stay, even where they look like a value. */
export function pathOf({ path, headers }: LegacyRequest, parameters: Served['parameters']): string {
  let shown = path;
  for (const value of Object.values(parameters ?? {})) {
    const at = `${shown}/`.lastIndexOf(`/${value}/`);
    if (at === -1) return showPath(path, headers);
    shown = `${shown.slice(0, at)}/:value${shown.slice(at + 1 + value.length)}`;
  }
  return parameters === undefined ? showPath(path, headers) : shown;
}

/** The text of a refusal for the log. The address, the field and the value that it repeats are masked as everywhere in the log. */
export function detailOf({ detail, field }: GatewayError, path: string, shownPath: string, headers: LegacyHeaders): string {
  let text = detail;
  if (shownPath !== path) text = text.replaceAll(path, shownPath).replaceAll(path.slice(0, 200), shownPath);
  if (field !== undefined && keepName(field, headers) === NOT_KEPT) text = text.replaceAll(field, NOT_KEPT);
  return showText(withoutKeys(text, headers));
}
