/** Plans the writes of `open`, `settle`, `tell` and retention. All plans run inside the write transaction. */
import { TransientMap } from '../../domain/transient-map';
import type { RootDatabase } from 'lmdb';
import type { NewOrder, Opened, Order } from '../../domain/order';
import { referenceOf } from '../../domain/outcome';
import type { Ended } from '../doubts';
import { type IsTellingDue, type Journal, readOrReport } from '../journal';
import {
  decideOpening,
  hasEndedBefore,
  isUnsettled,
  isUntold,
  settleAttempt,
  settleOrder,
  tellOrder,
  withoutGoods,
  type TakeNumber,
} from '../order-life';
import { decodeOrder, encodeOpening, encodeOrder } from '../record';
import { checkKey, encodeMark, MARK_KEY, parseMark, type Mark } from './environment';
import type { Plan, Write } from './group-commit';
import {
  numberKey,
  orderKey,
  parseOrderKey,
  placeBytes,
  readAt,
  readById,
  readOpenAttempt,
  textKey,
  timeKey,
  unsettledKey,
  untoldKey,
  type Store,
  type StoredOrder,
} from './keys';

const INDEX_VALUE = Buffer.from([1]);

/** More than a gateway has under way. Beyond it the oldest attempts are dropped here, and read from the disk like any other order. */
const ATTEMPTS_MAX = 10_000;
const ORDERS_PER_SWEEP = 64;

/**
 * The attempts that this process has opened and not yet settled, as they are on disk: an answer about one of them needs neither
 * a lookup nor parsing. It is only a short cut: a taken order must be compared with its record, under the write lock.
 */
export class OpenAttempts {
  // Keyed by the request id alone, because V8 stores the hash of that string. If two keys use one id at once, only the later order has the short cut.
  readonly #attempts = new TransientMap<string, Order>();
  readonly #attemptsMax: number;

  constructor(attemptsMax = ATTEMPTS_MAX) {
    this.#attemptsMax = attemptsMax;
  }

  keep(order: Order): void {
    // Deleted and set again, so that the map is sorted by age.
    this.#attempts.delete(order.requestId);
    this.#attempts.set(order.requestId, order);
    if (this.#attempts.size <= this.#attemptsMax) return;
    for (const oldest of this.#attempts.keys()) {
      this.#attempts.delete(oldest);
      return;
    }
  }

  /** Returns the order and drops it here, because an answer changes it. */
  take(owner: string, requestId: string): Order | undefined {
    const order = this.#attempts.get(requestId);
    if (order?.owner !== owner) return undefined;
    this.#attempts.delete(requestId);
    return order;
  }
}

/**
 * Encodes at once, while an earlier flush is still under way, so that the plan itself has little to do. With `ended` a new order is opened
 * and settled in one step, and an existing order stays unchanged.
 */
export function planOpening(
  store: Store,
  keyMark: KeyMark,
  takeNumber: TakeNumber,
  intent: NewOrder,
  ended?: Ended,
): () => Plan<Opened> {
  const { owner } = intent;
  const record = encodeOpening(intent, store.seal);
  const idKey = textKey(owner, intent.requestId);
  return () => {
    const existing = readAt(store, owner, store.ids.get(idKey))?.order;
    const opened = decideOpening(existing, intent, () =>
      takeNumber(intent.openedAtMs, (number) => store.numbers.doesExist(numberKey(owner, number))),
    );
    const isNew = opened.kind === 'opened' || (opened.kind === 'reopened' && ended === undefined);
    if (!isNew) return { result: opened, writes: [] };
    const order = ended === undefined ? opened.order : settleOrder(opened.order, ended.outcome, ended.atMs);
    const place = placeBytes(order);
    const writes: Write[] = [
      ...keyMark.writesBesideOrder(),
      {
        tree: store.orders,
        key: orderKey(owner, order),
        value: order.attempts === 1 && ended === undefined ? record : encodeOrder(order, record, store.seal),
      },
      { tree: store.ids, key: idKey, value: place },
      { tree: store.numbers, key: numberKey(owner, order.number), value: place },
    ];
    if (ended === undefined) writes.push({ tree: store.unsettled, key: unsettledKey(owner, order), value: INDEX_VALUE });
    // A reopened order has a new time and so a new place.
    const isMoved = existing !== undefined && existing.openedAtMs !== order.openedAtMs;
    if (isMoved) writes.push({ tree: store.orders, key: orderKey(owner, existing), value: undefined });
    if (existing !== undefined) writes.push(...untoldWrites(store, existing, order));
    return { result: opened, writes };
  };
}

/** Removes the goods from the answer at once, while an earlier flush is still under way, so that the plan itself has little to do. */
export function planSettling(
  store: Store,
  openAttempts: OpenAttempts,
  ...[owner, requestId, latest, atMs, attempt]: Parameters<Journal['settle']>
): () => Plan<Order> {
  const storable = withoutGoods(latest);
  const mine = openAttempts.take(owner, requestId);
  return () => {
    const stored = (mine && readOpenAttempt(store, mine)) ?? readById(store, owner, requestId);
    if (stored === undefined) throw new Error('The journal has no order with this request id to settle.');
    const after = settleAttempt(stored.order, storable, atMs, attempt);
    return { result: after, writes: after === stored.order ? [] : writesOf(store, stored, after) };
  };
}

/** Writes nothing when retention has deleted the order meanwhile. */
export function planTelling(
  store: Store,
  owner: string,
  requestId: string,
  toldAtMs: number,
  isDue: IsTellingDue = () => true,
): () => Plan<void> {
  return () => {
    const stored = readById(store, owner, requestId);
    const after = stored && (isDue(stored.order) ? tellOrder(stored.order, toldAtMs) : stored.order);
    return { result: undefined, writes: stored === undefined || after === stored.order ? [] : writesOf(store, stored, after!) };
  };
}

function writesOf(store: Store, { order: before, key, record }: StoredOrder, after: Order): readonly Write[] {
  const { owner } = after;
  const writes: Write[] = [{ tree: store.orders, key, value: encodeOrder(after, record, store.seal) }];
  const wasUnsettled = isUnsettled(before);
  if (wasUnsettled !== isUnsettled(after)) {
    writes.push({ tree: store.unsettled, key: unsettledKey(owner, after), value: wasUnsettled ? undefined : INDEX_VALUE });
  }
  writes.push(...untoldWrites(store, before, after));
  const reference = referenceOf(after.outcome);
  if (reference !== undefined && reference !== referenceOf(before.outcome)) {
    // The first order that v1 gave this reference keeps it.
    writes.push({ tree: store.references, key: textKey(owner, reference), value: placeBytes(after), isOnlyIfAbsent: true });
  }
  return writes;
}

/** The writes to the index of untold orders; none for an ordinary order. */
function untoldWrites({ unsettled: tree }: Store, before: Order, after?: Order): readonly Write[] {
  const isNow = after !== undefined && isUntold(after);
  if (isUntold(before) === isNow) return [];
  const order = after ?? before;
  return [{ tree, key: untoldKey(order.owner, isNow ? order : before), value: isNow ? INDEX_VALUE : undefined }];
}

interface Swept {
  readonly deleted: number;
  /** Where the next orders begin; undefined when no old order is left. */
  readonly next: Buffer | undefined;
  /** The errors of records that this build cannot read: a newer build wrote them. They are not deleted, and the sweep goes on. */
  readonly unreadable: readonly Error[];
}

/** Deletes those that ended before `untilMs` among the next orders from `start`. An order whose money may have moved is never deleted, however old. */
export function planSweep(store: Store, start: Buffer, untilMs: number): Plan<Swept> {
  return planDeleting(store, start, timeKey(untilMs), (order) => hasEndedBefore(untilMs, order));
}

/** Deletes the orders for which `isDue` is true, among the next orders from `start` until `end`. */
export function planDeleting(store: Store, start: Buffer, end: Buffer, isDue: (order: Order) => boolean): Plan<Swept> {
  const old = [...store.orders.getRange({ start, end, limit: ORDERS_PER_SWEEP })];
  const writes: Write[] = [];
  const unreadable: Error[] = [];
  let deleted = 0;
  for (const { key, value } of old) {
    const place = parseOrderKey(key);
    const order = readOrReport(
      () => decodeOrder(value, place.owner, place, store.seal),
      (error) => unreadable.push(error),
    );
    if (order === undefined || !isDue(order)) continue;
    deleted += 1;
    writes.push({ tree: store.orders, key, value: undefined });
    writes.push({ tree: store.ids, key: textKey(order.owner, order.requestId), value: undefined });
    writes.push({ tree: store.numbers, key: numberKey(order.owner, order.number), value: undefined });
    writes.push(...untoldWrites(store, order));
    const reference = referenceOf(order.outcome);
    if (reference === undefined) continue;
    const referenceKey = textKey(order.owner, reference);
    // The reference may lead to another order, to which v1 gave it first.
    if (store.references.get(referenceKey)?.equals(placeBytes(order)) === true) {
      writes.push({ tree: store.references, key: referenceKey, value: undefined });
    }
  }
  const last = old.length < ORDERS_PER_SWEEP ? undefined : old.at(-1);
  return { result: { deleted, unreadable, next: last && Buffer.concat([last.key, Buffer.alloc(1)]) }, writes };
}

/**
 * The mark of the encryption key that the orders of a journal have. A process with a key sets it together with the first order
 * that it writes, in one transaction: a journal counts as encrypted only when an order in it is, not when it was opened with a key.
 */
export interface KeyMark {
  /** Called at the beginning of each write transaction: another process may have set the mark since the last one. */
  look(): void;
  /** The writes of the mark beside an order. Throws when the orders of the journal have another key than this process. */
  writesBesideOrder(): readonly Write[];
  /** False when another process has set a mark with which this process may not write. */
  isOurs(): boolean;
}

export interface KeyMarkOptions {
  /** The root in use: after a failed write it is another one. */
  readonly root: () => RootDatabase<Buffer, Buffer>;
  readonly dir: string;
  readonly keyCheck: string | undefined;
  /** Called once, inside the transaction that finds such a mark. */
  readonly onShutOut: (complaint: Error) => void;
}

export function createKeyMark({ root, dir, keyCheck, onShutOut }: KeyMarkOptions): KeyMark {
  let seen: Buffer = Buffer.alloc(0);
  let complaint: Error | undefined;
  let due: Mark | undefined;
  return {
    look() {
      const bytes = root().get(MARK_KEY) ?? Buffer.alloc(0);
      if (bytes.equals(seen)) return;
      const mark = parseMark(bytes, dir);
      due = mark.keyCheck === undefined && keyCheck !== undefined ? { ...mark, keyCheck } : undefined;
      complaint = checkKey(mark, keyCheck, dir);
      seen = bytes;
      if (complaint !== undefined) onShutOut(complaint);
    },
    writesBesideOrder() {
      if (complaint !== undefined) throw complaint;
      return due === undefined ? [] : [{ tree: root(), key: MARK_KEY, value: encodeMark(due) }];
    },
    isOurs: () => complaint === undefined,
  };
}
