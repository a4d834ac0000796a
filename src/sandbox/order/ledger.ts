import { kobo, ZERO_KOBO, type AmountMinor } from '../../domain/amount';
import { numberKey, type Store } from '../store/store';

/** The books of the house; each wallet adds `wallet:<id>` and `cashback:<id>`. */
export type HouseBook = 'funding' | 'revenue' | 'fees' | 'promotion';
export type BookName = HouseBook | `wallet:${string}` | `cashback:${string}`;

export type PostingKind = 'opening' | 'adjustment' | 'charge' | 'refund' | 'cashback';

/** Book, amount, book, amount, …: flat, because there are as many of these as of anything. */
export type Lines = readonly (BookName | AmountMinor)[];

/** One double entry: its lines add up to nothing. A posting is never changed; a correcting one is added. */
export interface Posting {
  readonly kind: PostingKind;
  readonly orderId: number | null;
  readonly at: number;
  readonly lines: Lines;
}

/** The lines of a plain transfer. */
export function transferLines(from: BookName, to: BookName, amount: AmountMinor): Lines {
  return [from, kobo(0 - amount), to, amount];
}

/** Calls `visit` with each line. */
export function eachLine(lines: Lines, visit: (book: BookName, amount: AmountMinor) => void): void {
  for (let index = 0; index + 1 < lines.length; index += 2) visit(lines[index] as BookName, lines[index + 1] as AmountMinor);
}

const names = new Map<string, BookName>();

/** The same string each time, so that a hundred thousand postings share it. */
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

/** Balances in memory, postings in the store. */
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
