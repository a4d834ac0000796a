/**
 * While the disk takes nothing, what v1 has said of an order is kept in memory and told as it stands; it is written when
 * there is room. Only what the next look at v1 would bring again: an order whose process ends before that is an open try in
 * the journal, and those are found out. What keeps an order from being sent again is never kept. (Decision 0038.)
 */
import { GatewayError } from '../domain/errors';
import type { Order } from '../domain/order';
import type { Outcome } from '../domain/outcome';
import type { Journal } from './journal';
import { WriteFailure } from './lmdb/group-commit';
import { isUnsettled, referenceOf, settleOrder, tellOrder, withoutGoods } from './settle-order';

/** Orders. Nothing new is sent meanwhile, so these are at most the ones that were under way. */
const ORDERS_MAX = 10_000;

interface Change {
  readonly apply: (order: Order) => Order;
  readonly write: () => Promise<unknown>;
}

interface Kept {
  readonly owner: string;
  readonly requestId: string;
  readonly changes: Change[];
}

export interface KeepingJournal extends Journal {
  /** Writes what is kept, oldest first, until the disk refuses. Gives how many orders were written. Never rejects. */
  writeKept(): Promise<number>;
  /** Orders with something that is not on disk. */
  keptCount(): number;
}

export function keepAnswers(inner: Journal, ordersMax = ORDERS_MAX): KeepingJournal {
  const kept = new Map<string, Kept>();
  let writing: Promise<number> | undefined;

  const keptOf = (owner: string, requestId: string): Kept | undefined => kept.get(keyOf(owner, requestId));
  const asKept = (order: Order): Order =>
    (keptOf(order.owner, order.requestId)?.changes ?? []).reduce((before, { apply }) => apply(before), order);
  const asKeptIfAny = (order: Order | undefined): Order | undefined => order && asKept(order);

  const writeOne = async (one: Kept): Promise<void> => {
    for (let change = one.changes[0]; change !== undefined; change = one.changes[0]) {
      await change.write().catch((error: unknown) => {
        if (error instanceof WriteFailure) throw error;
        // It can never be written: the record is gone, or cannot be read.
      });
      one.changes.shift();
    }
    kept.delete(keyOf(one.owner, one.requestId));
  };
  const writeAll = async (): Promise<number> => {
    let count = 0;
    for (const one of kept.values()) {
      try {
        await writeOne(one);
      } catch {
        return count;
      }
      count += 1;
    }
    return count;
  };
  const writeKept = (): Promise<number> => (writing ??= writeAll().finally(() => (writing = undefined)));
  /** What this process knows of an order is on disk before anybody decides by what the disk says. */
  const written = async (owner: string, requestId: string): Promise<boolean> => {
    if (keptOf(owner, requestId) !== undefined) await writeKept();
    return keptOf(owner, requestId) === undefined;
  };

  /** Writes, or keeps. Undefined when the order is not there; rejects as the write did where nothing may be kept. */
  const change = async (owner: string, requestId: string, one: Change): Promise<void> => {
    const before = keptOf(owner, requestId);
    if (before === undefined) {
      try {
        return void (await one.write());
      } catch (error) {
        if (!(error instanceof WriteFailure) || kept.size >= ordersMax) throw error;
        const standing = keptOf(owner, requestId);
        if (standing === undefined) kept.set(keyOf(owner, requestId), { owner, requestId, changes: [one] });
        else standing.changes.push(one);
        return;
      }
    }
    before.changes.push(one);
    if (inner.isWritable()) await writeKept();
  };

  const findOnDisk = async (owner: string, requestId: string): Promise<Order> => {
    const order = await inner.find(owner, requestId);
    if (order === undefined) throw new Error('The journal has no order with this request id to settle.');
    return order;
  };

  return {
    writeKept,
    keptCount: () => kept.size,
    async open(intent) {
      if (!(await written(intent.owner, intent.requestId))) throw new GatewayError('journal_unavailable');
      return inner.open(intent);
    },
    async settle(owner, requestId, latest, atMs) {
      if (!isWordOfV1(latest)) {
        await written(owner, requestId);
        return inner.settle(owner, requestId, latest, atMs);
      }
      const storable = withoutGoods(latest);
      let settled: Order | undefined;
      await change(owner, requestId, {
        apply: (order) => settleOrder(order, storable, atMs),
        write: async () => (settled = await inner.settle(owner, requestId, latest, atMs)),
      });
      return settled ?? asKept(await findOnDisk(owner, requestId));
    },
    tell: (owner, requestId, toldAtMs) =>
      change(owner, requestId, {
        apply: (order) => tellOrder(order, toldAtMs),
        write: () => inner.tell(owner, requestId, toldAtMs),
      }),
    find: async (owner, requestId) => asKeptIfAny(await inner.find(owner, requestId)),
    findByNumber: async (owner, number) => asKeptIfAny(await inner.findByNumber(owner, number)),
    async findByReference(owner, reference) {
      const found = await inner.findByReference(owner, reference);
      if (found !== undefined) return asKept(found);
      for (const one of kept.values()) {
        if (one.owner !== owner) continue;
        const order = asKeptIfAny(await inner.find(owner, one.requestId));
        if (order !== undefined && referenceOf(order) === reference) return order;
      }
      return undefined;
    },
    async listUnsettled(options) {
      const orders = await inner.listUnsettled(options);
      return kept.size === 0 ? orders : orders.map(asKept).filter(isUnsettled);
    },
    async *list(options) {
      for await (const order of inner.list(options)) yield asKept(order);
    },
    hasReference: (owner) => inner.hasReference(owner),
    isWritable: () => inner.isWritable(),
    close: () => inner.close(),
  };
}

/** What v1 says again when it is asked again. A proof of absence forbids another try, so it counts once it is on disk. */
function isWordOfV1(outcome: Outcome): boolean {
  return outcome.kind !== 'unknown' && !(outcome.kind === 'not_sent' && outcome.isProven === true);
}

/** The length keeps apart what only together reads the same. */
function keyOf(owner: string, requestId: string): string {
  return `${owner.length} ${owner}${requestId}`;
}
