import { kobo, ZERO_KOBO } from '../../domain/amount';
import type { Clock } from '../clock';
import { cashbackBook, transferLines, walletBook, type Ledger, type Lines } from './ledger';
import type { Mint } from './mint';
import type { Course } from './mood';
import type { FinalStatus, Order, Quote } from './order';
import type { OrderBook } from './order-book';

// Section 3, last row: a pending order older than this is re-checked with the provider when its receipt is read.
const RECHECK_AFTER_MS = 2 * 60_000;

interface CashierParts {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly orders: OrderBook;
  readonly mint: Mint;
  /** Called in the same turn of the event loop as the order's change, so that both reach the disk together. */
  readonly onFinal: (order: Order) => void;
}

/** Posts all charges, refunds and cashback. It alone changes the status of orders, by the transition table of section 3. */
export class Cashier {
  readonly #parts: CashierParts;

  constructor(parts: CashierParts) {
    this.#parts = parts;
  }

  /** Charges the wallet, then gives the order the status that the provider reports at once according to `course`. */
  accept(walletId: string, quote: Quote, requestId: string | null, course: Course): Order {
    const { clock, ledger, orders, mint } = this.#parts;
    const id = orders.nextId();
    const balanceBefore = ledger.balance(walletBook(walletId));
    const now = clock.now();
    const order: Order = {
      // Field by field, because a spread would make the object slow and twice as large.
      category: quote.category,
      number: quote.number,
      network: quote.network,
      amount: quote.amount,
      charge: quote.charge,
      fee: quote.fee,
      cashback: quote.cashback,
      identity: quote.identity,
      cards: quote.cards,
      hasToken: quote.hasToken,
      meta: quote.meta,
      id,
      reference: mint.reference(id),
      walletId,
      requestId,
      createdAt: now,
      status: 'pending',
      balanceBefore,
      balanceAfter: kobo(balanceBefore - quote.charge),
      token: null,
      pins: [],
      due: course.later === undefined ? null : { at: now + course.later.afterMs, result: course.later.result },
      toldWhenAsked: course.toldWhenAsked ?? null,
      isProcessing: course.isProcessing ?? false,
    };
    this.#post('charge', order, priceLines(order, -1));
    if (course.first !== 'pending') this.#finish(order, course.first);
    orders.add(order);
    if (order.status !== 'pending') this.#parts.onFinal(order);
    this.watch(order);
    return order;
  }

  /** Settles a pending order when its result falls due. After a restart the result may be overdue, and the order is settled at once. */
  watch(order: Order): void {
    const { due } = order;
    if (order.status !== 'pending' || due === null) return;
    this.#parts.clock.setTimer(due.at - this.#parts.clock.now(), () => {
      if (order.status === 'pending') this.settle(order, due.result);
    });
  }

  /** Gives a pending order its final status. Throws if it is final already: nothing follows success or failed. */
  settle(order: Order, result: FinalStatus): void {
    if (order.status !== 'pending') throw new Error(`order ${order.reference} is ${order.status} already`);
    this.#finish(order, result);
    this.#parts.orders.keep(order);
    this.#parts.onFinal(order);
  }

  /** Settles an order that has been pending for more than two minutes, if the provider reports its result only when asked. */
  recheck(order: Order): void {
    if (order.status !== 'pending' || order.toldWhenAsked === null) return;
    if (this.#parts.clock.now() - order.createdAt > RECHECK_AFTER_MS) this.settle(order, order.toldWhenAsked);
  }

  #finish(order: Order, result: FinalStatus): void {
    order.status = result;
    order.due = null;
    order.toldWhenAsked = null;
    if (result === 'failed') {
      this.#post('refund', order, priceLines(order, 1));
      order.balanceAfter = this.#parts.ledger.balance(walletBook(order.walletId));
      return;
    }
    if (order.hasToken) order.token = this.#parts.mint.token(order.id);
    if (order.cards > 0) order.pins = this.#parts.mint.cards(order.id, order.cards);
    if (order.cashback > 0) {
      this.#post('cashback', order, transferLines('promotion', cashbackBook(order.walletId), order.cashback));
    }
  }

  #post(kind: 'charge' | 'refund' | 'cashback', order: Order, lines: Lines): void {
    this.#parts.ledger.post({ kind, orderId: order.id, at: this.#parts.clock.now(), lines });
  }
}

/** The lines by which the wallet pays the charge (-1) or gets it back (1). The fee of the electricity company has its own book. */
function priceLines({ walletId, charge, fee }: Order, sign: 1 | -1): Lines {
  const wallet = walletBook(walletId);
  if (fee === ZERO_KOBO) return [wallet, kobo(sign * charge), 'revenue', kobo(-sign * charge)];
  return [wallet, kobo(sign * charge), 'revenue', kobo(-sign * (charge - fee)), 'fees', kobo(-sign * fee)];
}
