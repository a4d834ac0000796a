/**
 * While the disk takes nothing, what v1 has said of an order is kept in memory and told as it stands; it is written when
 * there is room. Only what the next look at v1 would bring again: an order whose process ends before that is an open attempt in
 * the journal, and those are found out. What keeps an order from being sent again is never kept. (Decision 0038.)
 */
import { GatewayError } from '../domain/errors';
import type { Order } from '../domain/order';
import { isProvenAbsent, referenceOf, type Outcome } from '../domain/outcome';
import { WriteFailure, type Journal, type OrderKey, keyText } from './journal';
import { isUnsettled, isUntold, settleOrder, tellOrder, withoutGoods } from './order-life';

/** Orders. Nothing new is sent meanwhile, so these are at most the ones that were under way. */
const ORDERS_MAX = 10_000;

/** How often an order is read at most, of which something new is kept each time. */
const READINGS_MAX = 3;

/** A change of an order. Without `tries` it was not known of which attempt v1 spoke. */
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

export interface KeepingJournal extends Journal {
  /** Writes what is kept, oldest first, until the disk refuses. Gives how many orders were written. Never rejects. */
  writeKept(): Promise<number>;
  /** Orders with something that is not on disk. */
  keptCount(): number;
}

/** With a spool, what is kept is on a disk of this machine before anybody is told of it. */
export function keepAnswers(inner: Journal, ordersMax = ORDERS_MAX, spool?: Spool): KeepingJournal {
  const kept = new KeptWords(inner, ordersMax, spool);
  const openOnceWritten: Journal['open'] = async (intent) => {
    if (!(await kept.bringToDisk(intent.owner, intent.requestId))) throw new GatewayError('journal_unavailable');
    return inner.open(intent);
  };
  const standing = async (owner: string, requestId: string): Promise<Order> => {
    const order = await inner.find(owner, requestId);
    if (order === undefined) throw new Error('The journal has no order with this request id to settle.');
    return kept.applyTo(order);
  };

  return {
    writeKept: () => kept.write(),
    keptCount: () => kept.count,
    open: (intent) => (kept.count === 0 ? inner.open(intent) : openOnceWritten(intent)),
    async settle(owner, requestId, latest, atMs, tries) {
      const isKept = kept.has(owner, requestId);
      if (!isWordOfV1(latest)) {
        if (isKept) await kept.bringToDisk(owner, requestId);
        return inner.settle(owner, requestId, latest, atMs, tries);
      }
      const word = (): KeptWord => wordOf(owner, requestId, latest, atMs, tries);
      if (isKept) await kept.add(word());
      else {
        try {
          return kept.applyTo(await inner.settle(owner, requestId, latest, atMs, tries));
        } catch (error) {
          await kept.addUnwritten(word(), error);
        }
      }
      return standing(owner, requestId);
    },
    async tell(owner, requestId, toldAtMs, tries) {
      const word: KeptWord = { owner, requestId, said: { toldAtMs } };
      if (kept.has(owner, requestId)) return kept.add(word);
      await kept.showUntilWritten(word, toldAtMs, inner.tell(owner, requestId, toldAtMs, tries));
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
    ...whatSomeHave(inner),
  };
}

function whatSomeHave({ doubt, processes }: Journal): Pick<Journal, 'doubt' | 'processes'> {
  return { ...(doubt && { doubt }), ...(processes && { processes }) };
}

function wordOf(...[owner, requestId, latest, atMs, tries]: Parameters<Journal['settle']>): KeptWord {
  const said = { latest: withoutGoods(latest), atMs };
  return tries === undefined ? { owner, requestId, said } : { owner, requestId, tries, said };
}

/** Writes what was said into a journal. */
export async function writeWord(journal: Journal, { owner, requestId, said, tries }: KeptWord): Promise<void> {
  if ('latest' in said) await journal.settle(owner, requestId, said.latest, said.atMs, tries);
  else await journal.tell(owner, requestId, said.toldAtMs, tries);
}

/** What was said of orders and the disk has not taken yet, in the order in which it came. */
class KeptWords {
  readonly #disk: Journal;
  readonly #ordersMax: number;
  readonly #spool: Spool | undefined;
  /** By order; never empty lists. */
  readonly #kept = new Map<string, KeptWord[]>();
  /** What scripts were told, or that they hung up, while it is on its way to the disk: a repeat may come before it is there. */
  readonly #telling = new Map<string, { readonly toldAtMs: number }>();
  #writing: Promise<number> | undefined;

  constructor(disk: Journal, ordersMax: number, spool: Spool | undefined) {
    this.#disk = disk;
    this.#ordersMax = ordersMax;
    this.#spool = spool;
  }

  get count(): number {
    return this.#kept.size;
  }

  /** The disk has all that is known. */
  get isEmpty(): boolean {
    return this.#kept.size === 0 && this.#telling.size === 0;
  }

  has(owner: string, requestId: string): boolean {
    return this.#kept.size > 0 && this.#kept.has(keyText({ owner, requestId }));
  }

  /** Orders of this owner with something that is not on disk. */
  *requestIdsOf(owner: string): Iterable<string> {
    for (const [word] of this.#kept.values()) if (word?.owner === owner) yield word.requestId;
  }

  async listByReference(reference: string): Promise<readonly Order[]> {
    const orders = new Map<string, Order>();
    for (const words of this.#kept.values()) {
      const word = words.find(({ said }) => 'latest' in said && referenceOf(said.latest) === reference);
      const order = word && this.applyToAny(await this.#disk.find(word.owner, word.requestId));
      if (order !== undefined && referenceOf(order.outcome) === reference) orders.set(order.owner, order);
    }
    // Read last: what was kept may have reached the disk meanwhile. What is there had the reference first.
    for (const order of await this.#disk.listByReference(reference)) orders.set(order.owner, this.applyTo(order));
    return [...orders.values()];
  }

  /** The order as it is once everything kept is written. */
  applyTo(order: Order): Order {
    if (this.isEmpty) return order;
    const key = keyText(order);
    const words = this.#kept.get(key) ?? [];
    const settled = words
      .filter(({ tries }) => tries === undefined || tries === order.tries)
      .reduce((before, { said }) => applyWord(before, said), order);
    const telling = this.#telling.get(key);
    return telling === undefined ? settled : tellOrder(settled, telling.toldAtMs);
  }

  async showUntilWritten(word: KeptWord, toldAtMs: number, writing: Promise<void>): Promise<void> {
    const [key, telling] = [keyText(word), { toldAtMs }];
    this.#telling.set(key, telling);
    try {
      await writing;
    } catch (error) {
      await this.addUnwritten(word, error);
    } finally {
      if (this.#telling.get(key) === telling) this.#telling.delete(key);
    }
  }

  /** What was kept when the reading began may reach the disk too late for it, and be forgotten before it ends: then the order is read again. */
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

  /** Without those that what is kept has taken off the list. */
  applyToAll(orders: readonly Order[], isListed: (order: Order) => boolean): readonly Order[] {
    return this.isEmpty ? orders : orders.map((order) => this.applyTo(order)).filter(isListed);
  }

  /** Behind what is kept of this order. Resolves once it is written or kept. */
  async add(word: KeptWord): Promise<void> {
    const [first] = this.#kept.get(keyText(word)) ?? [];
    await this.#keep(first?.tries === undefined ? word : { ...word, tries: first.tries });
    if (this.#disk.isWritable()) await this.write();
  }

  /** Keeps what could not be written; rejects as the write did where nothing may be kept. */
  async addUnwritten(word: KeptWord, error: unknown): Promise<void> {
    if (!(error instanceof WriteFailure) || this.#kept.size >= this.#ordersMax) throw error;
    if (this.#spool === undefined) return this.#keep(word);
    const tries = word.tries ?? (await this.#disk.find(word.owner, word.requestId).catch(() => undefined))?.tries;
    // Written after hours, it would be taken for the word about whatever attempt is under way then.
    if (tries === undefined) throw error;
    await this.#keep({ ...word, tries });
    if (this.#disk.isWritable()) await this.write();
  }

  async #keep(word: KeptWord): Promise<void> {
    const key = keyText(word);
    const words = this.#kept.get(key);
    if (words === undefined) this.#kept.set(key, [word]);
    else words.push(word);
    await this.#spool?.append(word);
  }

  /** Before anybody decides by what the disk says of an order. True when the disk has all that is known of it. */
  async bringToDisk(owner: string, requestId: string): Promise<boolean> {
    if (this.has(owner, requestId)) await this.write();
    return !this.has(owner, requestId);
  }

  /** Writes what is kept, oldest first, until the disk refuses. Gives how many orders were written. Never rejects. */
  write(): Promise<number> {
    return (this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined)));
  }

  async #writeAll(): Promise<number> {
    let count = 0;
    for (const [key, words] of this.#kept) {
      try {
        await this.#writeAllOf(key, words);
      } catch {
        return count;
      }
      count += 1;
    }
    // Asked in the same turn: what is kept after this is appended behind the clearing.
    if (count > 0 && this.#kept.size === 0) await this.#spool?.clear();
    return count;
  }

  async #writeAllOf(key: string, words: KeptWord[]): Promise<void> {
    for (let [word] = words; word !== undefined; [word] = words) {
      await writeWord(this.#disk, word).catch((error: unknown) => {
        if (error instanceof WriteFailure) throw error;
        // It can never be written: the record is gone, or cannot be read.
      });
      words.shift();
    }
    // In the same turn: a word that comes now begins a new list.
    this.#kept.delete(key);
  }
}

function applyWord(order: Order, said: KeptWord['said']): Order {
  return 'latest' in said ? settleOrder(order, said.latest, said.atMs) : tellOrder(order, said.toldAtMs);
}

/** What v1 says again when it is asked again. A proof of absence forbids another attempt, so it counts once it is on disk. */
function isWordOfV1(outcome: Outcome): boolean {
  return outcome.kind !== 'unknown' && !isProvenAbsent(outcome);
}
