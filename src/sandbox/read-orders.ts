import { nairaNumber, nairaText } from '../domain/amount';
import type { Caller } from './account';
import { Refusal, succeed, type Answer } from './answer';
import { CATEGORIES } from './catalog';
import { watText } from './clock';
import type { Fields } from './fields';
import { cashbackBook, walletBook } from './order/ledger';
import { providerReference } from './order/mint';
import { statusOf, type Order } from './order/order';
import { describeOrder } from './services';
import type { World } from './world';

/** GET /balance (section 2.1). */
export function readBalance(world: World, caller: Caller): Answer {
  return succeed({
    wallet_balance: nairaNumber(world.ledger.balance(walletBook(caller.walletId))),
    cashback_balance: nairaNumber(world.ledger.balance(cashbackBook(caller.walletId))),
    currency: 'NGN',
    sandbox: caller.mode === 'sandbox',
  });
}

/** GET /receipt. An order that has been pending for more than two minutes is re-checked with the provider first. */
export function readReceipt(world: World, caller: Caller, query: Fields): Answer {
  const reference = query['reference'];
  if (reference === undefined || reference === '') throw new Refusal('missing_field', 'reference');
  const order = typeof reference === 'string' ? world.orders.findByReference(caller.walletId, reference) : undefined;
  if (order === undefined) throw new Refusal('unknown_reference');
  world.cashier.recheck(order);
  return { ...succeed(record(order), { success: true }), isAboutOrder: true };
}

/** The data of a receipt (section 2.3). */
function record(order: Order): Record<string, unknown> {
  return {
    id: order.id,
    reference: order.reference,
    transaction_ref: order.reference,
    category: order.category,
    type: 'debit',
    amount: nairaNumber(order.amount),
    status: statusOf(order),
    description: describeOrder(order),
    phone: order.number,
    balance_before: nairaNumber(order.balanceBefore),
    balance_after: nairaNumber(order.balanceAfter),
    charge: nairaNumber(order.charge),
    provider_ref: order.status === 'pending' ? null : providerReference(order.reference),
    created_at: watText(order.createdAt),
    pins: order.pins,
    token: order.token,
    meta: order.meta,
    recharge_card:
      order.category === 'recharge_card'
        ? { network: order.network, denomination: order.meta['denomination'], name_on_card: order.meta['name_on_card'] }
        : null,
  };
}

const PER_PAGE = { default: 20, min: 10, max: 50 };

/** GET /transactions (section 2.4): one row per order, newest first. */
export function readTransactions(world: World, caller: Caller, query: Fields): Answer {
  const page = wholeNumber(query, 'page', 1, Number.MAX_SAFE_INTEGER, 1);
  const perPage = wholeNumber(query, 'per_page', PER_PAGE.min, PER_PAGE.max, PER_PAGE.default);
  const filter = filterOf(query);
  const all = world.orders.ofWallet(caller.walletId);
  const orders = filter === undefined ? all : all.filter((order) => order.category === filter);
  const end = Math.max(0, orders.length - (page - 1) * perPage);
  const shown = orders.slice(Math.max(0, end - perPage), end).reverse();
  const transactions = shown.map((order) => ({
    id: order.id,
    transaction_ref: order.reference,
    category: order.category,
    amount: nairaText(order.amount),
    status: statusOf(order),
    description: describeOrder(order),
    created_at: watText(order.createdAt),
  }));
  const total = orders.length;
  const data = { transactions, total, page, per_page: perPage, total_pages: Math.ceil(total / perPage) };
  return { ...succeed(data), isAboutOrder: true };
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
