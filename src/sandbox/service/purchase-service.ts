import type { V1Endpoint } from '../../upstream/v1';
import type { Catalog } from '../catalog/catalog';
import type { Category } from '../catalog/catalog-file';
import type { Order, Quote } from '../order/order';
import type { Fields } from '../field/check-fields';

/** One thing that is sold: how its request is read, and what its result holds (section 2.7). */
export interface PurchaseService {
  readonly category: Category;
  readonly endpoint: V1Endpoint;
  /** Pure: checks the fields beyond their types and says what they cost. Throws a Refusal. */
  quote(body: Fields, catalog: Catalog, tier: string): Quote;
  /** One line for people, made from the order each time: a hundred thousand of them need not lie in memory. */
  describe(order: Quote): string;
  /** The message of a success. */
  congratulate(order: Quote): string;
  /** What `data` holds besides the reference. */
  result(order: Order): Record<string, unknown>;
  /** What the reply holds beside `data`. */
  extra?(order: Order): Record<string, unknown>;
}
