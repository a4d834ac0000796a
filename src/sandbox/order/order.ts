import type { AmountMinor } from '../../domain/amount';
import type { Category } from '../catalog';

/** Section 3, without `processing`: the specification shows no transitions of it, so it is a pending order under another status word. */
type OrderStatus = 'success' | 'pending' | 'failed';
export type FinalStatus = Exclude<OrderStatus, 'pending'>;

/** Section 2.5. */
export interface CardPin {
  readonly pin: string;
  readonly serial: string;
}

/** A purchase, checked and priced. Nothing has been charged. */
export interface Quote {
  readonly category: Category;
  /** The phone, meter or smartcard number; empty if the service has none. */
  readonly number: string;
  readonly network: string | null;
  /** The face value that the customer gets. */
  readonly amount: AmountMinor;
  /** The price that the wallet pays, including the fee. */
  readonly charge: AmountMinor;
  readonly fee: AmountMinor;
  readonly cashback: AmountMinor;
  /** The amount or the plan. Purchases are identical if this, the service and the number are the same (section 7, rule 1). */
  readonly identity: string;
  readonly cards: number;
  readonly hasToken: boolean;
  /** The other fields of the request. Together with the fields above they describe the order completely. */
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
  /** The result that the provider will report at `at` (milliseconds since the epoch). */
  due: { readonly at: number; readonly result: FinalStatus } | null;
  /** A result that the provider has but reports only when asked (the two-minute re-check of section 3). */
  toldWhenAsked: FinalStatus | null;
  /** While the order is pending, receipt and history call it `processing`. */
  readonly isProcessing: boolean;
}

/** The status in receipts and history. Purchase replies never say `processing` (section 7). */
export function statusOf({ status, isProcessing }: Order): OrderStatus | 'processing' {
  return status === 'pending' && isProcessing ? 'processing' : status;
}

/** Identifies purchases of a wallet that count as identical (section 7, rule 1): same service, number, and amount or plan. */
export function fingerprintOf(walletId: string, quote: Quote): string {
  return `${walletId} ${quote.category} ${quote.number} ${quote.identity}`;
}
