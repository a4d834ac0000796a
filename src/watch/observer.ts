/** What of each request goes into the log and the metrics. Watches from outside: no step of the walk knows of it. */
import { randomBytes } from 'node:crypto';
import type { GatewayError } from '../domain/errors';
import type { LegacyHeaders, LegacyRequest } from '../domain/legacy';
import { keepName, showPath, showText } from '../domain/shown-words';
import { NOT_KEPT } from '../domain/traffic';
import type { ParsedRequest } from '../gateway/read/parsed-request';
import type { Served } from '../gateway/gateway';
import type { WrongPin } from '../gateway/order/pin-guard';
import type { JournalEvent } from '../journal/journal-event';
import type { RequestLine } from '../http/app';
import type { Reloaded } from '../mapping/live';
import { formatProblem } from '../mapping/problem';
import { errorFields, type Log } from '../telemetry/log';
import type { Metrics } from '../telemetry/metrics';

export interface Observer {
  readonly served: (request: LegacyRequest, served: Served, receivedAtMs: number, isAbandoned?: boolean) => void;
  /** How a request was read, before anything is done about it. */
  readonly read: (parsed: ParsedRequest, sentId: string | undefined) => void;
  /** One line per request, when its reply has left. */
  readonly requestDone: (line: RequestLine) => void;
  /** Bytes that never became a request; gives back why. */
  readonly brokenRequest: (error: GatewayError) => GatewayError;
  /** v1 has called a PIN wrong: three lock a reseller's purchases. */
  readonly wrongPin: (wrong: WrongPin) => void;
  readonly trouble: (what: string, error: unknown) => void;
  /** A reload happened, or a start with the last good mapping. */
  readonly reloaded: (reloaded: Reloaded) => void;
  readonly journal: (event: JournalEvent) => void;
  /** Logs a bug and gives the id under which the log has it. */
  readonly incident: (error: unknown) => string;
}

const PROBLEMS_LOGGED_MAX = 20;

export interface ObserverOptions {
  /** A request id as the log may have it. */
  readonly showId?: (id: string) => string;
  /** The request id in the headers of a request that could not be read any further. */
  readonly headerId?: (headers: LegacyHeaders) => string | undefined;
}

export function createObserver(log: Log, metrics: Metrics, options: ObserverOptions = {}): Observer {
  const { showId = (id) => id, headerId = () => undefined } = options;
  const noting: Noting = { log, metrics, showId, headerId };
  const watching = harmless(log);
  const noteBroken = watching((error: GatewayError) => {
    metrics.requestDone({ outcome: 'refused', refusedAs: error.code, durationMs: 0 });
    log.info('request', { kind: 'broken', refusedAs: error.code, detail: error.detail });
  });
  return {
    served: watching((request, served, receivedAtMs, isAbandoned) =>
      noteServed(request, served, { durationMs: Date.now() - receivedAtMs, isAbandoned }, noting),
    ),
    read: watching(({ operation, format, reason, credentials, mapping, request }, sentId) => {
      const kind = mapping.callerKindOf(request.headers).name;
      const requestId = sentId === undefined ? undefined : showId(sentId);
      log.debug('request_read', {
        operation: operation.name,
        format,
        reason,
        kind,
        requestId,
        fingerprint: credentials.fingerprint,
      });
    }),
    requestDone: watching((line) => noteDone(line, noting)),
    brokenRequest(error) {
      noteBroken(error);
      return error;
    },
    wrongPin: watching((wrong) => {
      metrics.wrongPin();
      log.warn('wrong_pin', { ...wrong });
    }),
    trouble: watching((what, error) => log.error(what, errorFields(error))),
    reloaded(reloaded) {
      metrics.reloaded(reloaded.kind, reloaded.hash);
      const { kind, hash: mappingHash } = reloaded;
      if (kind !== 'refused') return log.info('mapping_reload', { kind, mappingHash });
      for (const problem of reloaded.problems.slice(0, PROBLEMS_LOGGED_MAX))
        log.error('mapping_refused', { mappingHash, detail: formatProblem(problem) });
    },
    journal(event) {
      const count = 'orders' in event ? { count: event.orders } : {};
      if (event.kind === 'swept' || event.kind === 'answers_written' || event.kind === 'write_recovered')
        log.info(`journal_${event.kind}`, count);
      else if ('error' in event) log.error(`journal_${event.kind}`, errorFields(event.error));
      else log.error(`journal_${event.kind}`, 'waitedMs' in event ? { heldMs: event.waitedMs } : count);
    },
    incident(error) {
      const incident = randomBytes(6).toString('hex');
      log.error('incident', { incident, ...errorFields(error) });
      return incident;
    },
  };
}

/** Where the facts of a request go, and how its ids are shown there. */
interface Noting extends Required<ObserverOptions> {
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A request that came through the walk. */
function noteServed(
  request: LegacyRequest,
  served: Served,
  { durationMs, isAbandoned }: { readonly durationMs: number; readonly isAbandoned: boolean | undefined },
  { log, metrics, showId }: Noting,
): void {
  const { operation, format, family, outcome, refusal, order, heldMs } = served;
  const unknownFields = served.unknownFields.map((name) => keepName(name, request.headers));
  const path = pathOf(request, served.parameters);
  metrics.requestDone({ operation, format, family, outcome, refusedAs: refusal?.code, durationMs });
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
    heldMs,
    requestId: order.requestId === undefined ? undefined : showId(order.requestId),
    order: order.number,
    reference: order.reference,
    refusedAs: refusal?.code,
    detail: refusal === undefined ? undefined : detailOf(refusal, request.path, path, request.headers),
    fingerprint: served.fingerprint,
    unknownFields: unknownFields.length === 0 ? undefined : [...new Set(unknownFields)].slice(0, 20).join(','),
    isAbandoned: isAbandoned === true ? true : undefined,
    address: request.clientAddress,
  });
}

/** A request that was refused before the walk or passed on to v1. */
function noteDone(line: RequestLine, { log, metrics, showId, headerId }: Noting): void {
  // A request that came through the walk has its line already.
  if (line.kind === 'compat' && line.refusal === undefined) return;
  const { kind, method, status, durationMs, isAbandoned, address, refusal: { error, headers = {} } = {} } = line;
  const path = showPath(line.path, headers);
  if (error === undefined) {
    metrics.requestDone({ outcome: 'passed', durationMs });
    return log.info('request', { kind, method, path, status, durationMs, isAbandoned, address });
  }
  metrics.requestDone({ outcome: 'refused', refusedAs: error.code, durationMs });
  const id = headerId(headers);
  const requestId = id === undefined ? undefined : showId(id);
  const detail = detailOf(error, line.path, path, headers);
  const refusal = { refusedAs: error.code, detail, requestId };
  log.info('request', { kind, method, path, status, durationMs, ...refusal, isAbandoned, address });
}

/** The address, with `:value` for each value in it: a route's own words stay, whatever they look like. */
function pathOf({ path, headers }: LegacyRequest, parameters: Served['parameters']): string {
  let shown = path;
  for (const value of Object.values(parameters ?? {})) {
    const at = `${shown}/`.lastIndexOf(`/${value}/`);
    if (at === -1) return showPath(path, headers);
    shown = `${shown.slice(0, at)}/:value${shown.slice(at + 1 + value.length)}`;
  }
  return parameters === undefined ? showPath(path, headers) : shown;
}

/** The sentence of a refusal, with what it repeats of the request as the log shows that. */
function detailOf({ detail, field }: GatewayError, path: string, shownPath: string, headers: LegacyHeaders): string {
  let text = detail;
  if (shownPath !== path) text = text.replaceAll(path, shownPath).replaceAll(path.slice(0, 200), shownPath);
  if (field !== undefined && keepName(field, headers) === NOT_KEPT) text = text.replaceAll(field, NOT_KEPT);
  return showText(text);
}

/** Watching cannot change what a script is told: an order that v1 sold does not become a failure because a line was not written. */
function harmless(log: Log): <Facts extends unknown[]>(watch: (...facts: Facts) => void) => (...facts: Facts) => void {
  return (watch) =>
    (...facts) => {
      try {
        watch(...facts);
      } catch (error) {
        try {
          log.error('watching', errorFields(error));
        } catch {
          // The log itself is broken: the sale goes on.
        }
      }
    };
}
