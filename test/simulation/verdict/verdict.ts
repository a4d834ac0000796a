/** The invariants: what must be true of every reply when it is told, and of every history when it is over. */
import type { Order as V1Order } from '../../../src/sandbox/order/order';
import type { Disk } from '../edge/disk';
import { tell } from '../edge/disk';
import { SKEW_MS } from '../edge/fault-plan';
import type { SimulatedV1 } from '../edge/simulated-v1';
import type { Stage } from '../edge/stage';
import { isSaleOf, likenessOf } from '../script/sale';
import type { Case, Purchase, Telling } from './case-book';

const REFUSED_BY_OPERATOR: readonly string[] = ['number_unlisted', 'caller_paused'];
/** For so long a success is told again to its repeats. */
const REPLAY_MS = 10 * 60_000;

export class Verdict {
  readonly #stage: Stage;
  readonly #v1: SimulatedV1;
  readonly #disk: Disk;
  /** v1's records do not show whose they are. */
  readonly #isObscure: boolean;
  /** Orders left open because v1's history cannot tell them from others. */
  alike = 0;

  constructor(stage: Stage, v1: SimulatedV1, disk: Disk, isObscure: boolean) {
    this.#stage = stage;
    this.#v1 = v1;
    this.#disk = disk;
    this.#isObscure = isObscure;
  }

  /** Judges a reply at the moment it is told. */
  hear(subject: Case, telling: Telling): void {
    if (telling.word === 'success') this.#judgeSuccess(subject, telling);
    if (telling.word === 'failure' && telling.how === 'status') this.#judgeTakenBack(subject, telling);
    if (telling.word === 'pending') this.#judgePending(subject, telling);
  }

  /** Judges the history as a whole. `lastTold` is each order's status after everything has come to rest. */
  close(lastTold: ReadonlyMap<Case, Telling | undefined>): void {
    this.#checkCharges();
    for (const subject of this.#stage.book.cases) {
      for (const telling of subject.tellings) if (telling.word === 'failure') this.#judgeFailure(subject, telling);
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

  #judgeSuccess(subject: Case, telling: Telling): void {
    if (this.#isClockToBlame(subject)) return;
    const order = this.#chargedOf(subject);
    const lie = (detail: string): void => this.#violate('success is true', subject.name, `told success, but ${detail}`);
    if (this.#isOfSaleBefore(subject, telling)) return;
    if (order === undefined) return lie('v1 has no such order');
    if (order.status !== 'success') return lie(`v1 says ${order.status}`);
    if (!isAskedFor(subject, telling, order)) return lie('v1 sold something else under this id');
    const { body } = telling;
    if (body['reference'] !== order.reference)
      return lie(`the reply shows ${JSON.stringify(body['reference'])}, not ${order.reference}`);
    const shown = JSON.stringify([body['pin'] ?? null, body['token'] ?? null, body['pins'] ?? null]);
    const goods = [...order.pins.map(({ pin }) => pin), ...(order.token === null ? [] : [order.token])];
    if (goods.some((good) => !shown.includes(good))) lie(`it shows ${shown} instead of ${goods.join()}`);
  }

  /** Who asks what became of a sale that was told as sold never hears that it failed. */
  #judgeTakenBack(subject: Case, telling: Telling): void {
    const sold = subject.tellings.find(({ word, at }) => word === 'success' && at <= telling.startedAt);
    // Of several orders of one sale without an id, another was sold than the one that is asked about.
    if (sold === undefined || subject.earlierIds.length > 0 || this.#isClockToBlame(subject)) return;
    this.#violate(
      'success stays',
      subject.name,
      `told success at ${this.#time(sold.at)}, and failure at ${this.#time(telling.at)}`,
    );
  }

  #judgePending(subject: Case, telling: Telling): void {
    const { previous } = subject;
    if (this.#mayBeOpen(subject, telling)) return;
    if (previous !== undefined && this.#mayBeRepeatedByNext(previous) && this.#mayBeOpen(previous, telling)) return;
    const known = this.#disk.orderOf(subject.owner, subject.requestId ?? '');
    this.#violate(
      'pending is true',
      subject.name,
      `told pending, but nothing is open: the journal has it ${tell(known?.outcome)}`,
    );
  }

  #mayBeOpen(subject: Case, telling: Telling): boolean {
    const isUnderWay = subject.inFlight > 0 || subject.toldOfWriteAt >= telling.startedAt;
    if (isUnderWay || subject.isDoubtful || this.#stage.book.doubtfulOwners.has(subject.owner)) return true;
    const order = this.#orderOf(subject);
    // A provider's word that came during the answer is news of the next one.
    if (order !== undefined && (order.status === 'pending' || order.createdAt >= telling.startedAt - 180_000)) return true;
    const known = this.#disk.orderOf(subject.owner, subject.requestId ?? '');
    return known !== undefined && [undefined, 'unknown'].includes(known.outcome?.kind);
  }

  /** Nobody who was told "failed" has paid, unless the script ordered again after it was told. */
  #judgeFailure(subject: Case, telling: Telling): void {
    const order = this.#chargedOf(subject);
    if (order === undefined || order.status === 'failed') return;
    if (subject.earlierIds.length > 0 && (telling.how === 'status' || this.#isClockToBlame(subject))) return;
    // Whether it repeats a sale of another process nobody can tell then (decision 0024).
    if (telling.code === 'journal_unavailable' && isRepeatElsewhere(subject, telling)) return;
    // What was sold past the gateway, before the script came, is not what the script was told of.
    if (subject.soldBefore !== undefined && isSaleOf(subject.soldBefore, order)) return;
    const { content } = telling;
    // Told of another sale under the same id: that one is not charged.
    if (content !== undefined && !isSaleOf(content, order)) return;
    // A refusal of a conflict speaks of a sale that is not this one, whatever the script made of it.
    if (telling.code === 'request_id_reused' && subject.contents.size > 1) return;
    // An id that was told as sold long before is refused as used: the sale that is refused is not charged.
    if (telling.code === 'request_id_used' && wasToldSold(subject, telling)) return;
    // The same, while the operator has the words refused. The clock of another gateway may be ahead.
    if (REFUSED_BY_OPERATOR.includes(telling.code ?? '') && wasToldSold(subject, telling, REPLAY_MS - SKEW_MS)) return;
    if (subject.purchases.some((purchase) => this.#excuses(purchase, telling, order))) return;
    this.#violate(
      'failure is true',
      subject.name,
      `told ${telling.http} failure at ${this.#time(telling.at)} (${telling.how}${telling.code === undefined ? '' : `, ${telling.code}`}), but v1 charged ${order.reference}: ${order.status}`,
    );
  }

  /** The script ordered again after it was told, or another process took the order only after it was asked. */
  #excuses(purchase: Purchase, telling: Telling, order: V1Order): boolean {
    if (!isSaleOf(purchase.content, order)) return false;
    if (purchase.startedAt >= telling.at) return true;
    return purchase.process !== telling.process && purchase.openedAt !== undefined && purchase.openedAt > telling.startedAt;
  }

  /** After everything has come to rest a status query tells what v1 knows. */
  #judgeAnswer(subject: Case, last: Telling): void {
    const sold = this.#orderOf(subject);
    const order = sold !== undefined && isAskedFor(subject, last, sold) ? sold : undefined;
    const expected =
      order === undefined || order.status === 'failed' ? 'failure' : order.status === 'success' ? 'success' : 'pending';
    if (last.word === expected) return;
    // Nobody has it: told without the word that makes scripts refund, as it may not have come yet.
    if (order === undefined && last.word === 'unanswered' && last.code === 'order_unknown') return;
    // Nobody can make the gateway know what was sold past it; that it does not lie about it is judged elsewhere.
    if (last.word !== 'success' && subject.soldBefore !== undefined) return;
    const isNumberless = [...subject.contents.values()].every(({ number }) => number === '');
    if (last.word === 'pending' && (this.#isObscure || isNumberless || subject.isMistimed || this.#isAlikeToAnother(subject))) {
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

  /** Of two lost orders that agree in all that v1's history shows, nobody can tell which is which: both stay open. */
  #isAlikeToAnother(subject: Case): boolean {
    const likenesses = new Set([...subject.contents.values()].map(likenessOf));
    return this.#stage.book.cases.some((other) => {
      if (other === subject || other.walletId !== subject.walletId || other.requestId === undefined) return false;
      const outcome = this.#disk.orderOf(other.owner, other.requestId)?.outcome;
      // A row of another key's sale is known as that by its time.
      const isOpen = outcome === undefined || outcome.kind === 'unknown' || (other.owner !== subject.owner && other.isMistimed);
      return isOpen && [...other.contents.values()].some((content) => likenesses.has(likenessOf(content)));
    });
  }

  /** Each intent is charged at most once, and nothing is charged that nobody asked for. */
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
      // What was refunded was one of several tries of a sale without an id.
      if (subject.earlierIds.length === 0 || order.status !== 'failed') charged.set(subject, (charged.get(subject) ?? 0) + 1);
      if (
        ![...subject.contents.values(), subject.soldBefore].some((content) => content !== undefined && isSaleOf(content, order))
      )
        this.#violate('v1 sells what was asked for', subject.name, `${order.category} ${order.number} was sold`);
    }
    for (const [subject, count] of charged) {
      if (count > 1 && !this.#isClockToBlame(subject))
        this.#violate('one charge per intent', subject.name, `charged ${count} times`);
    }
  }

  /** The clock was set beyond the window of repeats: an order of another process is looked for in vain (decision 0024). */
  #isClockToBlame({ earlierIds }: Case): boolean {
    return earlierIds.length > 0 && this.#stage.faults.clockSettings.length > 0;
  }

  /** The next sale of the very same was told what became of this one, as one more repeat of it. */
  #isOfSaleBefore({ previous }: Case, { body }: Telling): boolean {
    if (previous === undefined || !this.#mayBeRepeatedByNext(previous)) return false;
    return this.#ordersOf(previous).some(({ reference }) => reference === body['reference']);
  }

  /**
   * Nobody knows that it was told: its process died in that moment, or the journal took nothing; or the clock was set, and one of its two orders was
   * told to nobody (decision 0024).
   */
  #mayBeRepeatedByNext(subject: Case): boolean {
    const told = subject.tellings.find(({ word, how }) => word === 'success' && how === 'purchase');
    subject.isTellingLost ||= told !== undefined && !this.#disk.isKnownTold(subject, told.process);
    return subject.isTellingLost || this.#isClockToBlame(subject);
  }

  /** What v1 has charged for the intent, under whichever id, if anything. */
  #chargedOf(subject: Case): V1Order | undefined {
    return this.#ordersOf(subject).find(({ status }) => status !== 'failed') ?? this.#orderOf(subject);
  }

  /** All that v1 has of the intent. */
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

function isRepeatElsewhere({ isNameless, purchases }: Case, { process, startedAt }: Telling): boolean {
  return isNameless && purchases.some((earlier) => earlier.process !== process && earlier.startedAt < startedAt);
}

function wasToldSold({ tellings }: Case, { at }: Telling, agoMs = 0): boolean {
  return tellings.some((earlier) => earlier.word === 'success' && earlier.at < at - agoMs);
}

/** The order is the sale that this request was for; a status query is for any that was sent under the id. */
function isAskedFor({ contents }: Case, { content }: Telling, order: V1Order): boolean {
  return content === undefined ? [...contents.values()].some((one) => isSaleOf(one, order)) : isSaleOf(content, order);
}
