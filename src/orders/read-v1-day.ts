/** Reads v1's history of one day with its receipts, and the wallet. Buys nothing, waits as long as v1 asks, and reports what it could not read. */
import type { AmountMinor } from '../domain/amount';
import { pause, type Clock } from '../domain/clock';
import type { Day } from '../domain/day';
import { isJsonObject, type JsonObject } from '../domain/json';
import { type HistoryRow, parseTimes, readPages } from '../gateway/proof/read-history';
import { isCredit, isMoneyIn, isYes, orderInReceipt, readBalance } from '../upstream/answer-data';
import type { CallContext, Finding, Upstream, V1Call } from '../upstream/upstream';

/** One row of v1's history. */
export interface V1Row {
  readonly reference: string;
  /** The time of the row in each zone that v1 may mean (see `parseTimes`). */
  readonly timesMs: readonly number[];
  /** The data of its receipt. If the receipt could not be read: the data of the list, which has no number and no balances. */
  readonly data: JsonObject;
  readonly status: 'charged' | 'failed' | 'other';
  readonly isMoneyIn: boolean;
  /** The wallet before and after the row; absent where v1 does not show it. */
  readonly balance?: { readonly before: AmountMinor; readonly after: AmountMinor };
}

export interface V1Day {
  /** Newest first. They reach `MARGIN_MS` beyond the day on both sides, because clocks differ. */
  readonly rows: readonly V1Row[];
  /** The rows of the first second after `rows`; none if there is no later row. */
  readonly next: readonly V1Row[];
  /** By how much our clock is ahead of v1's now; 0 where v1 does not tell its time. */
  readonly aheadMs: number;
  /** False where rows may be missing. */
  readonly isWhole: boolean;
  readonly walletNow: AmountMinor | undefined;
  /** What could not be read, in sentences. */
  readonly unread: readonly string[];
}

/** 20,000 rows. The rows between now and the day are read as well. */
const PAGES_MAX = 400;
const RECEIPTS_AT_ONCE = 4;
const KEY_REFUSED: ReadonlySet<number> = new Set([401, 403]);
/** How far a row may be outside of the day: clocks differ, and v1 may write a row a little later than the order was opened. */
export const MARGIN_MS = 15 * 60_000;

/** `services`: v1's words for what is sold. */
export async function readV1Day(day: Day, ask: Ask, clock: Clock, services: readonly string[]): Promise<V1Day> {
  const unread: string[] = [];
  let nextListed: HistoryRow[] = [];
  const sinceMs = day.fromMs - MARGIN_MS;
  const pages = await readPages(
    {
      sinceMs,
      pagesMax: PAGES_MAX,
      wants(row) {
        const isLater = row.timesMs.every((time) => time >= day.untilMs + MARGIN_MS);
        if (isLater) nextListed = [...(nextListed[0]?.timesMs[0] === row.timesMs[0] ? nextListed : []), row];
        return !isLater;
      },
    },
    ask,
  );
  const nowMs = clock.now();
  if (pages.missed !== undefined) unread.push(`v1's history: ${troubleOf(pages.missed)}.`);
  else if (pages.wholeSinceMs > sinceMs) unread.push("v1's history: not all of the day can be told from its pages.");
  const listed = [...pages.rows.values(), ...nextListed];
  const troubles: string[] = [];
  const rows: V1Row[] = [];
  const read = (row: HistoryRow): Promise<V1Row> => readRow(row, ask, services, troubles);
  for (let from = 0; from < listed.length; from += RECEIPTS_AT_ONCE)
    rows.push(...(await Promise.all(listed.slice(from, from + RECEIPTS_AT_ONCE).map(read))));
  if (troubles.length > 0) unread.push(`Receipts of v1 (${troubles.length}): ${troubles[0]}.`);
  const next = rows.splice(pages.rows.size);
  const walletNow = await readWallet(ask);
  if (typeof walletNow === 'string') unread.push(`The wallet: ${walletNow}.`);
  return {
    ...{ rows, next, unread, isWhole: pages.wholeSinceMs <= sinceMs, aheadMs: nowMs - (pages.serverAtMs ?? nowMs) },
    walletNow: typeof walletNow === 'string' ? undefined : walletNow,
  };
}

async function readRow(
  { reference, timesMs, row }: HistoryRow,
  ask: Ask,
  services: readonly string[],
  troubles: string[],
): Promise<V1Row> {
  const receipt = await readReceipt(reference, ask);
  if (typeof receipt === 'object') return { ...receipt, timesMs };
  const data = row['data'] as JsonObject;
  const isIn = isMoneyIn(data, services);
  // v1 may have receipts of purchases alone.
  if (receipt !== 'none') troubles.push(receipt.slice('unread: '.length));
  else if (!isIn) troubles.push('v1 has none of a row that it lists');
  return rowOf(reference, timesMs, data, isIn);
}

/** Reads the receipt of a reference: its row, `none` if v1 has no such order, or why the receipt could not be read. */
export async function readReceipt(reference: string, ask: Ask): Promise<V1Row | 'none' | `unread: ${string}`> {
  const finding = await ask({ method: 'GET', path: '/receipt', query: { reference } });
  if (finding.kind === 'refused' && finding.httpStatus === 404) return 'none';
  if (finding.kind !== 'found') return `unread: ${troubleOf(finding)}`;
  const { data } = finding.body;
  if (!isJsonObject(data) || orderInReceipt(finding.body, reference) !== 'this') return 'unread: it is about another order';
  return rowOf(reference, parseTimes(data['created_at']), data);
}

function rowOf(reference: string, timesMs: readonly number[], data: JsonObject, isIn = isCredit(data)): V1Row {
  const [before, after] = [readBalance(data['balance_before']), readBalance(data['balance_after'])];
  // v1 may list a refund under the reference of its order: its `success` is that of the refund.
  const isGivenBack = isIn || isYes(data['refunded']);
  const status = isGivenBack ? 'failed' : data['status'];
  const isCharged = status === 'success' || status === 'pending' || status === 'processing';
  return {
    ...{ reference, timesMs, data, isMoneyIn: isIn },
    status: isCharged ? 'charged' : status === 'failed' ? 'failed' : 'other',
    ...(before === undefined || after === undefined ? {} : { balance: { before, after } }),
  };
}

async function readWallet(ask: Ask): Promise<AmountMinor | string> {
  const finding = await ask({ method: 'GET', path: '/balance' });
  if (finding.kind !== 'found') return troubleOf(finding);
  const { data } = finding.body;
  return (isJsonObject(data) ? readBalance(data['wallet_balance']) : undefined) ?? 'v1 does not show its balance';
}

function troubleOf(finding: Finding): string {
  if (finding.kind === 'unavailable') return `no usable answer (${finding.reason})`;
  if (finding.kind === 'found') return 'an answer without what was asked for';
  const { httpStatus } = finding;
  if (httpStatus === 429) return 'v1 has answered “too many requests” for longer than this waits (HTTP 429)';
  return KEY_REFUSED.has(httpStatus) ? `v1 refuses this key (HTTP ${httpStatus})` : `v1 refuses (HTTP ${httpStatus})`;
}

export type Ask = (call: V1Call) => Promise<Finding>;

/** For all pauses of one day together. The answers themselves may take longer: a big day has thousands. */
const PATIENCE_MS = 15 * 60_000;
const TRIES_MAX = 3;
const PAUSE_MS = 1_000;
/** The pause after a “too many requests” without a time. */
const LIMIT_PAUSE_MS = 5_000;

/**
 * Asks v1 again after limits and missing answers. A pause holds for all questions of the day. After `TRIES_MAX` failures of one question, or
 * `PATIENCE_MS` of pauses, nothing more is asked and every question gets the last finding.
 */
export function askWithRetries(upstream: Pick<Upstream, 'find'>, context: CallContext, clock: Clock): Ask {
  let pausedUntilMs = 0;
  let pausesMs = 0;
  let givenUp: Finding | undefined;
  return async (call) => {
    for (let failures = 0; ;) {
      if (givenUp !== undefined) return givenUp;
      const waitMs = pausedUntilMs - clock.elapsed();
      if (waitMs > 0) await pause(clock, waitMs);
      const finding = await upstream.find(call, context);
      const isLimit = finding.kind === 'refused' && finding.httpStatus === 429;
      // v1 would refuse the key for every further question.
      if (finding.kind === 'refused' && KEY_REFUSED.has(finding.httpStatus)) givenUp = finding;
      if (!isLimit && finding.kind !== 'unavailable') return finding;
      if (!isLimit) failures += 1;
      const seconds = isLimit ? finding.retryAfterSeconds : undefined;
      const pauseMs = isLimit ? Math.max(PAUSE_MS, seconds === undefined ? LIMIT_PAUSE_MS : seconds * 1_000) : PAUSE_MS;
      const now = clock.elapsed();
      const untilMs = Math.max(pausedUntilMs, now + pauseMs);
      pausesMs += untilMs - Math.max(pausedUntilMs, now);
      pausedUntilMs = untilMs;
      if (failures >= TRIES_MAX || pausesMs > PATIENCE_MS) givenUp = finding;
    }
  };
}
