/** What a pursuit is given and what it gives; `pursue.ts` is how it runs. */
import type { Attempt, AttemptLimit, ReceiptPace } from './attempt-limit';
import { type Clock, startAge } from '../../domain/clock';
import type { Order } from '../../domain/order';
import { BEGINNING, type Outcome } from '../../domain/outcome';
import type { Journal } from '../../journal/journal';
import type { Credentials } from '../../domain/credentials';
import type { Line } from '../../domain/legacy';
import type { Trace } from '../../domain/trace';
import type { AfterPending } from '../../mapping/mapping';
import type { Upstream, V1Call } from '../../upstream/upstream';
import type { Identify } from '../proof/compare-receipt';
import { LEASE_MOST_MS } from '../proof/quiet-time';

/** What a pursuit does, and what it may do next. `pursue` has one method for each state. */

export const TRANSITIONS = {
  /** The lease is renewed if it is old, the purchase is sent, v1's answer is judged. */
  sending: ['resting', 'concluding'],
  /** The pause before a repetition. */
  resting: ['looking', 'admitting'],
  /** v1's history is read, which buys nothing. */
  looking: ['admitting', 'concluding'],
  /** The repetition waits for its turn, and looks again when none comes. */
  admitting: ['sending', 'looking', 'concluding'],
  /** What is known is written down. */
  concluding: ['following', 'ended'],
  /** The receipt of a charged order is read until it tells the end. */
  following: ['following', 'ended'],
  ended: [],
} as const satisfies Record<string, readonly string[]>;

export type StateName = keyof typeof TRANSITIONS;

/** What each state needs; `nth`: how many attempts were made before, or how often the receipt was read. */
interface Needs {
  sending: { readonly nth: number; readonly attempt: Attempt };
  resting: { readonly nth: number; readonly waitMs: number };
  looking: { readonly nth: number };
  admitting: { readonly nth: number };
  concluding: unknown;
  following: { readonly nth: number };
  ended: unknown;
}

export type In<Name extends StateName> = { [Each in Name]: { readonly name: Each } & Needs[Each] }[Name];
export type State = In<StateName>;
/** What the table allows after the state of this name. */
export type After<Name extends StateName> = In<(typeof TRANSITIONS)[Name][number]>;

/**
 * The durable note that an attempt is beginning. Another process may prove an order absent once the quiet time since this note is over,
 * so an attempt that starts later than half of it renews the note before a byte leaves. Who proves that may have another quiet time than
 * who sends, so no note is good for longer than `LEASE_MOST_MS`.
 */

export interface Lease {
  /** An attempt must begin within this time of the note, and its bytes must leave within this time again: together the quiet time at most. */
  readonly validMs: number;
  /** By the mapping that the order is pursued with. */
  readonly quietMs: number;
  /** Whether an attempt may still begin under it. */
  isValid(): boolean;
  /** Writes the note again. Gives the order as the journal then has it, which another process may have settled; undefined when nothing can be written. */
  renew(order: Order): Promise<Order | undefined>;
}

export interface LeaseParts {
  readonly journal: Pick<Journal, 'settle'>;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Create it before the order is opened: opening writes the first note. */
export function createLease(quietMs: number, parts: LeaseParts): Lease {
  return new JournalLease(quietMs, parts);
}

class JournalLease implements Lease {
  readonly validMs: number;
  readonly quietMs: number;
  readonly #parts: LeaseParts;
  #age: () => number;

  constructor(quietMs: number, parts: LeaseParts) {
    this.validMs = Math.min(quietMs / 2, LEASE_MOST_MS);
    this.quietMs = quietMs;
    this.#parts = parts;
    this.#age = startAge(parts.clock);
  }

  isValid(): boolean {
    return this.#age() <= this.validMs;
  }

  async renew(order: Order): Promise<Order | undefined> {
    const { journal, clock, onTrouble } = this.#parts;
    // Measured from before the writing, which may take long.
    const renewed = startAge(clock);
    try {
      const marked = await journal.settle(order.owner, order.requestId, BEGINNING, clock.now());
      this.#age = renewed;
      return marked;
    } catch (error) {
      onTrouble('settle', error);
      return undefined;
    }
  }
}

export interface PursuitParts {
  readonly upstream: Upstream;
  readonly journal: Journal;
  readonly clock: Clock;
  /** In [0, 1): spreads repetitions. */
  readonly random: () => number;
  readonly attempts: AttemptLimit;
  readonly receipts: ReceiptPace;
  /** True once the gateway is stopping: an order is then pursued only as long as somebody waits to hear its end. */
  readonly isStopping: () => boolean;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** `new`: the journal had no order of this id, or one for which nothing was charged. `replayed`: it was sold before, and is told again. */
export type Beginning = 'new' | 'known' | 'replayed';

export interface PursuitPlan {
  readonly order: Order;
  readonly beginning: Beginning;
  /** What is known of the order before this attempt; `undefined` when nothing of it was ever sent. */
  readonly previous: Outcome | undefined;
  readonly call: V1Call;
  readonly credentials: Credentials;
  readonly clientAddress: string;
  readonly trace?: Trace | undefined;
  /** How long the script that ordered waits. */
  readonly patienceMs: number;
  /** How long an upstream that cannot be reached is tried. */
  readonly reconnectMs: number;
  /** `buy`: the order is sent again also when its script has heard "pending". */
  readonly afterPending: AfterPending;
  /** How long after the patience an order is sent again where `afterPending` is `buy`. */
  readonly pursueMs: number;
  readonly tryMs: number;
  readonly readMs: number;
  /** Renewed before an attempt that begins too long after it was written. */
  readonly lease: Lease;
  /** Tells whether an order that v1 has under an id the journal does not know is this one. */
  readonly identify: Identify;
  /** Looks for the order in v1's history without buying. What is found is in the journal when the promise resolves. */
  readonly look: () => Promise<unknown>;
}

export interface Pursuit {
  readonly beginning: Beginning;
  /** The order as it stands now. */
  current(): Order;
  /**
   * The order once there is something to say: final, rejected, or not sent. While it is pending or unknown this waits,
   * at most so long and no longer than the script stays, and then gives the order as it stands.
   */
  waitFor(patienceMs: number, line?: Line): Promise<Order>;
  /** Lets everybody who waits have the order as it stands. */
  hurry(): void;
  /** Since when v1's answers leave the order open, by `clock.elapsed()`; undefined while the first is awaited, and if it was the last. */
  readonly openSince: number | undefined;
  /** Somebody waits for the end of the order. */
  readonly isAwaited: boolean;
  /** Nothing is on its way at this moment: it waits for `look`, a while at most. */
  readonly isLooking: boolean;
  /** When nothing more will be tried. Never rejects. */
  readonly ended: Promise<void>;
}

/** Somebody who waits for the end of the order. */
export interface Waiter {
  readonly untilMs: number;
}
