/**
 * Steps 8 and 9 for one order: send it, send it again while that is safe, ask for its receipt while it is pending, and
 * write down what became of it. The only place that sends a purchase again. A pursuit belongs to the order, not to the
 * script's connection: what is on its way is finished when the script hangs up or has had its answer.
 *
 * To send a purchase again is to ask and to buy. Once nobody waits for the order any more its script has heard "pending",
 * or nothing, and most scripts have refunded by then: nothing more is sent, unless this caller is known to keep or sell
 * what is pending (decision 0018).
 */
import { within } from '../../domain/clock';
import type { Order } from '../../domain/order';
import { isFinal, isRefusal, succeedOutcome, UNENDED, type Outcome, type Pending } from '../../domain/outcome';
import type { Attempt } from './attempt-limit';
import { createSignal } from './create-signal';
import { findReceipt } from '../proof/find-receipt';
import { judgeAnswer } from './judge-answer';
import { troubleOf } from './pace';
import type { Beginning, Pursuit, PursuitParts, PursuitPlan, Waiter } from './pursuit';

const UNDER_WAY: Outcome = { kind: 'unknown', reason: 'a try is under way' };
const RETRY_FIRST_MS = 200;
const RETRY_MOST_MS = 5_000;
/** Between two repetitions that nobody waits for; never so long that the quiet time could pass between two marks. */
const RETRY_UNAWAITED_MOST_MS = 60_000;
const RECONNECT_MOST_MS = 1_000;
const LIMIT_FIRST_MS = 2_000;
/** What is left for v1's answer after the last wait: what is sent later would be bought after "pending" was told. */
const ANSWER_MS = 1_000;
/** What has not begun to leave so long before the end of the patience is given up. */
const LEAVE_MS = 250;
/** While a script waits no attempt takes more than half of what is left, so that a lost answer can still be asked for. */
const ATTEMPT_LEAST_MS = 3_000;
const RENEWALS_MAX = 3;
const POLL_FIRST_MS = 500;
const POLL_MOST_MS = 5_000;
/** How long a pending order's receipt is asked for after the patience, at most: v1 asks its provider again after two minutes. */
const FOLLOW_MS = 180_000;
/** How long a repetition waits for its turn before v1's history is read instead. */
const TURN_MS = 2_000;
/** A v1 that is silent to reads as well must not keep the purchase from being asked for again. */
const LOOK_MS = 3_000;
/** After so many attempts without a usable answer, and then after each further so many, v1's history is read as well. */
const LOOK_EVERY_ATTEMPTS = 3;

export function pursue(plan: PursuitPlan, parts: PursuitParts): Pursuit {
  return new RunningPursuit(plan, parts);
}

class RunningPursuit implements Pursuit {
  readonly beginning: Beginning;
  readonly ended: Promise<void>;
  readonly #plan: PursuitPlan;
  readonly #parts: PursuitParts;
  readonly #startedAt: number;
  readonly #changed = createSignal();
  readonly #waiters = new Set<Waiter>();
  /** Charged, and it has a reference: its receipt tells the end, and sending it again could only do harm (specification, 7). */
  readonly #wasPending: boolean;
  /** Whoever began this pursuit waits for it, and says so a moment later. */
  #beginner: Waiter | undefined;
  #order: Order;
  /** While an attempt is on its way the money may have moved. */
  #known: Outcome | undefined;
  #hasSettled: boolean;
  /** What the journal says of the order comes from elsewhere, and stands. */
  #isToldElsewhere = false;
  #hasEnded = false;
  #isHurried = false;
  #isLooking = false;
  openSince: number | undefined;

  constructor(plan: PursuitPlan, parts: PursuitParts) {
    this.#plan = plan;
    this.beginning = plan.beginning;
    this.#parts = parts;
    this.#startedAt = parts.clock.elapsed();
    this.#order = plan.previous === undefined ? plan.order : { ...plan.order, outcome: plan.previous };
    this.#known = plan.previous;
    this.#wasPending = isWaitingForProvider(plan.previous);
    this.#hasSettled = this.#wasPending;
    this.#beginner = { untilMs: this.#startedAt + plan.patienceMs };
    this.#waiters.add(this.#beginner);
    this.ended = this.#run();
  }

  /** Until an answer is on disk, only what the journal knew before may be told: an attempt can make a lie of the rest. */
  current(): Order {
    return this.#hasSettled ? this.#order : { ...this.#order, outcome: this.#plan.previous ?? UNDER_WAY };
  }

  get isLooking(): boolean {
    return this.#isLooking;
  }

  hurry(): void {
    this.#isHurried = true;
    this.#changed.emit();
  }

  async waitFor(patienceMs: number, hungUp?: AbortSignal): Promise<Order> {
    const { clock } = this.#parts;
    const waiter: Waiter = { untilMs: clock.elapsed() + patienceMs };
    if (this.#beginner !== undefined) this.#waiters.delete(this.#beginner);
    this.#beginner = undefined;
    this.#waiters.add(waiter);
    const leave = (): void => this.#changed.emit();
    hungUp?.addEventListener('abort', leave);
    try {
      while (!this.#isTellable() && hungUp?.aborted !== true && clock.elapsed() < waiter.untilMs)
        await within(clock, waiter.untilMs - clock.elapsed(), this.#changed.next());
    } finally {
      hungUp?.removeEventListener('abort', leave);
      this.#waiters.delete(waiter);
      this.#changed.emit();
    }
    return this.current();
  }

  #isTellable(): boolean {
    if (this.#hasEnded || this.#isHurried) return true;
    return this.#hasSettled && this.#order.outcome?.kind !== 'pending' && this.#order.outcome?.kind !== 'unknown';
  }

  async #run(): Promise<void> {
    try {
      if (!this.#wasPending) {
        await this.#sendUntilKnown();
        await this.#conclude();
      }
      await this.#poll();
    } catch (error) {
      this.#parts.onTrouble('pursue', error);
    } finally {
      this.#hasEnded = true;
      this.#changed.emit();
    }
  }

  async #sendUntilKnown(): Promise<void> {
    let attempt: Attempt | undefined = this.#parts.attempts.begin();
    for (let nth = 0; attempt !== undefined; nth += 1) {
      try {
        if (!(await this.#isMarked())) return;
        this.#known = succeedOutcome(this.#known, await this.#sendAndJudge(attempt));
      } finally {
        attempt.release();
      }
      const waitMs = this.#waitBeforeRepetition(this.#known, nth);
      if (waitMs === undefined) return;
      await this.#rest(waitMs);
      attempt = await this.#nextAttempt(nth + 1);
    }
  }

  /** Undefined when nothing more may be sent, or when v1's history has told what became of the order. */
  async #nextAttempt(nth: number): Promise<Attempt | undefined> {
    if ((!this.#maySend() || nth % LOOK_EVERY_ATTEMPTS === 0) && (await this.#lookInHistory())) return undefined;
    if (!this.#maySend()) return undefined;
    if (nth === 1) return this.#parts.attempts.begin();
    const turn = { owner: this.#order.owner, isAwaited: () => this.#isAwaited() };
    while (this.#maySend()) {
      const attempt = await this.#parts.attempts.admit(turn, Math.min(TURN_MS, this.#leftMs()));
      if (attempt !== undefined) {
        if (this.#maySend()) return attempt;
        attempt.release();
      } else if (await this.#lookInHistory()) return undefined;
    }
    return undefined;
  }

  /** Whether what is sent now would still be what the script wants. */
  #maySend(): boolean {
    if (this.#isGivenUp() || this.#leftMs() <= 0) return false;
    return this.#plan.afterPending === 'buy' || this.#isAwaited();
  }

  #isAwaited(): boolean {
    return this.#awaitedMs() >= ANSWER_MS;
  }

  /** How long somebody will still wait. */
  #awaitedMs(): number {
    const untilMs = Math.max(0, ...[...this.#waiters].map((waiter) => waiter.untilMs));
    return untilMs - this.#parts.clock.elapsed();
  }

  /** How long repetitions may still be sent: what is known to have reached nobody is given up sooner. */
  #leftMs(): number {
    const { afterPending, patienceMs, pursueMs, reconnectMs } = this.#plan;
    const spentMs = this.#parts.clock.elapsed() - this.#startedAt;
    if (this.#known?.kind === 'not_sent') return reconnectMs - spentMs;
    return afterPending === 'buy' ? patienceMs + pursueMs - spentMs : this.#awaitedMs();
  }

  /** False when nothing may be sent: that cannot be written down in time, or the order has been answered elsewhere. */
  async #isMarked(): Promise<boolean> {
    const { mark } = this.#plan;
    // A mark that takes too long to be written is itself too old.
    for (let renewals = 0; !mark.isValid(); renewals += 1) {
      const marked = renewals < RENEWALS_MAX ? await mark.renew(this.#order) : undefined;
      if (marked === undefined) {
        if (this.#known === undefined || isRefusal(this.#known)) this.#known = UNENDED;
        return false;
      }
      if (this.#adopt(marked)) return false;
    }
    return true;
  }

  /** Takes over what the journal says of the order, when that is more than another attempt could tell. */
  #adopt(order: Order): boolean {
    if (!isAnswered(order.outcome)) return false;
    this.#order = order;
    this.#known = order.outcome;
    this.#isToldElsewhere = true;
    return true;
  }

  async #sendAndJudge(attempt: Attempt): Promise<Outcome> {
    const { clock, journal, onTrouble, upstream } = this.#parts;
    const { call, credentials, clientAddress, identify } = this.#plan;
    const times = this.#timesOfAttempt();
    const sentAt = clock.elapsed();
    const mayLeave = (): boolean => this.#plan.afterPending === 'buy' || this.#awaitedMs() > 0;
    const sent = await upstream.send(call, this.#order.requestId, { credentials, clientAddress, ...times, mayLeave });
    const tookMs = clock.elapsed() - sentAt;
    attempt.learn(troubleOf(sent.outcome, tookMs >= times.timeoutMs), tookMs);
    return judgeAnswer(sent, { order: this.#order, before: this.#known, identify, journal, onTrouble });
  }

  /** How long v1 may take, and by when the request must have begun to leave. */
  #timesOfAttempt(): { readonly timeoutMs: number; readonly leaveWithinMs: number } {
    const { afterPending, tryMs, mark } = this.#plan;
    const awaitedMs = this.#awaitedMs();
    const half = awaitedMs / 2;
    // Also what waits for a connection leaves before the quiet time since its mark is over, or not at all.
    const timeoutMs = Math.max(1, Math.min(tryMs, mark.validMs, half < ATTEMPT_LEAST_MS ? tryMs : half));
    if (afterPending === 'buy') return { timeoutMs, leaveWithinMs: timeoutMs };
    // Early enough to tell the script that nothing was sent.
    return { timeoutMs, leaveWithinMs: Math.max(1, Math.min(timeoutMs, awaitedMs - LEAVE_MS)) };
  }

  /** Milliseconds until a repetition is safe and worth it, or `undefined`. Always with the same request id. */
  #waitBeforeRepetition(outcome: Outcome, nth: number): number | undefined {
    const unawaitedMost = Math.min(RETRY_UNAWAITED_MOST_MS, this.#plan.mark.validMs / 2);
    const most = outcome.kind === 'not_sent' ? RECONNECT_MOST_MS : this.#isAwaited() ? RETRY_MOST_MS : unawaitedMost;
    const wait = this.#backoff(nth, RETRY_FIRST_MS, most);
    // v1 gives the same order back under the same id, so asking again is how an unknown one is found out.
    if (outcome.kind === 'not_sent') return wait < this.#leftMs() ? wait : undefined;
    // The last attempt leaves v1 just the time for its answer.
    if (outcome.kind === 'unknown') return Math.min(wait, Math.max(0, this.#leftMs() - ANSWER_MS));
    if (outcome.kind !== 'rejected' || outcome.httpStatus !== 429) return undefined;
    // Nothing was charged: the limit is v1's, and within the script's patience it may pass.
    // A v1 that says "at once" every time is not asked in a tight circle.
    const asked =
      outcome.retryAfterSeconds === undefined
        ? this.#backoff(nth, LIMIT_FIRST_MS, RETRY_MOST_MS)
        : Math.max(outcome.retryAfterSeconds * 1_000, wait);
    return asked + ANSWER_MS < this.#awaitedMs() ? asked : undefined;
  }

  /** True when v1's history, or another process, has told what became of the order. */
  async #lookInHistory(): Promise<boolean> {
    const { clock, journal, onTrouble } = this.#parts;
    if (this.#known?.kind !== 'unknown' || this.#isGivenUp() || this.#leftMs() <= 0) return false;
    const isDoubted = this.#known.isDoubted === true;
    this.#isLooking = true;
    try {
      // The journal knows of no doubt yet, and without it another order of the same service could be taken for a doubted one.
      if (!isDoubted) await within(clock, Math.min(LOOK_MS, this.#leftMs()), this.#plan.look());
      const order = await journal.find(this.#order.owner, this.#order.requestId);
      // What v1 has in a doubted case another process may have bought; its refusal would not explain it.
      return order !== undefined && !(isDoubted && isRefusal(order.outcome)) && this.#adopt(order);
    } catch (error) {
      onTrouble('find', error);
      return false;
    } finally {
      this.#isLooking = false;
    }
  }

  async #poll(): Promise<void> {
    const { clock, upstream } = this.#parts;
    const deadline = this.#startedAt + this.#plan.patienceMs + Math.min(this.#plan.pursueMs, FOLLOW_MS);
    for (let nth = 0; isWaitingForProvider(this.#known) && !this.#isGivenUp(); nth += 1) {
      // Of an order that was pending before, there may be news already. And v1 is asked just before the patience ends.
      const lastMs = this.#awaitedMs() - ANSWER_MS;
      const pauseMs = Math.min(this.#backoff(nth, POLL_FIRST_MS, POLL_MOST_MS), lastMs > 0 ? lastMs : Infinity);
      const waitMs = nth === 0 && this.#wasPending ? 0 : pauseMs;
      if (clock.elapsed() + waitMs > deadline) return;
      await this.#rest(waitMs);
      const latest = await findReceipt(this.#known.reference, { ...this.#plan, timeoutMs: this.#plan.readMs }, upstream);
      if (latest === undefined) continue;
      this.#known = succeedOutcome(this.#known, latest);
      if (isFinal(this.#known)) await this.#settle();
    }
  }

  /** Writes down what the attempts came to, unless the journal has an answer already. */
  async #conclude(): Promise<void> {
    // "Nothing was charged" closes the order for everybody, also for who has begun it anew since a mark that is too old.
    if (isRefusal(this.#known)) await this.#isMarked();
    if (!this.#isToldElsewhere) return this.#settle();
    this.#hasSettled = true;
    this.#changed.emit();
  }

  async #settle(): Promise<void> {
    const { clock, journal, onTrouble } = this.#parts;
    const known = this.#known!;
    try {
      const settled = await journal.settle(this.#order.owner, this.#order.requestId, known, clock.now());
      // The journal keeps no goods; the reply needs them.
      this.#order = settled.outcome?.kind === known.kind ? { ...settled, outcome: known } : settled;
    } catch (error) {
      onTrouble('settle', error);
      // What is not on disk cannot be promised: the next look at the order would not know it.
      this.#known = { kind: 'unknown', reason: 'the outcome could not be written' };
      this.#order = { ...this.#order, outcome: this.#known };
    }
    this.#hasSettled = true;
    this.#changed.emit();
  }

  #isGivenUp(): boolean {
    return this.#parts.isStopping() && (this.#isHurried || this.#waiters.size === 0);
  }

  /** Ends early once nothing more may be sent or the order is given up. */
  async #rest(delayMs: number): Promise<void> {
    const { clock } = this.#parts;
    this.openSince ??= clock.elapsed();
    const until = clock.elapsed() + delayMs;
    while (!this.#isGivenUp() && clock.elapsed() < until) await within(clock, until - clock.elapsed(), this.#changed.next());
  }

  #backoff(nth: number, firstMs: number, mostMs: number): number {
    const full = Math.min(mostMs, firstMs * 2 ** Math.min(nth, 10));
    return Math.round(full * (0.5 + this.#parts.random() / 2));
  }
}

function isWaitingForProvider(outcome: Outcome | undefined): outcome is Pending & { readonly reference: string } {
  return outcome?.kind === 'pending' && outcome.reference !== undefined;
}

/** The journal knows of the order what another attempt could not better: its end, or that it is charged. */
function isAnswered(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && (isFinal(outcome) || isRefusal(outcome) || isWaitingForProvider(outcome));
}
