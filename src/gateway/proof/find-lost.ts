/**
 * Looks for orders without a reference in v1's history. A row is an order's when both name the same number, price and
 * time, and when no other order and no other row could be meant: of two alike nobody can tell which is which, so both
 * stay open and are reported. An order that is certainly not there, long after its last attempt, was never sent.
 */
import type { PriceLists } from '../../price-lists/price-lists';
import { CLOCK_ERROR_MS, type Clock, type Steadiness } from '../../domain/clock';
import { lastTriedAt, type Order } from '../../domain/order';
import type { JsonObject } from '../../domain/json';
import { type Outcome, referenceOf } from '../../domain/outcome';
import type { Journal } from '../../journal/journal';
import type { Field, Mapping } from '../../mapping/mapping';
import type { CallContext, Upstream } from '../../upstream/upstream';
import { type CatalogLists, catalogListsOf } from '../read/catalog-lists';
import { compareReceipt, isMoneyIn, type OrderTraits, otherServices, rulesOut, traitsOf } from './compare-receipt';
import { findReceipt } from './find-receipt';
import type { CompareRow, createOtherKeys, OtherKeys } from './other-keys';
import { quietMsOf } from './quiet-time';
import type { History, HistoryReader, Unclaimed } from './read-history';

export interface LostParts {
  readonly journal: Journal;
  readonly upstream: Upstream;
  readonly clock: Clock;
  /** Whether anything of an order may be on its way to v1. */
  readonly pursuits: { isSending(owner: string, requestId: string): Promise<boolean> };
  readonly steadiness: Steadiness;
  readonly priceLists: Pick<PriceLists, 'get'>;
  readonly mapping: () => Mapping;
  readonly onTrouble: (what: string, error: unknown) => void;
  readonly history: HistoryReader;
  readonly otherKeys: ReturnType<typeof createOtherKeys>;
  /** When this process opened the order, by the clock that nobody can set; undefined where that is not known. */
  readonly openedHereMs: (order: Pick<Order, 'owner' | 'requestId'>) => number | undefined;
}

export interface LostFound {
  readonly settled: number;
  /** The next look sees more than this one did. */
  readonly hasLearnt: boolean;
}

/** The most open orders of one key among which a row can be given away: with more, some rival might be overlooked. */
export const OPEN_MAX = 5_000;
/** Clocks of two services differ, and v1 may write an order down a little before or after it was sent. */
const EARLIER_MS = 2 * 60_000;
const LATER_MS = 10 * 60_000;
/**
 * What is to be proven absent is looked for as much earlier as the clock of this machine may have been wrong when the order was opened. So much
 * does where it is right now, and was the same when this process opened the order: a look reads a day of a key that sells two a minute, and no more.
 */
const SURE_MARGIN_MS = 30 * 60_000;
const SAME_CLOCK_MS = 2_000;
/** v1's history shows a sale so long after v1 has confirmed it; it is held against the last one that is older, back to so long before a lost order. */
const SHOWN_WITHIN_MS = 60_000;
const SOLD_BEFORE_MS = 6 * 3_600_000;
/** The newest orders of a key among which that sale is sought. */
const SOLD_AMONG_MAX = 200;
/** When v1's clock and ours are further apart than this, times prove nothing. */
const CLOCKS_APART_MS = 10 * 60_000;

/** `lost` are the orders to be looked for now, a bounded share of all that are open. */
export async function findLost(lost: readonly Order[], context: CallContext, parts: LostParts): Promise<LostFound> {
  const startedAt = parts.clock.now();
  const steadyForMs = parts.steadiness.steadyForMs();
  const offsetMs = startedAt - parts.clock.elapsed();
  const mapping = parts.mapping();
  // The quiet time had passed before the history was read: an attempt that was still on its way then is in it, or never will be.
  const quietOnes = new Set(
    lost.filter((order) => Math.min(startedAt - lastTriedAt(order), steadyForMs) >= quietMsOf(order, mapping)),
  );
  const sinceMs = Math.min(...lost.map((order) => order.openedAtMs - (quietOnes.has(order) ? CLOCK_ERROR_MS : EARLIER_MS)));
  const traits = new Map(lost.map((order) => [order, traitsIn(order, undefined, parts.mapping())]));
  const history = await parts.history.read(
    {
      sinceMs,
      mayBeLost: (row) => lost.some((order) => !isRuledOut(traits.get(order), row)),
      isTimely: (row) => lost.some((order) => isTimely(order, row)),
    },
    context,
  );
  if (history === undefined) return { settled: 0, hasLearnt: false };
  if (areClocksApart(history, parts)) return { settled: 0, hasLearnt: false };
  const marginOf = (order: Order): number => {
    const setByMs = order.openedAtMs - (parts.openedHereMs(order) ?? -Infinity) - offsetMs;
    // Where v1 does not tell its time nobody knows whether this clock is right.
    const isRight = history.serverAtMs !== undefined;
    return isRight && Math.abs(setByMs) <= SAME_CLOCK_MS ? SURE_MARGIN_MS : CLOCK_ERROR_MS;
  };
  // Listed after the history was read: whatever made a row of it was on disk before, so it is seen here or has claimed its row.
  const open = await parts.journal.listUnsettled({ owner: context.credentials.fingerprint, limit: OPEN_MAX });
  if (open.length === OPEN_MAX) return { settled: 0, hasLearnt: false };
  const prices = await pricesOf(context, parts);
  const otherKeys = parts.otherKeys({
    ...{ context, isTimely },
    // An order may be tried for as long as it is pursued, and be at v1 since.
    fromMs: Math.min(...lost.map(({ openedAtMs }) => openedAtMs)) - Math.max(CLOCK_ERROR_MS, mapping.timing.pursue),
    compare: (order, row) => compareRow(order, row, prices, parts.mapping()),
  });
  const matches = new Matches(open.filter(isWithoutReference), history, prices, parts.mapping(), otherKeys);
  const sold = {
    owner: context.credentials.fingerprint,
    fromMs: Math.max(sinceMs + CLOCK_ERROR_MS - SOLD_BEFORE_MS, history.wholeSinceMs + SURE_MARGIN_MS / 2),
    untilMs: startedAt - SHOWN_WITHIN_MS,
  };
  let isUpToDate: Promise<boolean> | undefined;
  let settled = 0;
  for (const order of lost) {
    if (!matches.isOpenAsBefore(order)) continue;
    const row = await matches.rowOf(order);
    const perhaps = history.unclaimed.filter((one) => !isNot(traits.get(order), one));
    // How far one look reads is bounded: an old order that stays open must not keep what was lost since from being proven absent.
    const isRead = quietOnes.has(order) && history.wholeSinceMs <= order.openedAtMs - marginOf(order);
    const isAbsent = row === undefined && isRead && (await otherKeys.areAllTheirs(order, perhaps));
    if (isAbsent && !(await (isUpToDate ??= showsWhatWasSold(history, sold, parts)))) continue;
    // What is kept of receipts tells whose they are; what became of the order, v1 tells now.
    const claimed = row === undefined ? undefined : await findReceipt(row.reference, context, parts.upstream);
    const outcome = isAbsent ? provenUnsent(order) : claimed;
    if (outcome === undefined || !(await isStillFree(order, outcome, parts))) continue;
    const after = await parts.journal.settle(order.owner, order.requestId, outcome, parts.clock.now());
    if (after.outcome?.kind === outcome.kind) settled += 1;
  }
  return { settled, hasLearnt: history.hasLearnt };
}

/** Which row of the history is whose, among all open orders of the key. */
class Matches {
  readonly #rivals: readonly { readonly order: Order; readonly traits: LostTraits | undefined }[];
  readonly #history: History;
  readonly #otherKeys: OtherKeys;

  constructor(
    rivals: readonly Order[],
    history: History,
    prices: CatalogLists | undefined,
    mapping: Mapping,
    otherKeys: OtherKeys,
  ) {
    this.#rivals = rivals.map((order) => ({ order, traits: traitsIn(order, prices, mapping) }));
    this.#history = history;
    this.#otherKeys = otherKeys;
  }

  /** It is still open, and nobody has tried it again meanwhile. */
  isOpenAsBefore(order: Order): boolean {
    return this.#rivals.some((rival) => isUntouched(rival.order, order));
  }

  /** The one row that can be this order's, when it can be no other order's, whatever key that was placed with. */
  async rowOf(order: Order): Promise<Unclaimed | undefined> {
    const mine = this.#rivals.find((rival) => isUntouched(rival.order, order))!;
    const timely = this.#history.unclaimed.filter((row) => isTimely(order, row) && !isNot(mine.traits, row));
    // A row whose receipt is not known yet may be the order as well.
    if (timely.some(({ receipt }) => receipt === undefined)) return undefined;
    const alike = timely.filter((row) => isAlike(mine, row.receipt!));
    // Whatever its time: a rival may have been opened while the clock was wrong. One of an operation that the mapping no
    // longer has may be anything.
    const isRivalled = (row: Unclaimed): boolean =>
      this.#rivals.some((rival) => rival !== mine && (rival.traits === undefined || isAlike(rival, row.receipt!)));
    if (alike.every(isRivalled)) return undefined;
    const row = await this.#otherKeys.onlyFree(order, alike);
    return row === undefined || isRivalled(row) ? undefined : row;
  }
}

function provenUnsent(order: Order): Outcome {
  return {
    kind: 'not_sent',
    reason: 'v1 does not have this order',
    isProven: true,
    sought: { tries: order.tries, lastTriedAtMs: lastTriedAt(order) },
  };
}

/**
 * False where the last sale of the key that v1 has confirmed is not there: such a history comes from a replica that lags, from a cache, or from a
 * v1 that has lost its accounts for a moment, and lacks what else it may lack.
 */
async function showsWhatWasSold(
  { shown }: History,
  { untilMs, ...range }: { owner: string; fromMs: number; untilMs: number },
  { journal }: LostParts,
): Promise<boolean> {
  const newest = journal.listOfOwner({ ...range, newestFirst: true, limit: SOLD_AMONG_MAX, onUnreadable: () => undefined });
  for await (const { outcome, settledAtMs = 0 } of newest)
    if (outcome?.kind === 'succeeded' && outcome.reference !== undefined && settledAtMs <= untilMs)
      return shown.has(outcome.reference);
  return true;
}

function areClocksApart({ serverAtMs }: History, { clock, onTrouble }: LostParts): boolean {
  if (serverAtMs === undefined) return false;
  const apartMs = clock.now() - serverAtMs;
  if (Math.abs(apartMs) <= CLOCKS_APART_MS) return false;
  const minutes = Math.round(Math.abs(apartMs) / 60_000);
  const where = apartMs > 0 ? 'ahead of' : 'behind';
  onTrouble('clock', new Error(`This machine's clock is ${minutes} minutes ${where} v1's; no open order can be looked for.`));
  return true;
}

async function pricesOf(context: CallContext, { priceLists, mapping }: LostParts): Promise<CatalogLists | undefined> {
  const catalog = await priceLists.get(context);
  return catalog === undefined ? undefined : catalogListsOf(catalog, mapping());
}

/** Much can happen while v1 is asked: the order may be under way again, another may have claimed its row. */
async function isStillFree(order: Order, outcome: Outcome, { journal, pursuits }: LostParts): Promise<boolean> {
  const { owner, requestId } = order;
  const reference = referenceOf(outcome);
  if (reference !== undefined && (await journal.findByReference(owner, reference)) !== undefined) return false;
  if (await pursuits.isSending(owner, requestId)) return false;
  const now = await journal.find(owner, requestId);
  return now !== undefined && isUntouched(now, order);
}

export function isWithoutReference({ outcome }: Order): boolean {
  return referenceOf(outcome) === undefined;
}

function isUntouched(one: Order, other: Order): boolean {
  return one.requestId === other.requestId && one.tries === other.tries && lastTriedAt(one) === lastTriedAt(other);
}

export function isTimely(order: Order, row: Unclaimed): boolean {
  return row.timesMs.some((time) => time >= order.openedAtMs - EARLIER_MS && time <= lastTriedAt(order) + LATER_MS);
}

export interface LostTraits extends OrderTraits {
  readonly otherServices: readonly string[];
}

/**
 * Undefined for an operation that the mapping no longer has, or whose fields have other names by now: without its number, say, an
 * order would be like the sale of anybody else.
 */
export function traitsIn(order: Order, prices: CatalogLists | undefined, mapping: Mapping): LostTraits | undefined {
  const operation = mapping.operations.get(order.operation);
  if (operation === undefined || operation.fields.some((field) => isLacking(order, field))) return undefined;
  return { ...traitsOf(operation, order.fields, prices), otherServices: otherServices(operation, mapping) };
}

/** No order is taken without such a field: this one was taken when the field was another. */
function isLacking({ fields }: Order, { name, isSent, isRequired }: Field): boolean {
  return isSent && isRequired && !Object.hasOwn(fields, name);
}

/**
 * Nothing that the receipt shows speaks against the order, and its number or price speaks for it. The service alone does
 * not: one sale of exam PINs looks like every other, and the PINs of another order would be given away. Only what has
 * neither number nor price (a message to many) is told by its service, and only while nobody doubts it.
 */
export function isAlike(
  { order, traits }: { readonly order: Order; readonly traits: LostTraits | undefined },
  receipt: JsonObject,
): boolean {
  if (traits === undefined || isMoneyIn((receipt['data'] ?? {}) as JsonObject)) return false;
  const { number, price, category } = compareReceipt(receipt, traits);
  if ([number, price, category].includes('differs')) return false;
  const isDoubted = order.outcome?.kind === 'unknown' && order.outcome.isDoubted === true;
  return number === 'agrees' || price === 'agrees' || (traits.isTraceless && !isDoubted && category === 'agrees');
}

/**
 * Something that the record shows is certainly not of this order. Prices of the catalog do not count: they may have changed
 * since. A row at another time proves nothing either way, because clocks differ.
 */
function isRuledOut(traits: LostTraits | undefined, record: JsonObject): boolean {
  return traits !== undefined && rulesOut(record, traits, traits.otherServices);
}

function compareRow(order: Order, row: Unclaimed, prices: CatalogLists | undefined, mapping: Mapping): ReturnType<CompareRow> {
  const traits = traitsIn(order, prices, mapping);
  if (traits === undefined) return 'unknown';
  if (isNot(traitsIn(order, undefined, mapping), row)) return 'ruled out';
  return isAlike({ order, traits }, row.receipt ?? row.row) ? 'alike' : 'neither';
}

function isNot(traits: LostTraits | undefined, { row, receipt }: Unclaimed): boolean {
  return isRuledOut(traits, receipt ?? row);
}
