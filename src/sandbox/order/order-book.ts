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

/** Every order, found by reference, by request id and by wallet. */
export class OrderBook {
  readonly #store: Store;
  /** By order number; there is no number 0. */
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

  /** Takes a new order in. */
  add(order: Order): void {
    this.#index(order);
    this.keep(order);
  }

  /** Keeps an order that has changed. */
  keep(order: Order): void {
    this.#store.put('order', numberKey(order.id), order);
  }

  /** A reference is known only to the wallet that paid for the order. */
  findByReference(walletId: string, reference: string): Order | undefined {
    const order = this.findAny(reference);
    return order?.walletId === walletId ? order : undefined;
  }

  /** For operators: whose order it is does not matter. */
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
   * Whether the same purchase was made within five seconds. One that the provider declined does not count: its money is
   * back and section 7 calls it safe to retry.
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
    // Deleted first, so that the map stays in order of time and the old ones are always in front.
    this.#latest.delete(fingerprint);
    this.#latest.set(fingerprint, order);
    for (const [key, old] of this.#latest) {
      if (order.createdAt - old.createdAt < DUPLICATE_WINDOW_MS) break;
      this.#latest.delete(key);
    }
  }
}
