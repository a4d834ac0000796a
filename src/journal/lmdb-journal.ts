/** The embedded journal: one LMDB folder on a local disk, shared by the processes of one machine. */
import type { Secret } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import type { NewOrder, Opened, Order } from '../domain/order';
import { checkIntent } from './check-intent';
import { decideOpening } from './decide-opening';
import type { Journal } from './journal';
import type { JournalEvent } from './journal-event';
import { openEnvironment, type Environment } from './lmdb/environment';
import { createGroupCommit, type Plan, type Write } from './lmdb/group-commit';
import {
  numberKey,
  orderKey,
  parseOrderKey,
  parsePlace,
  placeBytes,
  textKey,
  timeKey,
  unsettledKey,
  type Place,
} from './lmdb/keys';
import { listUnsettledPlaces } from './lmdb/list-unsettled';
import { decodeOrder, encodeOrder } from './lmdb/record';
import { createFieldSeal, type FieldSeal } from './lmdb/sealed-fields';
import { startSweep } from './lmdb/sweep';
import { createOrderNumbers, type TakeNumber } from './order-number';
import { isUnsettled, settleOrder } from './settle-order';

export interface LmdbJournalOptions {
  readonly dir: string;
  /** Settled orders older than this are deleted in the background. */
  readonly retentionMs?: number;
  /** Encrypts phone, meter and smartcard numbers at rest. */
  readonly encryptionKey?: Secret;
  readonly onEvent?: (event: JournalEvent) => void;
  readonly sizeBytesMax?: number;
  /** A flush that takes longer counts as failed. */
  readonly stallMs?: number;
  readonly now?: () => number;
}

const DAY_MS = 86_400_000;
const RETENTION_MS = 90 * DAY_MS;
const SIZE_BYTES_MAX = 64 * 2 ** 30;
const STALL_MS = 10_000;
const JOBS_MAX = 256;
const PROBE_EVERY_MS = 1000;
const LIST_CHUNK = 128;
/** LMDB keys are bounded; v1's references have about 20 characters. A longer one is kept but not looked up by. */
const REFERENCE_CHARACTERS_MAX = 200;

const PRESENT = Buffer.from([1]);
const PROBE_KEY = Buffer.from('probe');

/** The journal in this folder, made when absent. Rejects with a plain Error naming the folder when it is not usable. */
export async function openLmdbJournal(options: LmdbJournalOptions): Promise<Journal> {
  const { dir, onEvent = () => {}, sizeBytesMax = SIZE_BYTES_MAX, stallMs = STALL_MS, now = Date.now } = options;
  const seal = createFieldSeal(options.encryptionKey);
  const environment = await openEnvironment({ dir, sizeBytesMax, keyCheck: seal.keyCheck });
  const takeNumber = createOrderNumbers();
  let probe: NodeJS.Timeout | undefined;

  const group = createGroupCommit({
    // A child transaction: when the work throws, nothing of it stays.
    commit: (work) => environment.root.childTransaction(work),
    jobsMax: JOBS_MAX,
    stallMs,
    onChange: (change, error) => {
      if (change === 'recovered') onEvent({ kind: 'write_recovered' });
      else if (change === 'stalled') onEvent({ kind: 'write_stalled', waitedMs: stallMs });
      else onEvent({ kind: 'write_failed', error });
      clearTimeout(probe);
      // Readiness may keep all traffic away, so recovery is tried without any.
      if (change === 'failed') probe = setTimeout(tryWrite, PROBE_EVERY_MS).unref();
    },
  });
  const tryWrite = (): void => {
    const writes: Write[] = [{ tree: environment.root, key: PROBE_KEY, value: Buffer.from(String(now())) }];
    group.run(() => ({ result: undefined, writes })).catch(() => {});
  };
  const sweep = startSweep({
    environment,
    group,
    seal,
    now,
    retentionMs: options.retentionMs ?? RETENTION_MS,
    sizeBytesMax,
    onEvent,
  });

  return {
    ...createReads(environment, seal),
    async open(intent) {
      checkIntent(intent);
      try {
        return await group.run(() => planOpening(environment, seal, takeNumber, intent));
      } catch (error) {
        if (error instanceof RangeError) throw error;
        throw new GatewayError('journal_unavailable', undefined, { cause: error });
      }
    },
    settle: (owner, requestId, latest, atMs) =>
      group.run(() => {
        const before = readById(environment, seal, owner, requestId);
        if (before === undefined) throw new Error('The journal has no order with this request id to settle.');
        const after = settleOrder(before, latest, atMs);
        return { result: after, writes: after === before ? [] : writesOfSettling(environment, seal, before, after) };
      }),
    isWritable: () => group.isWritable(),
    async close() {
      clearTimeout(probe);
      sweep.stop();
      // A write that never comes back would keep LMDB's own close waiting for ever.
      if (await group.close()) await environment.root.close();
    },
  };
}

function createReads(
  environment: Environment,
  seal: FieldSeal,
): Pick<Journal, 'find' | 'findByReference' | 'findByNumber' | 'listUnsettled' | 'list'> {
  // Every read begins on the newest state: another process may have written since this one last looked.
  const fresh = (): void => environment.root.resetReadTxn();
  return {
    async find(owner, requestId) {
      fresh();
      return readById(environment, seal, owner, requestId);
    },
    async findByReference(owner, reference) {
      if (reference.length > REFERENCE_CHARACTERS_MAX) return undefined;
      fresh();
      return readAt(environment, seal, owner, environment.references.get(textKey(owner, reference)));
    },
    async findByNumber(owner, number) {
      if (!Number.isSafeInteger(number) || number < 0) return undefined;
      fresh();
      return readAt(environment, seal, owner, environment.numbers.get(numberKey(owner, number)));
    },
    async listUnsettled({ owner, limit }) {
      const places = await listUnsettledPlaces(environment, owner, limit);
      fresh();
      // An order may have been settled while the list was made.
      return places.flatMap((place) => readAt(environment, seal, place.owner, placeBytes(place)) ?? []).filter(isUnsettled);
    },
    async *list({ fromMs, untilMs, limit }) {
      const end = timeKey(untilMs);
      let start = timeKey(fromMs);
      for (let left = limit; left > 0; left -= LIST_CHUNK) {
        fresh();
        // Chunks, each read in one go: a reader that stayed open while its owner thinks would keep old pages alive.
        const chunk = [...environment.orders.getRange({ start, end, limit: Math.min(left, LIST_CHUNK) })];
        for (const { key, value } of chunk) {
          const place = parseOrderKey(key);
          yield decodeOrder(value, place.owner, place, seal);
        }
        const last = chunk.at(-1);
        if (last === undefined || chunk.length < LIST_CHUNK) return;
        start = Buffer.concat([last.key, Buffer.alloc(1)]);
      }
    },
  };
}

function readById(environment: Environment, seal: FieldSeal, owner: string, requestId: string): Order | undefined {
  return readAt(environment, seal, owner, environment.ids.get(textKey(owner, requestId)));
}

function readAt(environment: Environment, seal: FieldSeal, owner: string, bytes: Buffer | undefined): Order | undefined {
  if (bytes === undefined) return undefined;
  const place = parsePlace(bytes);
  const record = environment.orders.get(orderKey(owner, place));
  return record === undefined ? undefined : decodeOrder(record, owner, place, seal);
}

function planOpening(environment: Environment, seal: FieldSeal, takeNumber: TakeNumber, intent: NewOrder): Plan<Opened> {
  const existing = readById(environment, seal, intent.owner, intent.requestId);
  const opened = decideOpening(existing, intent, () =>
    takeNumber(intent.openedAtMs, (number) => environment.numbers.get(numberKey(intent.owner, number)) !== undefined),
  );
  if (opened.kind === 'found' || opened.kind === 'conflict') return { result: opened, writes: [] };
  const { order } = opened;
  const place = placeBytes(order);
  const writes: Write[] = [
    { tree: environment.orders, key: orderKey(order.owner, order), value: encodeOrder(order, seal) },
    { tree: environment.ids, key: textKey(order.owner, order.requestId), value: place },
    { tree: environment.numbers, key: numberKey(order.owner, order.number), value: place },
    { tree: environment.unsettled, key: unsettledKey(order.owner, order), value: PRESENT },
  ];
  // A reopened order has a new time and so a new place.
  const isMoved = existing !== undefined && existing.openedAtMs !== order.openedAtMs;
  if (isMoved) writes.unshift({ tree: environment.orders, key: orderKey(existing.owner, existing), value: undefined });
  return { result: opened, writes };
}

function writesOfSettling(environment: Environment, seal: FieldSeal, before: Order, after: Order): readonly Write[] {
  const { owner } = after;
  const place: Place = after;
  const writes: Write[] = [{ tree: environment.orders, key: orderKey(owner, place), value: encodeOrder(after, seal) }];
  const wasUnsettled = isUnsettled(before);
  if (wasUnsettled !== isUnsettled(after)) {
    writes.push({ tree: environment.unsettled, key: unsettledKey(owner, place), value: wasUnsettled ? undefined : PRESENT });
  }
  const reference = after.outcome !== undefined && 'reference' in after.outcome ? after.outcome.reference : undefined;
  if (reference !== undefined && reference.length <= REFERENCE_CHARACTERS_MAX) {
    const key = textKey(owner, reference);
    // The first order that v1 gave this reference keeps it.
    if (environment.references.get(key) === undefined)
      writes.push({ tree: environment.references, key, value: placeBytes(place) });
  }
  return writes;
}
