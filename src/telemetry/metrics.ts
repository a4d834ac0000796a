/**
 * Metrics by meaning, for Prometheus. Every label has a bounded set of values: those that come from a mapping are as many
 * as the mapping names, those that strangers write are counted under `other` beyond a limit.
 */
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { ErrorCode } from '../domain/errors';
import type { OutcomeKind } from '../domain/outcome';
import type { Finding } from '../upstream/upstream';
import { createPatienceMetrics, type PatienceMetrics } from './patience-metrics';
import { createTroubleMetrics, type TroubleMetrics, type TroubleSources } from './trouble-metrics';
import { createTurnMetrics, type TurnMetrics } from './turn-metrics';

export interface RequestDone {
  /** Undefined when the request was refused before its operation was known. */
  readonly operation?: string | undefined;
  readonly format?: string | undefined;
  readonly family?: string | undefined;
  /** What became of it: an outcome, `found` for a call that moves no money, `refused`, `passed` through to v1. */
  readonly outcome: OutcomeKind | Finding['kind'] | 'refused' | 'passed';
  /** Why, when the gateway itself refused. */
  readonly refusedAs?: ErrorCode | undefined;
  readonly durationMs: number;
}

export interface Metrics extends PatienceMetrics, TroubleMetrics, TurnMetrics {
  /** By how many the number of requests without a reply has changed. */
  inFlight(by: number): void;
  requestDone(request: RequestDone): void;
  /** How long a pending or unanswered order was held, and whether it was known when the script was told. */
  held(operation: string, durationMs: number, ending: OutcomeKind | Finding['kind']): void;
  /** Names of fields that no mapping knows. */
  unknownFields(operation: string, names: Iterable<string>): void;
  /** v1 has called a PIN wrong. */
  wrongPin(): void;
  /** One call to v1, with its endpoint's path without query. */
  upstreamDone(path: string, kind: OutcomeKind | Finding['kind'], durationMs: number): void;
  /** Shapes of requests that are remembered, and requests that had no room since the last call. */
  trafficWritten(shapes: number, forgotten: number): void;
  mappingLoaded(hash: string): void;
  /** A reload, by how it went, and the hash in use after it. */
  reloaded(kind: string, hash: string): void;
  /** What `/metrics` shows. */
  readonly registry: Registry;
}

export interface MetricsOptions extends TroubleSources {
  /** Memory, garbage collection, event loop and the like of this process. */
  readonly hasProcessMetrics?: boolean;
  readonly fieldNamesMax?: number;
}

const FIELD_NAMES_MAX = 100;
/** As names are shown: themselves, or `:value`. */
const FIELD_NAME = /^:?[A-Za-z0-9_.-]{1,40}$/;
const PATHS_MAX = 50;
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160];
const NONE = 'none';

export function createMetrics(options: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (options.hasProcessMetrics ?? true) collectDefaultMetrics({ register: registry });
  return {
    ...createRequestMetrics(registers, options.fieldNamesMax ?? FIELD_NAMES_MAX),
    ...createUpstreamMetrics(registers),
    ...createMappingMetrics(registers),
    ...createTrafficMetrics(registers),
    ...createPatienceMetrics(registers),
    ...createTroubleMetrics(registers, options),
    ...createTurnMetrics(registers),
    registry,
  };
}

type RequestMetrics = Pick<Metrics, 'inFlight' | 'requestDone' | 'held' | 'wrongPin' | 'unknownFields'>;

function createRequestMetrics(registers: Registry[], fieldNamesMax: number): RequestMetrics {
  const requests = new Counter({
    name: 'compat_requests_total',
    help: 'Requests by operation, format and what became of them',
    labelNames: ['operation', 'format', 'outcome'],
    registers,
  });
  const families = new Counter({
    name: 'compat_families_total',
    help: 'Requests of scripts whose family was recognised, by family',
    labelNames: ['family'],
    registers,
  });
  const refusals = new Counter({
    name: 'compat_refusals_total',
    help: 'Requests that the gateway itself refused, by code',
    labelNames: ['code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'compat_request_seconds',
    help: 'From the first byte of a request to its reply',
    labelNames: ['operation'],
    buckets: SECONDS,
    registers,
  });
  const holds = new Histogram({
    name: 'compat_hold_seconds',
    help: 'How long an order without a final outcome was held, by how it then stood',
    labelNames: ['operation', 'outcome'],
    buckets: SECONDS,
    registers,
  });
  const wrongPins = new Counter({ name: 'compat_wrong_pins_total', help: 'Purchases whose PIN v1 called wrong', registers });
  const fields = new Counter({
    name: 'compat_unknown_fields_total',
    help: 'Fields that scripts send and no mapping knows, by name',
    labelNames: ['operation', 'field'],
    registers,
  });
  const inFlight = new Gauge({ name: 'compat_requests_in_flight', help: 'Requests that have no reply yet', registers });
  const fieldLabel = boundedLabels(fieldNamesMax, FIELD_NAME);
  return {
    inFlight: (by) => inFlight.inc(by),
    requestDone({ operation = NONE, format = NONE, family, outcome, refusedAs, durationMs }) {
      if (family !== undefined) families.inc({ family });
      requests.inc({ operation, format, outcome });
      seconds.observe({ operation }, durationMs / 1000);
      if (refusedAs !== undefined) refusals.inc({ code: refusedAs });
    },
    held: (operation, durationMs, outcome) => holds.observe({ operation, outcome }, durationMs / 1000),
    wrongPin: () => wrongPins.inc(),
    unknownFields(operation, names) {
      for (const name of names) fields.inc({ operation, field: fieldLabel(name) });
    },
  };
}

function createUpstreamMetrics(registers: Registry[]): Pick<Metrics, 'upstreamDone'> {
  const upstream = new Histogram({
    name: 'compat_upstream_seconds',
    help: 'One call to v1, by path and outcome',
    labelNames: ['path', 'outcome'],
    buckets: SECONDS,
    registers,
  });
  const pathLabel = boundedLabels(PATHS_MAX, /^\/[a-z0-9_/-]{1,60}$/);
  return {
    upstreamDone: (path, outcome, durationMs) => upstream.observe({ path: pathLabel(path), outcome }, durationMs / 1000),
  };
}

function createMappingMetrics(registers: Registry[]): Pick<Metrics, 'mappingLoaded' | 'reloaded'> {
  const reloads = new Counter({
    name: 'compat_mapping_reloads_total',
    help: 'Reloads of the mapping, by how they went',
    labelNames: ['result'],
    registers,
  });
  const mapping = new Gauge({
    name: 'compat_mapping_info',
    help: 'The mapping set in use, by hash',
    labelNames: ['hash'],
    aggregator: 'max',
    registers,
  });
  const showHash = (hash: string): void => {
    mapping.reset();
    mapping.set({ hash }, 1);
  };
  return {
    mappingLoaded: showHash,
    reloaded(kind, hash) {
      reloads.inc({ result: kind });
      showHash(hash);
    },
  };
}

function createTrafficMetrics(registers: Registry[]): Pick<Metrics, 'trafficWritten'> {
  const shapes = new Gauge({
    name: 'compat_traffic_shapes',
    help: 'Shapes of requests that are remembered',
    aggregator: 'max',
    registers,
  });
  const forgotten = new Counter({
    name: 'compat_traffic_forgotten_total',
    help: 'Requests whose shape had no room',
    registers,
  });
  return {
    trafficWritten(kept, lost) {
      shapes.set(kept);
      if (lost > 0) forgotten.inc(lost);
    },
  };
}

/** A label for a name: itself for the first `max` names that look like one, `other` for the rest. */
function boundedLabels(max: number, shape: RegExp): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= max || !shape.test(name)) return 'other';
    known.add(name);
    return name;
  };
}
