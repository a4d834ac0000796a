/**
 * The Prometheus metrics, each a method named by its meaning. Every label has a bounded set of values: names of a mapping are as many as the
 * mapping has, and names that strangers write are counted under `other` beyond a limit.
 */
import { collectDefaultMetrics, Registry } from 'prom-client';
import { ALARM_NAMES, type AlarmName } from '../domain/alarm';
import { kobo, nairaNumber, type AmountMinor } from '../domain/amount';
import type { DiskRoom } from '../domain/disk-room';
import type { ErrorCode, Shed } from '../domain/errors';
import type { OutcomeKind } from '../domain/outcome';
import type { CallTurnsState } from '../upstream/call-turns';
import type { Finding } from '../upstream/upstream';
import type { TroubleKind } from '../upstream/v1-state';
import { boundedLabels, makerFor, OTHER, type Make } from './metric-makers';

/** How a call to v1 ended. */
type CallEnd = OutcomeKind | Finding['kind'];

interface RequestDone {
  /** Undefined when the request was refused before its operation was known. */
  readonly operation?: string | undefined;
  readonly format?: string | undefined;
  readonly family?: string | undefined;
  /** The outcome, or `found` for a request that moved no money, `refused`, or `passed` for one passed through to v1. */
  readonly outcome: CallEnd | 'refused' | 'passed';
  /** The code, where the gateway itself refused the request. */
  readonly refusedAs?: ErrorCode | undefined;
  readonly durationMs: number;
}

interface UnknownOrders {
  readonly agesMs: readonly number[];
  readonly overdue: number;
  readonly atRisk: AmountMinor;
}

interface ShownWallet {
  readonly caller: string;
  readonly naira: number;
}

interface MetricsOptions {
  /** Lines of the log that were lost so far. */
  readonly logLinesLost?: () => number;
  readonly isJournalWritable?: () => boolean;
  /** Memory, garbage collection, event loop and the like of this process. */
  readonly hasProcessMetrics?: boolean;
}

const FIELD_NAMES_MAX = 100;
/** A name as it is shown: itself, or `:value`. */
const FIELD_NAME = /^:?[A-Za-z0-9_.-]{1,40}$/;
const PATHS_MAX = 50;
/** Titles of callers.yaml, which reloads may change: far more than a gateway has resellers. */
const CALLERS_MAX = 2_000;
const TITLE = /^.{1,60}$/u;
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160];
const WAIT_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40];
const NONE = 'none';

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(options: MetricsOptions = {}) {
  const registry = new Registry();
  if (options.hasProcessMetrics ?? true) collectDefaultMetrics({ register: registry });
  const make = makerFor(registry);
  return {
    ...createRequestMetrics(make),
    ...createCallerMetrics(make),
    ...createCallMetrics(make),
    ...createStateMetrics(make, options),
    ...createAlarmMetrics(make),
    /** What `/metrics` shows. */
    registry,
  };
}

function createRequestMetrics({ counter, times }: Make) {
  const requests = counter('compat_requests_total', 'Requests by operation, format and what became of them', [
    'operation',
    'format',
    'outcome',
  ]);
  const families = counter('compat_families_total', 'Requests of scripts whose family was recognised, by family', ['family']);
  const refusals = counter('compat_refusals_total', 'Requests that the gateway itself refused, by code', ['code']);
  const sheds = counter('compat_shed_total', 'Purchases that were turned away because there was too much to do, by why', ['why']);
  const seconds = times('compat_request_seconds', 'From the first byte of a request to its reply', SECONDS, ['operation']);
  const holds = times(
    'compat_hold_seconds',
    'How long an order without a final outcome was held, by how it then stood',
    SECONDS,
    ['operation', 'outcome'],
  );
  const wrongPins = counter('compat_wrong_pins_total', 'Purchases whose PIN v1 called wrong');
  const refused = counter('compat_connections_refused_total', 'Connections that found no room or gave way, by why', ['why']);
  for (const why of ['full', 'gave_way']) refused.inc({ why }, 0);
  const forwards = counter(
    'compat_forwarded_ignored_total',
    'Requests with an X-Forwarded-For that does not count, because its sender is no trusted proxy',
  );
  const fields = counter('compat_unknown_fields_total', 'Fields that scripts send and no mapping knows, by name', [
    'operation',
    'field',
  ]);
  const fieldLabel = boundedLabels(FIELD_NAMES_MAX, FIELD_NAME);
  return {
    requestDone: ({ operation = NONE, format = NONE, family, outcome, refusedAs, durationMs }: RequestDone): void => {
      if (family !== undefined) families.inc({ family });
      requests.inc({ operation, format, outcome });
      seconds.observe({ operation }, durationMs / 1000);
      if (refusedAs !== undefined) refusals.inc({ code: refusedAs });
    },
    /** How long a pending or unanswered order was held, and whether it was known when the script was told. */
    held: (operation: string, durationMs: number, outcome: CallEnd) => holds.observe({ operation, outcome }, durationMs / 1000),
    /** Names of fields that no mapping knows. */
    unknownFields: (operation: string, names: Iterable<string>): void => {
      for (const name of names) fields.inc({ operation, field: fieldLabel(name) });
    },
    /** A purchase was turned away because there is too much to do. */
    shed: (why: Shed) => sheds.inc({ why }),
    /** v1 has called a PIN wrong. */
    wrongPin: () => wrongPins.inc(),
    /** A connection found no room, or was ended to make some. */
    connectionRefused: (why: string) => refused.inc({ why }),
    /** A forwarded address did not count, because it does not come from a trusted proxy. */
    forwardIgnored: () => forwards.inc(),
  };
}

function createCallerMetrics({ counter, shown }: Make) {
  const repeats = counter(
    'compat_repeats_total',
    'Purchases that repeat another request: joined without an id, or again under their own, to an order under way or never told, or replayed as it was sold',
    ['repeat'],
  );
  const hangUps = counter('compat_hang_ups_total', 'Scripts that hung up before the reply to a purchase, by kind of caller', [
    'kind',
  ]);
  const callers = counter('compat_caller_requests_total', 'Requests by caller of a title, and what became of them', [
    'caller',
    'outcome',
  ]);
  const sales = counter('compat_caller_naira_total', 'What was sold, in naira, by caller of a title', ['caller']);
  let inFlight = 0;
  shown('compat_requests_in_flight', 'Requests that have no reply yet', () => inFlight);
  const callerLabel = boundedLabels(CALLERS_MAX, TITLE);
  return {
    /** A purchase that repeated another request, by how it was answered. */
    repeated: (repeat: string) => repeats.inc({ repeat }),
    /** Counts a request by caller, for keys with a title. */
    callerDone: (title: string | undefined, outcome: RequestDone['outcome']) =>
      callers.inc({ caller: callerLabel(title ?? OTHER), outcome }),
    /** An order of this caller was sold, for this amount (naira). */
    callerSold: (title: string | undefined, naira: number) => sales.inc({ caller: callerLabel(title ?? OTHER) }, naira),
    /** A script hung up before the reply to its purchase, by kind of caller. */
    hungUp: (kind: string) => hangUps.inc({ kind }),
    /** Adds `by` to the number of requests without a reply. */
    inFlight: (by: number) => void (inFlight += by),
  };
}

function createCallMetrics({ counter, times, shown }: Make) {
  const calls = times('compat_upstream_seconds', 'One call to v1, by path and outcome', SECONDS, ['path', 'outcome']);
  const pathLabel = boundedLabels(PATHS_MAX, /^\/[a-z0-9_/-]{1,60}$/);
  let turns = (): CallTurnsState => ({ inFlight: 0, waiting: 0, bound: 0 });
  shown('compat_upstream_calls_in_flight', 'Calls to v1 without an answer yet', () => turns().inFlight);
  shown('compat_upstream_calls_waiting', 'Calls to v1 that wait for their turn', () => turns().waiting);
  shown('compat_upstream_calls_bound', 'How many calls to v1 there may be at this moment', () => turns().bound);
  const waits = times(
    'compat_upstream_wait_seconds',
    'How long calls waited for their turn, of those that had to, by whether it came',
    WAIT_SECONDS,
    ['fate'],
  );
  let isUp = true;
  shown('compat_v1_up', '0 from upstream_trouble until upstream_well, else 1', () => (isUp ? 1 : 0), 'min');
  const troubles = counter('compat_v1_troubles_total', 'Calls and probes that met trouble of v1, by kind', ['kind']);
  return {
    /** One call to v1, with its endpoint's path without query. */
    upstreamDone: (path: string, outcome: CallEnd, durationMs: number) =>
      calls.observe({ path: pathLabel(path), outcome }, durationMs / 1000),
    /** From now on shows the calls to v1 that `read` returns, and their bound. */
    watchTurns: (read: () => CallTurnsState) => void (turns = read),
    /** A call that had to wait for its turn. */
    callWaited: (fate: 'taken' | 'late' | 'full', waitedMs: number) => waits.observe({ fate }, waitedMs / 1000),
    setV1Up: (isUpNow: boolean) => void (isUp = isUpNow),
    /** A call or a probe met trouble of v1. One such call is not yet an outage. */
    v1Trouble: (kind: TroubleKind) => troubles.inc({ kind }),
  };
}

function createStateMetrics({ counter, countedElsewhere, rows, sameForAll, shown }: Make, options: MetricsOptions) {
  const { logLinesLost = () => 0, isJournalWritable = () => true } = options;
  const setUnknownOrders = createUnknownOrders({ sameForAll, shown });
  const contrary = counter('compat_contrary_ends_total', 'Orders that ended otherwise than their scripts took "pending" for', [
    'end',
  ]);
  const contraryNaira = counter('compat_contrary_ends_naira_total', 'The money in them', ['end']);
  // The counter begins at 0: Prometheus sees no increase where a series first appears with 1.
  for (const end of ['delivered_not_sold', 'sold_and_refunded']) for (const one of [contrary, contraryNaira]) one.inc({ end }, 0);
  countedElsewhere(
    'compat_log_lines_lost_total',
    'Lines of the log that found no room while it could not be written',
    logLinesLost,
  );
  const writable = '1 while orders can be written; 0 from a failed write until one gets through, and no order is taken then';
  shown('compat_journal_writable', writable, () => (isJournalWritable() ? 1 : 0), 'min');
  const learnt = sameForAll(
    'compat_learnt_patience_keys',
    'Keys held below the patience of their kind because their scripts hang up earlier, by kind of caller',
    ['kind'],
  );
  const shapes = sameForAll('compat_traffic_shapes', 'Shapes of requests that are remembered');
  const forgotten = counter('compat_traffic_forgotten_total', 'Requests whose shape had no room');
  let wallets = (): readonly ShownWallet[] => [];
  rows('compat_wallet_naira', 'The wallet of a named caller as v1 told it last', ['caller'], () =>
    wallets().map(({ caller, naira }) => [{ caller }, naira]),
  );
  const reloads = counter('compat_mapping_reloads_total', 'Reloads of the mapping, by how they went', ['result']);
  const mapping = sameForAll('compat_mapping_info', 'The mapping set in use, by hash', ['hash']);
  const mappingLoaded = (hash: string): void => {
    mapping.reset();
    mapping.set({ hash }, 1);
  };
  return {
    /** Orders whose money may have moved: the age of each (ms), how many are overdue, and the money in them. */
    setUnknownOrders,
    /** An order ended otherwise than its script took "pending" for. `loss` is absent where only v1's catalog has the price. */
    contraryEnd: (end: string, loss: AmountMinor | undefined): void => {
      contrary.inc({ end });
      contraryNaira.inc({ end }, loss === undefined ? 0 : nairaNumber(loss));
    },
    /** How many keys are held below the patience of their kind, because their scripts hang up earlier. */
    setLearnt: (keysByKind: ReadonlyMap<string, number>): void => {
      learnt.reset();
      for (const [kind, keys] of keysByKind) learnt.set({ kind }, keys);
    },
    /** The number of remembered shapes, and of requests that found no room since the last call. */
    trafficWritten: (kept: number, noRoom: number): void => {
      shapes.set(kept);
      if (noRoom > 0) forgotten.inc(noRoom);
    },
    /** From now on shows the wallets that `read` returns: those of named callers, as v1 showed them last. */
    watchWallets: (read: () => readonly ShownWallet[]) => void (wallets = read),
    mappingLoaded,
    /** A reload: its result, and the hash of the set in use after it. */
    reloaded: (kind: string, hash: string): void => {
      reloads.inc({ result: kind });
      mappingLoaded(hash);
    },
  };
}

/** Upper bounds of the ages in seconds. An order beyond the last bound is `older`. */
const AGES = { '1m': 60, '10m': 600, '1h': 3_600, '1d': 86_400, older: Infinity } as const;

/** Workers share one journal, so each of them sees all orders: the value of one is shown. */
function createUnknownOrders({ sameForAll, shown }: Pick<Make, 'sameForAll' | 'shown'>) {
  let unknown: UnknownOrders = { agesMs: [], overdue: 0, atRisk: kobo(0) };
  const oldestSeconds = (): number => unknown.agesMs.reduce((most, ageMs) => Math.max(most, ageMs), 0) / 1_000;
  shown('compat_unknown_orders', 'Orders whose money may have moved', () => unknown.agesMs.length, 'max');
  shown('compat_unknown_orders_naira', 'The money in them', () => nairaNumber(unknown.atRisk), 'max');
  shown('compat_unknown_orders_oldest_seconds', 'The age of the oldest of them', oldestSeconds, 'max');
  shown('compat_unknown_orders_overdue', 'How many of them are so for too long', () => unknown.overdue, 'max');
  const byAge = sameForAll('compat_unknown_orders_by_age', 'How many of them are of each age', ['age']);
  return (orders: UnknownOrders): void => {
    unknown = orders;
    let below = 0;
    for (const [age, seconds] of Object.entries(AGES)) {
      const count = orders.agesMs.filter((ageMs) => ageMs < seconds * 1_000).length;
      byAge.set({ age }, count - below);
      below = count;
    }
  };
}

/** Of the process that has the admin port. */
function createAlarmMetrics({ rows }: Make) {
  // A process that judges no alarm shows none.
  let raised = (): ReadonlySet<AlarmName> | undefined => undefined;
  let disks: readonly DiskRoom[] = [];
  rows('compat_alarm', '1 from the raising of an alarm until it is over, else 0', ['alarm'], () => {
    const now = raised();
    return now === undefined ? [] : ALARM_NAMES.map((alarm) => [{ alarm }, now.has(alarm) ? 1 : 0] as const);
  });
  rows('compat_disk_free_bytes', 'Room on the disk of this folder', ['folder'], () =>
    disks.map(({ folder, freeBytes }) => [{ folder }, freeBytes] as const),
  );
  rows('compat_disk_size_bytes', 'Size of the disk of this folder', ['folder'], () =>
    disks.map(({ folder, sizeBytes }) => [{ folder }, sizeBytes] as const),
  );
  return {
    /** From now on shows the raised alarms that `read` returns. */
    watchAlarms: (read: () => ReadonlySet<AlarmName>) => void (raised = read),
    /** The free room on the disk of each folder. */
    setDisks: (now: readonly DiskRoom[]) => void (disks = now),
  };
}
