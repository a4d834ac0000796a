/** What of each request goes into the log and the metrics. Watches from outside: no step of the walk knows of it. */
import { randomBytes } from 'node:crypto';
import type { LegacyRequest } from './domain/legacy';
import type { Served } from './gateway/gateway';
import type { JournalEvent } from './journal/journal-event';
import type { RequestLine } from './http/app';
import type { Reloaded } from './mapping/live';
import { formatProblem } from './mapping/problem';
import { errorFields, type Log } from './telemetry/log';
import type { Metrics } from './telemetry/metrics';

export interface Observer {
  readonly served: (request: LegacyRequest, served: Served, receivedAtMs: number) => void;
  /** One line per request, when its reply has left. */
  readonly requestDone: (line: RequestLine) => void;
  readonly trouble: (what: string, error: unknown) => void;
  /** A reload happened, or a start with the last good mapping. */
  readonly reloaded: (reloaded: Reloaded) => void;
  readonly journal: (event: JournalEvent) => void;
  /** Logs a bug and gives the id under which the log has it. */
  readonly incident: (error: unknown) => string;
}

const PROBLEMS_LOGGED_MAX = 20;

export function createObserver(log: Log, metrics: Metrics): Observer {
  const watching = harmless(log);
  return {
    served: watching((request, served, receivedAtMs) => {
      const { operation, format, outcome, refusal, unknownFields } = served;
      metrics.requestDone({ operation, format, outcome, refusedAs: refusal?.code, durationMs: Date.now() - receivedAtMs });
      if (served.repeat !== undefined) metrics.repeated(served.repeat);
      if (operation !== undefined && unknownFields.length > 0) metrics.unknownFields(operation, unknownFields);
      log.info('request', {
        method: request.method,
        path: request.path.slice(0, 200),
        status: served.reply.status,
        durationMs: Date.now() - receivedAtMs,
        operation,
        format,
        reason: served.reason,
        outcome,
        repeat: served.repeat,
        refusedAs: refusal?.code,
        fingerprint: served.fingerprint,
        unknownFields: unknownFields.length === 0 ? undefined : unknownFields.slice(0, 20).join(','),
        address: request.clientAddress,
      });
    }),
    requestDone: watching((line) => {
      // A request that came through the walk has its line already.
      if (line.kind === 'compat' && line.refusedAs === undefined) return;
      if (line.refusedAs !== undefined)
        metrics.requestDone({ outcome: 'refused', refusedAs: line.refusedAs, durationMs: line.durationMs });
      else metrics.requestDone({ outcome: 'passed', durationMs: line.durationMs });
      const { method, path, status, durationMs, refusedAs, isAbandoned } = line;
      log.info('request', { kind: line.kind, method, path: path.slice(0, 200), status, durationMs, refusedAs, isAbandoned });
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
      if (event.kind === 'swept' || event.kind === 'write_recovered')
        log.info(`journal_${event.kind}`, event.kind === 'swept' ? { count: event.orders } : {});
      else log.error(`journal_${event.kind}`, 'error' in event ? errorFields(event.error) : { heldMs: event.waitedMs });
    },
    incident(error) {
      const incident = randomBytes(6).toString('hex');
      log.error('incident', { incident, ...errorFields(error) });
      return incident;
    },
  };
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
