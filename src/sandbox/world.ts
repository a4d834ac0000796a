import type { AccountBook } from './account/account-book';
import type { PinGuard } from './account/pin-guard';
import type { RateLimits } from './account/rate-limits';
import type { Catalog } from './catalog/catalog';
import type { Category } from './catalog/catalog-file';
import type { Clock } from './clock';
import type { Cashier } from './order/cashier';
import type { Ledger } from './order/ledger';
import type { Mint } from './order/mint';
import type { MoodBook } from './order/mood-book';
import type { OrderBook } from './order/order-book';
import type { Store } from './store/store';
import type { Webhooks } from './webhook/webhooks';

/** All parts of one sandbox, put together by openSandbox. */
export interface World {
  readonly accounts: AccountBook;
  readonly cashier: Cashier;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly isRelaxed: boolean;
  readonly ledger: Ledger;
  readonly limits: RateLimits;
  readonly mint: Mint;
  readonly moods: MoodBook;
  readonly orders: OrderBook;
  readonly pins: PinGuard;
  readonly store: Store;
  readonly switchedOff: Set<Category>;
  readonly webhooks: Webhooks;
}
