/** Reads v1's history of one key, back to a time, in search of orders whose answer was lost. Buys nothing. */
import type { Clock } from '../../domain/clock';
import { createLru } from '../../domain/lru';
import type { JsonObject } from '../../domain/json';
import type { Journal } from '../../journal/journal';
import { orderInReceipt } from '../../upstream/answer-data';
import type { CallContext, Finding, Upstream, V1Call } from '../../upstream/upstream';
import { askForReceipt } from './find-receipt';

/** One row of v1's history. */
export interface HistoryRow {
  readonly reference: string;
  /** When v1 wrote the row: one reading of its time per zone that v1 may mean; ms since the epoch. In `unclaimed` by our clock, else by v1's. */
  readonly timesMs: readonly number[];
  /** The row of the list in the shape of a receipt. It has no number, but its service and amount can rule an order out. */
  readonly row: JsonObject;
  /** The identifying part of the row's receipt; undefined while the receipt has not been read. */
  readonly receipt: JsonObject | undefined;
}

export interface History {
  /** Those whose reference no order in the journal has. */
  readonly unclaimed: readonly HistoryRow[];
  /** The history is complete from this time on: an order of this time or later that is missing here is not at v1. Infinity: never complete. */
  readonly wholeSinceMs: number;
  /** All rows that were read, claimed or not, by reference. */
  readonly shown: ReadonlyMap<string, HistoryRow>;
  /** v1's clock in its latest answer, if that answer has a time; ms since the epoch. */
  readonly serverAtMs: number | undefined;
  /** By how much our clock is ahead of that, in ms. */
  readonly aheadMs: number | undefined;
  /** In how many zones v1's times can be read without a row in the future. */
  readonly readings: number;
  /** True when new receipts were read, so that the next look knows more than this one did. */
  readonly hasLearnt: boolean;
}

export interface HistoryQuestion {
  readonly sinceMs: number;
  /** By how much our clock was ahead of `clock.elapsed()` when the look began: it may have been set since. */
  readonly offsetMs: number;
  /** False for a row that is certainly none of the lost orders: such a row is skipped. */
  readonly mayBeLost: (row: JsonObject) => boolean;
  /** True for a row of the time of a lost order, by our clock: its receipt is read before the others. */
  readonly isTimely: (row: HistoryRow) => boolean;
  /** Whether one of the lost orders buys PINs. */
  readonly arePinsSought: boolean;
}

export interface HistoryReader {
  /** Undefined when v1 does not return a page of its history. */
  read(question: HistoryQuestion, context: CallContext): Promise<History | undefined>;
}

const PER_PAGE = 50;
export const PAGES_MAX = 60;
/** More than a key sells in a day at v1's own limit of requests. */
export const ROWS_MAX = PAGES_MAX * PER_PAGE;
/** How many receipts one look reads; the next look reads the others. */
const RECEIPTS_MAX = 100;
const RECEIPTS_AT_ONCE = 4;
const RECEIPTS_KEPT = 10_000;
/** v1 may show a success before its PINs: that there are none is believed so long after it was read first. */
const PINS_LATE_MS = 60_000;
/** v1's times carry no zone (specification, 2.4): they may be West Africa Time, v1's own zone, or UTC. */
const ZONE_OFFSETS_MS = [3_600_000, 0];
/** If reading a time in a zone puts it so far ahead of v1's clock, v1's times are not of that zone. */
const AHEAD_MS = 30 * 60_000;

interface ReaderParts {
  readonly journal: Pick<Journal, 'findByReference'>;
  readonly upstream: Pick<Upstream, 'find'>;
  readonly clock: Pick<Clock, 'elapsed'>;
}

/** The receipts of rows. Their identifying part never changes, so it is kept, and so is `failed`, which is an end (specification, 3); goods and other ends are not. */
function createReceipts({ upstream, clock }: Omit<ReaderParts, 'journal'>) {
  const known = createLru<string, JsonObject>(RECEIPTS_KEPT);
  /** When a success that may be one of PINs was first read without them, by `clock.elapsed()`. */
  const bareSince = createLru<string, number>(RECEIPTS_KEPT);
  const keyOf = ({ credentials }: CallContext, reference: string): string => `${credentials.fingerprint} ${reference}`;
  const mayGetPins = (key: string, identity: JsonObject): boolean => {
    if (!isBareSuccess(identity['data'] as JsonObject)) return false;
    const sinceMs = bareSince.get(key) ?? clock.elapsed();
    bareSince.set(key, sinceMs);
    return clock.elapsed() - sinceMs < PINS_LATE_MS;
  };
  return {
    keptOf: (reference: string, context: CallContext): JsonObject | undefined => known.get(keyOf(context, reference)),
    /** Reads a receipt. Undefined when v1 does not show it, or does not show yet whether it is one of PINs. */
    async read(reference: string, context: CallContext, arePinsSought: boolean): Promise<JsonObject | undefined> {
      const finding = await askForReceipt(reference, context, upstream);
      const identity = finding.kind === 'found' ? identityOf(finding.body, reference) : undefined;
      const key = keyOf(context, reference);
      if (identity === undefined) return undefined;
      if (mayGetPins(key, identity)) return arePinsSought ? undefined : identity;
      known.set(key, identity);
      return identity;
    },
  };
}

export function createHistoryReader({ journal, ...parts }: ReaderParts): HistoryReader {
  const { upstream } = parts;
  const receiptsOfRows = createReceipts(parts);
  return {
    async read(question, context) {
      const { fingerprint } = context.credentials;
      const pages = await readPages(
        {
          sinceMs: question.sinceMs,
          pagesMax: PAGES_MAX,
          async wants(read) {
            return question.mayBeLost(read.row) && (await journal.findByReference(fingerprint, read.reference)) === undefined;
          },
        },
        (call) => upstream.find(call, context),
      );
      if (pages.missed !== undefined) return undefined;
      const { shown, wholeSinceMs, serverAtMs } = pages;
      const aheadMs = serverAtMs && parts.clock.elapsed() + question.offsetMs - serverAtMs;
      const rows = [...pages.rows.values()].map((row) => ({ ...row, timesMs: row.timesMs.map((time) => time + (aheadMs ?? 0)) }));
      // A full cache may forget receipts while others are read.
      const receipts = new Map(rows.map((row) => [row.reference, upToDate(receiptsOfRows.keptOf(row.reference, context), row)]));
      const unread = rows.filter(({ reference }) => receipts.get(reference) === undefined);
      const wanted = [...unread.filter(question.isTimely), ...unread.filter((row) => !question.isTimely(row))];
      const asked = wanted.slice(0, RECEIPTS_MAX);
      let hasLearnt = false;
      for (let from = 0; from < asked.length; from += RECEIPTS_AT_ONCE) {
        const some = asked.slice(from, from + RECEIPTS_AT_ONCE);
        const learnt = await Promise.all(
          some.map(({ reference }) => receiptsOfRows.read(reference, context, question.arePinsSought)),
        );
        some.forEach(({ reference }, index) => receipts.set(reference, learnt[index]));
        hasLearnt ||= learnt.some((receipt) => receipt !== undefined);
      }
      // A row in the future rules its zone out for all rows. Read as UTC, a sale made past the gateway one hour before an order would fit that order.
      const latestMs = Math.max(...[...shown.values()].map(latestTimeOf));
      const readings = ZONE_OFFSETS_MS.filter((offset) => latestMs - offset <= (serverAtMs ?? Infinity) + AHEAD_MS).length;
      const unclaimed = rows.map((row) => ({
        ...row,
        timesMs: row.timesMs.slice(0, readings),
        receipt: receipts.get(row.reference),
      }));
      return { unclaimed, shown, wholeSinceMs, serverAtMs, aheadMs, readings, hasLearnt };
    },
  };
}

/** Which rows of the history are read, newest first. */
export interface PagesQuestion {
  readonly sinceMs: number;
  readonly pagesMax: number;
  readonly wants: (row: HistoryRow) => boolean | Promise<boolean>;
}

export interface Pages {
  /** Those that are wanted. */
  readonly rows: ReadonlyMap<string, HistoryRow>;
  /** As in `History`. */
  readonly shown: ReadonlyMap<string, HistoryRow>;
  /** As in `History`. */
  readonly wholeSinceMs: number;
  readonly serverAtMs: number | undefined;
  /** v1's answer where it did not return a page. */
  readonly missed?: Finding;
}

/** Reads v1's history page by page, back to a time; never throws. */
export async function readPages(question: PagesQuestion, ask: (call: V1Call) => Promise<Finding>): Promise<Pages> {
  const rows = new Map<string, HistoryRow>();
  const shown = new Map<string, HistoryRow>();
  let serverAtMs: number | undefined;
  let wholeSinceMs = Infinity;
  let totalMost = 0;
  const hasChangedPlaces = createPlaces();
  const completeSince = (sinceMs: number): Pages => ({ rows, shown, wholeSinceMs: sinceMs, serverAtMs });
  for (let page = 1; page <= question.pagesMax; page += 1) {
    const query = { page: String(page), per_page: String(PER_PAGE) };
    const finding = await ask({ method: 'GET', path: '/transactions', query });
    const data = finding.kind === 'found' ? (finding.body['data'] as JsonObject | undefined) : undefined;
    const listed = data?.['transactions'];
    if (finding.kind !== 'found' || data === undefined || !Array.isArray(listed))
      return { ...completeSince(Infinity), missed: finding };
    serverAtMs = finding.serverAtMs;
    const total = typeof data['total'] === 'number' ? data['total'] : totalMost;
    const reads = (listed as readonly JsonObject[]).map(readRow);
    // A list that has grown only shows some rows twice. A list that has become shorter comes from a lagging replica: rows between two pages may be missing.
    if (total < totalMost || !isNewestFirst(reads) || hasChangedPlaces(listed as readonly JsonObject[], data))
      return completeSince(Infinity);
    totalMost = total;
    for (const read of reads) if (read !== undefined) shown.set(read.reference, read);
    const last = reads.findLastIndex((read) => read !== undefined && latestTimeOf(read) >= question.sinceMs);
    wholeSinceMs = -Infinity;
    for (const read of reads.slice(0, last + 1)) {
      if (read === undefined) return completeSince(Infinity);
      // Rows not read yet may be of the same second as this one. Where times are not in order, the newest row read counts.
      wholeSinceMs = Math.max(wholeSinceMs, latestTimeOf(read) + 1);
      // A new order moves the last row of a page to the next page, so a row may come twice.
      if (!rows.has(read.reference) && (await question.wants(read))) rows.set(read.reference, read);
    }
    const older = reads.slice(last + 1);
    if (older.length > 0 && older[0] === undefined) return completeSince(Infinity);
    // Rows come newest first, so after two rows that are too early all are. A single early row may have the time of a wrong clock or of an old order.
    if (older.length > 1) return completeSince(question.sinceMs);
    const place = placeOf(data, page, listed.length);
    if (place !== 'more follows') return completeSince(place === 'the last' ? -Infinity : Infinity);
  }
  return completeSince(wholeSinceMs);
}

/**
 * Whether this page is the last, by v1's own count of pages (specification, 2.4). `elsewhere`: v1 returned another page than the one
 * asked for, or no rows before its last page, so the list is not complete. Without a count only an empty page is the end.
 */
function placeOf(list: JsonObject, page: number, rows: number): 'the last' | 'more follows' | 'elsewhere' {
  const isCounted = typeof list['total_pages'] === 'number';
  if (typeof list['page'] === 'number' && list['page'] !== page) return 'elsewhere';
  if (!isCounted) return rows === 0 ? 'the last' : 'more follows';
  if (page >= (list['total_pages'] as number)) return 'the last';
  return rows === 0 ? 'elsewhere' : 'more follows';
}

/**
 * Whether more rows came twice than new orders have moved to the next page. A v1 that sorts by time alone may list the rows of one second in
 * another order for each page: at the end of a page one row then comes twice, and another one on no page.
 */
function createPlaces(): (listed: readonly JsonObject[], list: JsonObject) => boolean {
  const names = new Set<string>();
  let [count, totalFirst] = [0, Infinity];
  return (listed, { total }) => {
    for (const { id = null, transaction_ref: reference = null } of listed) names.add(JSON.stringify([id, reference]));
    count += listed.length;
    if (typeof total !== 'number') return false;
    totalFirst = Math.min(totalFirst, total);
    return count - names.size > total - totalFirst;
  };
}

export function latestTimeOf({ timesMs }: HistoryRow): number {
  return Math.max(...timesMs);
}

/** The reading stops at the first old rows, so rows in another order would end it too early. */
function isNewestFirst(rows: readonly (HistoryRow | undefined)[]): boolean {
  const [first, last] = [rows[0], rows.at(-1)];
  return first === undefined || last === undefined || latestTimeOf(first) >= latestTimeOf(last);
}

function readRow(row: JsonObject): HistoryRow | undefined {
  const reference = row['transaction_ref'];
  const timesMs = parseTimes(row['created_at']);
  return typeof reference === 'string' && timesMs.length > 0
    ? { reference, timesMs, row: { data: row }, receipt: undefined }
    : undefined;
}

function identityOf(receipt: JsonObject, reference: string): JsonObject | undefined {
  if (orderInReceipt(receipt, reference) !== 'this') return undefined;
  const data = receipt['data'] as JsonObject;
  const { phone = null, amount = null, category = null, type = null } = data;
  // Of PINs only that there are some is kept.
  const withoutPins = isOverWithoutPins(data) ? { status: data['status']!, pins: [] } : {};
  const { pins } = data;
  const somePins = Array.isArray(pins) && pins.length > 0 ? { pins: [null] } : {};
  const unsold = isWaiting(data) || data['status'] === 'failed' ? { status: data['status']! } : {};
  return { data: { reference, phone, amount, category, type, ...unsold, ...withoutPins, ...somePins } };
}

/** Undefined where v1 now shows the end of an order that was pending when its receipt was read: PINs, or their absence, tell sales apart. */
function upToDate(known: JsonObject | undefined, { row }: HistoryRow): JsonObject | undefined {
  const wasWaiting = known !== undefined && isWaiting(known['data'] as JsonObject);
  return wasWaiting && isOver(row['data'] as JsonObject) ? undefined : known;
}

function isWaiting({ status }: JsonObject): boolean {
  return status === 'pending' || status === 'processing';
}

function isOver({ status }: JsonObject): boolean {
  return status === 'success' || status === 'failed';
}

/** A success without PINs and without a number: v1 shows no number with PINs. */
function isBareSuccess(sale: JsonObject): boolean {
  const { status, phone } = sale;
  return status === 'success' && isOverWithoutPins(sale) && (phone === null || phone === '');
}

/** Whether the sale is over and has no PINs: v1 shows an empty list for it. */
export function isOverWithoutPins(sale: JsonObject): boolean {
  const { pins } = sale;
  return isOver(sale) && Array.isArray(pins) && pins.length === 0;
}

/** v1's `YYYY-MM-DD HH:MM:SS` read in each zone that v1 may mean, ms since the epoch; empty for any other text. */
export function parseTimes(text: unknown): number[] {
  const match = typeof text === 'string' ? /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/.exec(text) : null;
  if (match === null) return [];
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second);
  return ZONE_OFFSETS_MS.map((offset) => asUtc - offset);
}
