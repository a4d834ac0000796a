/** v1's history of one key, as far as it can hold orders that got no answer. Reads only. */
import { createLru } from '../../domain/lru';
import type { JsonObject } from '../../domain/json';
import type { Journal } from '../../journal/journal';
import { orderInReceipt } from '../../upstream/answer-data';
import type { CallContext, Finding, Upstream, V1Call } from '../../upstream/upstream';

/** One row of v1's history that no order of ours has claimed. */
export interface Unclaimed {
  readonly reference: string;
  /** When v1 wrote it down, under each zone its time may be in; ms since the epoch. */
  readonly timesMs: readonly number[];
  /** The row of the list in the shape of a receipt: without a number, but its service and amount can speak against an order. */
  readonly row: JsonObject;
  /** What its receipt shows of whose it is; undefined while that has not been read. */
  readonly receipt: JsonObject | undefined;
}

export interface History {
  readonly unclaimed: readonly Unclaimed[];
  /** Everything that v1 has of this time and later is here: what is not, is not at v1. Infinity where nothing can be told. */
  readonly wholeSinceMs: number;
  /** The references of all rows, also of those that an order has claimed. */
  readonly shown: ReadonlySet<string>;
  /** v1's clock by its latest answer, when that told it; ms since the epoch. */
  readonly serverAtMs: number | undefined;
  /** True when receipts were read now: the next look sees more than this one. */
  readonly hasLearnt: boolean;
}

export interface HistoryQuestion {
  readonly sinceMs: number;
  /** False for rows that can be none of the orders that are looked for: they are passed over. */
  readonly mayBeLost: (row: JsonObject) => boolean;
  /** Rows whose receipts are wanted most. */
  readonly isTimely: (row: Unclaimed) => boolean;
}

export interface HistoryReader {
  /** Undefined when v1 does not give it. */
  read(question: HistoryQuestion, context: CallContext): Promise<History | undefined>;
}

/** 3,000 rows: more than a key sells in a day at v1's own limit of requests. */
const PAGES_MAX = 60;
const PER_PAGE = 50;
/** Receipts asked for in one look; what is left is asked for in the next. */
const RECEIPTS_MAX = 100;
const RECEIPTS_AT_ONCE = 4;
const RECEIPTS_KEPT = 10_000;
/** v1's times carry no zone (specification, 2.4): its own, West Africa Time, or UTC. */
const ZONE_OFFSETS_MS = [3_600_000, 0];
/** A reading so far ahead of v1's own clock is the wrong one. */
const AHEAD_MS = 30 * 60_000;

export function createHistoryReader({
  journal,
  upstream,
}: {
  readonly journal: Pick<Journal, 'findByReference'>;
  readonly upstream: Pick<Upstream, 'find'>;
}): HistoryReader {
  // What identifies an order never changes in its receipt. Goods and status are not kept.
  const known = createLru<string, JsonObject>(RECEIPTS_KEPT);
  const keyOf = ({ credentials }: CallContext, reference: string): string => `${credentials.fingerprint} ${reference}`;

  /** True when the receipt is known now. */
  const learn = async (reference: string, context: CallContext): Promise<boolean> => {
    const finding = await upstream.find({ method: 'GET', path: '/receipt', query: { reference } }, context);
    const identity = finding.kind === 'found' ? identityOf(finding.body, reference) : undefined;
    if (identity !== undefined) known.set(keyOf(context, reference), identity);
    return identity !== undefined;
  };

  return {
    async read(question, context) {
      const { fingerprint } = context.credentials;
      const shown = new Set<string>();
      let latestMs = -Infinity;
      const pages = await readPages(
        {
          sinceMs: question.sinceMs,
          pagesMax: PAGES_MAX,
          async wants(read) {
            shown.add(read.reference);
            latestMs = Math.max(latestMs, latestOf(read));
            return question.mayBeLost(read.row) && (await journal.findByReference(fingerprint, read.reference)) === undefined;
          },
        },
        (call) => upstream.find(call, context),
      );
      if (pages.missed !== undefined) return undefined;
      const { rows, wholeSinceMs, serverAtMs } = pages;
      const unread = [...rows.values()].filter(({ reference }) => !known.has(keyOf(context, reference)));
      const wanted = [...unread.filter(question.isTimely), ...unread.filter((row) => !question.isTimely(row))];
      const asked = wanted.slice(0, RECEIPTS_MAX);
      let hasLearnt = false;
      for (let from = 0; from < asked.length; from += RECEIPTS_AT_ONCE) {
        const some = asked.slice(from, from + RECEIPTS_AT_ONCE);
        const learnt = await Promise.all(some.map(({ reference }) => learn(reference, context)));
        hasLearnt ||= learnt.includes(true);
      }
      // Then all are West Africa Time: read as UTC, what another door sold an hour before an order would be of its time.
      const readings = serverAtMs !== undefined && latestMs > serverAtMs + AHEAD_MS ? 1 : ZONE_OFFSETS_MS.length;
      const unclaimed = [...rows.values()].map(({ timesMs, ...row }) => ({
        ...{ ...row, timesMs: timesMs.slice(0, readings) },
        receipt: known.get(keyOf(context, row.reference)),
      }));
      return { unclaimed, shown, wholeSinceMs, serverAtMs, hasLearnt };
    },
  };
}

/** Which rows of the history are read, newest first. */
export interface PagesQuestion {
  readonly sinceMs: number;
  readonly pagesMax: number;
  readonly wants: (row: Unclaimed) => boolean | Promise<boolean>;
}

export interface Pages {
  readonly rows: ReadonlyMap<string, Unclaimed>;
  /** As of a history. */
  readonly wholeSinceMs: number;
  readonly serverAtMs: number | undefined;
  /** What v1 answered in the place of a page. */
  readonly missed?: Finding;
}

/** Reads v1's history page by page, back to a time; never throws. */
export async function readPages(question: PagesQuestion, ask: (call: V1Call) => Promise<Finding>): Promise<Pages> {
  const rows = new Map<string, Unclaimed>();
  let serverAtMs: number | undefined;
  let wholeSinceMs = Infinity;
  let totalMost = 0;
  const wholeSince = (sinceMs: number): Pages => ({ rows, wholeSinceMs: sinceMs, serverAtMs });
  for (let page = 1; page <= question.pagesMax; page += 1) {
    const query = { page: String(page), per_page: String(PER_PAGE) };
    const finding = await ask({ method: 'GET', path: '/transactions', query });
    const data = finding.kind === 'found' ? (finding.body['data'] as JsonObject | undefined) : undefined;
    const listed = data?.['transactions'];
    if (finding.kind !== 'found' || data === undefined || !Array.isArray(listed))
      return { ...wholeSince(Infinity), missed: finding };
    serverAtMs = finding.serverAtMs;
    const total = typeof data['total'] === 'number' ? data['total'] : totalMost;
    const reads = (listed as readonly JsonObject[]).map(readRow);
    // A list that grows shows its rows again. One that has become shorter is that of a replica that lags, and may have left out some between two pages.
    if (total < totalMost || !isNewestFirst(reads)) return wholeSince(Infinity);
    totalMost = total;
    const last = reads.findLastIndex((read) => read !== undefined && latestOf(read) >= question.sinceMs);
    wholeSinceMs = -Infinity;
    for (const read of reads.slice(0, last + 1)) {
      if (read === undefined) return wholeSince(Infinity);
      // What follows may be of the same second, or before the newest of the page where times are not in order.
      wholeSinceMs = Math.max(wholeSinceMs, latestOf(read) + 1);
      // A new order moves the last row of a page to the next one, where it is seen again.
      if (!rows.has(read.reference) && (await question.wants(read))) rows.set(read.reference, read);
    }
    const older = reads.slice(last + 1);
    if (older.length > 0 && older[0] === undefined) return wholeSince(Infinity);
    // Newest first: after two that are too early all are. A single one may stand where it came, with the time of a wrong clock or of an old order.
    if (older.length > 1) return wholeSince(question.sinceMs);
    const place = placeOf(data, page, listed.length);
    if (place !== 'more follows') return wholeSince(place === 'the last' ? -Infinity : Infinity);
  }
  return wholeSince(wholeSinceMs);
}

/**
 * Where a page stands, by v1's own count (specification, 2.4): a v1 that gives fewer rows than it was asked for, or the same
 * page again and again, has not shown everything. Without a count only an empty page is the end.
 */
function placeOf(list: JsonObject, page: number, rows: number): 'the last' | 'more follows' | 'elsewhere' {
  const isCounted = typeof list['total_pages'] === 'number';
  if (typeof list['page'] === 'number' && list['page'] !== page) return 'elsewhere';
  if (!isCounted) return rows === 0 ? 'the last' : 'more follows';
  if (page >= (list['total_pages'] as number)) return 'the last';
  return rows === 0 ? 'elsewhere' : 'more follows';
}

function latestOf({ timesMs }: Unclaimed): number {
  return Math.max(...timesMs);
}

/** Rows in another order would end the reading too early. */
function isNewestFirst(rows: readonly (Unclaimed | undefined)[]): boolean {
  const [first, last] = [rows[0], rows.at(-1)];
  return first === undefined || last === undefined || latestOf(first) >= latestOf(last);
}

function readRow(row: JsonObject): Unclaimed | undefined {
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
  // A sale that is over and had no PINs will have none.
  const withoutPins = isOverWithoutPins(data) ? { status: data['status']!, pins: [] } : {};
  return { data: { reference, phone, amount, category, type, ...withoutPins } };
}

/** What v1 shows of something that has no PINs is an empty list of them. */
export function isOverWithoutPins({ status, pins }: JsonObject): boolean {
  return (status === 'success' || status === 'failed') && Array.isArray(pins) && pins.length === 0;
}

/** v1's `YYYY-MM-DD HH:MM:SS` under each zone it may be in, ms since the epoch; empty when it is no such text. */
export function parseTimes(text: unknown): number[] {
  const match = typeof text === 'string' ? /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/.exec(text) : null;
  if (match === null) return [];
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second);
  return ZONE_OFFSETS_MS.map((offset) => asUtc - offset);
}
