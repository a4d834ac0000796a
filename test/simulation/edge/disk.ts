/**
 * The journal on a simulated disk. A write is durable when it completes. When a process dies, each of its unfinished writes
 * becomes durable or is lost, by chance. Every write is checked against the rules of succession.
 */
import { GatewayError } from '../../../src/domain/errors';
import { isEndUntold, NOT_TOLD, type NewOrder, type Opened, type Order } from '../../../src/domain/order';
import { isFinal, isJudgedByTime, type Outcome } from '../../../src/domain/outcome';
import { type KeptChange, type Spool, writeKeptChange } from '../../../src/journal/kept-answers';
import { WriteFailure, type Journal, type Processes } from '../../../src/journal/journal';
import { wordingOf } from '../../../src/gateway/order/kept-repeats';
import { createDoubts, type Ended } from '../../../src/journal/doubts';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import type { Run } from '../../../src/journal/postgres/database';
import { isUnsettled } from '../../../src/journal/order-life';
import { TOLD_KEPT_MS, toldLine, wasTold, type ToldStore } from '../../../src/journal/told-sales';
import { servedBy } from '../script/content';
import type { Case } from '../verdict/case-book';
import { deliver, type Life } from '../engine/timeline';
import { note, type Stage } from './stage';

/** An order that was opened or settled while the clock was further ahead or behind may stay open: its times are no evidence (`find-lost`). */
const AHEAD_MS = 60_000;
const BEHIND_MS = 7 * 60_000;

/** After its marks of a dead process's orders a process has looked twice whether they were told (`mark-untold`). */
const LOOKED_MS = 76_000;

/** How often a process tries whether an unreadable disk can be written again. */
const LOOK_AGAIN_MS = 5_000;

/** Within this time a process has written what it told, unless the list of told sales is away. */
const JUST_NOW_MS = 1_000;

/** The longest time from a durable write until its process gets the result. */
const TELL_MS = 10;

/** How long a sale without an id may be repeated, and how many sales the table of words keeps (`kept-repeats`). */
const REPLAY_MS = 10 * 60_000;
const WORDINGS_MAX = 5_000;

interface Writing {
  readonly life: Life;
  /** Makes it durable. */
  readonly complete: () => Promise<unknown>;
  /** Called when the process died before that. */
  readonly lose: () => void;
}

export interface JournalPlace {
  /** Set for a process of a fleet. */
  readonly machine?: number | undefined;
  /** The clock of the process. */
  readonly now?: () => number;
  /** As a journal that machines share: a process that does not know the database's time writes nothing that is judged by times. */
  readonly isTimeKnown?: (() => boolean) | undefined;
  /** The orders stay those of the processes that held them: a start writes what its machine has kept. */
  readonly isReplay?: boolean;
}

export class Disk {
  readonly #stage: Stage;
  readonly #writing = new Set<Writing>();
  readonly #counts = new Map<string, number>();
  /** When each dead process last gave a sign of life, in ms since the epoch. */
  readonly #signsMs: number[] = [];
  /** The durable orders, as last written. */
  readonly orders = new Map<string, Order>();
  readonly journal = createMemoryJournal();
  readonly #told: { readonly atMs: number; readonly lines: string; readonly writtenAt: number }[] = [];
  /** What all processes have told. What is older than it must be is gone. */
  readonly told: ToldStore = {
    append: async (lines, atMs) => void this.#told.push({ lines, atMs, writtenAt: this.#stage.timeline.now }),
    read: async (fromMs) => {
      const since = this.#stage.timeline.now - TOLD_KEPT_MS;
      return this.#told.filter(({ atMs, writtenAt }) => atMs >= fromMs && writtenAt >= since).map(({ lines }) => lines);
    },
  };
  /** For a journal that several machines share: the last sign of life of each process, and for each order the process whose scripts may wait. */
  readonly #signs = new Map<string, number>();
  readonly #holders = new Map<string, string>();
  readonly #dead = new Set<string>();
  /** By process, what it alone knows of ends and tellings that could not be written; lost with its death. */
  readonly #unwritten = new Map<string, Map<string, () => void>>();
  readonly #openedAt = new Map<string, number>();
  /** The machine of each process of a fleet. */
  readonly #machines = new Map<Life, number | undefined>();
  /** What the processes of each machine of a fleet keep on its own disk while the database is away: a file for each. */
  readonly #spools: [KeptChange[][], KeptChange[][]] = [[], []];
  /** Called when a process has settled an order as sold. */
  onSold: (process: string, requestId: string) => void = () => undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  orderOf(owner: string, requestId: string): Order | undefined {
    return this.orders.get(`${owner} ${requestId}`);
  }

  /** The journal as one process has it. */
  openFor(life: Life, process: string, place: JournalPlace = {}): Journal {
    const { machine, isTimeKnown = () => true, isReplay = false, now = () => this.databaseMs() } = place;
    const { journal } = this;
    const { timeline, faults } = this.#stage;
    this.#openedAt.set(process, timeline.now);
    this.#machines.set(life, machine);
    const read = <T>(owner: string | undefined, find: () => Promise<T>): Promise<T> => this.#read(life, owner, find);
    const loseTelling = (owner: string, requestId: string): void => {
      const subject = this.#stage.book.find(owner, requestId);
      if (subject !== undefined) subject.isTellingLost = true;
    };
    const own = new Map<string, () => void>();
    if (!isReplay) this.#unwritten.set(process, own);
    // A machine of a fleet keeps it on its own disk, too, and the next start writes it.
    const keepUnwritten = (owner: string, requestId: string): void =>
      void (machine === undefined && own.set(`${owner} ${requestId}`, () => loseTelling(owner, requestId)));
    const endDoubt = (intent: NewOrder, ended: Ended, standing: Order | undefined): Promise<void> =>
      this.#write(life, 'open', intent, process, () => this.#end(intent, ended, standing, process));
    const doubts = createDoubts(now, endDoubt, faults.bounds?.ordersMax);
    let isEnding = false;
    const endDoubts = (): void => {
      isEnding = life.isAlive && doubts.count > 0;
      const again = (): void => void this.#stage.timeline.after(LOOK_AGAIN_MS, endDoubts);
      if (isEnding) void doubts.resolve().then(endDoubts, again);
    };
    const noteDoubt = (intent: NewOrder, standing?: Order): void => {
      doubts.note(intent, standing);
      if (!isEnding) endDoubts();
    };
    return {
      doubt: (intent) => noteDoubt(intent),
      open: (intent) => {
        if (!isTimeKnown()) return Promise.reject(new GatewayError('journal_unavailable'));
        const isMistimed = this.#isMistimed(intent.openedAtMs);
        let standing: Order | undefined;
        const open = async (): Promise<Opened> => {
          const opened = await this.#open(intent, process, isMistimed);
          if (opened.kind === 'opened' || opened.kind === 'reopened') standing = opened.order;
          return opened;
        };
        return this.#write(life, 'open', intent, process, open).catch((error: unknown) => {
          // Of a database it is not known whether the order was written.
          if (machine !== undefined) noteDoubt(intent, standing);
          throw new GatewayError('journal_unavailable', undefined, { cause: error });
        });
      },
      settle: (owner, requestId, latest, atMs, attempt) => {
        if (isJudgedByTime(latest) && !isTimeKnown()) return Promise.reject(new WriteFailure(new Error('the time is not known')));
        const isMistimed = this.#isMistimed(atMs);
        const settle = async (): Promise<Order> => {
          const order = await this.#settle(isMistimed, owner, requestId, latest, atMs, attempt);
          if (latest.kind === 'succeeded') this.onSold(process, requestId);
          return order;
        };
        // A process that finds the outcome of another process's order leaves the order to that process.
        const holder =
          isReplay || (attempt === undefined && latest.kind !== 'unknown')
            ? this.#holders.get(`${owner} ${requestId}`)
            : undefined;
        return this.#write(life, 'settle', { owner, requestId }, holder ?? process, settle).catch((error: unknown) => {
          keepUnwritten(owner, requestId);
          throw error;
        });
      },
      tell: (owner, requestId, toldAtMs, isDue, attempt) => {
        const isDueNow: typeof isDue = isDue && ((order) => isDue(order, this.#holders.get(`${owner} ${requestId}`)));
        let isDurable = false;
        const tell = async (): Promise<void> => {
          const order = await journal.find(owner, requestId);
          // As the real one: a change that was kept is written late.
          const isKept = machine !== undefined && attempt !== undefined && order !== undefined;
          if (isKept && attempt !== order.attempts) return;
          const isJudged = isDue !== undefined && order?.toldAtMs !== undefined;
          if (isKept && !isJudged && isEndUntold({ toldAtMs }) && (await wasTold(order, this.told))) return;
          await this.#tell(owner, requestId, toldAtMs, isDueNow, attempt);
          isDurable = true;
        };
        // The list of told sales is not asked about an order that the journal has as not told.
        const lose = (): void => void (this.orderOf(owner, requestId)?.toldAtMs === NOT_TOLD && loseTelling(owner, requestId));
        const holder = isReplay ? this.#holders.get(`${owner} ${requestId}`) : undefined;
        return this.#write(life, 'settle', { owner, requestId }, holder ?? process, tell, lose).then(
          () => void own.delete(`${owner} ${requestId}`),
          (error: unknown) => {
            // Another process reads what this one believes to be unwritten.
            if (isDurable) loseTelling(owner, requestId);
            else keepUnwritten(owner, requestId);
            throw error;
          },
        );
      },
      find: (owner, requestId) =>
        read(owner, async () => (await journal.find(owner, requestId)) ?? doubts.find({ owner, requestId })),
      findByReference: (owner, reference) => read(owner, () => journal.findByReference(owner, reference)),
      listByReference: (reference) => read(undefined, () => journal.listByReference(reference)),
      findByNumber: (owner, number) => read(owner, () => journal.findByNumber(owner, number)),
      hasReference: (owner) => read(owner, () => journal.hasReference(owner)),
      listUnsettled: (options) =>
        read(options.owner, async () =>
          (await journal.listUnsettled(options)).filter((order) => this.#isHeldBy(order, options.holder)),
        ),
      listUntold: (options) => read(options.owner, () => journal.listUntold(options)),
      list: (options) => this.#heldOnes(options),
      listOfOwner: (options) => journal.listOfOwner(options),
      owners: () => journal.owners(),
      isWritable: () => !this.#isGoneFor(life) && isTimeKnown(),
      close: () => Promise.resolve(),
    };
  }

  /** What a process of this machine keeps on its disk while the database is away. A line that is not flushed when it dies may be lost. */
  spoolFor(life: Life, machine: 0 | 1): Spool {
    const { timeline, faults } = this.#stage;
    const lines: KeptChange[] = [];
    this.#spools[machine].push(lines);
    return {
      append: (change) =>
        new Promise((resolve) => {
          const { chance } = faults.forWrite(`spool ${this.#count('spool')}`);
          timeline.after(chance.skewed(1, 40), () => {
            if (life.isAlive || chance.is(0.5)) lines.push({ ...change, isDue: undefined });
            deliver(life, resolve);
          });
        }),
      clear: async () => void lines.splice(0),
    };
  }

  /** Writes what the processes of this machine have left on its disk, through the journal of a process that starts there. What cannot be written stays. */
  async replaySpool(machine: 0 | 1, journal: Journal): Promise<void> {
    for (const lines of this.#spools[machine]) {
      const taken = lines.splice(0);
      try {
        for (const change of taken) {
          await writeKeptChange(journal, change);
          this.#stage.faults.count('kept on a disk, written by the next start');
        }
      } catch (error) {
        lines.unshift(...taken);
        throw error;
      }
    }
  }

  /** The journal as a start has it that marks the orders of dead processes: nothing fails. */
  markingJournal(process: string): Journal {
    const tell: Journal['tell'] = async (...telling) => {
      await this.#tell(...telling);
      // A process that dies before it has looked whether a living one has told the order leaves its mark (decision 0024).
      const [[owner, requestId], own] = [telling, this.#unwritten.get(process)];
      const subject = this.#stage.book.find(owner, requestId);
      own?.set(`mark ${owner} ${requestId}`, () => void (subject && (subject.isTellingLost = true)));
      this.#stage.timeline.after(LOOKED_MS, () => own?.delete(`mark ${owner} ${requestId}`));
    };
    return { ...this.journal, tell };
  }

  /** The database's time, as a process of a fleet asks for it. */
  timeFor(life: Life): Run {
    return () => this.#read(life, undefined, async () => [{ now_ms: String(this.databaseMs()) }]);
  }

  databaseMs(): number {
    return this.#stage.timeline.now + this.#stage.wall.databaseMs;
  }

  /** The list of processes in the database of a shared journal, as one of them sees it; away whenever the database is. */
  processesFor(life: Life, own: string): Processes {
    const reach = <T>(work: () => T | Promise<T>): Promise<T> => this.#read(life, undefined, async () => work());
    return {
      own,
      now: () => this.databaseMs(),
      readAtMs: () => this.#stage.timeline.now,
      sign: (atMs) => reach(() => void this.#signs.set(own, atMs)),
      list: () => reach(() => [...this.#signs].map(([id, signedAtMs]) => ({ id, signedAtMs }))),
      remove: (id, signedAtMs = this.#signs.get(id)) =>
        reach(() => void (this.#signs.get(id) === signedAtMs && this.#signs.delete(id))),
      toldSales: {
        append: (...told) => reach(() => this.told.append(...told)),
        read: (fromMs) =>
          reach(() => this.told.read(fromMs)).catch((error: unknown) => {
            this.#stage.book.doubtUnderWayAt(own);
            throw error;
          }),
      },
    };
  }

  /** Whether the table of words is full of orders that are newer than the first of this sale, and have no end or one that no script has heard. */
  isForgotten({ owner, earlierIds, requestId }: Case): boolean {
    const { faults, timeline } = this.#stage;
    const first = this.orderOf(owner, earlierIds[0] ?? requestId ?? '');
    if (faults.bounds === undefined || first === undefined) return false;
    const isOther = (order: Order): boolean => ![...earlierIds, requestId].includes(order.requestId);
    const newer = [...this.orders.values()].filter((order) => order.number > first.number && isOther(order));
    const unheard = newer.filter((order) => isUnsettled(order) || order.toldAtMs === NOT_TOLD);
    const young = unheard.filter(({ openedAtMs }) => Math.abs(timeline.now - openedAtMs) <= REPLAY_MS);
    return new Set(young.map(wordingOf)).size >= Math.max(1, Math.floor(WORDINGS_MAX / faults.bounds.tableScale));
  }

  leaveSign(atMs: number): void {
    this.#signsMs.push(atMs);
  }

  takeSigns(): readonly number[] {
    return this.#signsMs.splice(0);
  }

  /** When the process began. */
  openedAt(process: string): number {
    return this.#openedAt.get(process)!;
  }

  isDead(process: string): boolean {
    return this.#dead.has(process);
  }

  /** Whether it is written that this process has told this sale, or a living process has told it just now. */
  isKnownTold({ owner, requestId = '' }: Pick<Case, 'owner' | 'requestId'>, process: string, toldAt: number): boolean {
    const order = this.orderOf(owner, requestId);
    const line = order === undefined ? '' : toldLine(order);
    const isJustNow = this.#stage.timeline.now < toldAt + JUST_NOW_MS;
    return (isJustNow && !this.#dead.has(process)) || this.#told.some(({ lines }) => lines.includes(line));
  }

  #loseUnwritten(process: string): void {
    for (const lose of this.#unwritten.get(process)?.values() ?? []) lose();
    this.#unwritten.delete(process);
  }

  /** Each unfinished write of the process becomes durable or is lost. */
  crash(life: Life, process: string): void {
    this.#dead.add(process);
    this.#loseUnwritten(process);
    for (const writing of this.#writing) {
      if (writing.life !== life) continue;
      this.#writing.delete(writing);
      const { chance } = this.#stage.faults.forWrite(`crash ${this.#count('crash')}`);
      if (chance.is(0.5)) void writing.complete().catch(() => undefined);
      else writing.lose();
    }
  }

  #isGoneFor(life: Life): boolean {
    const { timeline, faults, startMs } = this.#stage;
    return faults.isJournalGone(timeline.now - startMs, this.#machines.get(life));
  }

  #isHeldBy({ owner, requestId }: Order, holder: string | undefined): boolean {
    return holder === undefined || this.#holders.get(`${owner} ${requestId}`) === holder;
  }

  async *#heldOnes(options: Parameters<Journal['list']>[0]): AsyncGenerator<Order> {
    for await (const order of this.journal.list(options)) if (this.#isHeldBy(order, options.holder)) yield order;
  }

  #read<T>(life: Life, owner: string | undefined, find: () => Promise<T>): Promise<T> {
    const { timeline, faults, book, startMs } = this.#stage;
    const label = String(this.#count('read'));
    const { chance } = faults.forWrite(`read ${label}`);
    return new Promise((resolve, reject) => {
      timeline.after(chance.skewed(0, 4), () => {
        if (faults.failsRead(label, timeline.now - startMs, this.#machines.get(life))) {
          if (owner !== undefined) book.doubtfulOwners.add(owner);
          note(this.#stage, '* journal', 'cannot be read');
          return reject(new Error('the disk: cannot be read'));
        }
        void find().then((found) => timeline.after(chance.skewed(0, 8), () => deliver(life, () => resolve(found))));
      });
    });
  }

  #write<T>(
    life: Life,
    kind: 'open' | 'settle',
    { owner, requestId }: Pick<NewOrder, 'owner' | 'requestId'>,
    process: string,
    change: () => Promise<T>,
    lose: () => void = () => undefined,
  ): Promise<T> {
    const complete = async (): Promise<T> => {
      const before = await this.journal.find(owner, requestId);
      const changed = await change();
      if ((await this.journal.find(owner, requestId)) !== before) this.#holders.set(`${owner} ${requestId}`, process);
      return changed;
    };
    const { timeline, faults, book, startMs } = this.#stage;
    const label = `${kind} ${requestId}`;
    const { fault, chance } = faults.forWrite(`${label} ${this.#count(label)}`);
    const trouble = (why: string): Error => {
      const subject = book.find(owner, requestId);
      if (subject !== undefined) subject.isDoubtful = true;
      note(this.#stage, subject?.name ?? requestId, `${process}: journal.${kind} ${why}`);
      return new WriteFailure(new Error(`the disk: ${why}`));
    };
    return new Promise((resolve, reject) => {
      const writing: Writing = { life, complete, lose };
      this.#writing.add(writing);
      timeline.after(fault === 'slow' ? chance.between(500, 8_000) : chance.skewed(1, 40), () => {
        if (!this.#writing.delete(writing)) return;
        if (faults.isDiskFull(timeline.now - startMs) || this.#isGoneFor(life)) {
          faults.count('disk_full');
          return reject(trouble('finds the disk full'));
        }
        if (fault === 'fails') return reject(trouble('fails'));
        complete().then((result) => {
          if (fault === 'fails_but_durable') return reject(trouble('fails, yet is durable'));
          const tellMs = chance.skewed(0, TELL_MS);
          const subject = book.find(owner, requestId);
          if (subject !== undefined) subject.toldOfWriteAt = timeline.now + tellMs;
          timeline.after(tellMs, () => deliver(life, () => resolve(result)));
        }, reject);
      });
    });
  }

  /** Compared with the right time of the request to write, because the clock may be set before the write is durable. */
  #isMistimed(atMs: number): boolean {
    const aheadMs = atMs - this.#stage.timeline.now;
    return aheadMs > AHEAD_MS || aheadMs < -BEHIND_MS;
  }

  async #open(intent: NewOrder, process: string, isMistimed: boolean): Promise<Opened> {
    const { book, timeline } = this.#stage;
    const opened = await this.journal.open(intent);
    const { order } = opened;
    const { meter, smartcard, phone = '', recipients } = intent.fields as Record<string, string | readonly string[] | undefined>;
    const served = {
      number: String(meter ?? smartcard ?? phone),
      recipients: [...((recipients ?? []) as readonly string[])].sort(),
    };
    const subject = book.find(order.owner, order.requestId) ?? book.name(order.owner, servedBy(served), order.requestId);
    this.#keep(order, isMistimed && (opened.kind === 'opened' || opened.kind === 'reopened'));
    // Another attempt is under way elsewhere or was cut short, so this process cannot know how it ends.
    if (opened.kind === 'found' && subject !== undefined && isOpen(order.outcome)) {
      subject.isDoubtful = true;
      book.handOn(subject, process, order.requestId);
    }
    note(this.#stage, subject?.name ?? order.requestId, `${process}: journal.open → ${opened.kind}`);
    for (const purchase of subject?.purchases ?? []) {
      if (purchase.process === process && purchase.endedAt === undefined) purchase.openedAt ??= timeline.now;
    }
    return opened;
  }

  /** Ends an order that was not sent, unless the journal has another one, or another attempt (`standing`), of this id. */
  async #end(intent: NewOrder, { outcome, atMs }: Ended, standing: Order | undefined, process: string): Promise<void> {
    const { owner, requestId } = intent;
    const known = this.orderOf(owner, requestId);
    if (known !== undefined && known !== standing) return;
    const { attempts } = known ?? (await this.#open(intent, process, false)).order;
    await this.#settle(false, owner, requestId, outcome, atMs, attempts);
  }

  async #settle(isMistimed: boolean, ...settling: Parameters<Journal['settle']>): Promise<Order> {
    const [owner, requestId, latest] = settling;
    const before = this.orderOf(owner, requestId);
    const after = await this.journal.settle(...settling);
    const subject = this.#stage.book.find(owner, requestId)?.name ?? requestId;
    note(this.#stage, subject, `journal.settle(${tell(latest)}) → ${tell(after.outcome)}`);
    this.#keep(after, isMistimed);
    const ended = this.#stage.book.find(owner, requestId);
    if (ended !== undefined && after.outcome !== undefined && isFinal(after.outcome))
      ended.endedAt = Math.min(ended.endedAt, this.#stage.timeline.now);
    const was = before?.outcome;
    if (was !== undefined && isFinal(was) && after.outcome?.kind !== was.kind)
      this.#stage.book.violate('the journal goes forward', subject, `${tell(was)} became ${tell(after.outcome)}`);
    if (was?.kind === 'pending' && after.outcome?.kind !== 'pending' && !(after.outcome && isFinal(after.outcome)))
      this.#stage.book.violate('the journal goes forward', subject, `pending became ${tell(after.outcome)}`);
    if (was?.kind === 'unknown' && after.outcome?.kind === 'rejected')
      this.#stage.book.violate('the journal goes forward', subject, 'unknown became rejected');
    return after;
  }

  async #tell(...telling: Parameters<Journal['tell']>): Promise<void> {
    const [owner, requestId] = telling;
    await this.journal.tell(...telling);
    const after = await this.journal.find(owner, requestId);
    if (after !== undefined) this.orders.set(`${owner} ${requestId}`, after);
  }

  #keep(order: Order, isMistimed: boolean): void {
    const subject = this.#stage.book.find(order.owner, order.requestId);
    if (subject !== undefined && isMistimed) subject.isMistimed = true;
    this.orders.set(`${order.owner} ${order.requestId}`, order);
  }

  #count(label: string): number {
    const count = (this.#counts.get(label) ?? 0) + 1;
    this.#counts.set(label, count);
    return count;
  }
}

function isOpen(outcome: Outcome | undefined): boolean {
  return outcome === undefined || outcome.kind === 'unknown';
}

export function tell(outcome: Outcome | undefined): string {
  if (outcome === undefined) return 'open';
  const more = 'reference' in outcome ? outcome.reference : 'reason' in outcome ? outcome.reason : undefined;
  const status = outcome.kind === 'rejected' ? `${outcome.httpStatus} ${outcome.message ?? ''}` : '';
  return [outcome.kind, status, more].filter((part) => part !== undefined && part !== '').join(' ');
}
