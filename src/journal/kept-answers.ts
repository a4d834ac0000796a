/**
 * While the disk accepts no writes, v1's answers about orders are kept in memory, count as if written, and are written later.
 * Only answers that v1 would give again are kept: if the process ends before they are written, the order is an open attempt
 * in the journal, and v1 is asked again. A proof of absence is never kept. (Decision 0038.)
 */
import { GatewayError } from '../domain/errors';
import { type NewOrder, NOT_TOLD, type Opened, type Order } from '../domain/order';
import { isProvenAbsent, referenceOf, type Outcome } from '../domain/outcome';
import { type IsTellingDue, WriteFailure, type Journal, type OrderKey, keyText } from './journal';
import { isUnsettled, isUntold, settleOrder, tellOrder, withoutGoods } from './order-life';

/** Most orders with kept changes. Nothing new is sent meanwhile, so only orders under way can need it. */
const ORDERS_MAX = 10_000;

/** How often an order is read at most when its kept changes differ after each reading. */
const READINGS_MAX = 3;

/** A change of an order that is kept. Without `attempt` the attempt that v1 answered is not known. */
export interface KeptChange {
  readonly owner: string;
  readonly requestId: string;
  readonly attempt?: number;
  readonly said:
    | { readonly latest: Outcome; readonly atMs: number }
    | { readonly toldAtMs: number; readonly takesBackMs?: number | undefined };
  /** As for `Journal.tell`: a later telling may be on disk before this one. A spool keeps only what it takes back. */
  readonly isDue?: IsTellingDue | undefined;
}

/** Where kept changes outlive the process. */
export interface Spool {
  /** Resolves when the change is on disk; never rejects. */
  append(change: KeptChange): Promise<void>;
  /** Deletes all changes; called when they are in the journal. */
  clear(): Promise<void>;
}

export interface KeepingJournal extends Journal {
  /** Writes kept changes, oldest first, until a write fails. Returns how many orders were written. Never rejects. */
  writeKept(): Promise<number>;
  /** The number of orders with changes that are not on disk. */
  keptCount(): number;
}

/** With a spool, a kept change is on a disk of this machine before it is returned or told. */
export function keepAnswers(inner: Journal, ordersMax = ORDERS_MAX, spool?: Spool): KeepingJournal {
  const kept = new KeptChanges(inner, ordersMax, spool);
  const standing = async (owner: string, requestId: string): Promise<Order> => {
    const order = await inner.find(owner, requestId);
    if (order === undefined) throw new Error('The journal has no order with this request id to settle.');
    return kept.applyTo(order);
  };

  return {
    writeKept: () => kept.write(),
    keptCount: () => kept.count,
    open: (intent) => kept.open(intent),
    async settle(owner, requestId, latest, atMs, attempt) {
      const isKept = kept.has(owner, requestId);
      if (!isRepeatable(latest)) {
        if (isKept) await kept.bringToDisk(owner, requestId);
        return inner.settle(owner, requestId, latest, atMs, attempt);
      }
      const change = (): KeptChange => changeOf(owner, requestId, latest, atMs, attempt);
      if (isKept) await kept.add(change());
      else {
        try {
          return kept.applyTo(await inner.settle(owner, requestId, latest, atMs, attempt));
        } catch (error) {
          await kept.addUnwritten(change(), error);
        }
      }
      return standing(owner, requestId);
    },
    async tell(owner, requestId, toldAtMs, isDue, attempt) {
      const said = { toldAtMs, takesBackMs: isDue?.takesBackMs };
      const change = { owner, requestId, ...(attempt === undefined ? {} : { attempt }), said, isDue };
      if (kept.has(owner, requestId)) {
        const reading = isDue && kept.applyToRead(change, () => inner.find(owner, requestId));
        const order = await reading?.catch(() => undefined);
        // Applied again: another call may have added its change since the order was read.
        return order === undefined || isDue?.(kept.applyTo(order)) === true ? kept.add(change) : undefined;
      }
      await kept.showUntilWritten(change, inner.tell(owner, requestId, toldAtMs, isDue));
    },
    find: (owner, requestId) => kept.applyToRead({ owner, requestId }, () => inner.find(owner, requestId)),
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
    listByReference: (reference) => kept.listByReference(reference),
    listUnsettled: async (options) => kept.applyToAll(await inner.listUnsettled(options), isUnsettled),
    listUntold: async (options) => kept.applyToAll(await inner.listUntold(options), isUntold),
    async *list(options) {
      for await (const order of inner.list(options)) yield kept.applyTo(order);
    },
    async *listOfOwner(options) {
      for await (const order of inner.listOfOwner(options)) yield kept.applyTo(order);
    },
    hasReference: (owner) => inner.hasReference(owner),
    owners: () => inner.owners(),
    isWritable: () => inner.isWritable(),
    close: () => inner.close(),
    ...optionalMethods(inner),
  };
}

function optionalMethods({ doubt, processes }: Journal): Pick<Journal, 'doubt' | 'processes'> {
  return { ...(doubt && { doubt }), ...(processes && { processes }) };
}

function changeOf(...[owner, requestId, latest, atMs, attempt]: Parameters<Journal['settle']>): KeptChange {
  const said = { latest: withoutGoods(latest), atMs };
  return attempt === undefined ? { owner, requestId, said } : { owner, requestId, attempt, said };
}

/** Writes a kept change into a journal. */
export async function writeKeptChange(journal: Journal, { owner, requestId, said, attempt, isDue }: KeptChange): Promise<void> {
  if ('latest' in said) await journal.settle(owner, requestId, said.latest, said.atMs, attempt);
  else await journal.tell(owner, requestId, said.toldAtMs, isDue ?? takingBack(said.takesBackMs), attempt);
}

/** What a spool keeps of `isDue`. */
function takingBack(takesBackMs: number | undefined): IsTellingDue | undefined {
  if (takesBackMs === undefined) return undefined;
  return ({ toldAtMs = NOT_TOLD }) => toldAtMs === NOT_TOLD || toldAtMs === takesBackMs;
}

/** Changes of orders that are not on disk yet, in the order in which they came. */
class KeptChanges {
  readonly #disk: Journal;
  readonly #ordersMax: number;
  readonly #spool: Spool | undefined;
  /** By order; never empty lists. */
  readonly #kept = new Map<string, KeptChange[]>();
  /** Tellings that are being written: a repeat may come before they are on disk. */
  readonly #telling = new Map<string, KeptChange>();
  #writing: Promise<number> | undefined;

  constructor(disk: Journal, ordersMax: number, spool: Spool | undefined) {
    this.#disk = disk;
    this.#ordersMax = ordersMax;
    this.#spool = spool;
  }

  get count(): number {
    return this.#kept.size;
  }

  /** True when all changes are on disk. */
  get isEmpty(): boolean {
    return this.#kept.size === 0 && this.#telling.size === 0;
  }

  has(owner: string, requestId: string): boolean {
    return this.#kept.size > 0 && this.#kept.has(keyText({ owner, requestId }));
  }

  /** The request ids of this owner's orders with kept changes. */
  *requestIdsOf(owner: string): Iterable<string> {
    for (const [change] of this.#kept.values()) if (change?.owner === owner) yield change.requestId;
  }

  async listByReference(reference: string): Promise<readonly Order[]> {
    const orders = new Map<string, Order>();
    for (const changes of this.#kept.values()) {
      const change = changes.find(({ said }) => 'latest' in said && referenceOf(said.latest) === reference);
      const order = change && this.applyToAny(await this.#disk.find(change.owner, change.requestId));
      if (order !== undefined && referenceOf(order.outcome) === reference) orders.set(order.owner, order);
    }
    // The disk is read last: a kept change may have reached it meanwhile. An order on disk had the reference first.
    for (const order of await this.#disk.listByReference(reference)) orders.set(order.owner, this.applyTo(order));
    return [...orders.values()];
  }

  /** The order with all its kept changes. */
  applyTo(order: Order): Order {
    if (this.isEmpty) return order;
    const key = keyText(order);
    const changes = this.#kept.get(key) ?? [];
    const settled = changes
      .filter(({ attempt }) => attempt === undefined || attempt === order.attempts)
      .reduce(applyChange, order);
    const telling = this.#telling.get(key);
    return telling === undefined ? settled : applyChange(settled, telling);
  }

  /** Applies the telling to orders that are read until `writing` ends; keeps it when the write fails. */
  async showUntilWritten(telling: KeptChange, writing: Promise<void>): Promise<void> {
    const key = keyText(telling);
    this.#telling.set(key, telling);
    const forget = (): void => void (this.#telling.get(key) === telling && this.#telling.delete(key));
    try {
      await writing;
    } catch (error) {
      forget();
      const order =
        telling.isDue &&
        (await this.applyToRead(telling, () => this.#disk.find(telling.owner, telling.requestId)).catch(() => undefined));
      if (order === undefined || telling.isDue?.(order) !== false) await this.addUnwritten(telling, error);
    } finally {
      forget();
    }
  }

  /**
   * Reads an order and applies its kept changes. A change may reach the disk after the read began and be dropped here before the read ends.
   * Then the order is read again.
   */
  async applyToRead(key: OrderKey, read: () => Promise<Order | undefined>): Promise<Order | undefined> {
    if (this.isEmpty) return this.applyToAny(await read());
    const text = keyText(key);
    for (let readings = 1; ; readings += 1) {
      const [first, telling] = [this.#kept.get(text)?.[0], this.#telling.get(text)];
      const order = await read();
      const isThere = first === this.#kept.get(text)?.[0] && telling === this.#telling.get(text);
      if (isThere || readings === READINGS_MAX) return this.applyToAny(order);
    }
  }

  applyToAny(order: Order | undefined): Order | undefined {
    return order && this.applyTo(order);
  }

  /** Applies kept changes to a list, and removes orders that no longer belong to it. */
  applyToAll(orders: readonly Order[], isListed: (order: Order) => boolean): readonly Order[] {
    return this.isEmpty ? orders : orders.map((order) => this.applyTo(order)).filter(isListed);
  }

  /** Adds a change behind the kept ones of its order. Resolves when the change is written or kept. */
  async add(change: KeptChange): Promise<void> {
    const [first] = this.#kept.get(keyText(change)) ?? [];
    await this.#keep(first?.attempt === undefined ? change : { ...change, attempt: first.attempt });
    if (this.#disk.isWritable()) await this.write();
  }

  /** Keeps a change that could not be written; rejects with the error of the write when the change may not be kept. */
  async addUnwritten(change: KeptChange, error: unknown): Promise<void> {
    if (!(error instanceof WriteFailure) || this.#kept.size >= this.#ordersMax) throw error;
    if (this.#spool === undefined) return this.#keep(change);
    const attempt = change.attempt ?? (await this.#disk.find(change.owner, change.requestId).catch(() => undefined))?.attempts;
    // Without its attempt the change, written after hours, would apply to the attempt that is under way then.
    if (attempt === undefined) throw error;
    await this.#keep({ ...change, attempt });
    if (this.#disk.isWritable()) await this.write();
  }

  async #keep(change: KeptChange): Promise<void> {
    const key = keyText(change);
    const changes = this.#kept.get(key);
    if (changes === undefined) this.#kept.set(key, [change]);
    else changes.push(change);
    await this.#spool?.append(change);
  }

  /** Opens the order by what the disk has of it, once that is all. The order that was found is as it was told last. */
  async open(intent: NewOrder): Promise<Opened> {
    const { owner, requestId } = intent;
    if (this.count > 0 && !(await this.bringToDisk(owner, requestId))) throw new GatewayError('journal_unavailable');
    const isTelling = this.#telling.has(keyText(intent));
    const opened = await this.#disk.open(intent);
    if (opened.kind !== 'found') return opened;
    // The telling may have reached the disk after the order was read there.
    const reading = isTelling ? this.applyToRead(intent, () => this.#disk.find(owner, requestId)) : undefined;
    const order = await reading?.catch(() => undefined);
    return { ...opened, order: order ?? this.applyTo(opened.order) };
  }

  /** To be called before a decision by the order on disk. True when all changes of the order are on disk. */
  async bringToDisk(owner: string, requestId: string): Promise<boolean> {
    if (this.has(owner, requestId)) await this.write();
    return !this.has(owner, requestId);
  }

  /** See `KeepingJournal.writeKept`. */
  write(): Promise<number> {
    return (this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined)));
  }

  async #writeAll(): Promise<number> {
    let count = 0;
    for (const [key, changes] of this.#kept) {
      try {
        await this.#writeAllOf(key, changes);
      } catch {
        return count;
      }
      count += 1;
    }
    // Checked and called in one turn of the event loop: a change kept later is appended after the spool is cleared.
    if (count > 0 && this.#kept.size === 0) await this.#spool?.clear();
    return count;
  }

  async #writeAllOf(key: string, changes: KeptChange[]): Promise<void> {
    for (let [change] = changes; change !== undefined; [change] = changes) {
      await writeKeptChange(this.#disk, change).catch((error: unknown) => {
        if (error instanceof WriteFailure) throw error;
        // The change can never be written: the record is gone or cannot be read.
      });
      changes.shift();
    }
    // In the same turn of the event loop as the last check: a change that comes later begins a new list.
    this.#kept.delete(key);
  }
}

function applyChange(order: Order, { said, isDue }: KeptChange): Order {
  if ('latest' in said) return settleOrder(order, said.latest, said.atMs);
  return isDue?.(order) === false ? order : tellOrder(order, said.toldAtMs);
}

/** True for answers that v1 would give again. A proof of absence forbids another attempt, so it counts only when it is on disk. */
function isRepeatable(outcome: Outcome): boolean {
  return outcome.kind !== 'unknown' && !isProvenAbsent(outcome);
}
