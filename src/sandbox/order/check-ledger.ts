import { eachLine, type Ledger } from './ledger';
import type { Order } from './order';

export interface LedgerReport {
  readonly isBalanced: boolean;
  /** In words, one sentence each; empty when all is well. */
  readonly faults: readonly string[];
  /** In kobo. */
  readonly books: Readonly<Record<string, number>>;
  readonly postings: number;
  readonly orders: number;
}

/**
 * The invariant: every posting and all books together add up to nothing, the books say what the postings say, no wallet is
 * in debt, and each order has cost its wallet exactly its charge, or nothing when it failed.
 */
export function checkLedger(ledger: Ledger, orders: Iterable<Order>): LedgerReport {
  const faults: string[] = [];
  const books = new Map<string, number>();
  const paid = new Map<number, number>();
  let postings = 0;
  for (const [key, posting] of ledger.postings()) {
    postings += 1;
    let sum = 0;
    const { orderId } = posting;
    eachLine(posting.lines, (book, amount) => {
      sum += amount;
      books.set(book, (books.get(book) ?? 0) + amount);
      if (orderId !== null && book.startsWith('wallet:')) paid.set(orderId, (paid.get(orderId) ?? 0) - amount);
    });
    if (sum !== 0) faults.push(`posting ${Number(key)} is out of balance by ${sum} kobo`);
  }
  let total = 0;
  for (const [book, balance] of ledger.books()) {
    total += balance;
    if (books.get(book) !== balance) faults.push(`${book} holds ${balance} kobo, its postings say ${books.get(book) ?? 0}`);
    if (balance < 0 && book.startsWith('wallet:')) faults.push(`${book} is in debt by ${-balance} kobo`);
  }
  if (total !== 0) faults.push(`the books are out of balance by ${total} kobo`);
  let count = 0;
  for (const order of orders) {
    count += 1;
    const expected = order.status === 'failed' ? 0 : order.charge;
    const cost = paid.get(order.id) ?? 0;
    if (cost !== expected) faults.push(`order ${order.reference} cost ${cost} kobo instead of ${expected}`);
  }
  return { isBalanced: faults.length === 0, faults, books: Object.fromEntries(ledger.books()), postings, orders: count };
}
