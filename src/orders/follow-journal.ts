/**
 * Fills the number index from the journal, in pieces with long pauses between them. New orders are read first. Orders from before the index are
 * read backwards in time, so that those of the last days can be found before those of last month.
 */
import type { Clock } from '../domain/clock';
import type { Order } from '../domain/order';
import type { Keyring } from '../gateway/read/keyring';
import type { Journal } from '../journal/journal';
import type { Mapping } from '../mapping/mapping';
import type { Indexed, IndexEntry, NumberIndex } from './number-index';
import { keyOfNumber, numbersIn } from './number-keys';

export interface FollowerParts {
  /** Asked anew with each reading: a journal that cannot be opened at the start can be later. */
  readonly journal: () => Promise<Pick<Journal, 'list' | 'findByNumber'>>;
  readonly index: NumberIndex;
  readonly mapping: () => Mapping;
  readonly keyring: Pick<Keyring, 'hash'>;
  readonly clock: Clock;
  readonly onTrouble: (error: unknown) => void;
}

/** The share of one core that reading may use. */
const SHARE = 0.005;
const PIECE = 500;
/**
 * The longest rest after a piece. Waits for a slow disk or database count as use of the core too, and each reading repeats a part of the one before it: so the
 * index still keeps up with more than 100 orders a second.
 */
const REST_MOST_MS = 2_500;
/** Orders younger than this are read again: an order's time is taken before it is written, and clocks of machines differ. */
export const LATE_MS = 20_000;
const REST_MS = 10_000;
/** Each reading repeats `LATE_MS`, so it is done seldom. A search reads the orders after the indexed span from the journal itself. */
const READ_NEW_EVERY_MS = 60_000;
const AFTER_TROUBLE_MS = 60_000;
/** How often entries of orders that retention has deleted are removed from the index. */
const SWEEP_EVERY_MS = 24 * 3_600_000;
/** The first removal comes this soon after a start: a gateway that is restarted every night runs for less than a day. */
const FIRST_SWEEP_AFTER_MS = 10 * 60_000;
const SWEEP_PIECE = 100;

/** One reading of the new orders, in one or more pieces. */
interface Pass {
  readonly atMs: number;
  readonly endMs: number;
}

function passFrom({ untilMs }: Indexed, newestMs: number): Pass {
  return { atMs: Math.max(0, Math.min(newestMs, untilMs) - LATE_MS), endMs: newestMs };
}

export class JournalFollower {
  readonly #parts: FollowerParts;
  #cancel: () => void = () => undefined;
  #working: Promise<void> = Promise.resolve();
  #isStopped = false;
  #sweptAtMs: number;
  #sweepAt: Buffer | undefined;
  #isSweeping = false;
  #pass: Pass | undefined;
  #readNewAtMs = -Infinity;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#sweptAtMs = parts.clock.elapsed() - SWEEP_EVERY_MS + FIRST_SWEEP_AFTER_MS;
    this.#later(0);
  }

  /** Reads all orders without a pause. For tools and tests. */
  async catchUp(): Promise<void> {
    const indexed = this.#parts.index.indexed();
    if (indexed !== undefined) this.#pass ??= passFrom(indexed, await this.#newestMs());
    while (!this.#isStopped && ((await this.#readPiece()) > 0 || this.#pass !== undefined || !this.#isComplete()));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#working;
  }

  #isComplete(): boolean {
    return this.#parts.index.indexed()?.fromMs === 0;
  }

  #later(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#parts.clock.after(delayMs, () => {
      this.#working = this.#work();
    });
  }

  async #work(): Promise<void> {
    const { clock, onTrouble } = this.#parts;
    try {
      const startedAt = clock.elapsed();
      const orders = (await this.#readPiece()) + (await this.#sweepPiece());
      const busyMs = clock.elapsed() - startedAt;
      const isIdle = orders === 0 && this.#pass === undefined && this.#isComplete();
      this.#later(isIdle ? REST_MS : Math.min(REST_MOST_MS, Math.ceil(busyMs / SHARE)));
    } catch (error) {
      onTrouble(error);
      this.#later(AFTER_TROUBLE_MS);
    }
  }

  /** Resolves with the number of orders read; 0 when there is nothing to read now. */
  async #readPiece(): Promise<number> {
    const { clock, index } = this.#parts;
    const known = index.indexed();
    const isDue = known === undefined || clock.elapsed() - this.#readNewAtMs >= READ_NEW_EVERY_MS;
    const newestMs = isDue && this.#pass === undefined ? await this.#newestMs() : undefined;
    const indexed = known ?? { fromMs: newestMs! + 1, untilMs: newestMs! };
    if (newestMs !== undefined) {
      this.#readNewAtMs = clock.elapsed();
      if (newestMs !== indexed.untilMs) this.#pass = passFrom(indexed, newestMs);
    }
    if (this.#pass !== undefined) return this.#readForwards(indexed, this.#pass);
    return indexed.fromMs > 0 ? this.#readBackwards(indexed) : 0;
  }

  /** When the newest order was opened, by the clock of its database, which may be behind this one; 0 for a journal without orders. */
  async #newestMs(): Promise<number> {
    const nowMs = this.#parts.clock.now();
    let newestMs = 0;
    const onUnreadable = (): void => void (newestMs = nowMs);
    const journal = await this.#parts.journal();
    for await (const order of journal.list({ fromMs: 0, untilMs: nowMs + 1, newestFirst: true, limit: 1, onUnreadable }))
      newestMs = order.openedAtMs;
    return newestMs;
  }

  /** Reads from `LATE_MS` before the end of the indexed span until the newest order. */
  async #readForwards(indexed: Indexed, { atMs, endMs }: Pass): Promise<number> {
    const { orders, isWhole } = await this.#read({ fromMs: atMs, untilMs: endMs + 1 });
    const last = orders.at(-1)?.openedAtMs ?? endMs;
    const nextMs = isWhole ? endMs : Math.max(atMs + 1, last);
    await this.#parts.index.add(this.#entriesOf(orders), {
      ...indexed,
      untilMs: isWhole ? endMs : Math.max(indexed.untilMs, nextMs),
    });
    this.#pass = isWhole ? undefined : { atMs: nextMs, endMs };
    return orders.length;
  }

  async #readBackwards(indexed: Indexed): Promise<number> {
    const { orders, isWhole } = await this.#read({ fromMs: 0, untilMs: indexed.fromMs, newestFirst: true });
    const last = orders.at(-1)?.openedAtMs ?? 0;
    // The next piece may have further orders of the last millisecond, so it reads the whole millisecond again.
    const fromMs = isWhole ? 0 : Math.min(last + 1, indexed.fromMs - 1);
    await this.#parts.index.add(this.#entriesOf(orders), { ...indexed, fromMs });
    return orders.length;
  }

  async #read(span: { fromMs: number; untilMs: number; newestFirst?: boolean }) {
    const orders: Order[] = [];
    let unreadable = 0;
    const onUnreadable = (): void => void (unreadable += 1);
    const journal = await this.#parts.journal();
    for await (const order of journal.list({ ...span, limit: PIECE, onUnreadable })) orders.push(order);
    return { orders, isWhole: orders.length + unreadable < PIECE };
  }

  #entriesOf(orders: readonly Order[]): IndexEntry[] {
    const { mapping, keyring } = this.#parts;
    const { operations } = mapping();
    return orders.flatMap(({ operation, fields, owner, number }) =>
      numbersIn(operations.get(operation), fields).map((one) => ({ key: keyOfNumber(one, keyring), owner, number })),
    );
  }

  /** Removes entries of orders that the journal no longer has, soon after a start and then once a day. Resolves with the number of entries checked. */
  async #sweepPiece(): Promise<number> {
    const { clock, index } = this.#parts;
    if (!this.#isSweeping && clock.elapsed() - this.#sweptAtMs < SWEEP_EVERY_MS) return 0;
    this.#isSweeping = true;
    const journal = await this.#parts.journal();
    const names = index.some(this.#sweepAt, SWEEP_PIECE);
    const gone: Buffer[] = [];
    for (const { owner, number, at } of names) if ((await journal.findByNumber(owner, number)) === undefined) gone.push(at);
    if (gone.length > 0) await index.remove(gone);
    this.#sweepAt = names.at(-1)?.at;
    if (names.length < SWEEP_PIECE) {
      this.#isSweeping = false;
      this.#sweepAt = undefined;
      this.#sweptAtMs = clock.elapsed();
    }
    return names.length;
  }
}
