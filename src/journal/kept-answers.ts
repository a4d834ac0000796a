/**
 * While the disk takes nothing, what v1 has said of an order is kept in memory and told as it stands; it is written when
 * there is room. Only what the next look at v1 would bring again: an order whose process ends before that is an open attempt in
 * the journal, and those are found out. What keeps an order from being sent again is never kept. (Decision 0038.)
 */
import { GatewayError } from '../domain/errors';
import type { Order } from '../domain/order';
import { isProvenAbsent, referenceOf, type Outcome } from '../domain/outcome';
import type { Journal } from './journal';
import { WriteFailure } from './lmdb/group-commit';
import { isUnsettled, settleOrder, tellOrder, withoutGoods } from './settle-order';

/** Orders. Nothing new is sent meanwhile, so these are at most the ones that were under way. */
const ORDERS_MAX = 10_000;

/** A change in words, for a file. Without `tries` it was not known of which attempt v1 spoke. */
export interface KeptWord {
  readonly owner: string;
  readonly requestId: string;
  readonly tries?: number;
  readonly said: { readonly latest: Outcome; readonly atMs: number } | { readonly toldAtMs: number };
}

/** Where kept changes outlive the process. */
export interface Spool {
  /** Resolves when it is on disk; never rejects. */
  append(word: KeptWord): Promise<void>;
  /** Everything that was appended is in the journal. */
  clear(): Promise<void>;
}

interface Change {
  readonly said: KeptWord['said'];
  readonly apply: (order: Order) => Order;
  readonly write: (tries?: number) => Promise<unknown>;
}

type KeptChange = Change & { readonly tries: number | undefined };

interface Kept {
  readonly owner: string;
  readonly requestId: string;
  readonly changes: KeptChange[];
}

export interface KeepingJournal extends Journal {
  /** Writes what is kept, oldest first, until the disk refuses. Gives how many orders were written. Never rejects. */
  writeKept(): Promise<number>;
  /** Orders with something that is not on disk. */
  keptCount(): number;
}

/** With a spool, what is kept is on a disk of this machine before anybody is told of it. */
export function keepAnswers(inner: Journal, ordersMax = ORDERS_MAX, spool?: Spool): KeepingJournal {
  const kept = new KeptChanges(inner, ordersMax, spool);
  const findOnDisk = async (owner: string, requestId: string): Promise<Order> => {
    const order = await inner.find(owner, requestId);
    if (order === undefined) throw new Error('The journal has no order with this request id to settle.');
    return order;
  };

  return {
    writeKept: () => kept.write(),
    keptCount: () => kept.count,
    async open(intent) {
      if (!(await kept.bringToDisk(intent.owner, intent.requestId))) throw new GatewayError('journal_unavailable');
      return inner.open(intent);
    },
    async settle(owner, requestId, latest, atMs, tries) {
      if (!isWordOfV1(latest)) {
        await kept.bringToDisk(owner, requestId);
        return inner.settle(owner, requestId, latest, atMs, tries);
      }
      const storable = withoutGoods(latest);
      let settled: Order | undefined;
      await kept.writeOrKeep(owner, requestId, {
        said: { latest: storable, atMs },
        apply: (order) => settleOrder(order, storable, atMs),
        write: async (of = tries) => (settled = await inner.settle(owner, requestId, latest, atMs, of)),
      });
      return settled ?? kept.applyTo(await findOnDisk(owner, requestId));
    },
    tell: (owner, requestId, toldAtMs, tries) =>
      kept.writeOrKeep(owner, requestId, {
        said: { toldAtMs },
        apply: (order) => tellOrder(order, toldAtMs),
        write: (of = tries) => inner.tell(owner, requestId, toldAtMs, of),
      }),
    find: async (owner, requestId) => kept.applyToAny(await inner.find(owner, requestId)),
    findByNumber: async (owner, number) => kept.applyToAny(await inner.findByNumber(owner, number)),
    async findByReference(owner, reference) {
      const found = await inner.findByReference(owner, reference);
      if (found !== undefined) return kept.applyTo(found);
      for (const requestId of kept.requestIdsOf(owner)) {
        const order = kept.applyToAny(await inner.find(owner, requestId));
        if (order !== undefined && referenceOf(order.outcome) === reference) return order;
      }
      return undefined;
    },
    async listUnsettled(options) {
      const orders = await inner.listUnsettled(options);
      return kept.count === 0 ? orders : orders.map((order) => kept.applyTo(order)).filter(isUnsettled);
    },
    async *list(options) {
      for await (const order of inner.list(options)) yield kept.applyTo(order);
    },
    hasReference: (owner) => inner.hasReference(owner),
    isWritable: () => inner.isWritable(),
    close: () => inner.close(),
    ...(inner.processes === undefined ? {} : { processes: inner.processes }),
  };
}

/** Changes of orders that the disk has not taken yet, in the order in which they came. */
class KeptChanges {
  readonly #disk: Pick<Journal, 'isWritable' | 'find'>;
  readonly #ordersMax: number;
  readonly #spool: Spool | undefined;
  readonly #kept = new Map<string, Kept>();
  #writing: Promise<number> | undefined;

  constructor(disk: Pick<Journal, 'isWritable' | 'find'>, ordersMax: number, spool: Spool | undefined) {
    this.#disk = disk;
    this.#ordersMax = ordersMax;
    this.#spool = spool;
  }

  get count(): number {
    return this.#kept.size;
  }

  /** Orders of this owner with something that is not on disk. */
  *requestIdsOf(owner: string): Iterable<string> {
    for (const one of this.#kept.values()) if (one.owner === owner) yield one.requestId;
  }

  /** The order as it is once everything kept is written. */
  applyTo(order: Order): Order {
    const changes = this.#of(order.owner, order.requestId)?.changes ?? [];
    const ofIt = changes.filter(({ tries }) => tries === undefined || tries === order.tries);
    return ofIt.reduce((before, { apply }) => apply(before), order);
  }

  applyToAny(order: Order | undefined): Order | undefined {
    return order && this.applyTo(order);
  }

  /** Resolves once the change is written or kept; rejects as the write did where nothing may be kept. */
  async writeOrKeep(owner: string, requestId: string, change: Change): Promise<void> {
    const before = this.#of(owner, requestId);
    if (before !== undefined) {
      await this.#keep(owner, requestId, { ...change, tries: before.changes[0]?.tries });
      if (this.#disk.isWritable()) await this.write();
      return;
    }
    try {
      await change.write();
    } catch (error) {
      if (!(error instanceof WriteFailure) || this.#kept.size >= this.#ordersMax) throw error;
      if (this.#spool === undefined) return this.#keep(owner, requestId, { ...change, tries: undefined });
      const tries = (await this.#disk.find(owner, requestId).catch(() => undefined))?.tries;
      // Written after hours, it would be taken for the word about whatever attempt is under way then.
      if (tries === undefined) throw error;
      await this.#keep(owner, requestId, { ...change, tries });
      if (this.#disk.isWritable()) await this.write();
    }
  }

  async #keep(owner: string, requestId: string, change: KeptChange): Promise<void> {
    const standing = this.#of(owner, requestId);
    if (standing === undefined) this.#kept.set(keyOf(owner, requestId), { owner, requestId, changes: [change] });
    else standing.changes.push(change);
    const { said, tries } = change;
    await this.#spool?.append({ owner, requestId, said, ...(tries === undefined ? {} : { tries }) });
  }

  /** Before anybody decides by what the disk says of an order. True when the disk has all that is known of it. */
  async bringToDisk(owner: string, requestId: string): Promise<boolean> {
    if (this.#of(owner, requestId) !== undefined) await this.write();
    return this.#of(owner, requestId) === undefined;
  }

  /** Writes what is kept, oldest first, until the disk refuses. Gives how many orders were written. Never rejects. */
  write(): Promise<number> {
    return (this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined)));
  }

  async #writeAll(): Promise<number> {
    let count = 0;
    for (const one of this.#kept.values()) {
      try {
        await this.#writeOne(one);
      } catch {
        return count;
      }
      count += 1;
    }
    // Asked in the same turn: what is kept after this is appended behind the clearing.
    if (count > 0 && this.#kept.size === 0) await this.#spool?.clear();
    return count;
  }

  async #writeOne(one: Kept): Promise<void> {
    for (let change = one.changes[0]; change !== undefined; change = one.changes[0]) {
      await change.write(change.tries).catch((error: unknown) => {
        if (error instanceof WriteFailure) throw error;
        // It can never be written: the record is gone, or cannot be read.
      });
      one.changes.shift();
    }
    this.#kept.delete(keyOf(one.owner, one.requestId));
  }

  #of(owner: string, requestId: string): Kept | undefined {
    return this.#kept.get(keyOf(owner, requestId));
  }
}

/** What v1 says again when it is asked again. A proof of absence forbids another attempt, so it counts once it is on disk. */
function isWordOfV1(outcome: Outcome): boolean {
  return outcome.kind !== 'unknown' && !isProvenAbsent(outcome);
}

/** The length keeps apart what only together reads the same. */
function keyOf(owner: string, requestId: string): string {
  return `${owner.length} ${owner}${requestId}`;
}
