/** The report of one day of one key: compares the journal with v1's history. The worst kinds of differences come first. */
import { addKobo, kobo, ZERO_KOBO, type AmountMinor } from '../domain/amount';
import type { Clock } from '../domain/clock';
import type { Day } from '../domain/day';
import { lastAttemptAt, type Order } from '../domain/order';
import { deliveryOf, isSafeToRefund, referenceOf } from '../domain/outcome';
import { compareReceipt, numberIn, rulesOut } from '../gateway/proof/compare-receipt';
import { isAlike, isTimely, traitsIn } from '../gateway/proof/find-lost';
import type { Sets } from '../gateway/read/earlier-set';
import type { Journal } from '../journal/journal';
import type { CallContext, Upstream } from '../upstream/upstream';
import { askWithRetries, MARGIN_MS, readReceipt, readV1Day, type Ask, type V1Day, type V1Row } from './read-v1-day';

/** The worst first: differences are listed in this order. */
const DIFFERENCES = ['charged_told_failed', 'sold_not_at_v1', 'not_in_journal', 'differs', 'open'] as const;

export interface Difference {
  readonly kind: (typeof DIFFERENCES)[number];
  readonly atMs: number;
  readonly order?: Order;
  readonly row?: V1Row;
  /** False where v1's row has neither the order's reference nor its request id, and only resembles the order. */
  readonly isSure: boolean;
  /** Set for `differs`. */
  readonly what?: 'charge' | 'price' | 'number';
}

export interface Sum {
  readonly count: number;
  readonly charged: AmountMinor;
  /** How many of them show no charge. */
  readonly unpriced: number;
}

interface WalletMovement {
  readonly opening: AmountMinor;
  readonly charged: AmountMinor;
  /** The sum of v1's rows of deposits and refunds. */
  readonly moneyIn: AmountMinor;
  /** The rest of the movement: deposits that are not in the history, late refunds. */
  readonly other: AmountMinor;
  readonly closing: AmountMinor;
}

export interface DayReport {
  readonly result: 'agree' | 'differences' | 'incomplete';
  readonly day: Day;
  /** Why it is incomplete, in sentences. */
  readonly unread: readonly string[];
  readonly differences: readonly Difference[];
  /** How many orders of the day the journal has. */
  readonly orders: number;
  readonly journal: Sum;
  readonly v1: Sum;
  /** Charges of other keys of the same account: v1's history is that of the account. */
  readonly otherKeys: Sum;
  /** How many sales v1 has refunded. What they had cost is in none of its rows for certain. */
  readonly refunds: number;
  readonly walletNow: AmountMinor | undefined;
  /** Undefined where v1 does not show the balances for it. */
  readonly wallet: WalletMovement | undefined;
}

interface DayParts extends Sets {
  readonly journal: Pick<Journal, 'list' | 'findByReference' | 'listByReference'>;
  readonly upstream: Pick<Upstream, 'find'>;
  readonly context: CallContext;
  readonly clock: Clock;
}

export async function reportDay(day: Day, parts: DayParts): Promise<DayReport> {
  const ask = askWithRetries(parts.upstream, parts.context, parts.clock);
  // v1's history is read before the journal: every order with a row was in the journal before v1 had the row.
  const services = [...parts.mapping.operations.values()].flatMap(({ categories }) => categories);
  const v1 = await readV1Day(day, ask, parts.clock, services);
  const unread = [...v1.unread];
  const orders = await readOrders(day, v1.rows, parts, unread);
  const others = await pairsOfOtherKeys(orders, v1.rows, parts);
  const theirs = new Set(others.map(({ row }) => row));
  const own = v1.rows.filter((row) => !theirs.has(row));
  const pairs = pairUp(orders, own, v1.aheadMs, parts);
  const isOfDay = (atMs: number): boolean => atMs >= day.fromMs && atMs < day.untilMs;
  const ofDay = orders.filter(({ openedAtMs }) => isOfDay(openedAtMs));
  const matched: Pair[] = [];
  for (const order of ofDay) matched.push(pairs.get(order) ?? (await askForRow(order, ask)));
  const knownZone = zoneOf(new Set([...pairs.values(), ...matched]));
  if (knownZone === undefined) unread.push("The zone of v1's times is not known: its rows are of other hours than their orders.");
  const zone = knownZone ?? 0;
  const unasked = matched.filter(({ isUnread }) => isUnread === true).length;
  if (unasked > 0) unread.push(`What v1 has of orders whose references its history did not show: ${unasked}.`);
  const taken = new Set([...pairs.values(), ...others].map(({ row }) => row));
  const othersOfDay = others.filter(({ row }) => isOfDay(row.timesMs[zone]!));
  const strange = v1.rows.filter((row) => !taken.has(row) && !row.isMoneyIn && isOfDay(row.timesMs[zone]!));
  for (const { reference, status } of [...matched.flatMap(({ row }) => row ?? []), ...strange])
    if (status === 'other') unread.push(`The status that v1 gives ${reference} is unknown here.`);
  const differences = [
    ...[...matched, ...othersOfDay].flatMap((pair) => judge(pair, parts)),
    ...strange
      .filter(({ status }) => status === 'charged')
      .map((row): Difference => ({ kind: 'not_in_journal', atMs: row.timesMs[zone]!, row, isSure: true })),
  ].sort((one, other) => DIFFERENCES.indexOf(one.kind) - DIFFERENCES.indexOf(other.kind) || one.atMs - other.atMs);
  const rows = [...matched.flatMap(({ row }) => (row === undefined ? [] : [row])), ...strange];
  return {
    result: unread.length > 0 ? 'incomplete' : differences.length > 0 ? 'differences' : 'agree',
    ...{ day, unread, differences, orders: ofDay.length, walletNow: v1.walletNow },
    journal: sumUp(
      ofDay
        .filter(({ outcome }) => outcome?.kind === 'succeeded' || outcome?.kind === 'pending')
        .map(({ outcome }) => deliveryOf(outcome).charged),
    ),
    v1: sumUp(rows.filter(({ status }) => status === 'charged').map(chargedByV1)),
    otherKeys: sumUp(othersOfDay.filter(({ row }) => row.status === 'charged').map(({ row }) => chargedByV1(row))),
    refunds: rows.filter(({ status }) => status === 'failed').length,
    wallet: knownZone === undefined ? undefined : walletOf(v1, isOfDay, knownZone),
  };
}

/** Orders whose latest opening is around the day (they may have been refused days before), and orders of other days with a row in this day. */
async function readOrders({ fromMs, untilMs }: Day, rows: readonly V1Row[], { journal, context }: DayParts, unread: string[]) {
  const owner = context.credentials.fingerprint;
  const byNumber = new Map<number, Order>();
  const listed = journal.list({
    ...{ fromMs: fromMs - MARGIN_MS, untilMs: untilMs + MARGIN_MS, limit: Number.MAX_SAFE_INTEGER },
    onUnreadable: ({ message }) => void unread.push(message),
  });
  for await (const order of listed) if (order.owner === owner) byNumber.set(order.number, order);
  for (const { reference } of rows) {
    const order = await journal.findByReference(owner, reference);
    if (order !== undefined && !byNumber.has(order.number)) byNumber.set(order.number, order);
  }
  return [...byNumber.values()];
}

interface Pair {
  readonly order: Order;
  readonly row: V1Row | undefined;
  readonly isSure: boolean;
  /** v1 could not be asked whether it has the order. */
  readonly isUnread?: boolean;
}

/**
 * Rows that belong to orders of other keys: v1's history is that of the account. An order with the row's reference that provably is another
 * sale got the reference from another v1, the sandbox, and does not count.
 */
async function pairsOfOtherKeys(
  orders: readonly Order[],
  rows: readonly V1Row[],
  parts: DayParts,
): Promise<readonly (Pair & { readonly row: V1Row })[]> {
  const { journal, context } = parts;
  const own = new Set(orders.map(({ outcome }) => referenceOf(outcome)));
  const pairs: (Pair & { readonly row: V1Row })[] = [];
  for (const row of rows) {
    if (row.isMoneyIn || own.has(row.reference)) continue;
    const order = (await journal.listByReference(row.reference)).find((one) => {
      const traits = traitsIn(one, undefined, parts);
      const isAnotherSale = traits !== undefined && rulesOut({ data: row.data }, traits, traits.otherServices);
      return one.owner !== context.credentials.fingerprint && !isAnotherSale;
    });
    if (order !== undefined) pairs.push({ order, row, isSure: true });
  }
  return pairs;
}

/** Finds the order of each row: by v1's reference, then by request id, then by number, amount, service and time. */
function pairUp(
  orders: readonly Order[],
  rows: readonly V1Row[],
  aheadMs: number,
  sets: Sets,
): Map<Order, Pair & { readonly row: V1Row }> {
  const pairs = new Map<Order, Pair & { readonly row: V1Row }>();
  const free = new Set(rows.filter((row) => !row.isMoneyIn));
  const claim = (order: Order, row: V1Row, isSure: boolean): void => {
    pairs.set(order, { order, row, isSure });
    free.delete(row);
  };
  const byReference = new Map(orders.map((order) => [referenceOf(order.outcome), order]));
  for (const row of rows) {
    const order = byReference.get(row.reference);
    if (order !== undefined) claim(order, row, true);
  }
  // An order with a reference cannot be a row with another reference.
  const unnamed = (): readonly Order[] => orders.filter((order) => !pairs.has(order) && referenceOf(order.outcome) === undefined);
  const byRequestId = new Map(unnamed().map((order) => [order.requestId, order]));
  for (const row of [...free]) {
    const order = byRequestId.get(requestIdIn(row) ?? '');
    if (order !== undefined) claim(order, row, true);
  }
  const wanting = unnamed().map((order) => ({ order, traits: traitsIn(order, undefined, sets) }));
  for (const row of [...free].reverse()) {
    const receipt = { data: row.data };
    // By v1's clock, and by ours as far as they differ now: on that day they may have agreed.
    const timesMs = row.timesMs.flatMap((time) => [time, time + aheadMs]);
    const alike = wanting.filter(
      (one) => !pairs.has(one.order) && isTimely(one.order, { ...row, timesMs, row: receipt, receipt }) && isAlike(one, receipt),
    );
    const distance = ({ order }: (typeof alike)[number]): number =>
      Math.min(...timesMs.map((time) => Math.abs(time - order.openedAtMs)));
    const [nearest] = alike.sort((one, other) => distance(one) - distance(other));
    if (nearest !== undefined) claim(nearest.order, row, false);
  }
  return pairs;
}

/** The request id in a row. The specification has none there, but a v1 that shows it is believed. */
function requestIdIn({ data }: V1Row): string | undefined {
  const meta = data['meta'] as { readonly request_id?: unknown } | null | undefined;
  return [data['request_id'], meta?.request_id].find((id) => typeof id === 'string' && id !== '') as string | undefined;
}

/**
 * The index of the right zone in `timesMs`, by the rows whose order is certain; undefined where most of them are in none. West Africa Time if there
 * are no such rows.
 */
function zoneOf(pairs: ReadonlySet<Pair>): number | undefined {
  const votes = [...pairs].flatMap(({ order, row, isSure }) =>
    isSure && row !== undefined && row.timesMs.length > 0 ? [zoneBy(row, order)] : [],
  );
  const isMost = (zone: number): boolean => votes.filter((vote) => vote === zone).length * 2 > votes.length;
  return isMost(NO_ZONE) ? undefined : isMost(1) ? 1 : 0;
}

const NO_ZONE = -1;

function zoneBy({ timesMs }: V1Row, order: Order): number {
  const distances = timesMs.map((time) => Math.min(...[order.openedAtMs, lastAttemptAt(order)].map((at) => Math.abs(time - at))));
  const least = Math.min(...distances);
  return least > MARGIN_MS ? NO_ZONE : distances.indexOf(least);
}

/** Reads the receipt of an order whose reference was on no page: v1 may have the order all the same. */
async function askForRow(order: Order, ask: Ask): Promise<Pair> {
  const reference = referenceOf(order.outcome);
  const receipt = reference === undefined ? 'none' : await readReceipt(reference, ask);
  if (typeof receipt === 'object') return { order, row: receipt, isSure: true };
  return { order, row: undefined, isSure: true, isUnread: receipt !== 'none' };
}

function judge({ order, row, isSure, isUnread = false }: Pair, sets: Sets): readonly Difference[] {
  const { outcome } = order;
  const found = (kind: Difference['kind'], what?: Difference['what']): readonly Difference[] => [
    {
      ...{ kind, atMs: order.openedAtMs, order, isSure },
      ...(row === undefined ? {} : { row }),
      ...(what === undefined ? {} : { what }),
    },
  ];
  if (outcome === undefined || outcome.kind === 'pending' || outcome.kind === 'unknown') return found('open');
  if (isSafeToRefund(outcome)) return row?.status === 'charged' ? found('charged_told_failed') : [];
  if (row === undefined) return isUnread ? [] : found('sold_not_at_v1');
  if (row.status === 'failed') return found('sold_not_at_v1');
  if (row.data['status'] !== 'success') return found('open');
  const what = differenceIn(order, row, sets);
  return what === undefined ? [] : found('differs', what);
}

/** The specification sets no limit to the service charge on power. */
const ANY_CHARGE = kobo(Number.MAX_SAFE_INTEGER);

function differenceIn(order: Order, row: V1Row, sets: Sets): Difference['what'] {
  const [ours, theirs] = [deliveryOf(order.outcome).charged, chargedByV1(row)];
  if (ours !== undefined && theirs !== undefined && ours !== theirs) return 'charge';
  const traits = traitsIn(order, undefined, sets);
  if (traits === undefined) return undefined;
  if (numberIn(row.data, traits) === 'other') return 'number';
  return compareReceipt({ data: row.data }, { ...traits, charge: ANY_CHARGE }).price === 'differs' ? 'price' : undefined;
}

/**
 * What v1 charged, by the wallet before and after. Undefined if the balance rose or is unknown, and for a failed row: its balances may be those
 * around charge and refund, with all sales in between.
 */
export function chargedByV1({ balance, status }: V1Row): AmountMinor | undefined {
  if (balance === undefined || balance.after > balance.before || status === 'failed') return undefined;
  return kobo(balance.before - balance.after);
}

function sumUp(amounts: readonly (AmountMinor | undefined)[]): Sum {
  return {
    count: amounts.length,
    charged: amounts.reduce<AmountMinor>((sum, amount) => addKobo(sum, amount ?? ZERO_KOBO), ZERO_KOBO),
    unpriced: amounts.filter((amount) => amount === undefined).length,
  };
}

/** The wallet's movement in the day, by v1's own times. Its closing balance is the one before the next row; without one, the balance now. */
function walletOf(v1: V1Day, isOfDay: (atMs: number) => boolean, zone: number): WalletMovement | undefined {
  const isInDay = ({ timesMs }: V1Row): boolean => isOfDay(timesMs[zone]!);
  const rows = v1.rows.filter(isInDay);
  const newest = v1.rows.findIndex(isInDay);
  const following = newest > 0 ? v1.rows.slice(0, newest) : v1.next;
  const opening = balanceBefore(rows);
  const closing = following.length === 0 ? v1.walletNow : balanceBefore(following);
  if (!v1.isWhole || opening === undefined || closing === undefined) return undefined;
  let [charged, moneyIn] = [0, 0];
  const refunds = new Set<number>();
  const failed: number[] = [];
  for (const { balance, status, isMoneyIn } of rows) {
    if (balance === undefined) return undefined;
    const spent = balance.before - balance.after;
    if (isMoneyIn) {
      moneyIn -= spent;
      refunds.add(-spent);
    } else if (status === 'failed') failed.push(spent);
    else charged += spent;
  }
  let other = closing - opening + charged - moneyIn;
  // v1 refunds without a row, and then a failed sale moved nothing. Where the refund is a row of its own, the charge before it is missing here.
  for (const spent of failed) {
    if (!refunds.has(spent) || other + spent > 0) continue;
    charged += spent;
    other += spent;
  }
  return { opening, charged: kobo(charged), moneyIn: kobo(moneyIn), other: other === 0 ? ZERO_KOBO : kobo(other), closing };
}

/**
 * The balance before the oldest of these rows, which are newest first. v1 may list the rows of one second in any order: the oldest of them begins
 * with what no other one ends with. Undefined where that is not one balance.
 */
function balanceBefore(rows: readonly V1Row[]): AmountMinor | undefined {
  const oldestMs = rows.at(-1)?.timesMs[0];
  const ofSecond = rows.filter(({ timesMs }) => timesMs[0] === oldestMs).map(({ balance }) => balance);
  const isFirst = (one: V1Row['balance']): boolean => !ofSecond.some((other) => other !== one && other?.after === one?.before);
  const [before, ...others] = new Set(ofSecond.filter(isFirst).map((balance) => balance?.before));
  return others.length > 0 ? undefined : before;
}
