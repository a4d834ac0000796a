import type { AmountMinor } from '../../domain/amount';
import type { Category } from '../catalog';

/** Section 3, without `processing`: its transitions are not shown, so it is a pending order under another status word. */
export type OrderStatus = 'success' | 'pending' | 'failed';
export type FinalStatus = Exclude<OrderStatus, 'pending'>;

/** Section 2.5. */
export interface CardPin {
  readonly pin: string;
  readonly serial: string;
}

/** What a purchase asks for, checked and priced. Nothing has been charged. */
export interface Quote {
  readonly category: Category;
  /** The phone, meter or smartcard number; empty when the service has none. */
  readonly number: string;
  readonly network: string | null;
  /** Face value: what the customer gets. */
  readonly amount: AmountMinor;
  /** What the wallet pays, the fee included. */
  readonly charge: AmountMinor;
  readonly fee: AmountMinor;
  readonly cashback: AmountMinor;
  /** What makes two purchases identical besides service and number (section 7, rule 1): the amount or the plan. */
  readonly identity: string;
  readonly cards: number;
  readonly hasToken: boolean;
  /** What else the caller asked for; with the fields above it says all there is to say about the order. */
  readonly meta: Readonly<Record<string, string | number | null>>;
}

/** A purchase that was charged. */
export interface Order extends Quote {
  readonly id: number;
  readonly reference: string;
  readonly walletId: string;
  readonly requestId: string | null;
  readonly createdAt: number;
  status: OrderStatus;
  balanceBefore: AmountMinor;
  balanceAfter: AmountMinor;
  token: string | null;
  pins: readonly CardPin[];
  /** The provider reports this result at this time. */
  due: { readonly at: number; readonly result: FinalStatus } | null;
  /** The provider knows this result and tells it only when asked (the two-minute re-check of section 3). */
  toldWhenAsked: FinalStatus | null;
  /** While it is pending, receipt and history call it `processing`. */
  readonly isProcessing: boolean;
}

/** The status of receipts and history. A purchase reply knows no `processing` (section 7). */
export function statusOf({ status, isProcessing }: Order): OrderStatus | 'processing' {
  return status === 'pending' && isProcessing ? 'processing' : status;
}

/** Section 7, rule 1: same service, number, amount or plan, by the same wallet. */
export function fingerprintOf(walletId: string, quote: Quote): string {
  return `${walletId} ${quote.category} ${quote.number} ${quote.identity}`;
}
