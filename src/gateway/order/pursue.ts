/**
 * Steps 8 and 9 for one order: send it, send it again while that is safe, read its receipt while it is pending, and write the outcome. No other file
 * sends a purchase again. A pursuit belongs to the order, not to the script's connection: an attempt is finished even when its script has left.
 *
 * Sending a purchase again asks v1 about the order, and may also buy it. When no script waits any more, the script has heard "pending" or nothing, and
 * most scripts have refunded. So nothing more is sent then, unless this caller is known to keep or sell pending orders (decision 0018).
 */
import { CommonSignal, within } from '../../domain/clock';
import type { Line } from '../../domain/legacy';
import { isSameAttempt, type Order } from '../../domain/order';
import { isFinal, isRefusal, isWaitingForProvider, type Outcome, succeedOutcome, ATTEMPT_NOT_ENDED } from '../../domain/outcome';
import { type Attempt, troubleOf } from './attempt-limit';
import { findReceipt } from '../proof/find-receipt';
import { judgeAnswer } from './judge-answer';
import type { StateAfter, OpeningKind, StateOf, Pursuit, PursuitParts, PursuitPlan, State, Waiter } from './pursuit';
import {
  ANSWER_MS,
  hasTimeForAnswer,
  LAST_PAUSE_MS,
  pauseBeforeReceipt,
  pauseBeforeRepetition,
  timeoutOfReceipt,
  timesOfAttempt,
} from './pursuit-times';

const UNDER_WAY: Outcome = { kind: 'unknown', reason: 'an attempt is under way' };
const RENEWALS_MAX = 3;
/** How long after the patience the receipt of a pending order is read, at most: v1 asks its provider again after two minutes. */
const FOLLOW_MS = 180_000;
/** How long a repetition waits for its turn before v1's history is read instead. */
const TURN_MS = 2_000;
/** How long one look into v1's history may delay the next attempt: v1 may leave reads unanswered as well. */
const LOOK_MS = 3_000;
/** v1's history is read after every so many attempts without a usable answer. */
const LOOK_EVERY_ATTEMPTS = 3;

export function pursue(plan: PursuitPlan, parts: PursuitParts): Pursuit {
  return new RunningPursuit(plan, parts);
}

class RunningPursuit implements Pursuit {
  readonly openingKind: OpeningKind;
  readonly ended: Promise<void>;
  readonly #plan: PursuitPlan;
  readonly #parts: PursuitParts;
  readonly #startedAt: number;
  readonly #changed: CommonSignal;
  #waiters: readonly Waiter[];
  /** The order waited for its end before this pursuit: only its receipt is read. */
  readonly #wasPending: boolean;
  /** Stands for the request that began this pursuit, until that request calls `waitFor`. */
  #beginner: Waiter | undefined;
  #order: Order;
  /** The outcome by all answers so far; undefined before the first. */
  #known: Outcome | undefined;
  #hasSettled: boolean;
  /** Another process or a look into v1's history has written an outcome into the journal, so `concluding` writes none. */
  #isSettledElsewhere = false;
  #hasEnded = false;
  #isWaitingEnded = false;
  /** A script that keeps or sells pending orders has heard "pending". One that hung up has not: most such scripts count the sale as failed. */
  #isOwed = false;
  isLooking = false;
  openSince: number | undefined;

  constructor(plan: PursuitPlan, parts: PursuitParts) {
    this.#plan = plan;
    this.openingKind = plan.openingKind;
    this.#parts = parts;
    this.#changed = new CommonSignal(parts.clock);
    this.#startedAt = parts.clock.elapsed();
    this.#order = plan.previous === undefined ? plan.order : { ...plan.order, outcome: plan.previous };
    this.#known = plan.previous;
    this.#wasPending = isWaitingForProvider(plan.previous);
    this.#hasSettled = this.#wasPending;
    this.#beginner = { untilMs: this.#startedAt + plan.patienceMs, afterPending: plan.afterPending };
    this.#waiters = [this.#beginner];
    this.ended = this.#run();
  }

  /** Until an answer is on disk, the order has the outcome that the journal had before: the attempt under way may prove any other wrong. */
  current(): Order {
    return this.#hasSettled ? this.#order : { ...this.#order, outcome: this.#plan.previous ?? UNDER_WAY };
  }

  get isAwaited(): boolean {
    return this.#awaitedMs() > 0;
  }

  isOnlyOf(order: Order): boolean {
    return !this.#plan.isBesideAnother && isSameAttempt(order, this.#plan.lease.marked ?? this.#plan.order);
  }

  endWaiting(): void {
    this.#isWaitingEnded = true;
    this.#changed.emit();
  }

  async waitFor(patienceMs: number, line?: Line, afterPending = this.#plan.afterPending): Promise<Order> {
    const { clock } = this.#parts;
    const waiter: Waiter = { untilMs: clock.elapsed() + patienceMs, afterPending };
    this.#waiters = this.#waiters.filter((one) => one !== this.#beginner).concat(waiter);
    this.#beginner = undefined;
    this.#changed.emit();
    line?.onEnd(this.#changed.emit);
    try {
      while (!this.#isTellable() && line?.hasHungUp !== true && clock.elapsed() < waiter.untilMs)
        await this.#changed.within(waiter.untilMs - clock.elapsed());
    } finally {
      if (afterPending === 'buy' && line?.hasHungUp !== true) this.#isOwed = true;
      this.#waiters = this.#waiters.filter((one) => one !== waiter);
      this.#changed.emit();
    }
    return this.current();
  }

  #isTellable(): boolean {
    if (this.#hasEnded || this.#isWaitingEnded) return true;
    return this.#hasSettled && this.#order.outcome?.kind !== 'pending' && this.#order.outcome?.kind !== 'unknown';
  }

  async #run(): Promise<void> {
    let state: State = this.#wasPending
      ? { name: 'following', nth: 0 }
      : { name: 'sending', nth: 0, attempt: this.#parts.attempts.begin() };
    try {
      while (state.name !== 'ended') state = await this.#runState(state);
    } catch (error) {
      this.#parts.onTrouble('pursue', error);
    } finally {
      this.#hasEnded = true;
      this.#changed.emit();
    }
  }

  #runState(state: Exclude<State, StateOf<'ended'>>): Promise<State> {
    switch (state.name) {
      case 'sending':
        return this.#send(state);
      case 'resting':
        return this.#restBeforeRepetition(state);
      case 'looking':
        return this.#look(state);
      case 'admitting':
        return this.#admit(state);
      case 'concluding':
        return this.#conclude();
      case 'following':
        return this.#follow(state);
    }
  }

  async #send({ attempt, nth }: StateOf<'sending'>): Promise<StateAfter<'sending'>> {
    let elsewhere: Outcome | undefined;
    try {
      // Before the lease is looked at: the search may take long.
      elsewhere = await this.#plan.findElsewhere();
      if (elsewhere === undefined && !(await this.#holdsLease())) return { name: 'concluding' };
      this.#known = succeedOutcome(this.#known, elsewhere ?? (await this.#sendAndJudge(attempt)));
    } finally {
      attempt.release();
    }
    // Only v1's history shows which of the two orders was sold.
    if (elsewhere !== undefined) await this.#isFoundInHistory();
    const timeLeft = { awaitedMs: this.#awaitedMs(), leftMs: this.#leftMs(), random: this.#parts.random };
    const pauseMs = pauseBeforeRepetition(this.#known, nth, this.#plan.lease.quietMs, timeLeft);
    const waitMs = elsewhere === undefined ? pauseMs : undefined;
    return waitMs === undefined ? { name: 'concluding' } : { name: 'resting', nth, waitMs };
  }

  async #restBeforeRepetition({ nth, waitMs }: StateOf<'resting'>): Promise<StateAfter<'resting'>> {
    await this.#rest(waitMs);
    const sent = nth + 1;
    return { name: !this.#maySend() || sent % LOOK_EVERY_ATTEMPTS === 0 ? 'looking' : 'admitting', nth: sent };
  }

  async #look({ nth }: StateOf<'looking'>): Promise<StateAfter<'looking'>> {
    return (await this.#isFoundInHistory()) ? { name: 'concluding' } : { name: 'admitting', nth };
  }

  async #admit({ nth }: StateOf<'admitting'>): Promise<StateAfter<'admitting'>> {
    if (!this.#maySend()) return { name: 'concluding' };
    if (nth === 1) return { name: 'sending', nth, attempt: this.#parts.attempts.begin() };
    const repetition = { owner: this.#order.owner, isAwaited: () => hasTimeForAnswer(this.#awaitedMs()) };
    const attempt = await this.#parts.attempts.admit(repetition, Math.min(TURN_MS, this.#leftMs()));
    if (attempt === undefined) return { name: 'looking', nth };
    if (this.#maySend()) return { name: 'sending', nth, attempt };
    attempt.release();
    return { name: 'concluding' };
  }

  /** Whether the script still wants the purchase if it is sent now. */
  #maySend(): boolean {
    if (this.#isGivenUp() || this.#leftMs() <= 0) return false;
    return this.#isBoughtAfterPending() || hasTimeForAnswer(this.#awaitedMs());
  }

  /** Whether a script keeps or sells this order when it hears "pending", or has done so, so that the purchase is still wanted after that. */
  #isBoughtAfterPending(): boolean {
    return this.#isOwed || this.#waiters.some(({ afterPending }) => afterPending === 'buy');
  }

  /** How long the most patient script will still wait; not above 0 when none waits. */
  #awaitedMs(): number {
    let untilMs = 0;
    for (const waiter of this.#waiters) if (waiter.untilMs > untilMs) ({ untilMs } = waiter);
    return untilMs - this.#parts.clock.elapsed();
  }

  /** How long repetitions may still be sent. An order that provably did not reach v1 is given up sooner. */
  #leftMs(): number {
    const { patienceMs, pursueMs, reconnectMs } = this.#plan;
    const spentMs = this.#parts.clock.elapsed() - this.#startedAt;
    if (this.#known?.kind === 'not_sent') return reconnectMs - spentMs;
    return this.#isBoughtAfterPending() ? patienceMs + pursueMs - spentMs : this.#awaitedMs();
  }

  /** False when nothing may be sent: the lease cannot be written in time, or the journal has an outcome from elsewhere. */
  async #holdsLease(): Promise<boolean> {
    const { lease } = this.#plan;
    // Writing may take so long that the new lease is too old as well: then it is written once more.
    for (let renewals = 0; !lease.isValid(); renewals += 1) {
      const renewed = renewals < RENEWALS_MAX ? await lease.renew(this.#order) : undefined;
      if (renewed === undefined) {
        if (this.#known === undefined || isRefusal(this.#known)) this.#known = ATTEMPT_NOT_ENDED;
        return false;
      }
      if (this.#adopt(renewed)) return false;
    }
    return true;
  }

  /** Takes over the order from the journal when another attempt could not find out more than the journal has. */
  #adopt(order: Order): boolean {
    if (!isAnswered(order.outcome)) return false;
    this.#order = order;
    this.#known = order.outcome;
    this.#isSettledElsewhere = true;
    return true;
  }

  async #sendAndJudge(attempt: Attempt): Promise<Outcome> {
    const { clock, journal, onTrouble, upstream } = this.#parts;
    const { call, credentials, clientAddress, trace, identify } = this.#plan;
    const times = timesOfAttempt(this.#plan, this.#awaitedMs(), this.#isBoughtAfterPending());
    const sentAt = clock.elapsed();
    const mayLeave = (): boolean => this.#isBoughtAfterPending() || this.#awaitedMs() > 0;
    const sent = await upstream.send(call, this.#order.requestId, { credentials, clientAddress, trace, ...times, mayLeave });
    const tookMs = clock.elapsed() - sentAt;
    attempt.learn(troubleOf(sent.outcome, tookMs >= times.timeoutMs), tookMs);
    return judgeAnswer(sent, { order: this.#order, before: this.#known, identify, journal, onTrouble });
  }

  /** True when v1's history or another process has given the order an outcome that needs no further attempt. */
  async #isFoundInHistory(): Promise<boolean> {
    const { clock, journal, onTrouble } = this.#parts;
    if (this.#known?.kind !== 'unknown' || this.#isGivenUp() || this.#leftMs() <= 0) return false;
    const isDoubted = this.#known.isDoubted === true;
    this.isLooking = true;
    try {
      // The doubt is not in the journal yet, so a look now could take another order of the same service for the doubted one.
      if (!isDoubted) await within(clock, Math.min(LOOK_MS, this.#leftMs()), this.#plan.look());
      const order = await journal.find(this.#order.owner, this.#order.requestId);
      // The order that v1 has in a doubted case may be this one, bought by another process: a refusal in the journal does not explain it.
      return order !== undefined && !(isDoubted && isRefusal(order.outcome)) && this.#adopt(order);
    } catch (error) {
      onTrouble('find', error);
      return false;
    } finally {
      this.isLooking = false;
    }
  }

  /** Writes the outcome of the attempts, unless the journal has one from elsewhere. */
  async #conclude(): Promise<StateAfter<'concluding'>> {
    // "Nothing was charged" would also hide an attempt that another process began after our lease ran out: the lease must be valid.
    if (isRefusal(this.#known)) await this.#holdsLease();
    if (this.#isSettledElsewhere) this.#showSettled();
    else await this.#settle();
    return isWaitingForProvider(this.#known) ? { name: 'following', nth: 0 } : { name: 'ended' };
  }

  async #follow({ nth }: StateOf<'following'>): Promise<StateAfter<'following'>> {
    const { clock, receipts, random } = this.#parts;
    if (!isWaitingForProvider(this.#known) || this.#isGivenUp()) return { name: 'ended' };
    const { reference } = this.#known;
    const deadline = this.#startedAt + this.#plan.patienceMs + Math.min(this.#plan.pursueMs, FOLLOW_MS);
    // An order that was pending before this pursuit may have its end already, so its receipt is read at once.
    const waitMs =
      nth === 0 && this.#wasPending ? 0 : Math.max(pauseBeforeReceipt(nth, random), receipts.nextInMs(this.#order.owner));
    if (clock.elapsed() + Math.min(waitMs, this.#lastReadingMs()) > deadline) return { name: 'ended' };
    // `then` and not `await`: while the order rests, only one suspended function is kept in memory.
    return this.#rest(waitMs, () => this.#lastReadingMs()).then(() => this.#readReceipt(reference, nth));
  }

  async #readReceipt(reference: string, nth: number): Promise<StateAfter<'following'>> {
    const timeoutMs = timeoutOfReceipt(this.#plan, this.#awaitedMs());
    const latest = await findReceipt(reference, { ...this.#plan, timeoutMs }, this.#parts.upstream);
    if (latest !== undefined) this.#known = succeedOutcome(this.#known, latest);
    if (latest !== undefined && isFinal(this.#known!)) await this.#settle();
    return { name: 'following', nth: nth + 1 };
  }

  async #settle(): Promise<void> {
    const { clock, journal, onTrouble } = this.#parts;
    const known = this.#known!;
    try {
      const settled = await journal.settle(this.#order.owner, this.#order.requestId, known, clock.now(), this.#order.attempts);
      // The journal keeps no goods (tokens, PINs), but the reply needs them.
      this.#order = settled.outcome?.kind === known.kind ? { ...settled, outcome: known } : settled;
    } catch (error) {
      onTrouble('settle', error);
      // The outcome is not on disk, so the next reader of the journal would not find it: the script must not hear it either.
      this.#known = { kind: 'unknown', reason: 'the outcome could not be written' };
      this.#order = { ...this.#order, outcome: this.#known };
    }
    this.#showSettled();
  }

  #showSettled(): void {
    this.#hasSettled = true;
    this.#changed.emit();
  }

  #isGivenUp(): boolean {
    return this.#parts.isStopping() && (this.#isWaitingEnded || this.#waiters.length === 0);
  }

  /** Milliseconds until the receipt must be read so that the answer comes before the longest patience ends. */
  #lastReadingMs(): number {
    const awaitedMs = this.#awaitedMs();
    return awaitedMs > 0 ? Math.max(awaitedMs - ANSWER_MS, LAST_PAUSE_MS) : Infinity;
  }

  /** Ends early when the order is given up, or after `soonerMs()`, which gets shorter when a further request begins to wait. */
  async #rest(delayMs: number, soonerMs: () => number = () => Infinity): Promise<void> {
    const { clock } = this.#parts;
    this.openSince ??= clock.elapsed();
    let until = clock.elapsed() + delayMs;
    while (!this.#isGivenUp() && clock.elapsed() < until) {
      until = Math.min(until, clock.elapsed() + soonerMs());
      await this.#changed.within(until - clock.elapsed());
    }
  }
}

/** Another attempt could not find out more: the order has its end, was refused, or is charged and has a reference. */
function isAnswered(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && (isFinal(outcome) || isRefusal(outcome) || isWaitingForProvider(outcome));
}
