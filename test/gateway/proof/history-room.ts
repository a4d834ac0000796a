/**
 * A v1 with a given history (newest first), the journal of a shop, and the reconciler between them. v1's times are West Africa
 * Time, one hour ahead of UTC.
 */
import { createSteadiness } from '../../../src/domain/clock';
import type { Credentials } from '../../../src/domain/credentials';
import type { JsonObject } from '../../../src/domain/json';
import type { NewOrder, Trail } from '../../../src/domain/order';
import { isAttemptMarked, type Outcome } from '../../../src/domain/outcome';
import { createReconciler } from '../../../src/gateway/proof/reconcile';
import type { Journal } from '../../../src/journal/journal';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import type { Mapping } from '../../../src/mapping/mapping';
import type { PriceLists } from '../../../src/price-lists/price-lists';
import type { Finding, V1Call } from '../../../src/upstream/upstream';
import { createVirtualClock, settlePromises } from '../../domain/virtual-clock';
import { shippedMapping } from '../../mapping/mapping-set';
import { createScriptedUpstream, CREDENTIALS } from '../scripted-upstream';

export const START = 1_800_000_000_000;
export const MINUTE_MS = 60_000;
export const QUIET_MS = 5 * MINUTE_MS;
export const UNKNOWN: Outcome = { kind: 'unknown', reason: 'HTTP 500' };

export interface Row {
  readonly reference: string;
  /** The start of the test where absent. */
  readonly atMs?: number;
  /** The time as v1's history shows it, where that is not the usual text. */
  readonly timeText?: string;
  /** What else v1's history shows of it. */
  readonly listed?: JsonObject;
  /** v1 has a receipt of it, but its history does not show it. */
  readonly isUnlisted?: true;
  readonly phone?: string;
  /** How its receipt differs from that of an airtime sale. */
  readonly shows?: JsonObject;
  /** v1 cannot give its receipt now. */
  readonly isUnreadable?: true;
  /** v1's history shows it, but v1 has no receipt of it now. */
  readonly isWithoutReceipt?: boolean;
  /** Neither the history of this account nor a receipt shows it. */
  readonly isOfAnotherAccount?: true;
}

/** A sale of two days ago, by which a history reaches back to before the orders of the test. */
const LONG_AGO: Row = { reference: 'LONG-AGO', atMs: START - 48 * 60 * MINUTE_MS, phone: '08030000009' };

/** The order is airtime of the asking key, opened now, unless the fields say otherwise. */
export interface Asked {
  readonly by?: Credentials;
  readonly phone?: string;
  /** Counted from the start. */
  readonly afterMs?: number;
  readonly operation?: string;
  readonly fields?: JsonObject;
  readonly trail?: Trail;
  /** Another one for each order unless given. */
  readonly contentHash?: string;
  /** Not empty for an order with an id in a field. */
  readonly echo?: JsonObject;
}

/** An order whose attempt has no answer, unless the outcome says otherwise. */
export type Lost = Asked & { readonly outcome?: Outcome };

export interface RoomOptions {
  readonly stored?: Journal;
  readonly wrapJournal?: (stored: Journal) => Partial<Journal>;
  /** While true, v1 gives no history. */
  readonly isIll?: () => boolean;
  /** How many rows v1 shows and counts, however many it has. */
  readonly rowsMax?: number;
  /** False for an account that has sold nothing before the test. */
  readonly hasHistory?: boolean;
  /** Runs while the history is being read. */
  readonly onHistory?: (journal: Journal) => Promise<unknown>;
  /** The difference between v1's clock, as its answers show it, and the true time. */
  readonly serverErrorMs?: number | 'not told';
  readonly mapping?: Mapping;
  /** v1's price list; none can be had unless given. */
  readonly priceLists?: Pick<PriceLists, 'get'>;
  /** The sets that ran before. */
  readonly setOf?: (hash: string) => Mapping | undefined;
  readonly journalDays?: number;
}

const ADDRESS = '192.0.2.7';
const timeText = (atMs: number) => new Date(atMs + 3_600_000).toISOString().slice(0, 19).replace('T', ' ');

export function openRoom(rows: readonly Row[], options: RoomOptions = {}) {
  const {
    stored = createMemoryJournal(),
    wrapJournal,
    onHistory,
    isIll,
    serverErrorMs = 0,
    mapping = shippedMapping(),
    priceLists = { get: async () => undefined },
  } = options;
  const clock = createVirtualClock(START);
  // The difference between the wall clock of the gateway's machine and the true time.
  let wallErrorMs = 0;
  const wall = { ...clock, now: () => clock.now() + wallErrorMs };
  const troubles: string[] = [];
  const journal: Journal = { ...stored, ...wrapJournal?.(stored) };
  const running = new Set<string>();
  const find = (call: V1Call): Finding => {
    const own = [
      ...rows.filter(({ isOfAnotherAccount }) => isOfAnotherAccount !== true),
      ...(options.hasHistory === false ? [] : [LONG_AGO]),
    ];
    if (call.path === '/transactions') {
      void onHistory?.(journal);
      if (isIll?.() === true) return { kind: 'unavailable', reason: 'HTTP 502' };
      const page = Number(call.query!['page']);
      const listed = own.filter(({ isUnlisted }) => isUnlisted !== true).slice(0, options.rowsMax);
      const transactions = listed
        .slice((page - 1) * 50, page * 50)
        .map(({ reference, atMs = START, timeText: shown = timeText(atMs), shows, listed: more }) => ({
          transaction_ref: reference,
          status: shows?.['status'] ?? 'success',
          created_at: shown,
          ...more,
        }));
      const data = { transactions, page, total_pages: Math.max(1, Math.ceil(listed.length / 50)) };
      const told = serverErrorMs === 'not told' ? {} : { serverAtMs: clock.now() + serverErrorMs };
      return { kind: 'found', body: { status: 'success', data }, ...told };
    }
    const row = own.find(({ reference }) => reference === call.query?.['reference']);
    if (row === undefined || row.isWithoutReceipt === true)
      return { kind: 'refused', httpStatus: 404, body: { status: 'error' } };
    if (row.isUnreadable === true) return { kind: 'unavailable', reason: 'HTTP 502' };
    const { reference, phone = '08030000001', shows } = row;
    const sale = { reference, status: 'success', category: 'airtime', phone, amount: 100, type: 'debit' };
    return { kind: 'found', body: { status: 'success', data: { ...sale, ...shows } } };
  };
  const upstream = createScriptedUpstream(clock, [], find);
  const reconciler = createReconciler({
    ...{ journal, upstream, priceLists, clock: wall },
    steadiness: createSteadiness(wall),
    pursuits: {
      attemptOf: async ({ requestId, outcome }) =>
        running.has(requestId) ? 'here' : isAttemptMarked(outcome) ? 'elsewhere' : undefined,
    },
    mapping: () => mapping,
    setOf: options.setOf,
    journalDays: options.journalDays,
    onTrouble: (what, error) => void troubles.push(`${what}: ${(error as Error).message}`),
  });
  // The first request of a process: from then on the process knows since when its clock has run evenly.
  reconciler.nudge({ ...CREDENTIALS, fingerprint: 'f'.repeat(32) }, ADDRESS);

  const orderOf = (requestId: string, { by = CREDENTIALS, phone, afterMs, ...other }: Asked): NewOrder => ({
    ...airtime(requestId, afterMs === undefined ? wall.now() : START + afterMs, phone),
    owner: by.fingerprint,
    ...other,
  });
  const end = async (requestId: string, outcome: Outcome, asked: Asked): Promise<void> => {
    const order = orderOf(requestId, asked);
    await stored.open(order);
    await stored.settle(order.owner, requestId, outcome, order.openedAtMs);
  };
  const reconcile = async (by: Credentials = CREDENTIALS, requestId?: string): Promise<void> => {
    await reconciler.reconcile(by, ADDRESS, requestId);
    await settlePromises();
  };
  const outcomeOf = async (requestId: string, by: Credentials = CREDENTIALS) =>
    (await stored.find(by.fingerprint, requestId))?.outcome;
  return {
    ...{ clock, journal, running, troubles, upstream, reconciler, reconcile, outcomeOf },
    setWall: (errorMs: number) => void (wallErrorMs = errorMs),
    open: (requestId: string, asked: Asked = {}) => stored.open(orderOf(requestId, asked)),
    lose: (requestId: string, { outcome = UNKNOWN, ...asked }: Lost = {}) => end(requestId, outcome, asked),
    sell: (requestId: string, reference: string, asked: Asked = {}) => end(requestId, { kind: 'succeeded', reference }, asked),
    refuse: (requestId: string, asked: Asked = {}) => end(requestId, { kind: 'rejected', httpStatus: 400 }, asked),
    leavePending: (requestId: string, reference: string, asked: Asked = {}) =>
      end(requestId, { kind: 'pending', reference }, asked),
    /** What a look at v1's history, after this wait, makes of the order. */
    async look(requestId: string, waitMs = 0) {
      if (waitMs > 0) await clock.advance(waitMs);
      await reconcile();
      return outcomeOf(requestId);
    },
  };
}

export function airtime(requestId: string, openedAtMs: number, phone = '08030000001'): NewOrder {
  return {
    owner: CREDENTIALS.fingerprint,
    requestId,
    operation: 'buy_airtime',
    format: 'b',
    fields: { phone, amount: 10_000, network: 'MTN', ported: true },
    echo: {},
    contentHash: requestId,
    openedAtMs,
  };
}
