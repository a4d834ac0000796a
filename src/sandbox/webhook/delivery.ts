import type { AmountMinor } from '../../domain/amount';

export type WebhookEvent = 'transaction.success' | 'transaction.failed';

export interface DeliveryAttempt {
  readonly at: number;
  /** The receiver's HTTP status, or null when none came. */
  readonly status: number | null;
  readonly error: string | null;
}

/** One event on its way to one account, kept until long after it arrived. */
export interface Delivery {
  readonly id: number;
  readonly reference: string;
  readonly walletId: string;
  readonly event: WebhookEvent;
  /** The wallet right after the event. */
  readonly balanceAfter: AmountMinor;
  state: 'waiting' | 'delivered' | 'stopped';
  /** How many times of the schedule have been used up. */
  tries: number;
  nextAt: number | null;
  attempts: readonly DeliveryAttempt[];
}
