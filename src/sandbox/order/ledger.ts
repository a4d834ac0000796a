import { kobo, ZERO_KOBO, type AmountMinor } from '../../domain/amount';
import { numberKey, type Store } from '../store/store';
import type { Order } from './order';

/** The books that belong to no wallet. Each wallet adds `wallet:<id>` and `cashback:<id>`. */
type HouseBook = 'funding' | 'revenue' | 'fees' | 'promotion';
type BookName = HouseBook | `wallet:${string}` | `cashback:${string}`;

/** Book, amount, book, amount, … in one flat array: postings are the most numerous objects here, so their memory counts. */
export type Lines = readonly (BookName | AmountMinor)[];

/** One double entry; its lines add up to zero. A posting is never changed: a mistake is corrected by another posting. */
export interface Posting {
  readonly kind: 'opening' | 'adjustment' | 'charge' | 'refund' | 'cashback';
  readonly orderId: number | null;
  readonly at: number;
  readonly lines: Lines;
}

/** The two lines of a transfer from one book to another. */
export function transferLines(from: BookName, to: BookName, amount: AmountMinor): Lines {
  return [from, kobo(0 - amount), to, amount];
}

function eachLine(lines: Lines, visit: (book: BookName, amount: AmountMinor) => void): void {
  for (let index = 0; index + 1 < lines.length; index += 2) visit(lines[index] as BookName, lines[index + 1] as AmountMinor);
}

const names = new Map<string, BookName>();

/** Returns the same string object for the same name, so that a hundred thousand postings share it. */
function bookName(prefix: 'wallet' | 'cashback', walletId: string): BookName {
  const name = `${prefix}:${walletId}` as const;
  const known = names.get(name);
  if (known === undefined) names.set(name, name);
  return known ?? name;
}

export function walletBook(walletId: string): BookName {
  return bookName('wallet', walletId);
}

export function cashbackBook(walletId: string): BookName {
  return bookName('cashback', walletId);
}

/** The double-entry ledger: its balances are in memory, its postings in the store. */
export class Ledger {
  readonly #store: Store;
  readonly #balances = new Map<BookName, number>();
  #lastId = 0;

  constructor(store: Store) {
    this.#store = store;
    for (const [key, posting] of store.entries<Posting>('posting')) {
      this.#lastId = Number(key);
      this.#apply(posting);
    }
  }

  balance(book: BookName): AmountMinor {
    return kobo(this.#balances.get(book) ?? ZERO_KOBO);
  }

  has(book: BookName): boolean {
    return this.#balances.has(book);
  }

  post(posting: Posting): void {
    let sum = 0;
    eachLine(posting.lines, (_book, amount) => (sum += amount));
    if (sum !== 0) throw new Error(`a ${posting.kind} posting is out of balance by ${sum} kobo`);
    this.#apply(posting);
    this.#lastId += 1;
    this.#store.put('posting', numberKey(this.#lastId), posting);
  }

  books(): ReadonlyMap<BookName, number> {
    return this.#balances;
  }

  postings(): Iterable<readonly [string, Posting]> {
    return this.#store.entries<Posting>('posting');
  }

  #apply(posting: Posting): void {
    eachLine(posting.lines, (book, amount) => this.#balances.set(book, (this.#balances.get(book) ?? 0) + amount));
  }
}

export type LedgerReport = ReturnType<typeof checkLedger>;

/**
 * Checks the invariants. Every posting and all books together add up to zero. The balance of each book equals the sum of its
 * postings. No wallet is below zero. Each order has cost its wallet exactly its charge, or nothing if it failed. The report has one sentence per fault, and balances in kobo.
 */
export function checkLedger(ledger: Ledger, orders: Iterable<Order>) {
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
