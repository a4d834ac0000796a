/**
 * Steps 8 and 9 for one order: send it, send it again while that is safe, ask for its receipt while it is pending, and
 * write down what became of it. The only place with retries. A pursuit belongs to the order, not to the script's
 * connection: it goes on when the script hangs up or has had its answer.
 */
import { within, type Clock } from '../domain/clock';
import type { Credentials } from '../domain/credentials';
import type { Order } from '../domain/order';
import { isFinal, succeedOutcome, UNENDED, type Outcome, type Pending } from '../domain/outcome';
import type { Journal } from '../journal/journal';
import { outcomeOfReceipt } from '../upstream/receipt';
import type { SentOutcome, Upstream, V1Call } from '../upstream/upstream';
import { judgeAnswer, type Identify } from './judge-answer';
import type { RetryBudget } from './retry-budget';
import type { TryMark } from './try-mark';

export interface PursuitParts {
  readonly upstream: Upstream;
  readonly journal: Journal;
  readonly clock: Clock;
  /** In [0, 1): spreads retries. */
  readonly random: () => number;
  readonly budget: RetryBudget;
  /** True once the gateway is stopping: an order is then pursued only as long as somebody waits to hear its end. */
  readonly isStopping: () => boolean;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface PursuitPlan {
  readonly order: Order;
  /** What is known of the order before this try; `undefined` when nothing of it was ever sent. */
  readonly previous: Outcome | undefined;
  readonly call: V1Call;
  readonly credentials: Credentials;
  readonly clientAddress: string;
  /** How long the script that ordered waits. */
  readonly patienceMs: number;
  /** How long an upstream that cannot be reached is tried. */
  readonly reconnectMs: number;
  /** How long the order is pursued in all. */
  readonly deadlineMs: number;
  readonly tryMs: number;
  readonly readMs: number;
  /** The word on disk that this try begins, renewed before any try that comes too long after it. */
  readonly mark: TryMark;
  /** Tells whether an order that v1 has under an id the journal does not know is this one. */
  readonly identify: Identify;
}

export interface Pursuit {
  /** The order as it stands now. */
  current(): Order;
  /**
   * The order once there is something to say: final, rejected, or not sent. While it is pending or unknown this waits,
   * at most so long, and then gives the order as it stands: its outcome is then `pending` or `unknown`.
   */
  waitFor(patienceMs: number): Promise<Order>;
  /** Lets everybody who waits have the order as it stands. */
  hurry(): void;
  /** When nothing more will be tried. Never rejects. */
  readonly ended: Promise<void>;
}

const UNDER_WAY: Outcome = { kind: 'unknown', reason: 'a try is under way' };
const RETRY_FIRST_MS = 200;
const RETRY_MOST_MS = 5_000;
const RECONNECT_MOST_MS = 1_000;
const LIMIT_FIRST_MS = 2_000;
/** What is left for v1's answer after the last wait for a limit to pass. */
const ANSWER_MS = 1_000;
const RENEWALS_MAX = 3;
const POLL_FIRST_MS = 500;
const POLL_MOST_MS = 5_000;

export function pursue(plan: PursuitPlan, parts: PursuitParts): Pursuit {
  const { clock } = parts;
  const startedAt = clock.elapsed();
  const deadline = startedAt + plan.deadlineMs;
  let order: Order = plan.previous === undefined ? plan.order : { ...plan.order, outcome: plan.previous };
  // While a try is under way the money may have moved.
  let known: Outcome | undefined = plan.previous;

  const trySend = async (): Promise<void> => {
    parts.budget.earn();
    for (let attempt = 0; await isMarked(); attempt += 1) {
      const latest = await judgeAnswer(await sendOnce(), {
        order,
        before: known,
        identify: plan.identify,
        journal: parts.journal,
        onTrouble: parts.onTrouble,
      });
      known = succeedOutcome(known, latest);
      const wait = waitBeforeRetry(known, attempt);
      if (wait === undefined || isGivenUp()) return;
      await rest(wait);
      // Whoever may not retry now asks again later: an unknown order is worth waiting for.
      while (!isGivenUp() && !parts.budget.spend() && clock.elapsed() < deadline) await rest(RETRY_MOST_MS);
      if (clock.elapsed() >= deadline || isGivenUp()) return;
    }
  };

  /** False when nothing may be sent: that cannot be written down in time, or the order's word has been spoken elsewhere. */
  const isMarked = async (): Promise<boolean> => {
    // A mark that takes too long to be written is itself too old.
    for (let renewals = 0; !plan.mark.isValid(); renewals += 1) {
      const marked = renewals < RENEWALS_MAX ? await plan.mark.renew(order) : undefined;
      if (marked === undefined) {
        if (known === undefined || isRefusal(known)) known = UNENDED;
        return false;
      }
      if (isSpoken(marked.outcome)) {
        order = marked;
        known = marked.outcome;
        isToldElsewhere = true;
        return false;
      }
    }
    return true;
  };

  /** Milliseconds until another try is safe and worth it, or `undefined`. Always with the same request id. */
  const waitBeforeRetry = (outcome: Outcome, attempt: number): number | undefined => {
    const spent = clock.elapsed() - startedAt;
    const wait = backoff(attempt, RETRY_FIRST_MS, outcome.kind === 'not_sent' ? RECONNECT_MOST_MS : RETRY_MOST_MS);
    // v1 gives the same order back under the same id, so asking again is how an unknown one is found out.
    if (outcome.kind === 'unknown') return spent + wait < plan.deadlineMs ? wait : undefined;
    if (outcome.kind === 'not_sent') return spent + wait < plan.reconnectMs ? wait : undefined;
    if (outcome.kind !== 'rejected' || outcome.httpStatus !== 429) return undefined;
    // Nothing was charged: the limit is v1's, and within the script's patience it may pass.
    // A v1 that says "at once" every time is not asked in a tight circle.
    const asked =
      outcome.retryAfterSeconds === undefined
        ? backoff(attempt, LIMIT_FIRST_MS, RETRY_MOST_MS)
        : Math.max(outcome.retryAfterSeconds * 1_000, wait);
    return spent + asked + ANSWER_MS < plan.patienceMs ? asked : undefined;
  };

  const sendOnce = (): Promise<SentOutcome> =>
    parts.upstream.send(plan.call, plan.order.requestId, {
      credentials: plan.credentials,
      clientAddress: plan.clientAddress,
      // Also what waits for a connection leaves before the quiet time since its mark is over, or not at all.
      timeoutMs: Math.max(1, Math.min(plan.tryMs, plan.mark.validMs, deadline - clock.elapsed())),
    });

  const poll = async (): Promise<void> => {
    for (let attempt = 0; isWaitingForProvider(known) && !isGivenUp(); attempt += 1) {
      // Of an order that was pending before, there may be news already.
      const wait = attempt === 0 && wasPending ? 0 : backoff(attempt, POLL_FIRST_MS, POLL_MOST_MS);
      if (clock.elapsed() + wait > deadline) return;
      await rest(wait);
      const latest = await findReceipt(known.reference, { ...plan, timeoutMs: plan.readMs }, parts.upstream);
      if (latest === undefined) continue;
      known = succeedOutcome(known, latest);
      if (isFinal(known)) await settle();
    }
  };

  /** Writes down what the tries came to, unless another word stands. */
  const conclude = async (): Promise<void> => {
    // "Nothing was charged" closes the order for everybody, also for who has begun it anew since a mark that is too old.
    if (isRefusal(known)) await isMarked();
    if (!isToldElsewhere) return settle();
    hasSettled = true;
    changed.emit();
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

  const isGivenUp = (): boolean => parts.isStopping() && (isHurried || waiting === 0);

  /** Ends early once the order is given up. */
  const rest = async (delayMs: number): Promise<void> => {
    const until = clock.elapsed() + delayMs;
    while (!isGivenUp() && clock.elapsed() < until) await within(clock, until - clock.elapsed(), changed.next());
  };

  const backoff = (attempt: number, firstMs: number, mostMs: number): number => {
    const full = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 10));
    return Math.round(full * (0.5 + parts.random() / 2));
  };

  const changed = createSignal();
  // Charged, and it has a reference: its receipt tells the end, and sending it again could only do harm (specification, 7).
  const wasPending = isWaitingForProvider(plan.previous);
  let hasSettled = wasPending;
  /** What the journal says of the order comes from another process, and stands. */
  let isToldElsewhere = false;
  let hasEnded = false;
  let isHurried = false;
  /** How many wait to hear the end. */
  let waiting = 0;
  const run = async (): Promise<void> => {
    try {
      if (!wasPending) {
        await trySend();
        await conclude();
      }
      await poll();
    } catch (error) {
      parts.onTrouble('pursue', error);
    } finally {
      hasEnded = true;
      changed.emit();
    }
  };
  const ended = run();

  // Until an answer is on disk, only what the journal knew before may be told: a try under way can make a lie of the rest.
  const current = (): Order => (hasSettled ? order : { ...order, outcome: plan.previous ?? UNDER_WAY });
  const isSpeakable = (): boolean => hasSettled && order.outcome?.kind !== 'pending' && order.outcome?.kind !== 'unknown';
  return {
    current,
    ended,
    hurry() {
      isHurried = true;
      changed.emit();
    },
    async waitFor(patienceMs) {
      const until = clock.elapsed() + patienceMs;
      waiting += 1;
      try {
        while (!isSpeakable() && !hasEnded && !isHurried && clock.elapsed() < until)
          await within(clock, until - clock.elapsed(), changed.next());
      } finally {
        waiting -= 1;
      }
      return current();
    },
  };
}

function isWaitingForProvider(outcome: Outcome | undefined): outcome is Pending & { readonly reference: string } {
  return outcome?.kind === 'pending' && outcome.reference !== undefined;
}

function isRefusal(outcome: Outcome | undefined): boolean {
  return outcome?.kind === 'rejected' || outcome?.kind === 'not_sent';
}

/** Another process knows of the order what another try could not better: its end, or that it is charged. */
function isSpoken(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && (isFinal(outcome) || isRefusal(outcome) || isWaitingForProvider(outcome));
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
