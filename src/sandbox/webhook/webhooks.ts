import { checkWebhookUrl, type AccountBook, type Mode } from '../account';
import type { Clock } from '../clock';
import type { Order } from '../order/order';
import type { OrderBook } from '../order/order-book';
import { numberKey, type Store } from '../store/store';
import { webhookBody, type Delivery, type DeliveryAttempt, type WebhookPoster } from './post-webhook';

// Section 6, delivery rule 2: minutes since the previous attempt.
const RETRY_MINUTES = [1, 5, 15, 60, 240] as const;
const IN_FLIGHT_MAX = 32;
const DISK_AGAIN_MS = 1_000;
const FINISHED_KEPT_MAX = 10_000;

interface WebhookParts {
  readonly accounts: AccountBook;
  readonly clock: Clock;
  readonly orders: OrderBook;
  readonly poster: WebhookPoster;
  readonly store: Store;
}

/** Reports final orders to their accounts: signed, at least once, until the receiver answers 2xx or the schedule is used up. */
export class Webhooks {
  readonly #parts: WebhookParts;
  readonly #deliveries = new Map<number, Delivery>();
  readonly #timers = new Map<number, () => void>();
  readonly #queue: Delivery[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #lastId = 0;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
    for (const [, delivery] of parts.store.entries<Delivery>('delivery')) {
      this.#deliveries.set(delivery.id, delivery);
      this.#lastId = delivery.id;
      this.#plan(delivery);
    }
  }

  /** Call this in the same turn of the event loop as the last change of the order: then both are on disk or neither is. */
  announce(order: Order): void {
    const { account } = this.#ownerOf(order.walletId);
    if (account?.webhook_url === undefined) return;
    this.#lastId += 1;
    const delivery: Delivery = {
      id: this.#lastId,
      reference: order.reference,
      walletId: order.walletId,
      event: order.status === 'failed' ? 'transaction.failed' : 'transaction.success',
      balanceAfter: order.balanceAfter,
      state: 'waiting',
      tries: 0,
      nextAt: this.#parts.clock.now(),
      attempts: [],
    };
    this.#deliveries.set(delivery.id, delivery);
    this.#keep(delivery);
    this.#plan(delivery);
    this.#forgetOld();
  }

  /** Newest first. */
  list(): readonly Delivery[] {
    return [...this.#deliveries.values()].reverse();
  }

  /** Sends an event again, whether delivered or not, and starts its schedule from the beginning. */
  redeliver(id: number): void {
    const before = this.#deliveries.get(id);
    if (before === undefined) throw new Error(`there is no delivery ${id}`);
    this.#timers.get(id)?.();
    // A new object, by which an attempt that is queued or under way sees that its schedule is over.
    const delivery: Delivery = { ...before, state: 'waiting', tries: 0, nextAt: this.#parts.clock.now() };
    this.#deliveries.set(id, delivery);
    this.#keep(delivery);
    this.#plan(delivery);
  }

  /** Resolves when no delivery is queued or being sent. */
  async idle(): Promise<void> {
    while (this.#inFlight.size > 0 || this.#queue.length > 0) {
      await Promise.all(this.#inFlight);
    }
  }

  #plan(delivery: Delivery): void {
    if (delivery.nextAt === null) return;
    const waitMs = delivery.nextAt - this.#parts.clock.now();
    if (waitMs <= 0) return this.#enqueue(delivery);
    this.#planIn(delivery, waitMs);
  }

  #planIn(delivery: Delivery, waitMs: number): void {
    this.#timers.set(
      delivery.id,
      this.#parts.clock.setTimer(waitMs, () => this.#enqueue(delivery)),
    );
  }

  #enqueue(delivery: Delivery): void {
    this.#timers.delete(delivery.id);
    this.#queue.push(delivery);
    this.#pump();
  }

  #pump(): void {
    while (this.#inFlight.size < IN_FLIGHT_MAX) {
      const delivery = this.#queue.shift();
      if (delivery === undefined) return;
      const sending: Promise<void> = this.#attempt(delivery).finally(() => {
        this.#inFlight.delete(sending);
        this.#pump();
      });
      this.#inFlight.add(sending);
    }
  }

  async #attempt(delivery: Delivery): Promise<void> {
    // A receiver must not learn of an order that a power cut could still undo.
    const isOnDisk = await this.#parts.store.committed().then(
      () => true,
      () => false,
    );
    if (this.#deliveries.get(delivery.id) !== delivery) return;
    if (!isOnDisk) return this.#planIn(delivery, DISK_AGAIN_MS);
    const result = await this.#send(delivery);
    // The sandbox closed during the attempt. The delivery on disk still waits, so the next run sends it again.
    if (this.#parts.poster.isClosed) return;
    const current = this.#deliveries.get(delivery.id);
    if (current === undefined) return;
    current.attempts = [...current.attempts, result];
    if (current !== delivery) return this.#keep(current);
    const isDelivered = result.status !== null && result.status >= 200 && result.status < 300;
    const retryMinutes = RETRY_MINUTES[delivery.tries];
    delivery.tries += 1;
    delivery.state = isDelivered ? 'delivered' : retryMinutes === undefined ? 'stopped' : 'waiting';
    delivery.nextAt = delivery.state === 'waiting' ? this.#parts.clock.now() + (retryMinutes ?? 0) * 60_000 : null;
    this.#keep(delivery);
    this.#plan(delivery);
  }

  async #send(delivery: Delivery): Promise<DeliveryAttempt> {
    const { clock, orders, poster } = this.#parts;
    const order = orders.findAny(delivery.reference);
    const { account, mode } = this.#ownerOf(delivery.walletId);
    const url = account?.webhook_url;
    const fault = url === undefined ? 'the account has no webhook address' : checkWebhookUrl(url, mode);
    const at = clock.now();
    if (fault !== undefined || url === undefined || account === undefined || order === undefined) {
      return { at, status: null, error: fault ?? 'the order is gone' };
    }
    const body = webhookBody(delivery, order, mode, at);
    return { at, ...(await poster.post(url, delivery.event, body, account)) };
  }

  #ownerOf(walletId: string) {
    const [accountId = '', mode] = walletId.split(':');
    return { account: this.#parts.accounts.find(accountId), mode: mode as Mode };
  }

  #keep(delivery: Delivery): void {
    this.#parts.store.put('delivery', numberKey(delivery.id), delivery);
  }

  #forgetOld(): void {
    if (this.#deliveries.size <= FINISHED_KEPT_MAX) return;
    for (const [id, { nextAt }] of this.#deliveries) {
      if (nextAt !== null) continue;
      this.#deliveries.delete(id);
      this.#parts.store.remove('delivery', numberKey(id));
      return;
    }
  }
}
