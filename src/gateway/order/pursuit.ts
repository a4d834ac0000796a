/** The types of a pursuit (its states, its input, what its callers see of it) and the lease of an attempt. `pursue.ts` runs it. */
import type { Attempt, AttemptLimit } from './attempt-limit';
import { type Clock, startAge } from '../../domain/clock';
import type { Order } from '../../domain/order';
import { ATTEMPT_BEGINS, type Outcome, type Unknown } from '../../domain/outcome';
import type { Journal } from '../../journal/journal';
import type { Credentials } from '../../domain/credentials';
import type { Line } from '../../domain/legacy';
import type { Trace } from '../../domain/trace';
import type { AfterPending } from '../../mapping/mapping';
import type { Upstream, V1Call } from '../../upstream/upstream';
import type { Identify } from './judge-answer';
import type { ReceiptPace } from '../proof/find-receipt';
import { LEASE_MOST_MS } from '../proof/quiet-time';

/** The states of a pursuit, and which state may follow which. `pursue.ts` has one method for each state. */
export const TRANSITIONS = {
  /** The lease is renewed if it is old, the purchase is sent, v1's answer is judged. */
  sending: ['resting', 'concluding'],
  /** The pause before a repetition. */
  resting: ['looking', 'admitting'],
  /** v1's history is read, which buys nothing. */
  looking: ['admitting', 'concluding'],
  /** The repetition waits for its turn. If no turn comes in time, v1's history is read again. */
  admitting: ['sending', 'looking', 'concluding'],
  /** The outcome is written into the journal. */
  concluding: ['following', 'ended'],
  /** The receipt of a charged order is read until it shows a final outcome. */
  following: ['following', 'ended'],
  ended: [],
} as const satisfies Record<string, readonly string[]>;

type StateName = keyof typeof TRANSITIONS;

/** The data of each state. `nth` counts the attempts before this state, or in `following` the readings of the receipt. */
interface Needs {
  sending: { readonly nth: number; readonly attempt: Attempt };
  resting: { readonly nth: number; readonly waitMs: number };
  looking: { readonly nth: number };
  admitting: { readonly nth: number };
  concluding: unknown;
  following: { readonly nth: number };
  ended: unknown;
}

export type StateOf<Name extends StateName> = { [Each in Name]: { readonly name: Each } & Needs[Each] }[Name];
export type State = StateOf<StateName>;
/** The states that `TRANSITIONS` allows after the state of this name. */
export type StateAfter<Name extends StateName> = StateOf<(typeof TRANSITIONS)[Name][number]>;

interface LeaseParts {
  readonly journal: Pick<Journal, 'settle'>;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * The durable note that an attempt is beginning. Once the quiet time since this note is over, another process may prove the order absent.
 * So an attempt that begins later than half the quiet time writes the note again before a byte leaves. The process that proves and the
 * process that sends may have mappings with different quiet times, so no note is valid for longer than `LEASE_MOST_MS`.
 * Create the lease before the order is opened: opening writes the first note.
 */
export class Lease {
  /** An attempt must begin within this time after the note, and be over within the same time after that. The sum is at most the quiet time. */
  readonly validMs: number;
  /** The quiet time of the mapping that the order is pursued with. */
  readonly quietMs: number;
  /** The order as the note that was written last stands in the journal; undefined while that of the opening is the only one. */
  marked: Order | undefined;
  readonly #parts: LeaseParts;
  #age: () => number;

  constructor(quietMs: number, parts: LeaseParts) {
    this.validMs = Math.min(quietMs / 2, LEASE_MOST_MS);
    this.quietMs = quietMs;
    this.#parts = parts;
    this.#age = startAge(parts.clock);
  }

  /** Whether an attempt may still begin under this note. */
  isValid(): boolean {
    return this.#age() <= this.validMs;
  }

  /** Writes the note again. Resolves with the order in the journal, which another process may have settled; undefined when writing fails. */
  async renew(order: Order): Promise<Order | undefined> {
    const { journal, clock, onTrouble } = this.#parts;
    // The age counts from before the writing, because writing may take long.
    const renewed = startAge(clock);
    try {
      const marked = await journal.settle(order.owner, order.requestId, ATTEMPT_BEGINS, clock.now());
      this.#age = renewed;
      this.marked = marked;
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
  readonly attempts: Pick<AttemptLimit, 'begin' | 'admit'>;
  readonly receipts: ReceiptPace;
  /** True once the gateway is stopping. From then on an order is pursued only while a script waits for its end. */
  readonly isStopping: () => boolean;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * `opened`: the journal had no order of this id, or one without a charge (`reopened` in the journal's words). `found`: the order stands already.
 * `replayed`: it was sold before, and its success is told again.
 */
export type OpeningKind = 'opened' | 'found' | 'replayed';

export interface PursuitPlan {
  readonly order: Order;
  readonly openingKind: OpeningKind;
  /** The outcome before this attempt; `undefined` when nothing was ever sent for the order. */
  readonly previous: Outcome | undefined;
  /** An earlier attempt may still be under way at another process. */
  readonly isBesideAnother: boolean;
  readonly call: V1Call;
  readonly credentials: Credentials;
  readonly clientAddress: string;
  readonly trace?: Trace | undefined;
  /** How long the script that ordered waits. */
  readonly patienceMs: number;
  /** For how long attempts go on while v1 cannot be reached. */
  readonly reconnectMs: number;
  /** `buy`: the order is sent again even after its script has heard "pending". */
  readonly afterPending: AfterPending;
  /** How long after the patience an order is sent again where `afterPending` is `buy`. */
  readonly pursueMs: number;
  /** The time limit of one attempt. */
  readonly attemptMs: number;
  /** The time limit of one read from v1. */
  readonly readMs: number;
  /** Renewed before an attempt that begins when it is no longer valid. */
  readonly lease: Lease;
  /** Compares v1's receipt of a reference with this order: for a duplicate that the journal does not know. */
  readonly identify: Identify;
  /** To be asked before an attempt: the outcome with which nothing is sent any more, because another process has an order of this sale. */
  readonly findElsewhere: () => Promise<Unknown | undefined>;
  /** Looks for the order in v1's history, and buys nothing. When the promise resolves, the finding is in the journal. */
  readonly look: () => Promise<unknown>;
}

export interface Pursuit {
  readonly openingKind: OpeningKind;
  /** The order as it stands now. */
  current(): Order;
  /**
   * Resolves with the order once it is final, rejected or not sent. A pending or unknown order is waited for, at most
   * `patienceMs` and no longer than the script stays; then the promise resolves with the order as it is. `afterPending`: that of this script; of the
   * request that began the pursuit unless given.
   */
  waitFor(patienceMs: number, line?: Line, afterPending?: AfterPending): Promise<Order>;
  /** Ends all waiting: every `waitFor` resolves with the order as it is. */
  endWaiting(): void;
  /** When v1's first answer left the order open, by `clock.elapsed()`. Undefined before that answer, and if it ended the pursuit. */
  readonly openSince: number | undefined;
  /** Whether a script waits for the end of the order. */
  readonly isAwaited: boolean;
  /** True while the pursuit waits for `look`: nothing of the order is on its way to v1 from this process. */
  readonly isLooking: boolean;
  /** Whether all attempts of the order as it stands in the journal are of this pursuit: no other process may be sending it. */
  isOnlyOf(order: Order): boolean;
  /** Resolves when nothing more is sent for the order. Never rejects. */
  readonly ended: Promise<void>;
}

/** A request that waits for the end of the order. */
export interface Waiter {
  /** By `clock.elapsed()`. */
  readonly untilMs: number;
  readonly afterPending: AfterPending;
}
