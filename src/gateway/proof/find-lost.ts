/**
 * Looks for lost orders (open, without a reference) in v1's history. A row is given to an order when number, price and time
 * agree, and no other order and no other row fits as well. Two orders that fit the same rows cannot be told apart: both stay
 * open and are reported, unless they are one sale. An order that is certainly missing, long after its last attempt, was never sent; a failed row counts as missing.
 */
import type { PriceLists } from '../../price-lists/price-lists';
import { CLOCK_ERROR_MS, type Clock, type Steadiness } from '../../domain/clock';
import { isSameAttempt, lastAttemptAt, type Order, TOLD_PENDING } from '../../domain/order';
import { type JsonObject, textOf } from '../../domain/json';
import { identityOf, isPhoneServed } from '../../domain/number-identity';
import { type Outcome, referenceOf } from '../../domain/outcome';
import type { Journal } from '../../journal/journal';
import { byTime } from '../../journal/order-life';
import type { Mapping } from '../../mapping/mapping';
import type { CallContext, Upstream } from '../../upstream/upstream';
import { type CatalogLists, catalogListsOf } from '../read/catalog-lists';
import { isGenerated } from '../read/read-raw';
import { hasItsFields, type SetOf, type Sets } from '../read/earlier-set';
import { isMoneyIn } from '../../upstream/answer-data';
import { compareReceipt, isExactly, type OrderTraits, otherServices, rulesOut, traitsOf } from './compare-receipt';
import {
  areTimesKnown,
  createCheck,
  type IsOther,
  reachesBack,
  type SeenHere,
  soldSince,
  type SoldSpan,
  wholeSince,
} from './check-proof';
import { findReceipt } from './find-receipt';
import type { createOtherKeys, OtherKeys } from './other-keys';
import { quietMsOf } from './quiet-time';
import { type History, type HistoryReader, isOverWithoutPins, type HistoryRow } from './read-history';

export interface LostParts {
  readonly journal: Journal;
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly pursuits: {
    /** Where an attempt of this order, as it stands in the journal, may be on its way to v1; undefined where none can be, until one begins. */
    attemptOf(order: Order): Promise<'here' | 'elsewhere' | undefined>;
  };
  readonly steadiness: Steadiness;
  readonly priceLists: Pick<PriceLists, 'get'>;
  readonly mapping: () => Mapping;
  readonly setOf?: SetOf | undefined;
  readonly onTrouble: (what: string, error: unknown) => void;
  readonly history: HistoryReader;
  readonly otherKeys: ReturnType<typeof createOtherKeys>;
  /** How many days the journal keeps an order that has ended; for ever unless given. */
  readonly journalDays?: number | undefined;
  readonly here: SeenHere;
}

export interface LookResult {
  /** How many orders were settled. */
  readonly settled: number;
  /** True when the next look knows more than this one did. */
  readonly hasLearnt: boolean;
  /** Why v1's history was not searched for the orders without a reference, in words about v1. */
  readonly unread?: string;
}

/** How many open orders are listed. If a key has more, no row is given to an order: a rival order might be missing in the list. */
export const OPEN_MAX = 5_000;
/** How much earlier or later than the order's own times v1's row may be: clocks differ, and v1 may write the row before or after the sending. */
const EARLIER_MS = 2 * 60_000;
const LATER_MS = 10 * 60_000;
/** An order gets no row that may be of an order which the journal has deleted. v1's clock and zone may differ from ours by more than an hour. */
const DELETED_MARGIN_MS = 2 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
/** Within this time after v1 has confirmed a sale, v1's history must show the sale. */
const SHOWN_WITHIN_MS = 60_000;
/** If v1's clock and this machine's clock are further apart than this, times prove nothing. */
const CLOCKS_APART_MS = 10 * 60_000;
/** The history is read by v1's times, and v1's clock may be behind. */
const EARLIER_BY_V1_MS = EARLIER_MS + CLOCKS_APART_MS;

/** Looks for the `lost` orders, a bounded share of the key's open ones, and settles those that it finds or proves absent. */
export async function findLost(lost: readonly Order[], context: CallContext, parts: LostParts): Promise<LookResult> {
  const startedAt = parts.clock.now();
  const steadyForMs = parts.steadiness.steadyForMs();
  const offsetMs = startedAt - parts.clock.elapsed();
  const mapping = parts.mapping();
  // For these orders the quiet time was over before the history is read: an attempt that reached v1 is in the history by now.
  const isQuiet = (order: Order): boolean => Math.min(startedAt - lastAttemptAt(order), steadyForMs) >= quietMsOf(order, mapping);
  const quietOnes = new Set(lost.filter(isQuiet));
  const sinceMs = Math.min(...lost.map((order) => order.openedAtMs - (quietOnes.has(order) ? CLOCK_ERROR_MS : EARLIER_BY_V1_MS)));
  const traitsOfOrder: TraitsOfOrder = (order, prices) => traitsIn(order, prices, { mapping, setOf: parts.setOf });
  const prices = catalogListsOf(await parts.priceLists.get(context), parts.mapping());
  const traits = new Map(lost.map((order) => [order, traitsOfOrder(order)]));
  const read = await parts.history.read(
    {
      ...{ sinceMs, offsetMs },
      mayBeLost: (row) => lost.some((order) => !isRuledOut(traits.get(order), row)),
      isTimely: (row) => lost.some((order) => isTimely(order, row)),
      arePinsSought: lost.some((order) => traits.get(order)?.quantity !== undefined),
    },
    context,
  );
  const owner = context.credentials.fingerprint;
  const shownBeforeMs = startedAt - SHOWN_WITHIN_MS;
  const why = read && (await whyUntimed(read, { owner, fromMs: sinceMs, untilMs: shownBeforeMs }, parts));
  if (read === undefined || why !== undefined) return unread(why);
  const history = { ...read, ...(await wholeSince(read, { owner, untilMs: shownBeforeMs }, parts)) };
  // Listed after the history was read. Each order that made a row was on disk before, so it is in this list or its row is claimed.
  const open = await parts.journal.listUnsettled({ owner, limit: OPEN_MAX });
  if (open.length === OPEN_MAX) return { settled: 0, hasLearnt: false };
  const otherKeys = parts.otherKeys({
    phonesOf: (order) => phonesOf(traitsOfOrder(order)),
    ...{ context, isTimely, shownBeforeMs: steadyForMs < mapping.timing.quiet ? 0 : startedAt - mapping.timing.quiet },
    fromMs: Math.min(...lost.map(({ openedAtMs }) => openedAtMs)) - rivalsBeforeMs(mapping, parts),
    compare: (order, row) => {
      // Many orders of other keys may be open, and each is compared with several rows.
      if (!traits.has(order)) traits.set(order, traitsOfOrder(order));
      if (traits.get(order) === undefined) return 'unknown';
      if (isCertainlyNot(traits.get(order), row)) return 'ruled out';
      const rival = { traits: traitsOfOrder(order, prices) };
      if (isAlike(rival, row.receipt ?? row.row)) return 'alike';
      return Matches.mayFit(rival, row) ? 'unknown' : 'neither';
    },
  });
  const rivals = open.filter(isWithoutReference).map((order) => ({ order, traits: traitsOfOrder(order, prices) }));
  const matches = new Matches(rivals, { history, otherKeys, isQuiet });
  const sold: SoldSpan = { owner, fromMs: soldSince(sinceMs, history), untilMs: shownBeforeMs };
  const isOther: IsOther = (sale, receipt) => isRuledOut(traitsOfOrder(sale), receipt);
  const mayProve = createCheck({ history, sold, context, isOther, open }, parts);
  let settled = 0;
  for (const order of lost) {
    if (!matches.isOpenAsBefore(order)) continue;
    const isKept = order.openedAtMs >= keptSince(startedAt, parts);
    // v1's answer to an attempt that is under way tells more than a row, which may be of a sale that did not come this way.
    const isAtRest = quietOnes.has(order) || (await parts.pursuits.attemptOf(order)) === undefined;
    const row = isKept && isAtRest ? await matches.rowOf(order) : undefined;
    // The cached part of a receipt identifies the order. Its outcome is read from v1 now.
    const receipt = row === undefined ? undefined : await findReceipt(row.reference, context, parts.upstream);
    // A failed row charges nothing, whosever it is: it may be of an earlier refusal, and the order's own row may still come.
    const [failed, claimed] = receipt?.kind === 'declined' ? [row, undefined] : [undefined, receipt];
    const left = history.unclaimed.filter((one) => one !== failed && !isFailed(one) && !isCertainlyNot(traits.get(order), one));
    // One look reads only so far back. Each order is judged by itself, so that an old open order does not keep newer ones from being proven absent.
    const isRead = quietOnes.has(order) && reachesBack(order, history, { isKept, offsetMs }, parts.here);
    const isMissing = claimed === undefined && isRead && (await otherKeys.areAllOfOtherKeys(order, left));
    const outcome = isMissing && (await mayProve(order)) ? provenUnsent(order) : claimed;
    if (outcome === undefined || !(await isStillFree(order, outcome, parts))) continue;
    const after = await parts.journal.settle(order.owner, order.requestId, outcome, parts.clock.now());
    if (after.outcome?.kind === outcome.kind) settled += 1;
  }
  return { settled, hasLearnt: history.hasLearnt };
}

/** Why the times of this history prove nothing; undefined where they do. */
async function whyUntimed(read: History, sold: SoldSpan, parts: LostParts): Promise<string | undefined> {
  if (areClocksApart(read, parts)) return 'its clock and that of this machine are too far apart';
  return (await areTimesKnown(read, sold, parts)) ? undefined : 'its times are of a zone that is not known';
}

function unread(why = 'it did not show its history'): LookResult {
  return { settled: 0, hasLearnt: false, unread: why };
}

function phonesOf(traits: LostTraits | undefined): readonly string[] | undefined {
  const { numbers } = traits ?? { numbers: [] };
  return isPhoneServed(numbers) ? numbers.map(({ text }) => identityOf('phone', text)) : undefined;
}

/** How much earlier than an order its rival may have been opened: it gets attempts for as long as it is pursued, and by another clock. */
function rivalsBeforeMs({ timing }: Mapping, { steadiness }: LostParts): number {
  return Math.max(CLOCK_ERROR_MS, steadiness.setByMs(), timing.pursue);
}

interface Rival {
  readonly order: Order;
  readonly traits: LostTraits | undefined;
}

interface MatchingParts {
  readonly history: History;
  readonly otherKeys: OtherKeys;
  /** Whether no attempt of the order can be on its way to v1. */
  readonly isQuiet: (order: Order) => boolean;
}

/** Matches rows of the history with the open orders of the key that have no reference. */
class Matches {
  readonly #rivals: readonly Rival[];
  readonly #look: MatchingParts;

  constructor(rivals: readonly Rival[], look: MatchingParts) {
    this.#rivals = rivals;
    this.#look = look;
  }

  /** Whether the order is still open without a further attempt since it was chosen. */
  isOpenAsBefore(order: Order): boolean {
    return this.#rivals.some((rival) => isSameAttempt(rival.order, order));
  }

  /**
   * The time of a rival does not count: it may have been opened while the clock was wrong. A rival without traits (its operation is no longer in
   * the mapping) may fit any row, and one with a list price also a row with the price of an earlier list, or any where the list does not tell the price.
   */
  static mayFit({ traits }: Pick<Rival, 'traits'>, row: HistoryRow): boolean {
    const record = row.receipt ?? row.row;
    if (traits === undefined || isAlike({ traits }, record)) return true;
    return traits.isListed === true && !isNoSaleOf(traits, record) && !isRuledOut(traits, record);
  }

  /** The only row that fits this order, if that row fits no other order of this key or of another key. */
  async rowOf(order: Order): Promise<HistoryRow | undefined> {
    const mine = this.#rivals.find((rival) => isSameAttempt(rival.order, order))!;
    const { outcome } = mine.order;
    const isDoubted = outcome?.kind === 'unknown' && outcome.isDoubted === true;
    if (mine.traits?.isTraceless === true && isDoubted) return undefined;
    const timely = this.#look.history.unclaimed.filter((row) => isTimely(order, row) && !isCertainlyNot(mine.traits, row));
    // A row whose receipt has not been read may be this order as well.
    if (timely.some(({ receipt }) => receipt === undefined)) return undefined;
    // v1 may have refused an order in doubt because of an earlier sale, for another amount.
    const known = { openedAtMs: order.openedAtMs, nowMs: latestOf(order), aheadMs: this.#look.history.aheadMs };
    const isItself = ({ row }: HistoryRow): boolean => !isDoubted || isExactly(row, mine.traits!, known);
    const alike = timely.filter(
      (row) => isAlike(mine, row.receipt!) && hasItsNumber(mine.traits!, row.receipt!) && isItself(row),
    );
    const rivals = this.#rivals.filter((rival) => rival !== mine && !this.#yields(rival.order, order));
    const isRivalled = (row: HistoryRow): boolean => rivals.some((rival) => Matches.mayFit(rival, row));
    if (alike.every(isRivalled)) return undefined;
    const row = await this.#look.otherKeys.onlyFree(order, alike);
    return row === undefined || isRivalled(row) ? undefined : row;
  }

  /**
   * Whether the rival leaves the row to this order. Two processes have opened an order each for one sale without an id, and v1 has sold one of them.
   * A script can ask about an order by an id of its own, also one of a header, or by the id that came with "pending": the order of which a script
   * has heard so gets the row, and neither where scripts have ids or have heard of both. If none has heard of either, it makes no difference which
   * one gets it. Not while an attempt of one may be under way: its answer would give the row to both.
   */
  #yields(rival: Order, order: Order): boolean {
    const isSameSale = rival.contentHash === order.contentHash && isGenerated(rival.requestId) && isGenerated(order.requestId);
    const [isKnown, isRivalKnown] = [order.toldAtMs === TOLD_PENDING, rival.toldAtMs === TOLD_PENDING];
    const isPreferred = isKnown !== isRivalKnown ? isKnown : !isKnown && byTime(order, rival) < 0;
    return isSameSale && isPreferred && this.#look.isQuiet(rival) && this.#look.isQuiet(order);
  }
}

function provenUnsent(order: Order): Outcome {
  return {
    kind: 'not_sent',
    reason: 'v1 has charged nothing for this order',
    isProven: true,
    sought: { tries: order.attempts, lastTriedAtMs: lastAttemptAt(order) },
  };
}

function keptSince(nowMs: number, { journalDays = Infinity }: LostParts): number {
  return nowMs + DELETED_MARGIN_MS - journalDays * DAY_MS;
}

/** By the clock with which the look began: it may have been set right since. */
function areClocksApart({ aheadMs = 0 }: History, { onTrouble }: LostParts): boolean {
  if (Math.abs(aheadMs) <= CLOCKS_APART_MS) return false;
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  const where = aheadMs > 0 ? 'ahead of' : 'behind';
  onTrouble('clock', new Error(`This machine's clock is ${minutes} minutes ${where} v1's; no open order can be looked for.`));
  return true;
}

/** Whether the finding still holds: while v1 was asked, the order may have got a new attempt, or another order may have claimed the row. */
async function isStillFree(order: Order, outcome: Outcome, { journal, pursuits }: LostParts): Promise<boolean> {
  const { owner, requestId } = order;
  const reference = referenceOf(outcome);
  if (reference !== undefined && (await journal.findByReference(owner, reference)) !== undefined) return false;
  if ((await pursuits.attemptOf(order)) === 'here') return false;
  const now = await journal.find(owner, requestId);
  return now !== undefined && isSameAttempt(now, order);
}

export function isWithoutReference({ outcome }: Order): boolean {
  return referenceOf(outcome) === undefined;
}

export function isTimely(order: Order, row: HistoryRow): boolean {
  return row.timesMs.some((time) => time >= order.openedAtMs - EARLIER_MS && time <= latestOf(order));
}

function latestOf(order: Order): number {
  return lastAttemptAt(order) + LATER_MS;
}

interface LostTraits extends OrderTraits {
  readonly otherServices: readonly string[];
}

/**
 * By the mapping, or where that no longer has the operation, or its fields have other names by now, by the set that read the order. Undefined
 * where that is no longer kept: traits that lack, say, the number would fit the sale of any customer.
 */
export function traitsIn(order: Order, prices: CatalogLists | undefined, { mapping, setOf }: Sets): LostTraits | undefined {
  const operation = mapping.operations.get(order.operation);
  if (operation !== undefined && hasItsFields(order, mapping))
    return { ...traitsOf(operation, order.fields, prices), otherServices: otherServices(operation, mapping) };
  const earlier = order.trail === undefined ? undefined : setOf?.(order.trail.mapping);
  return earlier && traitsIn(order, prices, { mapping: earlier });
}

/** Traits that rule a row out are without prices: v1 may have changed its prices and charges since its price list was read. */
type TraitsOfOrder = (order: Order, prices?: CatalogLists) => LostTraits | undefined;

/**
 * Whether the receipt fits the order: number, price and service do not differ, and number or price agrees. The service alone is
 * not enough: sales of exam PINs look alike, and the script would get the PINs of another order. Only an order with neither number
 * nor price (a message to many) is matched by its service. Where it is in doubt it gets no row (`rowOf`), but it is a rival of others.
 */
export function isAlike({ traits }: Pick<Rival, 'traits'>, receipt: JsonObject): boolean {
  if (traits === undefined || isNoSaleOf(traits, receipt)) return false;
  const { number, price, category } = compareReceipt(receipt, traits);
  if ([number, price, category].includes('differs')) return false;
  return number === 'agrees' || price === 'agrees' || (traits.isTraceless && category === 'agrees');
}

/** An order with a number takes no record that does not show it: cards, or the sale of another customer, may have about the same price. */
function hasItsNumber(traits: OrderTraits, receipt: JsonObject): boolean {
  return traits.numbers.length === 0 || compareReceipt(receipt, traits).number === 'agrees';
}

function isNoSaleOf({ quantity, categories, otherServices: others }: LostTraits, receipt: JsonObject): boolean {
  const data = (receipt['data'] ?? {}) as JsonObject;
  if (isMoneyIn(data, categories)) return true;
  // v1 sells no card without a PIN (specification, 2.3), and may call data cards and data bundles by the same word: a failed record by it is either's.
  const isOfOthers = others.includes(textOf(data['category']).toLowerCase());
  return quantity !== undefined && (data['status'] === 'success' || isOfOthers) && isOverWithoutPins(data);
}

/**
 * Whether the record is certainly not this order. Pass traits without catalog prices, which may have changed since. The time of
 * a row does not count, because clocks differ.
 */
function isRuledOut(traits: LostTraits | undefined, record: JsonObject): boolean {
  return traits !== undefined && rulesOut(record, traits, traits.otherServices);
}

/** v1 has given the money back, or took none. It may list the refund under the reference of the order: then only the receipt shows it. */
function isFailed({ row, receipt = row }: HistoryRow): boolean {
  return [row, receipt].some(({ data }) => (data as JsonObject)['status'] === 'failed');
}

function isCertainlyNot(traits: LostTraits | undefined, { row, receipt }: HistoryRow): boolean {
  return isRuledOut(traits, receipt ?? row);
}
