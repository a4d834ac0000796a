import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { nairaNumber, type AmountMinor } from '../../domain/amount';
import type { Account, Mode } from '../account';
import { watIso, type Clock } from '../clock';
import type { Order } from '../order/order';
import { describeOrder } from '../services';

export interface DeliveryAttempt {
  readonly at: number;
  /** The receiver's HTTP status; null if no reply arrived. */
  readonly status: number | null;
  readonly error: string | null;
}

/** One event for one account. It is kept long after its delivery, so that an operator can look at it or send it again. */
export interface Delivery {
  readonly id: number;
  readonly reference: string;
  readonly walletId: string;
  readonly event: 'transaction.success' | 'transaction.failed';
  /** `balance_after` of the order: the wallet right after its charge, or right after its refund. */
  readonly balanceAfter: AmountMinor;
  state: 'waiting' | 'delivered' | 'stopped';
  /** How many attempts of the current schedule have been made. */
  tries: number;
  nextAt: number | null;
  attempts: readonly DeliveryAttempt[];
}

/** The body fields of section 6. `timestamp` is the time of sending, so every attempt has its own body and signature. */
export function webhookBody(delivery: Delivery, order: Order, mode: Mode, now: number): string {
  const isFailed = delivery.event === 'transaction.failed';
  return JSON.stringify({
    event: delivery.event,
    reference: order.reference,
    status: isFailed ? 'failed' : 'success',
    service: order.category,
    amount: nairaNumber(order.amount),
    description: describeOrder(order),
    phone: order.number,
    network: order.network,
    refunded: isFailed,
    balance_after: nairaNumber(delivery.balanceAfter),
    sandbox: mode === 'sandbox',
    created_at: watIso(order.createdAt),
    timestamp: watIso(now),
    ...(order.token === null ? {} : { token: order.token }),
    ...(isFailed ? { message: 'Transaction failed. Your wallet has been refunded.' } : {}),
  });
}

// Section 6, delivery rule 1.
const ANSWER_MS = 10_000;

/** One connection pool for all receivers. */
export class WebhookPoster {
  readonly #agent: Agent;
  readonly #clock: Clock;
  readonly #closing = new AbortController();

  /** `clock` measures how long receivers take; `ca` is a certificate (PEM) to trust in addition to the public ones. */
  constructor(clock: Clock, ca: string | undefined) {
    this.#clock = clock;
    this.#agent = new Agent({ pipelining: 1, connect: ca === undefined ? {} : { ca } });
  }

  /**
   * Signs with the live key, or with the sandbox key if the account has no live key (section 6). Never throws. A redirect is
   * not followed and counts as a status that is not 2xx: following it would send a signed body to an address that the account
   * did not name.
   */
  async post(url: string, event: string, body: string, { keys }: Account): Promise<Omit<DeliveryAttempt, 'at'>> {
    const hmac = createHmac('sha256', keys.live ?? keys.sandbox ?? '');
    const signature = hmac.update(body).digest('hex');
    const limit = new AbortController();
    const cancel = this.#clock.setTimer(ANSWER_MS, () => limit.abort(new Error('no answer within 10 seconds')));
    try {
      const reply = await request(url, {
        method: 'POST',
        dispatcher: this.#agent,
        signal: AbortSignal.any([limit.signal, this.#closing.signal]),
        headers: { 'content-type': 'application/json', 'x-webhook-event': event, 'x-webhook-signature': signature },
        body,
      });
      const { statusCode: status } = reply;
      await reply.body.dump({ limit: 16_384 });
      return { status, error: null };
    } catch (error) {
      return { status: null, error: error instanceof Error ? error.message : String(error) };
    } finally {
      cancel();
    }
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the sandbox is closing'));
    await this.#agent.destroy();
  }
}
