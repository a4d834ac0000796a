/**
 * v1's history is that of an account, but the journal finds orders by key. An account may have several keys: a key was replaced, or two shops
 * sell from one wallet. So a row of the history that no order of this key has claimed may be the order of another key.
 *
 * v1 takes a request id only once (specification, 4). So orders of two keys under one request id are one order of v1, and not rivals.
 */
import { type Clock, pause } from '../../domain/clock';
import type { JsonObject } from '../../domain/json';
import { createLru } from '../../domain/lru';
import { parsePhone } from '../../domain/number-identity';
import { lastAttemptAt, type Order } from '../../domain/order';
import { referenceOf } from '../../domain/outcome';
import { createTurns } from '../../domain/steps';
import type { Journal } from '../../journal/journal';
import { firstNumberAt } from '../../journal/order-life';
import type { CallContext, Upstream } from '../../upstream/upstream';
import { askForReceipt } from './find-receipt';
import { createOpenOrders, type ListOpen, type OpenOrders, type PhonesOf } from './open-orders-of-all';
import type { HistoryRow } from './read-history';

export interface OtherKeys {
  /** Whether each of these rows is certainly the order of another key, although it could be `order`. */
  areAllOfOtherKeys(order: Order, rows: readonly HistoryRow[]): Promise<boolean>;
  /** The only row that is not an order of another key. Undefined where there are several, or where one row or its rivals are unclear. */
  onlyFree(order: Order, rows: readonly HistoryRow[]): Promise<HistoryRow | undefined>;
}

/** Whether a row fits an order. `unknown` where the mapping no longer has the order's operation, or v1 may have changed the order's price since. */
type CompareRow = (order: Order, row: HistoryRow) => 'alike' | 'ruled out' | 'neither' | 'unknown';

interface OtherKeysParts {
  readonly journal: Pick<Journal, 'listByReference' | 'listUnsettled' | 'listOfOwner' | 'hasReference'>;
  readonly upstream: Pick<Upstream, 'find'>;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** The input of one look at the orders of a key. */
interface LookInput {
  readonly context: CallContext;
  readonly compare: CompareRow;
  readonly isTimely: (order: Order, row: HistoryRow) => boolean;
  readonly phonesOf: PhonesOf;
  /** Orders that were opened before this time are no rivals. */
  readonly fromMs: number;
  /** Sales that were confirmed before this time must be shown by v1 to their account. */
  readonly shownBeforeMs: number;
}

/** How many pairs of keys of two different accounts are remembered. */
const STRANGERS_MAX = 10_000;
/** Orders of other accounts that are sent at the same time as this one must not keep it open. */
const NEARER_BY_MS = 30_000;
/** Among how many of a key's orders one with a reference is searched. */
const NEWEST_MAX = 200;
/** After so many comparisons, some two milliseconds, other requests come in between. */
const COMPARED_AT_ONCE = 250;

/** Remembers which keys belong to other accounts, across looks. The returned function starts one look. */
export function createOtherKeys(parts: OtherKeysParts): (look: LookInput) => OtherKeys {
  const strangers = createLru<string, true>(STRANGERS_MAX);
  const shared = { strangers, listOpen: createOpenOrders(parts), takeTurn: createTurns() };
  return (look) => new OtherKeysOfLook(parts, look, shared);
}

/** What the looks of all keys share. */
interface Shared {
  readonly strangers: ReturnType<typeof createLru<string, true>>;
  readonly listOpen: ListOpen;
  /** Of many keys that look at once one compares at a time: together they would leave no time for sales. */
  readonly takeTurn: ReturnType<typeof createTurns>;
}

class OtherKeysOfLook implements OtherKeys {
  readonly #parts: OtherKeysParts;
  readonly #look: LookInput;
  readonly #shared: Shared;
  /** The open orders of all keys. Resolves with undefined where not all of them can be read. */
  #open: Promise<OpenOrders | undefined> | undefined;
  /** By reference: the orders that have it. Resolves with undefined where the journal cannot be read. */
  #owning = new Map<string, Promise<readonly Order[] | undefined>>();

  constructor(parts: OtherKeysParts, look: LookInput, shared: Shared) {
    this.#parts = parts;
    this.#look = look;
    this.#shared = shared;
  }

  async areAllOfOtherKeys(order: Order, rows: readonly HistoryRow[]): Promise<boolean> {
    for (const row of rows) if ((await this.#claimOf(order, row)) !== 'theirs') return false;
    return true;
  }

  async onlyFree(order: Order, rows: readonly HistoryRow[]): Promise<HistoryRow | undefined> {
    if (rows.length === 0) return undefined;
    // Open orders are listed before the owners of the rows: an order that is settled in between has then claimed its row.
    const { fromMs, phonesOf } = this.#look;
    this.#open ??= this.#orReport(this.#shared.listOpen(fromMs, phonesOf)).finally(() => this.#owning.clear());
    const open = await this.#open;
    let free: HistoryRow | undefined;
    for (const row of rows) {
      const claim = await this.#claimOf(order, row);
      if (claim === 'theirs') continue;
      if (claim === 'unclear' || free !== undefined) return undefined;
      free = row;
    }
    return free === undefined || open === undefined || (await this.#isRivalled(order, free, open)) ? undefined : free;
  }

  /** Whether the row is an order of another key. `unclear` where it may be one, or the journal cannot be read. */
  async #claimOf(order: Order, row: HistoryRow): Promise<'theirs' | 'unclear' | 'none'> {
    const { compare, isTimely } = this.#look;
    const owning = this.#owning.get(row.reference) ?? this.#listOwning(row.reference);
    this.#owning.set(row.reference, owning);
    const others = (await owning)?.filter((other) => this.#isOfAnother(order, other));
    if (others === undefined) return 'unclear';
    // An order with this reference that provably is another sale got the reference from another v1: the sandbox.
    const claims = others.map((other) => ({ other, is: compare(other, row) })).filter(({ is }) => is !== 'ruled out');
    if (claims.length === 0) return 'none';
    return claims.some(({ other, is }) => is === 'alike' && isTimely(other, row)) ? 'theirs' : 'unclear';
  }

  /** Whether the row may be an open order of another key. The time of that order does not count: it may have been opened while the clock was wrong. */
  async #isRivalled(order: Order, row: HistoryRow, open: OpenOrders): Promise<boolean> {
    const { phone } = ((row.receipt ?? row.row)['data'] ?? {}) as JsonObject;
    const shown = typeof phone === 'string' ? parsePhone(phone) : undefined;
    const rivals = shown === undefined ? open.all : [...(open.byPhone.get(shown) ?? []), ...open.withoutPhone];
    for (const other of await this.#fitting(order, row, rivals)) if (!(await this.#isStranger(other, order, row))) return true;
    return false;
  }

  /** Those of these orders that may have made the row. */
  async #fitting(order: Order, row: HistoryRow, rivals: readonly Order[]): Promise<readonly Order[]> {
    const endTurn = await this.#shared.takeTurn('compare');
    try {
      const fitting: Order[] = [];
      for (const [index, other] of rivals.entries()) {
        if (index % COMPARED_AT_ONCE === COMPARED_AT_ONCE - 1) await pause(this.#parts.clock, 0);
        if (other.openedAtMs < this.#look.fromMs || !this.#isOfAnother(order, other)) continue;
        const is = this.#look.compare(other, row);
        if (is === 'alike' || is === 'unknown') fitting.push(other);
      }
      return fitting;
    } finally {
      endTurn();
    }
  }

  /**
   * Whether `other` is of a key of another account: v1 answers 404 for a receipt of that key's, because it shows only receipts of one's own account,
   * and shows the receipt of `row` just after, so that it does not answer 404 for all. A sale within the quiet time does not count: v1 may read
   * from a copy that lags. A key without any sale counts as one of another account, unless its order was sent clearly nearer to the time of the row. A
   * key that has sales, but none among its orders before that time, counts as one of this account.
   */
  async #isStranger(other: Order, order: Order, row: HistoryRow): Promise<boolean> {
    const { journal } = this.#parts;
    const { owner } = other;
    const { context, shownBeforeMs } = this.#look;
    const pair = `${context.credentials.fingerprint} ${owner}`;
    if (this.#shared.strangers.has(pair)) return true;
    const range = { beforeNumber: firstNumberAt(shownBeforeMs), newestFirst: true, limit: NEWEST_MAX };
    const earlier = journal.listOfOwner({ owner, ...range, onUnreadable: () => undefined });
    for await (const { outcome, settledAtMs = Infinity } of earlier) {
      const reference = referenceOf(outcome);
      if (reference === undefined || settledAtMs > shownBeforeMs) continue;
      const isStranger = (await this.#isUnknownToV1(reference)) && (await this.#isShown(row.reference));
      if (isStranger) this.#shared.strangers.set(pair, true);
      return isStranger;
    }
    return apartMs(order, row) <= apartMs(other, row) + NEARER_BY_MS && !(await journal.hasReference(owner));
  }

  async #isUnknownToV1(reference: string): Promise<boolean> {
    const finding = await askForReceipt(reference, this.#look.context, this.#parts.upstream);
    return finding.kind === 'refused' && finding.httpStatus === 404;
  }

  async #isShown(reference: string): Promise<boolean> {
    return (await askForReceipt(reference, this.#look.context, this.#parts.upstream)).kind === 'found';
  }

  #isOfAnother(order: Order, other: Order): boolean {
    return other.owner !== order.owner && other.requestId !== order.requestId;
  }

  #listOwning(reference: string): Promise<readonly Order[] | undefined> {
    return this.#orReport(this.#parts.journal.listByReference(reference));
  }

  async #orReport<T>(reading: Promise<T>): Promise<T | undefined> {
    try {
      return await reading;
    } catch (error) {
      this.#parts.onTrouble('reconcile', error);
      return undefined;
    }
  }
}

/** The least time between the row and an attempt of the order that is known. */
function apartMs(order: Order, { timesMs }: HistoryRow): number {
  const attemptsMs = [order.openedAtMs, lastAttemptAt(order)];
  return Math.min(...timesMs.flatMap((timeMs) => attemptsMs.map((atMs) => Math.abs(timeMs - atMs))));
}
