import { nairaText } from '../../domain/amount';
import type { Caller } from '../account/account';
import type { Answer } from '../answer';
import { CATEGORIES } from '../catalog/catalog-file';
import type { Fields } from '../field/check-fields';
import { statusOf } from '../order/order';
import { describeOrder } from '../service/purchase-services';
import { Refusal } from '../refusal';
import { watText } from '../wat-time';
import type { World } from '../world';

const PER_PAGE = { default: 20, min: 10, max: 50 };

/** GET /transactions (section 2.4): one row per order, newest first. */
export function transactions(world: World, caller: Caller, query: Fields): Answer {
  const page = wholeNumber(query, 'page', 1, Number.MAX_SAFE_INTEGER, 1);
  const perPage = wholeNumber(query, 'per_page', PER_PAGE.min, PER_PAGE.max, PER_PAGE.default);
  const filter = filterOf(query);
  const all = world.orders.ofWallet(caller.walletId);
  const orders = filter === undefined ? all : all.filter((order) => order.category === filter);
  const end = Math.max(0, orders.length - (page - 1) * perPage);
  const shown = orders.slice(Math.max(0, end - perPage), end).reverse();
  return {
    status: 200,
    isAboutOrder: true,
    body: {
      status: 'success',
      data: {
        transactions: shown.map((order) => ({
          id: order.id,
          transaction_ref: order.reference,
          category: order.category,
          amount: nairaText(order.amount),
          status: statusOf(order),
          description: describeOrder(order),
          created_at: watText(order.createdAt),
        })),
        total: orders.length,
        page,
        per_page: perPage,
        total_pages: Math.ceil(orders.length / perPage),
      },
    },
  };
}

function wholeNumber(query: Fields, name: string, min: number, max: number, fallback: number): number {
  const text = query[name];
  if (text === undefined) return fallback;
  const value = typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new Refusal('invalid_field', name, `must be an integer ${bounds}`);
}

function filterOf(query: Fields): string | undefined {
  const filter = query['filter'];
  if (filter === undefined || filter === '') return undefined;
  const category = CATEGORIES.find((known) => known === filter);
  if (category !== undefined) return category;
  throw new Refusal('invalid_field', 'filter', `must be one of ${CATEGORIES.join(', ')}`);
}
