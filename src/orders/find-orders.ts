/**
 * Finds orders and refused requests for an operator, newest first, page by page. A search without an index reads orders from the
 * newest on, for `budgetMs`. Then the page says how far back it has searched, and the next page goes on from there.
 */
import type { Order } from '../domain/order';
import { referenceOf } from '../domain/outcome';
import type { Keyring } from '../gateway/read/keyring';
import { shortenRequestId } from '../gateway/read/read-raw';
import type { Journal } from '../journal/journal';
import { firstOpenedAt, ORDER_NUMBER } from '../journal/order-life';
import type { Mapping } from '../mapping/mapping';
import { LATE_MS } from './follow-journal';
import type { FoundRow } from './found-row';
import { keyOfSentId, type RefusedNote } from './note';
import type { NotesStore } from './notes-store';
import type { NumberIndex } from './number-index';
import { keyOfNumber, keysOfTyped, numbersIn } from './number-keys';
import { FIRST_PAGE, END_OF_TIME_MS, parseCursor, writeCursor, type Cursor } from './search-cursor';

export const OUTCOMES = ['open', 'succeeded', 'pending', 'declined', 'rejected', 'not_sent', 'unknown', 'refused'] as const;

export interface OrderQuery {
  /** A phone, meter or card number in any spelling. */
  readonly number?: string | undefined;
  /** The id that the script sent, or the order's number, which the gateway's replies call `id`. */
  readonly requestId?: string | undefined;
  readonly reference?: string | undefined;
  /** The fingerprint of a key. */
  readonly caller?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly outcome?: (typeof OUTCOMES)[number] | undefined;
  readonly operation?: string | undefined;
  /** Whether refused requests are listed as well. */
  readonly refusedToo?: boolean | undefined;
  /** The `next` of the page before. */
  readonly cursor?: string | undefined;
}

export interface FoundOrders {
  readonly rows: readonly FoundRow[];
  /** The cursor of the next page; absent at the end. */
  readonly next?: string;
  /** Set where the time was over: orders older than this have not been searched yet. */
  readonly searchedBackToMs?: number;
  /** Set for a search by number while the index is being filled: orders older than this cannot be found yet. */
  readonly numbersFromMs?: number;
  /** Set for a search by number whose time was over: the orders of this time are not in the index yet, and were not searched. */
  readonly notSearched?: { readonly fromMs: number; readonly untilMs: number };
}

export interface FindParts {
  readonly journal: Pick<
    Journal,
    'find' | 'findByNumber' | 'findByReference' | 'list' | 'listOfOwner' | 'listUnsettled' | 'owners'
  >;
  readonly index: Pick<NumberIndex, 'indexed' | 'find'>;
  readonly notes: Pick<NotesStore, 'refused' | 'under'>;
  readonly keyring: Pick<Keyring, 'hash'>;
  readonly mapping: Mapping;
  readonly pageSize?: number;
  readonly budgetMs?: number;
}

export type FindLimits = Pick<FindParts, 'pageSize' | 'budgetMs'>;

const PAGE = 50;
const BUDGET_MS = 150;
const LOOK_AT_CLOCK_EVERY = 128; // One to two milliseconds of reading.
const INDEX_PIECE = 200;
const OPEN_MAX = 10_000;
const NOTES_MAX = 1_000;
const OWNERS_AT_ONCE = 50; // After that sales get their turn.
/** A caller's list is sorted by the first opening. A reopened order may have been first opened this much earlier. */
const REOPENED_MS = 7 * 24 * 3_600_000;

/** The page size of a search by id: many scripts count their orders from one, so many keys may have an order of this id. */
export const NAMED_MAX = 5_000;

/** Throws a plain Error for a text that is no cursor. */
export async function findOrders(query: OrderQuery, parts: FindParts): Promise<FoundOrders> {
  const cursor = query.cursor === undefined ? FIRST_PAGE : parseCursor(query.cursor);
  return new Search(query, cursor, parts).run();
}

class Search {
  readonly #query: OrderQuery;
  readonly #cursor: Cursor;
  readonly #parts: FindParts;
  readonly #size: number;
  readonly #startMs = performance.now();
  readonly #budgetMs: number;
  readonly #keys: ReadonlySet<string>;
  #looked = 0;
  /** The last order that was read before the time was over. */
  #back: Order | undefined;
  /** The time of the last refused request that was read before the time was over. */
  #refusedBackMs: number | undefined;
  #notSearched: FoundOrders['notSearched'];

  constructor(query: OrderQuery, cursor: Cursor, parts: FindParts) {
    this.#query = query;
    this.#cursor = cursor;
    this.#parts = parts;
    this.#size = parts.pageSize ?? PAGE;
    this.#budgetMs = parts.budgetMs ?? BUDGET_MS;
    this.#keys = new Set(query.number === undefined ? [] : keysOfTyped(query.number, parts.keyring));
  }

  async run(): Promise<FoundOrders> {
    const { outcome, number } = this.#query;
    const orders = outcome === 'refused' ? [] : await this.#orders();
    const refused = this.#asksRefused ? await this.#refused() : [];
    const refusedBackMs = this.#refusedBackMs ?? 0;
    const merged = [
      ...orders.map((order): FoundRow => ({ kind: 'order', order })),
      ...refused.map((note): FoundRow => ({ kind: 'refused', refused: note })),
    ]
      // Older rows come on a later page, after refused requests that have not been read yet.
      .filter((row) => this.#timeOf(row) >= refusedBackMs)
      .sort((one, other) => this.#timeOf(other) - this.#timeOf(one));
    const rows = merged.slice(0, this.#size);
    const isFull = merged.length > this.#size;
    const backMs = this.#refusedBackMs ?? (this.#back && this.#openedAt(this.#back));
    const isMore = isFull || backMs !== undefined;
    const numbersFromMs = (number === undefined ? undefined : this.#parts.index.indexed()?.fromMs) ?? 0;
    return {
      rows,
      ...(isMore ? { next: this.#cursorAfter(rows, isFull) } : {}),
      ...(backMs === undefined || isFull ? {} : { searchedBackToMs: backMs }),
      ...(numbersFromMs === 0 ? {} : { numbersFromMs }),
      ...(this.#notSearched === undefined ? {} : { notSearched: this.#notSearched }),
    };
  }

  get #asksRefused(): boolean {
    const { outcome, refusedToo, reference } = this.#query;
    return reference === undefined && (outcome === 'refused' || (outcome === undefined && refusedToo === true));
  }

  /** Lists of one caller and of the index are sorted by number (the time of the first opening), all others by the latest opening. */
  get #goesByNumber(): boolean {
    const { caller, number } = this.#query;
    return number === undefined ? caller !== undefined : this.#parts.index.indexed() !== undefined;
  }

  /** The time by which the order is sorted, and by which pages are cut. */
  #openedAt({ number, openedAtMs }: Order): number {
    return this.#goesByNumber ? firstOpenedAt(number) : openedAtMs;
  }

  #timeOf(row: FoundRow): number {
    return row.kind === 'order' ? this.#openedAt(row.order) : row.refused.atMs;
  }

  #cursorAfter(rows: readonly FoundRow[], isFull: boolean): string {
    const { order } = rows.findLast((row) => row.kind === 'order') ?? {};
    const { refused } = rows.findLast((row) => row.kind === 'refused') ?? {};
    // If the time was over after the last order of this page, the next page begins where reading ended.
    const last = isFull || this.#refusedBackMs !== undefined ? order : (this.#back ?? order);
    const { atMs, number, owner } = last === undefined ? this.#cursor : { ...last, atMs: last.openedAtMs };
    const lookedBackMs = isFull ? undefined : this.#refusedBackMs;
    const next: Cursor = { atMs, number, owner, refusedMs: lookedBackMs ?? refused?.atMs ?? this.#cursor.refusedMs };
    return writeCursor(next);
  }

  /** One more than a page, newest first. */
  async #orders(): Promise<readonly Order[]> {
    const { requestId, reference, number, outcome, caller } = this.#query;
    if (requestId !== undefined || reference !== undefined) return this.#byId();
    if (number !== undefined) return this.#byNumber();
    if (outcome === 'open' || outcome === 'pending' || outcome === 'unknown') return this.#unsettled();
    const { fromMs = 0 } = this.#query;
    if (caller === undefined) return this.#through(this.#list(fromMs, this.#untilMs()));
    return this.#through(
      this.#parts.journal.listOfOwner({
        owner: caller,
        fromMs: Math.max(0, fromMs - REOPENED_MS),
        beforeNumber: this.#cursor.number,
        newestFirst: true,
        limit: END_OF_TIME_MS,
        onUnreadable,
      }),
    );
  }

  /** Looks up an id, number or reference under each key that ever ordered. */
  async #byId(): Promise<readonly Order[]> {
    const { journal } = this.#parts;
    const { requestId, reference, caller } = this.#query;
    const owners = caller === undefined ? await journal.owners() : [caller];
    const found: Order[] = [];
    for (let from = 0; from < owners.length; from += OWNERS_AT_ONCE) {
      const asked = owners
        .slice(from, from + OWNERS_AT_ONCE)
        .flatMap((owner) => [
          ...(requestId === undefined ? [] : [journal.find(owner, shortenRequestId(requestId))]),
          ...(requestId === undefined || !ORDER_NUMBER.test(requestId) ? [] : [journal.findByNumber(owner, Number(requestId))]),
          ...(reference === undefined ? [] : [journal.findByReference(owner, reference)]),
        ]);
      found.push(...(await Promise.all(asked)).filter((order) => order !== undefined));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const once = new Map(found.map((order) => [`${order.owner} ${order.number}`, order]));
    return [...once.values()].filter((order) => this.#isWanted(order) && this.#isBehind(order)).sort(this.#newestFirst);
  }

  /** Finds orders by the index, and reads those that are too new for it from the journal. */
  async #byNumber(): Promise<readonly Order[]> {
    const { journal, index } = this.#parts;
    if (this.#keys.size === 0) return [];
    const indexed = index.indexed();
    if (indexed === undefined) return this.#through(this.#list(this.#query.fromMs ?? 0, this.#untilMs()));
    const unindexed = await this.#listUnindexed(indexed.untilMs);
    const found = new Map(unindexed.map((order) => [`${order.owner} ${order.number}`, order]));
    let before = this.#cursor.number;
    while (!(await this.#isLate())) {
      const names = index.find([...this.#keys], before, INDEX_PIECE);
      for (const { owner, number } of names) {
        const order = await journal.findByNumber(owner, number).catch(() => undefined);
        // The index still has orders that retention has deleted.
        if (order !== undefined && this.#isWanted(order)) found.set(`${owner} ${number}`, order);
      }
      const last = names.at(-1);
      if (last === undefined || names.length < INDEX_PIECE || found.size > this.#size) break;
      before = last.number;
    }
    return [...found.values()]
      .filter(({ number }) => number < this.#cursor.number)
      .sort(this.#newestFirst)
      .slice(0, this.#size + 1);
  }

  /** Orders that are not in the index yet. If there are too many for the time, only the newest are found. */
  async #listUnindexed(indexedUntilMs: number): Promise<readonly Order[]> {
    const orders: Order[] = [];
    // Orders of a time shortly before may have been written after the index had read that time.
    for await (const order of this.#list(Math.max(0, indexedUntilMs - LATE_MS), END_OF_TIME_MS)) {
      if (this.#isWanted(order) && order.number < this.#cursor.number) orders.push(order);
      if (orders.length > this.#size) break;
      if (await this.#isLate(0.5)) {
        this.#notSearched = { fromMs: Math.min(indexedUntilMs, order.openedAtMs), untilMs: order.openedAtMs };
        break;
      }
    }
    return orders;
  }

  async #unsettled(): Promise<readonly Order[]> {
    const { caller } = this.#query;
    const of = caller === undefined ? { untilMs: this.#untilMs() } : { owner: caller };
    const read = await this.#parts.journal.listUnsettled({ ...of, newestFirst: true, limit: OPEN_MAX, onUnreadable });
    const found = read.filter((order) => this.#isWanted(order) && this.#isBehind(order)).sort(this.#newestFirst);
    if (read.length === OPEN_MAX && found.length <= this.#size) this.#back = read.at(-1);
    return found.slice(0, this.#size + 1);
  }

  #list(fromMs: number, untilMs: number): AsyncIterable<Order> {
    return this.#parts.journal.list({ fromMs, untilMs, newestFirst: true, limit: END_OF_TIME_MS, onUnreadable });
  }

  #untilMs(): number {
    return Math.min(this.#query.untilMs ?? END_OF_TIME_MS, this.#cursor.atMs + 1);
  }

  async #through(orders: AsyncIterable<Order>): Promise<readonly Order[]> {
    const found: Order[] = [];
    const share = this.#asksRefused ? 0.5 : 1;
    for await (const order of orders) {
      if (this.#isWanted(order) && this.#isBehind(order)) found.push(order);
      if (found.length > this.#size) break;
      if (await this.#isLate(share)) {
        this.#back = order;
        break;
      }
    }
    return found;
  }

  /** Sales get their turn before each look at the clock: the embedded journal answers without a turn of the event loop. */
  async #isLate(share = 1): Promise<boolean> {
    this.#looked += 1;
    if (this.#looked % LOOK_AT_CLOCK_EVERY !== 0) return false;
    await new Promise((resolve) => setImmediate(resolve));
    return performance.now() > this.#startMs + this.#budgetMs * share;
  }

  readonly #newestFirst = (one: Order, other: Order): number =>
    this.#openedAt(other) - this.#openedAt(one) || other.number - one.number || (one.owner < other.owner ? 1 : -1);

  #isBehind(order: Order): boolean {
    const { atMs, number, owner } = this.#cursor;
    if (this.#goesByNumber) return order.number < number;
    if (order.openedAtMs !== atMs) return order.openedAtMs < atMs;
    return order.number !== number ? order.number < number : order.owner < owner;
  }

  #isWanted(order: Order): boolean {
    const { caller, outcome, operation, fromMs = 0, untilMs = END_OF_TIME_MS, reference, number } = this.#query;
    if (order.openedAtMs < fromMs || order.openedAtMs >= untilMs) return false;
    if (caller !== undefined && order.owner !== caller) return false;
    if (operation !== undefined && order.operation !== operation) return false;
    if (outcome !== undefined && (order.outcome?.kind ?? 'open') !== outcome) return false;
    if (reference !== undefined && referenceOf(order.outcome) !== reference) return false;
    return number === undefined || this.#hasNumber(order);
  }

  #hasNumber({ operation, fields }: Order): boolean {
    const { mapping, keyring } = this.#parts;
    const numbers = numbersIn(mapping.operations.get(operation), fields);
    return numbers.some((one) => this.#keys.has(keyOfNumber(one, keyring)));
  }

  async #refused(): Promise<readonly RefusedNote[]> {
    const { caller, operation, fromMs = 0, untilMs = END_OF_TIME_MS } = this.#query;
    const found: RefusedNote[] = [];
    // Refused requests that are older than the orders of this page come with the next page.
    const sinceMs = Math.max(fromMs, this.#back === undefined ? 0 : this.#openedAt(this.#back));
    let lateMs: number | undefined;
    for (const note of this.#notesAsked(sinceMs, Math.min(untilMs, this.#cursor.refusedMs))) {
      // All requests of the same millisecond are taken, because the next page begins after it.
      if (lateMs !== undefined && note.atMs < lateMs) {
        this.#refusedBackMs = lateMs;
        break;
      }
      const isWanted =
        note.atMs >= sinceMs &&
        note.atMs < Math.min(untilMs, this.#cursor.refusedMs) &&
        (caller === undefined || note.owner === caller) &&
        (operation === undefined || note.operation === operation);
      if (isWanted) found.push(note);
      if (found.length > this.#size) break;
      if (lateMs === undefined && (await this.#isLate())) lateMs = note.atMs;
    }
    return found;
  }

  #notesAsked(fromMs: number, untilMs: number): Iterable<RefusedNote> {
    const { notes, keyring } = this.#parts;
    const { number, requestId } = this.#query;
    if (number === undefined && requestId === undefined) return notes.refused({ fromMs, untilMs });
    const keys = requestId === undefined ? [...this.#keys] : [keyOfSentId(requestId, keyring)];
    return notes.under(keys, NOTES_MAX).filter((note) => note.kind === 'refused');
  }
}

/** An unreadable order, written by a newer build, is skipped, so that the others are found. */
function onUnreadable(): void {
  // The journal itself reports it.
}
