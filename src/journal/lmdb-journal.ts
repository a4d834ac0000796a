/** The embedded journal: one LMDB folder on a local disk, shared by the processes of one machine. */
import type { Secret } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import { readOnlyJournal, type Journal, type JournalEvent } from './journal';
import { catchUp, createDoubts } from './doubts';
import { keepAnswers, type KeepingJournal } from './kept-answers';
import { openEnvironment, openTrees } from './lmdb/environment';
import { GroupCommit, STALL_MS, type Plan } from './lmdb/group-commit';
import { timeKey, type Store } from './lmdb/keys';
import { createLastingRoot } from './lmdb/lasting-root';
import { createReads } from './lmdb/read-orders';
import { createKeyMark, OpenAttempts, planOpening, planSettling, planSweep, planTelling } from './lmdb/write-orders';
import { checkIntent, createOrderNumbers } from './order-life';
import { createFieldSeal } from './record';
import { startRetention, STEADY_MS, SWEEP_EVERY_MS, type Retention } from './retention';

export interface LmdbJournalOptions {
  readonly dir: string;
  /** Settled orders older than this are deleted in the background; none with Infinity. */
  readonly retentionMs?: number;
  /** Encrypts the fields of orders at rest. */
  readonly encryptionKey?: Secret;
  readonly onEvent?: (event: JournalEvent) => void;
  readonly now?: () => number;
  /** Nothing is deleted until the clock has run evenly for so long, over restarts. */
  readonly steadyMs?: number;
}

const DAY_MS = 86_400_000;
const RETENTION_MS = 90 * DAY_MS;
const CLOCK_KEY = Buffer.from('clock');
/** Two signs of an even clock are not further apart: a round of retention, and a restart. */
const SIGNS_APART_MS = 1.5 * SWEEP_EVERY_MS;

/** Opens the journal in this folder, made when absent. Rejects with a plain Error that names the folder when it is not usable. */
export async function openLmdbJournal(options: LmdbJournalOptions): Promise<Journal> {
  const { dir, onEvent = () => {}, now = Date.now } = options;
  const seal = createFieldSeal(options.encryptionKey);
  const store: Store = { ...(await openEnvironment({ dir, keyCheck: seal.keyCheck })), seal };
  const takeNumber = createOrderNumbers();
  const openAttempts = new OpenAttempts();
  // In a microtask of its own: a listener that throws must not undo the transaction that calls this.
  const onShutOut = (error: Error): void => queueMicrotask(() => onEvent({ kind: 'write_failed', error }));
  const keyMark = createKeyMark({ root: () => store.root, dir, keyCheck: seal.keyCheck, onShutOut });
  const reopen = (isReadOnly: boolean): void =>
    void Object.assign(store, openTrees({ dir, keyCheck: seal.keyCheck, isReadOnly }));
  const lasting = createLastingRoot({ dir, root: () => store.root, reopen });
  const doubts = createDoubts(now, (intent, ended) => group.run(planOpening(store, keyMark, takeNumber, intent, ended)));
  const afterRecovery = (): Promise<void> => catchUp(journal, doubts, onEvent);
  const group: GroupCommit = new GroupCommit({
    commit: (work) =>
      lasting.commit(() => {
        keyMark.look();
        work();
      }),
    onChange: (change, error) => {
      onEvent(eventOf(change, error));
      if (change === 'recovered') void afterRecovery();
    },
  });
  const retention = startSweep(store, group, options);
  let isOpen = true;
  const assertOpen = (): void => {
    if (!isOpen || !lasting.isOpen()) throw new Error('The journal is closed.');
  };

  const reads = createReads(store, assertOpen);
  const journal: KeepingJournal = keepAnswers({
    ...reads,
    find: async (owner, requestId) => (await reads.find(owner, requestId)) ?? doubts.find({ owner, requestId }),
    async open(intent) {
      checkIntent(intent);
      const plan = planOpening(store, keyMark, takeNumber, intent);
      try {
        const opened = await group.run(plan);
        if (opened.kind === 'opened' || opened.kind === 'reopened') openAttempts.keep(opened.order);
        return opened;
      } catch (error) {
        // A record beyond its bounds is a bug, not a failure of the disk.
        if (error instanceof RangeError) throw error;
        throw new GatewayError('journal_unavailable', undefined, { cause: error });
      }
    },
    settle: (...settling) => group.run(planSettling(store, openAttempts, ...settling)),
    tell: (owner, requestId, toldAtMs, isDue) => group.run(planTelling(store, owner, requestId, toldAtMs, isDue)),
    doubt(intent) {
      doubts.note(intent);
      if (journal.isWritable()) void afterRecovery();
    },
    isWritable: () => group.isWritable() && keyMark.isOurs(),
    async close() {
      if (!isOpen) return;
      void retention?.stop();
      if (journal.keptCount() > 0 || doubts.count > 0) await group.mend().then(afterRecovery, () => undefined);
      if (journal.keptCount() > 0) onEvent({ kind: 'answers_unwritten', orders: journal.keptCount() });
      const isQuiet = await group.close();
      isOpen = false;
      // While a write gets no answer, LMDB's own `close` would wait for ever.
      if (isQuiet) await store.root.close();
    },
  });
  return journal;
}

function eventOf(change: 'failed' | 'stalled' | 'recovered', error: unknown): JournalEvent {
  if (change === 'stalled') return { kind: 'write_stalled', waitedMs: STALL_MS };
  return change === 'failed' ? { kind: 'write_failed', error } : { kind: 'write_recovered' };
}

function startSweep(store: Store, group: GroupCommit, options: LmdbJournalOptions): Retention | undefined {
  const { retentionMs = RETENTION_MS, onEvent = () => {}, now = Date.now, steadyMs = STEADY_MS } = options;
  if (retentionMs === Infinity) return undefined;
  let untilMs = 0;
  return startRetention<Buffer>({
    onEvent,
    async takeTurn() {
      const atMs = now();
      untilMs = atMs - retentionMs;
      const sinceMs = await group.run(() => planClockSign(store, atMs));
      return atMs - sinceMs >= steadyMs;
    },
    async sweepSome(start = timeKey(0)) {
      const { unreadable, ...swept } = await group.run(() => planSweep(store, start, untilMs));
      for (const error of unreadable) onEvent({ kind: 'record_unreadable', error });
      return swept;
    },
  });
}

/**
 * Writes that the clock shows this time, and gives the time since when it has run evenly: each sign came soon after the one before.
 */
function planClockSign({ root }: Store, atMs: number): Plan<number> {
  const [sinceMs, lastMs] = JSON.parse(root.get(CLOCK_KEY)?.toString() ?? '[0,0]') as readonly [number, number];
  const fromMs = atMs >= lastMs && atMs - lastMs <= SIGNS_APART_MS ? sinceMs : atMs;
  return { result: fromMs, writes: [{ tree: root, key: CLOCK_KEY, value: Buffer.from(JSON.stringify([fromMs, atMs])) }] };
}

/**
 * Opens the embedded journal for reading only: nothing in its folder changes. Meant for a process of its own: LMDB opens a folder once
 * in a process, and the first opening decides whether that process can write to it. Rejects with a plain Error when there is no journal,
 * or one that this key does not open.
 */
export async function openLmdbReader({
  dir,
  encryptionKey,
}: Pick<LmdbJournalOptions, 'dir' | 'encryptionKey'>): Promise<Journal> {
  const seal = createFieldSeal(encryptionKey);
  const store = { ...(await openEnvironment({ dir, keyCheck: seal.keyCheck, isReadOnly: true })), seal };
  let isOpen = true;
  const assertOpen = (): void => {
    if (!isOpen) throw new Error('The journal is closed.');
  };
  return readOnlyJournal(createReads(store, assertOpen), async () => {
    if (!isOpen) return;
    isOpen = false;
    await store.root.close();
  });
}
