/**
 * Steps 8 and 9 for one order: send it, send it again while that is safe, ask for its receipt while it is pending, and
 * write down what became of it. The only place with retries. A pursuit belongs to the order, not to the script's
 * connection: it goes on when the script hangs up or has had its answer.
 */
import { pause, within, type Clock } from '../domain/clock';
import type { Credentials } from '../domain/credentials';
import type { Order } from '../domain/order';
import { isFinal, succeedOutcome, type Outcome } from '../domain/outcome';
import type { Journal } from '../journal/journal';
import { outcomeOfReceipt } from '../upstream/receipt';
import type { SentOutcome, Upstream, V1Call } from '../upstream/upstream';

export interface PursuitParts {
  readonly upstream: Upstream;
  readonly journal: Journal;
  readonly clock: Clock;
  /** In [0, 1): spreads retries. */
  readonly random: () => number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface PursuitPlan {
  readonly order: Order;
  /** What is known of the order before this try; `undefined` when nothing of it was ever sent. */
  readonly previous: Outcome | undefined;
  readonly call: V1Call;
  readonly credentials: Credentials;
  readonly clientAddress: string;
  /** How long an upstream that cannot be reached is tried. */
  readonly reconnectMs: number;
  /** How long the order is pursued in all. */
  readonly deadlineMs: number;
  readonly tryMs: number;
  readonly readMs: number;
  /** Tells whether the order that v1 has under an id the journal does not know is this one. */
  readonly identify: (reference: string) => Promise<'same' | 'other' | 'unclear'>;
}

export interface Pursuit {
  /** The order as it stands now. */
  current(): Order;
  /**
   * The order once there is something to say: final, rejected, or not sent. While it is pending or unknown this waits,
   * at most so long, and then gives the order as it stands: its outcome is then `pending` or `unknown`.
   */
  waitFor(patienceMs: number): Promise<Order>;
  /** When nothing more will be tried. Never rejects. */
  readonly ended: Promise<void>;
}

const RETRY_FIRST_MS = 200;
const RETRY_MOST_MS = 5_000;
const POLL_FIRST_MS = 500;
const POLL_MOST_MS = 5_000;

export function pursue(plan: PursuitPlan, parts: PursuitParts): Pursuit {
  const { clock } = parts;
  const startedAt = clock.now();
  const deadline = startedAt + plan.deadlineMs;
  let order = plan.order;
  // While a try is under way the money may have moved.
  let known: Outcome | undefined = plan.previous;

  const trySend = async (): Promise<void> => {
    for (let attempt = 0; ; attempt += 1) {
      const latest = await judge(await sendOnce(), known);
      known = succeedOutcome(known, latest);
      const left = deadline - clock.now();
      const isWorthAnother =
        known.kind === 'unknown'
          ? left > 0
          : latest.kind === 'not_sent' && known.kind === 'not_sent' && clock.now() - startedAt < plan.reconnectMs;
      if (!isWorthAnother) return;
      await pause(clock, backoff(attempt, RETRY_FIRST_MS, known.kind === 'unknown' ? RETRY_MOST_MS : 1_000));
    }
  };

  const sendOnce = (): Promise<SentOutcome> =>
    parts.upstream.send(plan.call, plan.order.requestId, {
      credentials: plan.credentials,
      clientAddress: plan.clientAddress,
      timeoutMs: Math.max(1, Math.min(plan.tryMs, deadline - clock.now())),
    });

  const judge = async (sent: SentOutcome, before: Outcome | undefined): Promise<Outcome> => {
    // An order under this id that this journal never sent: another gateway, another key, or somebody else's sale.
    const isUnexpected = sent.isDuplicate && (before === undefined || before.kind === 'not_sent' || before.kind === 'rejected');
    if (!isUnexpected || !('reference' in sent.outcome) || sent.outcome.reference === undefined) return sent.outcome;
    const identity = await plan.identify(sent.outcome.reference);
    if (identity === 'same') return sent.outcome;
    if (identity === 'unclear')
      return { kind: 'unknown', reason: 'v1 has an order under this request id that cannot be told from this one' };
    return {
      kind: 'rejected',
      httpStatus: 409,
      message: 'This request id belongs to another order. Nothing was charged for this one.',
    };
  };

  const poll = async (): Promise<void> => {
    for (let attempt = 0; known?.kind === 'pending' && known.reference !== undefined; attempt += 1) {
      const wait = backoff(attempt, POLL_FIRST_MS, POLL_MOST_MS);
      if (clock.now() + wait > deadline) return;
      await pause(clock, wait);
      const latest = await findReceipt(known.reference, { ...plan, timeoutMs: plan.readMs }, parts.upstream);
      if (latest === undefined) continue;
      known = succeedOutcome(known, latest);
      if (isFinal(known)) await settle();
    }
  };

  const settle = async (): Promise<void> => {
    try {
      const settled = await parts.journal.settle(order.owner, order.requestId, known!, clock.now());
      // The journal keeps no goods; the reply needs them.
      order = settled.outcome?.kind === known!.kind ? { ...settled, outcome: known! } : settled;
    } catch (error) {
      parts.onTrouble('settle', error);
      // What is not on disk cannot be promised: the next look at the order would not know it.
      known = { kind: 'unknown', reason: 'the outcome could not be written' };
      order = { ...order, outcome: known };
    }
    hasSettled = true;
    changed.emit();
  };

  const backoff = (attempt: number, firstMs: number, mostMs: number): number => {
    const full = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 10));
    return Math.round(full * (0.5 + parts.random() / 2));
  };

  const changed = createSignal();
  let hasSettled = false;
  let hasEnded = false;
  const run = async (): Promise<void> => {
    try {
      await trySend();
      await settle();
      await poll();
    } catch (error) {
      parts.onTrouble('pursue', error);
    } finally {
      hasEnded = true;
      changed.emit();
    }
  };
  const ended = run();

  const current = (): Order =>
    hasSettled ? order : { ...order, outcome: known ?? { kind: 'unknown', reason: 'a try is under way' } };
  const isSpeakable = (): boolean => hasSettled && order.outcome?.kind !== 'pending' && order.outcome?.kind !== 'unknown';
  return {
    current,
    ended,
    async waitFor(patienceMs) {
      const until = clock.now() + patienceMs;
      while (!isSpeakable() && !hasEnded && clock.now() < until) await within(clock, until - clock.now(), changed.next());
      return current();
    },
  };
}

/** Lets several wait for the next change. */
function createSignal(): { emit(): void; next(): Promise<void> } {
  let waiting: (() => void)[] = [];
  return {
    emit() {
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
  };
}

export interface ReceiptQuestion {
  readonly credentials: Credentials;
  readonly clientAddress: string;
  readonly timeoutMs: number;
}

/** What the receipt says, or `undefined` when it cannot be had or says nothing. */
export async function findReceipt(
  reference: string,
  question: ReceiptQuestion,
  upstream: Upstream,
): Promise<Outcome | undefined> {
  const finding = await upstream.find({ method: 'GET', path: '/receipt', query: { reference } }, question);
  if (finding.kind !== 'found') return undefined;
  const outcome = outcomeOfReceipt(finding.body);
  // A receipt of another order says nothing of this one.
  return outcome !== undefined && 'reference' in outcome && outcome.reference === reference ? outcome : undefined;
}
