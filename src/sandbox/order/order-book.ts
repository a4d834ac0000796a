import { numberKey, type Store } from '../store/store';
import { fingerprintOf, type Order } from './order';
import { orderIdOf } from './mint';

// Section 7, rule 1.
const DUPLICATE_WINDOW_MS = 5_000;

interface WalletOrders {
  /** Oldest first. */
  readonly orders: Order[];
  readonly byRequestId: Map<string, Order>;
}

const NONE: WalletOrders = { orders: [], byRequestId: new Map() };

/** All orders, by reference, by request id and by wallet. */
export class OrderBook {
  readonly #store: Store;
  /** The index is the order number; there is no number 0. */
  readonly #orders: (Order | undefined)[] = [undefined];
  readonly #wallets = new Map<string, WalletOrders>();
  readonly #latest = new Map<string, Order>();

  constructor(store: Store) {
    this.#store = store;
    for (const [, order] of store.entries<Order>('order')) this.#index(order);
  }

  count(): number {
    return this.#orders.length - 1;
  }

  nextId(): number {
    return this.#orders.length;
  }

  /** Adds a new order. */
  add(order: Order): void {
    this.#index(order);
    this.keep(order);
  }

  /** Writes a changed order to the store. */
  keep(order: Order): void {
    this.#store.put('order', numberKey(order.id), order);
  }

  /** The order with this reference, if this wallet paid for it: other wallets must not find it. */
  findByReference(walletId: string, reference: string): Order | undefined {
    const order = this.findAny(reference);
    return order?.walletId === walletId ? order : undefined;
  }

  /** The order with this reference, whichever wallet paid. For operators only. */
  findAny(reference: string): Order | undefined {
    const order = this.#orders[orderIdOf(reference)];
    return order?.reference === reference ? order : undefined;
  }

  findByRequestId(walletId: string, requestId: string): Order | undefined {
    return this.#wallet(walletId).byRequestId.get(requestId);
  }

  /** Oldest first. */
  ofWallet(walletId: string): readonly Order[] {
    return this.#wallet(walletId).orders;
  }

  /** Newest first. */
  newest(count: number): readonly Order[] {
    return this.#orders.slice(Math.max(1, this.#orders.length - count)).reverse() as Order[];
  }

  *all(): Iterable<Order> {
    for (const order of this.#orders) if (order !== undefined) yield order;
  }

  /**
   * Whether an identical purchase was made within five seconds. A declined purchase does not count: its money is back, and
   * section 7 calls it safe to retry.
   */
  hasIdentical(fingerprint: string, now: number): boolean {
    const latest = this.#latest.get(fingerprint);
    return latest !== undefined && latest.status !== 'failed' && now - latest.createdAt < DUPLICATE_WINDOW_MS;
  }

  #wallet(walletId: string): WalletOrders {
    return this.#wallets.get(walletId) ?? NONE;
  }

  #index(order: Order): void {
    this.#orders[order.id] = order;
    let wallet = this.#wallets.get(order.walletId);
    if (wallet === undefined) {
      wallet = { orders: [], byRequestId: new Map() };
      this.#wallets.set(order.walletId, wallet);
    }
    wallet.orders.push(order);
    if (order.requestId !== null) wallet.byRequestId.set(order.requestId, order);
    this.#rememberLatest(order);
  }

  #rememberLatest(order: Order): void {
    const fingerprint = fingerprintOf(order.walletId, order);
    // Deleted first, so that the map stays in order of time and the loop below meets the oldest entries first.
    this.#latest.delete(fingerprint);
    this.#latest.set(fingerprint, order);
    for (const [key, old] of this.#latest) {
      if (order.createdAt - old.createdAt < DUPLICATE_WINDOW_MS) break;
      this.#latest.delete(key);
    }
  }
}
