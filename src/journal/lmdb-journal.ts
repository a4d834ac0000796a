/** The embedded journal: one LMDB folder on a local disk, shared by the processes of one machine. */
import type { Secret } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import { checkIntent } from './check-intent';
import type { Journal } from './journal';
import type { JournalEvent } from './journal-event';
import { commitWork } from './lmdb/commit-work';
import { createReads } from './lmdb/create-reads';
import { openEnvironment } from './lmdb/environment';
import { createGroupCommit, type GroupCommit } from './lmdb/group-commit';
import { createKeyMark, type KeyMark } from './lmdb/key-mark';
import { createOpenTries } from './lmdb/open-tries';
import { planOpening } from './lmdb/plan-opening';
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
const PROBE_EVERY_MS = 1000;
const PROBE_KEY = Buffer.from('probe');

/** The journal in this folder, made when absent. Rejects with a plain Error naming the folder when it is not usable. */
export async function openLmdbJournal(options: LmdbJournalOptions): Promise<Journal> {
  const { dir, onEvent = () => {}, now = Date.now } = options;
  const seal = createFieldSeal(options.encryptionKey);
  const store: Store = { ...(await openEnvironment({ dir, keyCheck: seal.keyCheck })), seal };
  const takeNumber = createOrderNumbers();
  const openTries = createOpenTries();
  // In a turn of its own: a listener that throws must not undo the transaction that found it out.
  const onShutOut = (error: Error): void => queueMicrotask(() => onEvent({ kind: 'write_failed', error }));
  const keyMark = createKeyMark({ root: store.root, dir, keyCheck: seal.keyCheck, onShutOut });
  const { group, stopProbing } = createWriter(store, keyMark, options);
  const { retentionMs = RETENTION_MS } = options;
  const sweep = retentionMs === Infinity ? undefined : startSweep({ store, group, now, retentionMs, onEvent });
  let isOpen = true;
  const assertOpen = (): void => {
    if (!isOpen) throw new Error('The journal is closed.');
  };

  return {
    ...createReads(store, assertOpen),
    async open(intent) {
      checkIntent(intent);
      const plan = planOpening(store, keyMark, takeNumber, intent);
      try {
        const opened = await group.run(plan);
        if (opened.kind === 'opened' || opened.kind === 'reopened') openTries.keep(opened.order);
        return opened;
      } catch (error) {
        // A record beyond its bounds is a bug and no state of the disk.
        if (error instanceof RangeError) throw error;
        throw new GatewayError('journal_unavailable', undefined, { cause: error });
      }
    },
    settle: async (owner, requestId, latest, atMs) =>
      group.run(planSettling(store, openTries, { owner, requestId, latest, atMs })),
    tell: async (owner, requestId, toldAtMs) => group.run(planTelling(store, openTries, owner, requestId, toldAtMs)),
    isWritable: () => group.isWritable() && keyMark.isOurs(),
    async close() {
      if (!isOpen) return;
      stopProbing();
      sweep?.stop();
      const isQuiet = await group.close();
      isOpen = false;
      // A write that never comes back would keep LMDB's own close waiting for ever.
      if (isQuiet) await store.root.close();
    },
  };
}

/** The group commit on LMDB, which after a failed write tries by itself until one succeeds: probes may keep all traffic away. */
function createWriter(
  store: Store,
  keyMark: KeyMark,
  options: LmdbJournalOptions,
): { readonly group: GroupCommit; readonly stopProbing: () => void } {
  const { onEvent = () => {}, stallMs = STALL_MS } = options;
  let probe: NodeJS.Timeout | undefined;
  const group = createGroupCommit({
    commit: (work) =>
      commitWork(store.root, () => {
        keyMark.look();
        work();
      }),
    jobsMax: JOBS_MAX,
    planMsMax: PLAN_MS_MAX,
    stallMs,
    onChange: (change, error) => {
      clearTimeout(probe);
      if (change === 'recovered') onEvent({ kind: 'write_recovered' });
      if (change === 'stalled') onEvent({ kind: 'write_stalled', waitedMs: stallMs });
      if (change !== 'failed') return;
      onEvent({ kind: 'write_failed', error });
      probe = setTimeout(tryWrite, PROBE_EVERY_MS).unref();
    },
  });
  const tryWrite = (): void => {
    const writes = [{ tree: store.root, key: PROBE_KEY, value: Buffer.from('1') }];
    group.run(() => ({ result: undefined, writes })).catch(() => {});
  };
  return { group, stopProbing: () => clearTimeout(probe) };
}
