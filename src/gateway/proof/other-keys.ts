/**
 * v1's history is that of an account, and the journal knows orders by key. An account may have several: a key that was made anew, or two shops
 * that sell from one wallet. So a row of the history that no order of this key has claimed may be the order of another one.
 *
 * v1 takes a request id once (specification, 4): orders of two keys under one id are one order of v1, and no rivals.
 */
import { createLru } from '../../domain/lru';
import type { Order } from '../../domain/order';
import { referenceOf } from '../../domain/outcome';
import type { Journal } from '../../journal/journal';
import type { CallContext, Upstream } from '../../upstream/upstream';
import type { Unclaimed } from './read-history';

export interface OtherKeys {
  /** Whether each of these rows, which speak for the order, is certainly the order of another key. */
  areAllTheirs(order: Order, rows: readonly Unclaimed[]): Promise<boolean>;
  /** The one of these rows that no other key has sold, if none may have: neither that nor another of them. */
  onlyFree(order: Order, rows: readonly Unclaimed[]): Promise<Unclaimed | undefined>;
}

/** How a row stands to an order. `unknown` where the mapping no longer has its operation. */
export type CompareRow = (order: Order, row: Unclaimed) => 'alike' | 'ruled out' | 'neither' | 'unknown';

interface OtherKeysParts {
  readonly journal: Pick<Journal, 'listByReference' | 'listUnsettled' | 'listOfOwner'>;
  readonly upstream: Pick<Upstream, 'find'>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** What one look asks with, once it has read the history. */
interface OfLook {
  readonly context: CallContext;
  readonly compare: CompareRow;
  readonly isTimely: (order: Order, row: Unclaimed) => boolean;
  /** Orders that were opened before can be no rivals. */
  readonly fromMs: number;
}

/** Open orders of all keys: beyond this a rival might be overlooked, and nothing is given away. */
const OPEN_MAX = 20_000;
/** Pairs of keys that are known to be of two accounts. */
const STRANGERS_MAX = 10_000;
/** The newest orders of a key among which one with a reference is looked for. */
const NEWEST_MAX = 200;

/** Remembers which keys are of other accounts. Gives what one look asks. */
export function createOtherKeys(parts: OtherKeysParts): (ofLook: OfLook) => OtherKeys {
  const strangers = createLru<string, true>(STRANGERS_MAX);
  return (ofLook) => new OtherKeysOfLook(parts, ofLook, strangers);
}

type Strangers = ReturnType<typeof createLru<string, true>>;

class OtherKeysOfLook implements OtherKeys {
  readonly #parts: OtherKeysParts;
  readonly #look: OfLook;
  readonly #strangers: Strangers;
  /** Undefined where not all of them can be read. */
  #open: Promise<readonly Order[] | undefined> | undefined;
  /** By reference; undefined where that cannot be read. */
  #owning = new Map<string, Promise<readonly Order[] | undefined>>();

  constructor(parts: OtherKeysParts, look: OfLook, strangers: Strangers) {
    this.#parts = parts;
    this.#look = look;
    this.#strangers = strangers;
  }

  async areAllTheirs(order: Order, rows: readonly Unclaimed[]): Promise<boolean> {
    for (const row of rows) if ((await this.#claimOf(order, row)) !== 'theirs') return false;
    return true;
  }

  async onlyFree(order: Order, rows: readonly Unclaimed[]): Promise<Unclaimed | undefined> {
    if (rows.length === 0) return undefined;
    // Listed before it is asked whose the rows are: what has an end by then has claimed its row.
    this.#open ??= this.#listOpen().finally(() => this.#owning.clear());
    const open = await this.#open;
    let free: Unclaimed | undefined;
    for (const row of rows) {
      const claim = await this.#claimOf(order, row);
      if (claim === 'theirs') continue;
      if (claim === 'unclear' || free !== undefined) return undefined;
      free = row;
    }
    return free === undefined || open === undefined || (await this.#isRivalled(order, free, open)) ? undefined : free;
  }

  /** `unclear` where it may be the order of another key, or where nobody can tell. */
  async #claimOf(order: Order, row: Unclaimed): Promise<'theirs' | 'unclear' | 'none'> {
    const { compare, isTimely } = this.#look;
    const owning = this.#owning.get(row.reference) ?? this.#listOwning(row.reference);
    this.#owning.set(row.reference, owning);
    const others = (await owning)?.filter((other) => this.#isOfAnother(order, other));
    if (others === undefined) return 'unclear';
    // An order that is provably another sale has its reference from another v1: the sandbox.
    const claims = others.map((other) => ({ other, is: compare(other, row) })).filter(({ is }) => is !== 'ruled out');
    if (claims.length === 0) return 'none';
    return claims.some(({ other, is }) => is === 'alike' && isTimely(other, row)) ? 'theirs' : 'unclear';
  }

  /** Whether an order that another key has open may be this row as well. */
  async #isRivalled(order: Order, row: Unclaimed, open: readonly Order[]): Promise<boolean> {
    const { compare, isTimely } = this.#look;
    for (const other of open) {
      // One that waits for its provider has its own row.
      if (!this.#isOfAnother(order, other) || referenceOf(other.outcome) !== undefined || !isTimely(other, row)) continue;
      const is = compare(other, row);
      if ((is === 'alike' || is === 'unknown') && !(await this.#isStranger(other.owner))) return true;
    }
    return false;
  }

  /** v1 shows a key the receipts of its own account alone. A key to which it has sold nothing yet is taken for another account's. */
  async #isStranger(owner: string): Promise<boolean> {
    const { journal, upstream } = this.#parts;
    const { context } = this.#look;
    const pair = `${context.credentials.fingerprint} ${owner}`;
    if (this.#strangers.has(pair)) return true;
    const newest = journal.listOfOwner({ owner, newestFirst: true, limit: NEWEST_MAX, onUnreadable: () => undefined });
    for await (const { outcome } of newest) {
      const reference = referenceOf(outcome);
      if (reference === undefined) continue;
      const finding = await upstream.find({ method: 'GET', path: '/receipt', query: { reference } }, context);
      const isStranger = finding.kind === 'refused' && finding.httpStatus === 404;
      if (isStranger) this.#strangers.set(pair, true);
      return isStranger;
    }
    return true;
  }

  #isOfAnother(order: Order, other: Order): boolean {
    return other.owner !== order.owner && other.requestId !== order.requestId;
  }

  async #listOpen(): Promise<readonly Order[] | undefined> {
    const orders = await this.#orTell(this.#parts.journal.listUnsettled({ fromMs: this.#look.fromMs, limit: OPEN_MAX }));
    return orders?.length === OPEN_MAX ? undefined : orders;
  }

  #listOwning(reference: string): Promise<readonly Order[] | undefined> {
    return this.#orTell(this.#parts.journal.listByReference(reference));
  }

  async #orTell<T>(reading: Promise<T>): Promise<T | undefined> {
    try {
      return await reading;
    } catch (error) {
      this.#parts.onTrouble('reconcile', error);
      return undefined;
    }
  }
}
