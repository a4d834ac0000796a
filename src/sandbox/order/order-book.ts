import { numberKey, type Store } from '../store/store';
import { fingerprintOf, type Order } from './order';

// Section 7, rule 1.
const DUPLICATE_WINDOW_MS = 5_000;

/** Every order, found by reference, by request id and by wallet. */
export class OrderBook {
  readonly #store: Store;
  readonly #byReference = new Map<string, Order>();
  readonly #byRequestId = new Map<string, Order>();
  readonly #byWallet = new Map<string, Order[]>();
  readonly #latest = new Map<string, Order>();
  #lastId = 0;

  constructor(store: Store) {
    this.#store = store;
    for (const [, order] of store.entries<Order>('order')) this.#index(order);
  }

  nextId(): number {
    return this.#lastId + 1;
  }

  /** Takes a new order in. */
  add(order: Order): void {
    this.#index(order);
    this.#store.put('order', numberKey(order.id), order);
  }

  /** Keeps an order that has changed. */
  keep(order: Order): void {
    this.#store.put('order', numberKey(order.id), order);
  }

  /** A reference is known only to the wallet that paid for the order. */
  findByReference(walletId: string, reference: string): Order | undefined {
    const order = this.#byReference.get(reference);
    return order?.walletId === walletId ? order : undefined;
  }

  /** For operators: whose order it is does not matter. */
  findAny(reference: string): Order | undefined {
    return this.#byReference.get(reference);
  }

  findByRequestId(walletId: string, requestId: string): Order | undefined {
    return this.#byRequestId.get(`${walletId} ${requestId}`);
  }

  /** Oldest first. */
  ofWallet(walletId: string): readonly Order[] {
    return this.#byWallet.get(walletId) ?? [];
  }

  all(): Iterable<Order> {
    return this.#byReference.values();
  }

  /**
   * Whether the same purchase was made within five seconds. One that the provider declined does not count: its money is
   * back and section 7 calls it safe to retry.
   */
  hasIdentical(fingerprint: string, now: number): boolean {
    const latest = this.#latest.get(fingerprint);
    return latest !== undefined && latest.status !== 'failed' && now - latest.createdAt < DUPLICATE_WINDOW_MS;
  }

  #index(order: Order): void {
    this.#lastId = Math.max(this.#lastId, order.id);
    this.#byReference.set(order.reference, order);
    if (order.requestId !== null) this.#byRequestId.set(`${order.walletId} ${order.requestId}`, order);
    const orders = this.#byWallet.get(order.walletId);
    if (orders === undefined) this.#byWallet.set(order.walletId, [order]);
    else orders.push(order);
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
