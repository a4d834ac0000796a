/** The invariants that every reply must satisfy when it is sent, and every history at its end. */
import type { Order as V1Order } from '../../../src/sandbox/order/order';
import { NOT_TOLD, TOLD_PENDING } from '../../../src/domain/order';
import type { Disk } from '../edge/disk';
import { tell } from '../edge/disk';
import type { Dialect, SimulatedV1 } from '../edge/simulated-v1';
import type { Stage } from '../edge/stage';
import { isSaleOf, likenessOf } from '../script/content';
import type { Case, Purchase, ScriptReply } from './case-book';

const REFUSED_BY_OPERATOR: readonly string[] = ['number_unlisted', 'caller_paused'];
/** A name that v1's price list does not translate. */
const REFUSED_BY_LIST: readonly string[] = ['invalid_field', 'catalog_unavailable'];
/** The refusals for which an order that is found is told instead. */
const EVADED_CODES: readonly string[] = [
  ...REFUSED_BY_OPERATOR,
  ...REFUSED_BY_LIST,
  'too_many_purchases',
  'daily_limit_reached',
  'overloaded',
  'journal_unavailable',
];
const WEEK_MS = 7 * 24 * 3_600_000;
/** How long a success is told again to repeats. */
const REPLAY_MS = 10 * 60_000;

export class Verdict {
  readonly #stage: Stage;
  readonly #v1: SimulatedV1;
  readonly #sandbox: SimulatedV1;
  readonly #disk: Disk;
  readonly #dialect: Dialect;
  /** How many orders stay open because they look like other orders in v1's history. */
  alike = 0;

  constructor(stage: Stage, v1: SimulatedV1, sandbox: SimulatedV1, disk: Disk, dialect: Dialect) {
    this.#stage = stage;
    this.#v1 = v1;
    this.#sandbox = sandbox;
    this.#disk = disk;
    this.#dialect = dialect;
  }

  /** Judges a reply at the moment it is told. */
  hear(subject: Case, reply: ScriptReply): void {
    if (subject.customers > 1) return this.#noteLostTelling(subject);
    if (reply.word === 'success') this.#judgeSuccess(subject, reply);
    if (reply.word === 'failure' && reply.how === 'status' && !this.#isOfSandbox(subject, reply))
      this.#judgeTakenBack(subject, reply);
    if (reply.word === 'failure' && subject.isNameless) subject.isPushedOut ||= this.#disk.isForgotten(subject);
    if (reply.word === 'pending') {
      // While the journal cannot be read, it is not known which order this is about (decision 0024).
      const order = this.#disk.orderOf(subject.owner, subject.requestId ?? '');
      // Later replies note that the sale before was told.
      if (subject.previous !== undefined) this.#mayBeRepeatedByNext(subject.previous);
      if (reply.how === 'purchase' && order?.toldAtMs !== TOLD_PENDING) subject.isPendingLost = true;
      this.#judgePending(subject, reply);
    }
  }

  /** Judges the history as a whole. `lastTold` is each order's status after everything has come to rest. */
  close(lastTold: ReadonlyMap<Case, ScriptReply | undefined>): void {
    this.#checkCharges();
    for (const subject of this.#stage.book.cases) {
      if (subject.customers > 1) {
        this.#judgeCrowd(subject);
        continue;
      }
      for (const reply of subject.replies) {
        if (reply.word === 'failure' && !this.#isOfSandbox(subject, reply)) this.#judgeFailure(subject, reply);
        if (reply.word === 'pending' && reply.how === 'purchase') this.#judgeDelivery(subject, reply);
      }
      const last = lastTold.get(subject);
      if (last !== undefined) this.#judgeAnswer(subject, last);
    }
    const { faults, isBalanced } = this.#v1.checkLedger();
    if (!isBalanced) this.#violate('the ledger adds up', '* v1', faults.join('; '));
  }

  /** The unsettled index holds exactly the orders that are not settled. */
  async checkIndexes(owners: ReadonlySet<string>): Promise<void> {
    for (const owner of owners) {
      const listed = (await this.#disk.journal.listUnsettled({ owner, limit: 100_000 })).map(({ requestId }) => requestId);
      const expected = [...this.#disk.orders.values()]
        .filter((order) => order.owner === owner && ['open', 'pending', 'unknown'].includes(order.outcome?.kind ?? 'open'))
        .map(({ requestId }) => requestId);
      if (listed.sort().join() !== expected.sort().join())
        this.#violate('the unsettled index is right', '* journal', `lists ${listed.join()}, should list ${expected.join()}`);
    }
  }

  #judgeSuccess(subject: Case, reply: ScriptReply): void {
    // A sale may have several orders.
    const shownOrder = this.#ordersOf(subject).find(({ reference }) => reference === reply.body['reference']);
    const order = shownOrder ?? this.#chargedOf(subject);
    const lie = (detail: string): void => this.#violate('success is true', subject.name, `told success, but ${detail}`);
    if (this.#isOfSaleBefore(subject, reply) || this.#isTriedOut(subject, reply)) return;
    if (order === undefined) return lie('v1 has no such order');
    if (order.status !== 'success') return lie(`v1 says ${order.status}`);
    if (!isAskedFor(subject, reply, order)) return lie('v1 sold something else under this id');
    const { body } = reply;
    if (shownOrder === undefined) return lie(`the reply shows ${JSON.stringify(body['reference'])}, not ${order.reference}`);
    const shown = JSON.stringify([body['pin'] ?? null, body['token'] ?? null, body['pins'] ?? null]);
    const goods = [...order.pins.map(({ pin }) => pin), ...(order.token === null ? [] : [order.token])];
    if (goods.some((good) => !shown.includes(good))) lie(`it shows ${shown} instead of ${goods.join()}`);
  }

  /** The success of a sale in the sandbox, told to a script whose key is there. */
  #isTriedOut(subject: Case, reply: ScriptReply): boolean {
    if (!this.#stage.book.wasTriedOut(reply.startedAt, reply.at)) return false;
    const order = [...this.#sandbox.orders()].find(({ reference }) => reference === reply.body['reference']);
    return order?.status === 'success' && isAskedFor(subject, reply, order);
  }

  /** A question that is about an order in the sandbox, under the id of one that was sold at v1. */
  #isOfSandbox(subject: Case, reply: ScriptReply): boolean {
    return reply.how === 'status' && this.#touchesSandbox(subject, reply);
  }

  /** Whether the script bought or asked while its key was in the sandbox: orders of the one are told as pending by the other. */
  #touchesSandbox({ purchases }: Case, { startedAt, at }: ScriptReply): boolean {
    const { book } = this.#stage;
    return book.wasTriedOut(startedAt, at) || purchases.some((one) => book.wasTriedOut(one.startedAt, one.endedAt ?? at));
  }

  /** A sale that was told as sold is never told as failed by a later status query. */
  #judgeTakenBack(subject: Case, reply: ScriptReply): void {
    const isElse = (one: ScriptReply): boolean => this.#isOfSaleBefore(subject, one) || this.#isTriedOut(subject, one);
    const sold = subject.replies.find((one) => one.word === 'success' && one.at <= reply.startedAt && !isElse(one));
    // A sale without an id may have several orders, and the query may ask about another one than the sold one.
    if (sold === undefined || subject.earlierIds.length > 0) return;
    this.#violate(
      'success stays',
      subject.name,
      `told success at ${this.#time(sold.at)}, and failure at ${this.#time(reply.at)}`,
    );
  }

  #judgePending(subject: Case, reply: ScriptReply): void {
    const { previous } = subject;
    if (this.#mayBeOpen(subject, reply) || this.#touchesSandbox(subject, reply)) return;
    const isDoubted = previous?.isDoubtful === true;
    if (previous !== undefined && (isDoubted || this.#mayBeRepeatedByNext(previous)) && this.#mayBeOpen(previous, reply)) return;
    // A company's name that v1's list does not translate: the request may be the order of its id, or another sale (decision 0024).
    const isNamed = reply.how === 'purchase' && reply.content?.service === 'electricity';
    if (isNamed && (this.#v1.havePricesChanged || this.#stage.book.wasListAway)) return;
    const known = this.#disk.orderOf(subject.owner, subject.requestId ?? '');
    this.#violate(
      'pending is true',
      subject.name,
      `told pending, but nothing is open: the journal has it ${tell(known?.outcome)}`,
    );
  }

  /** A script that delivers what is pending never hears so of a sale that was in no journal. */
  #judgeDelivery(subject: Case, reply: ScriptReply): void {
    const { takesPending, purchases, name, previous } = subject;
    if (takesPending !== 'sells' || purchases.some(({ openedAt }) => openedAt !== undefined)) return;
    // Two sales of the same without ids are one while the first has no end (decision 0024).
    if (this.#touchesSandbox(subject, reply) || (previous !== undefined && this.#mayBeRepeatedByNext(previous))) return;
    this.#violate('pending is bought', name, `told pending at ${this.#time(reply.at)}, and nothing was ordered`);
  }

  #mayBeOpen(subject: Case, reply: ScriptReply): boolean {
    const isUnderWay = subject.inFlight > 0 || subject.toldOfWriteAt >= reply.startedAt;
    if (isUnderWay || subject.isDoubtful || this.#stage.book.doubtfulOwners.has(subject.owner)) return true;
    // A question about an order that is still being written is told as pending, whatever becomes of the order.
    const isBegun = ({ begunAt, endedAt }: Purchase): boolean => begunAt !== undefined && endedAt === undefined;
    if (reply.how === 'status' && subject.purchases.some(isBegun)) return true;
    const order = this.#orderOf(subject);
    // A result that the provider reports to v1 during the reply can only be in the next reply.
    if (order !== undefined && (order.status === 'pending' || order.createdAt >= reply.startedAt - 180_000)) return true;
    const known = this.#disk.orderOf(subject.owner, subject.requestId ?? '');
    return known !== undefined && [undefined, 'unknown'].includes(known.outcome?.kind);
  }

  /** An order that was told failed is not charged, unless the script ordered again afterwards. */
  #judgeFailure(subject: Case, reply: ScriptReply): void {
    const order = this.#chargedOf(subject);
    if (order === undefined || order.status === 'failed') return;
    // The repeat of a sale without an id, which no table had room for (decision 0024).
    if (subject.isNameless && subject.isPushedOut) return;
    if (subject.earlierIds.length > 0 && (reply.how === 'status' || this.#isHiddenByClock(subject))) return;
    // The charged order is the earlier sale without the gateway, and the reply is not about that sale.
    if (subject.soldBefore !== undefined && isSaleOf(subject.soldBefore, order)) return;
    const { content } = reply;
    // The reply is about another sale under the same id, which is not charged.
    if (content !== undefined && !isSaleOf(content, order)) return;
    // The refusal of a reused id is about a sale that differs from the charged one.
    if (reply.code === 'request_id_reused' && subject.contents.size > 1) return;
    // An id whose success was told long before is refused as used: the refused sale is not charged.
    if (reply.code === 'request_id_used' && wasToldSold(subject, reply)) return;
    // The same holds while the operator's mapping refuses the number or the key, v1's list lacks a name, or the number has another meaning, as if it
    // were another sale. The clock of another gateway may be ahead.
    const isOfMapping = [...REFUSED_BY_OPERATOR, ...REFUSED_BY_LIST, 'request_id_reused'].includes(reply.code ?? '');
    if (isOfMapping && wasToldSold(subject, reply, REPLAY_MS)) return;
    // Or the clock was put forward before this process began, so that the charged sale without an id seems older than its repeats may be (decision 0024).
    if (EVADED_CODES.includes(reply.code ?? '') && subject.isNameless && this.#seemsOldTo(reply, subject)) return;
    // Or it was set by more than a week before this process began, so that the told id counts as used (decision 0024).
    if (REFUSED_BY_OPERATOR.includes(reply.code ?? '') && wasToldSold(subject, reply) && this.#isWeekOff(reply)) return;
    if (subject.purchases.some((purchase) => this.#excuses(purchase, reply, order))) return;
    this.#violate(
      'failure is true',
      subject.name,
      `told ${reply.http} failure at ${this.#time(reply.at)} (${reply.how}${reply.code === undefined ? '' : `, ${reply.code}`}), but v1 charged ${order.reference}: ${order.status}`,
    );
  }

  /** True when the script ordered again after the reply, or when another process took the order only after the question. */
  #excuses(purchase: Purchase, reply: ScriptReply, order: V1Order): boolean {
    if (!isSaleOf(purchase.content, order)) return false;
    // Two sendings for PINs without an id may be two customers': the one that was refused is not sold by the other.
    const isAnyones = ['exam', 'recharge', 'datacard'].includes(purchase.content.service) && reply.how === 'purchase';
    if (isAnyones && purchase.startedAt !== reply.startedAt && (purchase.openedAt ?? -Infinity) >= reply.at) return true;
    // As a refused request and its twin that still waits at the door, or in a process that stands still.
    if ((purchase.begunAt ?? -Infinity) >= reply.at && order.createdAt >= reply.startedAt) return true;
    return purchase.process !== reply.process && purchase.openedAt !== undefined && purchase.openedAt > reply.startedAt;
  }

  /** At the end of the history a status query must return the outcome that v1 has. */
  #judgeAnswer(subject: Case, last: ScriptReply): void {
    const sold = this.#orderOf(subject);
    const order = sold !== undefined && isAskedFor(subject, last, sold) ? sold : undefined;
    const expected =
      order === undefined || order.status === 'failed' ? 'failure' : order.status === 'success' ? 'success' : 'pending';
    if (last.word === expected) return;
    // v1 has no such order: the reply avoids the word that makes scripts refund, because the order may not have arrived yet.
    if (order === undefined && last.word === 'unanswered' && last.code === 'order_unknown') return;
    // The gateway cannot know sales that were made without it. Other checks cover false replies about them.
    if (last.word !== 'success' && subject.soldBefore !== undefined) return;
    if (last.word === 'pending' && this.#touchesSandbox(subject, last)) return;
    // Another sale under the id of this one, which was refused, does not count.
    const asked = sold ?? subject.purchases.find(({ openedAt }) => openedAt !== undefined)?.content;
    const isNumberless = asked?.number === '';
    // An order that v1 declined is proven absent like one that never was (decision 0013).
    const isUncharged = order === undefined || order.status === 'failed';
    const isHidden =
      (isUncharged && this.#dialect.isObscure) || [...subject.contents.values()].some((one) => this.#dialect.hides(one));
    // A row with a price that v1's list has no more is given to no order, and a service that is off sells nothing by which the history could be checked.
    const isRepriced = this.#v1.havePricesChanged && (isUncharged || !['airtime', 'bulk_sms'].includes(order.category));
    if (
      last.word === 'pending' &&
      (isHidden || isRepriced || isNumberless || subject.isMistimed || this.#isAlikeToAnother(subject, isUncharged))
    ) {
      this.alike += 1;
      return;
    }
    const known = this.#disk.orderOf(subject.owner, subject.requestId ?? '');
    this.#violate(
      'every order is answerable',
      subject.name,
      `in the end told ${last.word}, but v1 has ${order?.status ?? 'nothing'}; the journal has it ${tell(known?.outcome)}`,
    );
  }

  /** Two lost orders that agree in all that v1's history shows cannot be told apart, so both stay open. */
  #isAlikeToAnother(subject: Case, isUncharged: boolean): boolean {
    const likenesses = new Set([...subject.contents.values()].map(likenessOf));
    return this.#stage.book.cases.some((other) => {
      if (other === subject || other.walletId !== subject.walletId || other.requestId === undefined) return false;
      const outcome = this.#disk.orderOf(other.owner, other.requestId)?.outcome;
      // The row of another key's sale is recognised by its time.
      const isOpen = outcome === undefined || outcome.kind === 'unknown' || (other.owner !== subject.owner && other.isMistimed);
      // A failed order keeps no other from being proven absent (decision 0013).
      if (isUncharged && this.#ordersOf(other).every(({ status }) => status === 'failed')) return false;
      return isOpen && [...other.contents.values()].some((content) => likenesses.has(likenessOf(content)));
    });
  }

  /** Each intent is charged at most once, and nothing is charged that no script asked for. */
  #checkCharges(): void {
    const { book } = this.#stage;
    const charged = new Map<Case, number>();
    for (const order of this.#v1.orders()) {
      const subject = book.cases.find(
        ({ walletId, requestId, earlierIds }) =>
          walletId === order.walletId && order.requestId !== null && [requestId, ...earlierIds].includes(order.requestId),
      );
      if (subject === undefined) {
        this.#violate('nothing is charged unasked', '* v1', `${order.reference} has the request id ${order.requestId ?? 'none'}`);
        continue;
      }
      // A refunded order was one of several attempts at a sale without an id.
      if (subject.earlierIds.length === 0 || order.status !== 'failed') charged.set(subject, (charged.get(subject) ?? 0) + 1);
      if (
        ![...subject.contents.values(), subject.soldBefore].some((content) => content !== undefined && isSaleOf(content, order))
      )
        this.#violate('v1 sells what was asked for', subject.name, `${order.category} ${order.number} was sold`);
    }
    for (const [subject, count] of charged) {
      if (count > 1 && subject.customers === 1 && !this.#isHiddenByClock(subject) && !subject.isPushedOut)
        this.#violate('one charge per intent', subject.name, `charged ${count} times`);
    }
  }

  /** What a process told as it died, or while nothing could be written, is told again (decision 0024). */
  #noteLostTelling(subject: Case): void {
    const isLost = ({ word, body, process, at }: ScriptReply): boolean => {
      const requestId = this.#ordersOf(subject).find(({ reference }) => reference === body['reference'])?.requestId ?? undefined;
      return word === 'success' && requestId !== undefined && !this.#disk.isKnownTold({ ...subject, requestId }, process, at);
    };
    subject.isTellingLost ||= subject.replies.some(isLost);
  }

  /** PINs are told to one customer each, and charged for those who were told them or heard nothing certain. */
  #judgeCrowd(subject: Case): void {
    const { replies, name, customers, purchases } = subject;
    const scriptsOf = (told: readonly ScriptReply[]): readonly string[] => [...new Set(told.map(({ script }) => script))];
    let untold = 0;
    for (const { reference, status } of this.#ordersOf(subject)) {
      const told = scriptsOf(replies.filter(({ word, body }) => word === 'success' && body['reference'] === reference));
      if (status !== 'failed' && told.length === 0) untold += 1;
      if (told.length > 1 && !subject.isTellingLost)
        this.#violate('PINs are told to one customer', name, `${reference}: ${told.join()}`);
    }
    const replyTo = ({ script, startedAt }: Purchase): ScriptReply | undefined =>
      replies.find((reply) => reply.script === script && reply.startedAt === startedAt);
    // Some send again what was refused (facts, 9.1), and hang up then.
    const latest = [...new Map(purchases.map((one) => [one.script, one])).values()];
    const served = latest.filter((one) => ['success', 'failure'].includes(replyTo(one)?.word ?? ''));
    // Who repeats the sale of a process that has just died is told v1's refusal of an identical one (decision 0024).
    const cutOff = purchases.filter(
      (one) => one.openedAt !== undefined && this.#disk.isDead(one.process) && replyTo(one) === undefined,
    ).length;
    // After the clock was set, an open order may seem too old for its repeat, which is sold again; so it is where a hang-up could not be noted (decision 0024).
    if (untold > customers - served.length + cutOff && !this.#isHiddenByClock(subject) && !subject.isTellingLost)
      this.#violate('failure is true', name, `v1 charged ${untold} sales that nobody was told`);
  }

  /** The clock was put forward, so that the first order of a sale without an id seemed older than its repeat may be (decision 0024). */
  #isHiddenByClock(subject: Case): boolean {
    const [firstMs = 0, ...laterMs] = this.#openingsOf(subject);
    // Where the clock has been set right when the later order is opened, its process finds the first one.
    const isFound = laterMs.every((atMs) => atMs >= firstMs && atMs - firstMs <= REPLAY_MS);
    return !isFound && subject.purchases.some((one) => this.#seemsOldTo(one, subject));
  }

  /**
   * Whether the first order of the sale is older than this repeat may be by the clock with which its process began; or, where that clock had not come to
   * that time yet, by the present one.
   */
  #seemsOldTo({ process, startedAt }: Pick<Purchase, 'process' | 'startedAt'>, subject: Case): boolean {
    const { wall, startMs } = this.#stage;
    const settings = wall.settings.toReversed();
    const offsetAt = (time: number): number => settings.find(({ atMs }) => startMs + atMs < time)?.offsetMs ?? 0;
    const [firstMs = Infinity] = this.#openingsOf(subject);
    const beganAt = this.#disk.openedAt(process);
    const offsetMs = offsetAt(beganAt + offsetAt(beganAt) < firstMs ? startedAt : beganAt);
    return startedAt + offsetMs - firstMs > REPLAY_MS;
  }

  /** When the orders of the sale were opened, by the clocks of their processes. */
  #openingsOf({ owner, earlierIds, requestId = '' }: Case): readonly number[] {
    return [...earlierIds, requestId].flatMap((id) => this.#disk.orderOf(owner, id)?.openedAtMs ?? []);
  }

  #isWeekOff({ process }: ScriptReply): boolean {
    const { wall, startMs } = this.#stage;
    const before = wall.settings.filter(({ atMs }) => this.#disk.openedAt(process) > startMs + atMs);
    const offsets = [0, ...before.map(({ offsetMs }) => offsetMs)];
    return Math.max(...offsets) - Math.min(...offsets) > WEEK_MS;
  }

  /** A script that sells what is pending has made its next sale of the same while this one had no end, or heard a "pending" that could not be noted. */
  #wasOpenAtNext(subject: Case): boolean {
    if (subject.takesPending !== 'sells') return false;
    const next = this.#stage.book.cases.find(({ previous }) => previous === subject)?.purchases[0];
    return next !== undefined && (subject.endedAt > next.startedAt || subject.isPendingLost);
  }

  /** The next sale of the same content was told the outcome of this one, as if it were a repeat. */
  #isOfSaleBefore({ previous }: Case, { body }: ScriptReply): boolean {
    if (previous === undefined || !this.#mayBeRepeatedByNext(previous)) return false;
    return this.#ordersOf(previous).some(({ reference }) => reference === body['reference']);
  }

  /**
   * Whether the gateway may not know that this sale was told. Its process died at that moment, or the journal rejected the write,
   * or one of its two orders was not told: after the clock was set, or where its repeat was refused because a full table had forgotten it (decision 0024).
   */
  #mayBeRepeatedByNext(subject: Case): boolean {
    const told = subject.replies.find(({ word, how }) => word === 'success' && how === 'purchase');
    const isStillUntold = this.#disk.orderOf(subject.owner, subject.requestId ?? '')?.toldAtMs === NOT_TOLD;
    subject.isTellingLost ||= told !== undefined && (isStillUntold || !this.#disk.isKnownTold(subject, told.process, told.at));
    return subject.isTellingLost || subject.isPushedOut || this.#isHiddenByClock(subject) || this.#wasOpenAtNext(subject);
  }

  /** What v1 has charged for the intent under any of its ids; otherwise its latest order, if any. */
  #chargedOf(subject: Case): V1Order | undefined {
    return this.#ordersOf(subject).find(({ status }) => status !== 'failed') ?? this.#orderOf(subject);
  }

  /** All orders that v1 has for the intent. */
  #ordersOf({ walletId, requestId, earlierIds }: Case): readonly V1Order[] {
    const ids = requestId === undefined ? earlierIds : [...earlierIds, requestId];
    return ids.flatMap((id) => this.#v1.orderOf(walletId, id) ?? []);
  }

  #orderOf({ walletId, requestId }: Case): V1Order | undefined {
    return requestId === undefined ? undefined : this.#v1.orderOf(walletId, requestId);
  }

  #time(at: number): string {
    return `${((at - this.#stage.startMs) / 1000).toFixed(3)} s`;
  }

  #violate(invariant: string, subject: string, detail: string): void {
    this.#stage.book.violate(invariant, subject, detail);
  }
}

function wasToldSold({ replies }: Case, { at }: ScriptReply, agoMs = 0): boolean {
  return replies.some((earlier) => earlier.word === 'success' && earlier.at < at - agoMs);
}

/** The order is the sale of this request; for a status query, any sale under the id. */
function isAskedFor({ contents }: Case, { content }: ScriptReply, order: V1Order): boolean {
  return content === undefined ? [...contents.values()].some((one) => isSaleOf(one, order)) : isSaleOf(content, order);
}
