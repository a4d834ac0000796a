/** What a pursuit is given and what it gives; `pursue.ts` is how it runs. */
import type { Clock } from '../../domain/clock';
import type { Credentials } from '../../domain/credentials';
import type { Line } from '../../domain/legacy';
import type { Order } from '../../domain/order';
import type { Outcome } from '../../domain/outcome';
import type { Journal } from '../../journal/journal';
import type { AfterPending } from '../../mapping/mapping';
import type { Upstream, V1Call } from '../../upstream/upstream';
import type { AttemptLimit } from './attempt-limit';
import type { Identify } from '../proof/identify-order';
import type { Lease } from './lease';
import type { ReceiptPace } from './receipt-pace';

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
  /** Nothing is on its way at this moment: it waits for `look`, a while at most. */
  readonly isLooking: boolean;
  /** When nothing more will be tried. Never rejects. */
  readonly ended: Promise<void>;
}

/** Somebody who waits for the end of the order. */
export interface Waiter {
  readonly untilMs: number;
}
