/** The embedded journal: one LMDB folder on a local disk, shared by the processes of one machine. */
import type { Secret } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import { checkIntent } from './check-intent';
import type { Journal } from './journal';
import type { JournalEvent } from './journal-event';
import { keepAnswers, type KeepingJournal } from './kept-answers';
import { createReads } from './lmdb/create-reads';
import { openEnvironment, openTrees } from './lmdb/environment';
import { createGroupCommit, type GroupCommit } from './lmdb/group-commit';
import { createKeyMark, type KeyMark } from './lmdb/key-mark';
import { createLastingRoot, type LastingRoot } from './lmdb/lasting-root';
import { createOpenAttempts } from './lmdb/open-attempts';
import { planOpening, PRESENT } from './lmdb/plan-opening';
import { planSettling, planTelling } from './lmdb/plan-settling';
import type { Store } from './lmdb/read-order';
import { createFieldSeal } from './lmdb/sealed-fields';
import { startSweep } from './lmdb/sweep';
import { createOrderNumbers } from './order-number';

export interface LmdbJournalOptions {
  readonly dir: string;
  /** Settled orders older than this are deleted in the background; none with Infinity. */
  readonly retentionMs?: number;
  /** Encrypts phone, meter and smartcard numbers at rest. */
  readonly encryptionKey?: Secret;
  readonly onEvent?: (event: JournalEvent) => void;
  /** A flush that takes longer counts as failed. */
  readonly stallMs?: number;
  readonly now?: () => number;
}

const DAY_MS = 86_400_000;
const RETENTION_MS = 90 * DAY_MS;
const STALL_MS = 10_000;
const JOBS_MAX = 1024;
const PLAN_MS_MAX = 5;
const PROBE_FIRST_MS = 1000;
const PROBE_MOST_MS = 5000;
const PROBE_KEY = Buffer.from('probe');

/** The journal in this folder, made when absent. Rejects with a plain Error naming the folder when it is not usable. */
export async function openLmdbJournal(options: LmdbJournalOptions): Promise<Journal> {
  const { dir, onEvent = () => {}, now = Date.now } = options;
  const seal = createFieldSeal(options.encryptionKey);
  const store: Store = { ...(await openEnvironment({ dir, keyCheck: seal.keyCheck })), seal };
  const takeNumber = createOrderNumbers();
  const openAttempts = createOpenAttempts();
  // In a turn of its own: a listener that throws must not undo the transaction that found it out.
  const onShutOut = (error: Error): void => queueMicrotask(() => onEvent({ kind: 'write_failed', error }));
  const keyMark = createKeyMark({ root: () => store.root, dir, keyCheck: seal.keyCheck, onShutOut });
  const reopen = (isReadOnly: boolean): void =>
    void Object.assign(store, openTrees({ dir, keyCheck: seal.keyCheck, isReadOnly }));
  const lasting = createLastingRoot({ dir, root: () => store.root, reopen });
  const writer = createWriter({ store, lasting, keyMark, options, onRecovered: () => journal.writeKept() });
  const { group } = writer;
  const { retentionMs = RETENTION_MS } = options;
  const sweep = retentionMs === Infinity ? undefined : startSweep({ store, group, now, retentionMs, onEvent });
  let isOpen = true;
  const assertOpen = (): void => {
    if (!isOpen || !lasting.isOpen()) throw new Error('The journal is closed.');
  };

  const journal: KeepingJournal = keepAnswers({
    ...createReads(store, assertOpen),
    async open(intent) {
      checkIntent(intent);
      const plan = planOpening(store, keyMark, takeNumber, intent);
      try {
        const opened = await group.run(plan);
        if (opened.kind === 'opened' || opened.kind === 'reopened') openAttempts.keep(opened.order);
        return opened;
      } catch (error) {
        // A record beyond its bounds is a bug and no state of the disk.
        if (error instanceof RangeError) throw error;
        throw new GatewayError('journal_unavailable', undefined, { cause: error });
      }
    },
    settle: async (owner, requestId, latest, atMs) =>
      group.run(planSettling(store, openAttempts, { owner, requestId, latest, atMs })),
    tell: async (owner, requestId, toldAtMs) => group.run(planTelling(store, owner, requestId, toldAtMs)),
    isWritable: () => group.isWritable() && keyMark.isOurs(),
    async close() {
      if (!isOpen) return;
      sweep?.stop();
      if (journal.keptCount() > 0) await writer.tryNow();
      writer.stopTrying();
      if (journal.keptCount() > 0) onEvent({ kind: 'answers_unwritten', orders: journal.keptCount() });
      const isQuiet = await group.close();
      isOpen = false;
      // A write that never comes back would keep LMDB's own close waiting for ever.
      if (isQuiet) await store.root.close();
    },
  });
  return journal;
}

interface WriterParts {
  readonly store: Store;
  readonly lasting: LastingRoot;
  readonly keyMark: KeyMark;
  readonly options: LmdbJournalOptions;
  readonly onRecovered: () => Promise<number>;
}

interface Writer {
  readonly group: GroupCommit;
  /** After a failed write: whether one gets through now. */
  readonly tryNow: () => Promise<void>;
  readonly stopTrying: () => void;
}

/**
 * The group commit on LMDB. A failed write is told once; from then on a small one is tried until it gets through, because
 * probes may keep all traffic away, and the end is told once.
 */
function createWriter({ store, lasting, keyMark, options, onRecovered }: WriterParts): Writer {
  const { onEvent = () => {}, stallMs = STALL_MS } = options;
  let next: NodeJS.Timeout | undefined;
  let isTold = false;
  let waitMs = PROBE_FIRST_MS;
  const group = createGroupCommit({
    commit: (work) =>
      lasting.commit(() => {
        keyMark.look();
        work();
      }),
    jobsMax: JOBS_MAX,
    planMsMax: PLAN_MS_MAX,
    stallMs,
    onChange: (change, error) => {
      clearTimeout(next);
      if (change === 'recovered') {
        isTold = false;
        waitMs = PROBE_FIRST_MS;
        onEvent({ kind: 'write_recovered' });
        return void onRecovered().then((orders) => orders > 0 && onEvent({ kind: 'answers_written', orders }));
      }
      if (change === 'stalled') return onEvent({ kind: 'write_stalled', waitedMs: stallMs });
      next = setTimeout(() => void tryNow(), waitMs).unref();
      waitMs = Math.min(2 * waitMs, PROBE_MOST_MS);
      if (isTold) return;
      isTold = true;
      onEvent({ kind: 'write_failed', error });
    },
  });
  const tryNow = async (): Promise<void> => {
    try {
      // The root in use then, which may be another one than now.
      await group.mend(() => ({ result: undefined, writes: [{ tree: store.root, key: PROBE_KEY, value: PRESENT }] }));
      await onRecovered();
    } catch {
      // Told by `onChange`.
    }
  };
  return { group, tryNow, stopTrying: () => clearTimeout(next) };
}
