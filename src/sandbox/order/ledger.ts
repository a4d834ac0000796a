import { kobo, ZERO_KOBO, type AmountMinor } from '../../domain/amount';
import { numberKey, type Store } from '../store/store';

/** The books of the house; each wallet adds `wallet:<id>` and `cashback:<id>`. */
export type HouseBook = 'funding' | 'revenue' | 'fees' | 'promotion';
export type BookName = HouseBook | `wallet:${string}` | `cashback:${string}`;

export type PostingKind = 'opening' | 'adjustment' | 'charge' | 'refund' | 'cashback';

/** One double entry: its lines add up to nothing. A posting is never changed; a correcting one is added. */
export interface Posting {
  readonly kind: PostingKind;
  readonly orderId: number | null;
  readonly at: number;
  readonly lines: readonly (readonly [book: BookName, amount: AmountMinor])[];
}

/** The lines of a plain transfer. */
export function transferLines(from: BookName, to: BookName, amount: AmountMinor): Posting['lines'] {
  return [
    [from, kobo(0 - amount)],
    [to, amount],
  ];
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
    const sum = posting.lines.reduce((total, [, amount]) => total + amount, 0);
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
    for (const [book, amount] of posting.lines) this.#balances.set(book, (this.#balances.get(book) ?? 0) + amount);
  }
}
