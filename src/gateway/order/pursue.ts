/**
 * Steps 8 and 9 for one order: send it, send it again while that is safe, ask for its receipt while it is pending, and
 * write down what became of it. The only place that sends a purchase again. A pursuit belongs to the order, not to the
 * script's connection: what is on its way is finished when the script hangs up or has had its answer.
 *
 * To send a purchase again is to ask and to buy. Once nobody waits for the order any more its script has heard "pending",
 * or nothing, and most scripts have refunded by then: nothing more is sent, unless this caller is known to keep or sell
 * what is pending (decision 0018).
 */
import { CommonSignal, within } from '../../domain/clock';
import type { Line } from '../../domain/legacy';
import type { Order } from '../../domain/order';
import { isFinal, isRefusal, type Outcome, type Pending, succeedOutcome, UNENDED } from '../../domain/outcome';
import { type Attempt, troubleOf } from './attempt-limit';
import { findReceipt } from '../proof/find-receipt';
import { judgeAnswer } from './judge-answer';
import type { After, Beginning, In, Pursuit, PursuitParts, PursuitPlan, State, Waiter } from './pursuit';
import {
  ANSWER_MS,
  isAwaited,
  LAST_PAUSE_MS,
  pauseBeforeReceipt,
  pauseBeforeRepetition,
  type TimeLeft,
  timeoutOfReceipt,
  timesOfAttempt,
} from './pursuit-times';

const UNDER_WAY: Outcome = { kind: 'unknown', reason: 'a try is under way' };
const RENEWALS_MAX = 3;
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
  readonly #changed: CommonSignal;
  #waiters: readonly Waiter[];
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
  /** The last script that waited hung up before it heard anything: what it concludes by itself is a failure in most. */
  #isDeserted = false;
  isLooking = false;
  openSince: number | undefined;

  constructor(plan: PursuitPlan, parts: PursuitParts) {
    this.#plan = plan;
    this.beginning = plan.beginning;
    this.#parts = parts;
    this.#changed = new CommonSignal(parts.clock);
    this.#startedAt = parts.clock.elapsed();
    this.#order = plan.previous === undefined ? plan.order : { ...plan.order, outcome: plan.previous };
    this.#known = plan.previous;
    this.#wasPending = isWaitingForProvider(plan.previous);
    this.#hasSettled = this.#wasPending;
    this.#beginner = { untilMs: this.#startedAt + plan.patienceMs };
    this.#waiters = [this.#beginner];
    this.ended = this.#run();
  }

  /** Until an answer is on disk, only what the journal knew before may be told: an attempt can make a lie of the rest. */
  current(): Order {
    return this.#hasSettled ? this.#order : { ...this.#order, outcome: this.#plan.previous ?? UNDER_WAY };
  }

  get isAwaited(): boolean {
    return this.#awaitedMs() > 0;
  }

  hurry(): void {
    this.#isHurried = true;
    this.#changed.emit();
  }

  async waitFor(patienceMs: number, line?: Line): Promise<Order> {
    const { clock } = this.#parts;
    const waiter: Waiter = { untilMs: clock.elapsed() + patienceMs };
    this.#waiters = this.#waiters.filter((one) => one !== this.#beginner).concat(waiter);
    this.#beginner = undefined;
    this.#changed.emit();
    line?.onEnd(this.#changed.emit);
    try {
      while (!this.#isTellable() && line?.hasHungUp !== true && clock.elapsed() < waiter.untilMs)
        await this.#changed.within(waiter.untilMs - clock.elapsed());
    } finally {
      this.#isDeserted = line?.hasHungUp === true;
      this.#waiters = this.#waiters.filter((one) => one !== waiter);
      this.#changed.emit();
    }
    return this.current();
  }

  #isTellable(): boolean {
    if (this.#hasEnded || this.#isHurried) return true;
    return this.#hasSettled && this.#order.outcome?.kind !== 'pending' && this.#order.outcome?.kind !== 'unknown';
  }

  async #run(): Promise<void> {
    let state: State = this.#wasPending
      ? { name: 'following', nth: 0 }
      : { name: 'sending', nth: 0, attempt: this.#parts.attempts.begin() };
    try {
      while (state.name !== 'ended') state = await this.#leave(state);
    } catch (error) {
      this.#parts.onTrouble('pursue', error);
    } finally {
      this.#hasEnded = true;
      this.#changed.emit();
    }
  }

  #leave(state: Exclude<State, In<'ended'>>): Promise<State> {
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

  async #send({ attempt, nth }: In<'sending'>): Promise<After<'sending'>> {
    try {
      if (!(await this.#holdsLease())) return { name: 'concluding' };
      this.#known = succeedOutcome(this.#known, await this.#sendAndJudge(attempt));
    } finally {
      attempt.release();
    }
    const waitMs = pauseBeforeRepetition(this.#known, nth, this.#plan.lease.quietMs, this.#timeLeft());
    return waitMs === undefined ? { name: 'concluding' } : { name: 'resting', nth, waitMs };
  }

  async #restBeforeRepetition({ nth, waitMs }: In<'resting'>): Promise<After<'resting'>> {
    await this.#rest(waitMs);
    const sent = nth + 1;
    return { name: !this.#maySend() || sent % LOOK_EVERY_ATTEMPTS === 0 ? 'looking' : 'admitting', nth: sent };
  }

  async #look({ nth }: In<'looking'>): Promise<After<'looking'>> {
    return (await this.#isFoundInHistory()) ? { name: 'concluding' } : { name: 'admitting', nth };
  }

  async #admit({ nth }: In<'admitting'>): Promise<After<'admitting'>> {
    if (!this.#maySend()) return { name: 'concluding' };
    if (nth === 1) return { name: 'sending', nth, attempt: this.#parts.attempts.begin() };
    const turn = { owner: this.#order.owner, isAwaited: () => isAwaited(this.#awaitedMs()) };
    const attempt = await this.#parts.attempts.admit(turn, Math.min(TURN_MS, this.#leftMs()));
    if (attempt === undefined) return { name: 'looking', nth };
    if (this.#maySend()) return { name: 'sending', nth, attempt };
    attempt.release();
    return { name: 'concluding' };
  }

  /** Whether what is sent now would still be what the script wants. */
  #maySend(): boolean {
    if (this.#isGivenUp() || this.#leftMs() <= 0) return false;
    return this.#isBoughtAfterPending() || isAwaited(this.#awaitedMs());
  }

  /** Its script keeps or sells what it has heard is pending. */
  #isBoughtAfterPending(): boolean {
    return this.#plan.afterPending === 'buy' && (this.#waiters.length > 0 || !this.#isDeserted);
  }

  /** How long somebody will still wait. */
  #awaitedMs(): number {
    let untilMs = 0;
    for (const waiter of this.#waiters) if (waiter.untilMs > untilMs) ({ untilMs } = waiter);
    return untilMs - this.#parts.clock.elapsed();
  }

  /** How long repetitions may still be sent: what is known to have reached nobody is given up sooner. */
  #leftMs(): number {
    const { patienceMs, pursueMs, reconnectMs } = this.#plan;
    const spentMs = this.#parts.clock.elapsed() - this.#startedAt;
    if (this.#known?.kind === 'not_sent') return reconnectMs - spentMs;
    return this.#isBoughtAfterPending() ? patienceMs + pursueMs - spentMs : this.#awaitedMs();
  }

  #timeLeft(): TimeLeft {
    return { awaitedMs: this.#awaitedMs(), leftMs: this.#leftMs(), random: this.#parts.random };
  }

  /** False when nothing may be sent: that cannot be written down in time, or the order has been answered elsewhere. */
  async #holdsLease(): Promise<boolean> {
    const { lease } = this.#plan;
    // A lease that takes too long to be written is itself too old.
    for (let renewals = 0; !lease.isValid(); renewals += 1) {
      const renewed = renewals < RENEWALS_MAX ? await lease.renew(this.#order) : undefined;
      if (renewed === undefined) {
        if (this.#known === undefined || isRefusal(this.#known)) this.#known = UNENDED;
        return false;
      }
      if (this.#adopt(renewed)) return false;
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
    const { call, credentials, clientAddress, trace, identify } = this.#plan;
    const times = timesOfAttempt(this.#plan, this.#awaitedMs());
    const sentAt = clock.elapsed();
    const mayLeave = (): boolean => this.#isBoughtAfterPending() || this.#awaitedMs() > 0;
    const sent = await upstream.send(call, this.#order.requestId, { credentials, clientAddress, trace, ...times, mayLeave });
    const tookMs = clock.elapsed() - sentAt;
    attempt.learn(troubleOf(sent.outcome, tookMs >= times.timeoutMs), tookMs);
    return judgeAnswer(sent, { order: this.#order, before: this.#known, identify, journal, onTrouble });
  }

  /** True when v1's history, or another process, has told what became of the order. */
  async #isFoundInHistory(): Promise<boolean> {
    const { clock, journal, onTrouble } = this.#parts;
    if (this.#known?.kind !== 'unknown' || this.#isGivenUp() || this.#leftMs() <= 0) return false;
    const isDoubted = this.#known.isDoubted === true;
    this.isLooking = true;
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
      this.isLooking = false;
    }
  }

  /** Writes down what the attempts came to, unless the journal has an answer already. */
  async #conclude(): Promise<After<'concluding'>> {
    // "Nothing was charged" closes the order for everybody, also for who has begun it anew since a lease that is too old.
    if (isRefusal(this.#known)) await this.#holdsLease();
    if (this.#isToldElsewhere) this.#showSettled();
    else await this.#settle();
    return isWaitingForProvider(this.#known) ? { name: 'following', nth: 0 } : { name: 'ended' };
  }

  async #follow({ nth }: In<'following'>): Promise<After<'following'>> {
    const { clock, receipts, random } = this.#parts;
    if (!isWaitingForProvider(this.#known) || this.#isGivenUp()) return { name: 'ended' };
    const { reference } = this.#known;
    const deadline = this.#startedAt + this.#plan.patienceMs + Math.min(this.#plan.pursueMs, FOLLOW_MS);
    // Of an order that was pending before, there may be news already.
    const waitMs =
      nth === 0 && this.#wasPending ? 0 : Math.max(pauseBeforeReceipt(nth, random), receipts.nextInMs(this.#order.owner));
    if (clock.elapsed() + Math.min(waitMs, this.#lastReadingMs()) > deadline) return { name: 'ended' };
    // Handed on, so that the order rests in one function and not in two.
    return this.#rest(waitMs, () => this.#lastReadingMs()).then(() => this.#readReceipt(reference, nth));
  }

  async #readReceipt(reference: string, nth: number): Promise<After<'following'>> {
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
      const settled = await journal.settle(this.#order.owner, this.#order.requestId, known, clock.now(), this.#order.tries);
      // The journal keeps no goods; the reply needs them.
      this.#order = settled.outcome?.kind === known.kind ? { ...settled, outcome: known } : settled;
    } catch (error) {
      onTrouble('settle', error);
      // What is not on disk cannot be promised: the next look at the order would not know it.
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
    return this.#parts.isStopping() && (this.#isHurried || this.#waiters.length === 0);
  }

  /** Until a receipt must be asked for if its answer is to come before the longest patience ends. */
  #lastReadingMs(): number {
    const awaitedMs = this.#awaitedMs();
    return awaitedMs > 0 ? Math.max(awaitedMs - ANSWER_MS, LAST_PAUSE_MS) : Infinity;
  }

  /** Ends early when the order is given up, and as early as `soonerMs` says, which may change while somebody comes to wait. */
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

function isWaitingForProvider(outcome: Outcome | undefined): outcome is Pending & { readonly reference: string } {
  return outcome?.kind === 'pending' && outcome.reference !== undefined;
}

/** The journal knows of the order what another attempt could not better: its end, or that it is charged. */
function isAnswered(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && (isFinal(outcome) || isRefusal(outcome) || isWaitingForProvider(outcome));
}
