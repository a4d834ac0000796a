/**
 * Finds the outcome of open orders later, by v1's receipts and history, and buys nothing. v1 answers only the key that ordered.
 * No file keeps keys, so this happens when the next request of that key comes, and as long as memory still holds the key of an
 * open order.
 */
import { createLru } from '../../domain/lru';
import type { Credentials } from '../../domain/credentials';
import type { Order } from '../../domain/order';
import type { Outcome } from '../../domain/outcome';
import type { CallContext } from '../../upstream/upstream';
import type { SeenHere } from './check-proof';
import { findLost, isWithoutReference, OPEN_MAX, type LookResult, type LostParts } from './find-lost';
import { findReceipt } from './find-receipt';
import { createOtherKeys } from './other-keys';
import { createHistoryReader } from './read-history';

type ReconcileParts = Omit<LostParts, 'history' | 'otherKeys' | 'here'>;

export interface Reconciler {
  /**
   * Call it for each request of a key: it starts a look at the key's open orders, at most every half minute, and less often while
   * looks find nothing. Never waits, never throws.
   */
  nudge(credentials: Credentials, clientAddress: string): void;
  /**
   * Call it for an order that is left open without a pursuit. Looks start soon, again when the quiet time is over, and then less and
   * less often, until the key has no open order or `timing.pursue` has passed. The key is kept in memory that long. `opened`: the
   * order, if this process opened it, and when, by `clock.elapsed()`.
   */
  watch(credentials: Credentials, clientAddress: string, opened?: { readonly requestId: string; readonly atMs: number }): void;
  /** Call it for each sale that v1 has confirmed to the key: an order that was opened later can be proven absent by its row. */
  noteSale(owner: string, reference: string): void;
  /** Looks now; `requestId` names an order that must be among those looked at. */
  reconcile(credentials: Credentials, clientAddress: string, requestId?: string): Promise<LookResult>;
  /** Cancels all looks that are due later. */
  stop(): void;
}

const NUDGE_EVERY_MS = 30_000;
const NUDGE_RARELY_MS = 10 * 60_000;
const OWNERS_MAX = 10_000;
const OPENED_MAX = 20_000;
/** How many orders with a reference, and how many without one, a look takes: first those that were asked for, then the others in turn. */
const ORDERS_MAX = 100;
const RECEIPTS_AT_ONCE = 4;

/** When the first looks come, counted from when the order was left open. The next comes when the quiet time is over, the rest in growing steps. */
const WATCH_EARLY_MS = [10_000, 30_000, 60_000, 120_000];
const WATCH_FIRST_LATE_MS = 60_000;
const WATCH_MOST_MS = 10 * 60_000;

export function createReconciler(parts: ReconcileParts): Reconciler {
  const { clock } = parts;
  /** By owner; times by `clock.elapsed()`. */
  const nudges = createLru<string, { readonly nextMs: number; readonly everyMs: number }>(OWNERS_MAX);
  const openedAtMs = createLru<string, number>(OPENED_MAX);
  const firstSales = createLru<string, { readonly reference: string; readonly atMs: number }>(OWNERS_MAX);
  const here: SeenHere = {
    openedMs: ({ owner, requestId }) => openedAtMs.get(`${owner} ${requestId}`),
    firstSale: (owner) => firstSales.get(owner),
  };
  const looks = new Looks({ ...parts, here }, (owner, { settled, hasLearnt }) => {
    const { nextMs = 0, everyMs = NUDGE_EVERY_MS } = nudges.get(owner) ?? {};
    const isIdle = settled === 0 && !hasLearnt;
    nudges.set(owner, { nextMs, everyMs: isIdle ? Math.min(everyMs * 2, NUDGE_RARELY_MS) : NUDGE_EVERY_MS });
  });
  const watches = new Watches(parts, looks);
  let isStopped = false;

  return {
    reconcile: (credentials, clientAddress, requestId) => looks.look(credentials, clientAddress, requestId),
    nudge(credentials, clientAddress) {
      const owner = credentials.fingerprint;
      const now = clock.elapsed();
      const { nextMs, everyMs } = nudges.get(owner) ?? { nextMs: now, everyMs: NUDGE_EVERY_MS };
      // Each request checks whether the clock was set. Absence can be proven one quiet time after that was noticed, so it must be noticed early.
      parts.steadiness.steadyForMs();
      if (isStopped || now < nextMs) return;
      nudges.set(owner, { nextMs: now + everyMs, everyMs });
      void looks.look(credentials, clientAddress);
    },
    watch(credentials, clientAddress, opened) {
      const owner = credentials.fingerprint;
      if (opened !== undefined) openedAtMs.set(`${owner} ${opened.requestId}`, opened.atMs);
      // A new order is open, so looks may find something again: they come often again.
      const soonest = clock.elapsed() + NUDGE_EVERY_MS;
      const { nextMs = 0 } = nudges.get(owner) ?? {};
      nudges.set(owner, { nextMs: Math.min(nextMs, soonest), everyMs: NUDGE_EVERY_MS });
      watches.begin(credentials, clientAddress);
    },
    noteSale(owner, reference) {
      if (firstSales.get(owner) === undefined) firstSales.set(owner, { reference, atMs: clock.elapsed() });
    },
    stop() {
      isStopped = true;
      watches.stop();
    },
  };
}

/** One look at the orders of a key. */
interface Look {
  readonly ended: Promise<LookResult>;
  /** The request ids that the look takes; undefined until they are chosen. */
  chosen: ReadonlySet<string> | undefined;
  /** The next look, for orders that were asked for and are not among `chosen`. */
  next: Promise<LookResult> | undefined;
}

/** At most one look at the orders of a key at a time. */
class Looks {
  readonly #parts: LostParts;
  readonly #onEnd: (owner: string, found: LookResult) => void;
  /** By owner: how many looks there were. It decides whose turn it is among the orders. */
  readonly #turns = createLru<string, number>(OWNERS_MAX);
  /** By owner, the request ids that the next look begins with. */
  readonly #asked = new Map<string, Set<string>>();
  readonly #running = new Map<string, Look>();

  constructor(parts: Omit<LostParts, 'history' | 'otherKeys'>, onEnd: (owner: string, found: LookResult) => void) {
    this.#parts = { ...parts, history: createHistoryReader(parts), otherKeys: createOtherKeys(parts) };
    this.#onEnd = onEnd;
  }

  /** Joins the look under way unless the named order is not among its orders. */
  look(credentials: Credentials, clientAddress: string, requestId?: string): Promise<LookResult> {
    const owner = credentials.fingerprint;
    const running = this.#running.get(owner);
    if (requestId !== undefined && running?.chosen?.has(requestId) !== true) {
      this.#asked.set(owner, (this.#asked.get(owner) ?? new Set()).add(requestId));
      if (running?.chosen !== undefined)
        return (running.next ??= running.ended.then(() => this.look(credentials, clientAddress)));
    }
    return running?.ended ?? this.#begin(credentials, clientAddress);
  }

  #begin(credentials: Credentials, clientAddress: string): Promise<LookResult> {
    // The look must be in the map before it runs.
    const ended = Promise.resolve().then(() => this.#run(credentials, clientAddress, look));
    const look: Look = { ended, chosen: undefined, next: undefined };
    this.#running.set(credentials.fingerprint, look);
    return ended;
  }

  async #run(credentials: Credentials, clientAddress: string, look: Look): Promise<LookResult> {
    const owner = credentials.fingerprint;
    const context: CallContext = { credentials, clientAddress, timeoutMs: this.#parts.mapping().timing.read };
    try {
      const found = await lookAt(await this.#choose(owner, look), context, this.#parts);
      this.#onEnd(owner, found);
      return found;
    } catch (error) {
      this.#parts.onTrouble('reconcile', error);
      return { settled: 0, hasLearnt: false, unread: 'the look at its history ended with an error, which the log has' };
    } finally {
      this.#running.delete(owner);
    }
  }

  async #choose(owner: string, look: Look): Promise<readonly Order[]> {
    // An unreadable order is skipped here: the others can still be settled by their own receipts. `findLost` needs all orders of the
    // key, so it lists them itself and fails where one is unreadable.
    const onUnreadable = (error: Error): void => this.#parts.onTrouble('reconcile', error);
    const open = await this.#parts.journal.listUnsettled({ owner, limit: OPEN_MAX, onUnreadable });
    const turn = this.#turns.get(owner) ?? 0;
    const wanted = this.#asked.get(owner) ?? new Set();
    this.#asked.delete(owner);
    const chosen = [
      ...chooseInTurn(open.filter(isWithoutReference), wanted, turn),
      ...chooseInTurn(
        open.filter((order) => !isWithoutReference(order)),
        wanted,
        turn,
      ),
    ];
    this.#turns.set(owner, turn + 1);
    look.chosen = new Set([...wanted, ...chosen.map(({ requestId }) => requestId)]);
    return chosen;
  }
}

/** The looks that are due for the open orders of one key. */
interface Watch {
  /** How many looks there were since `sinceMs`. */
  nth: number;
  /** When the latest order was left open, by `clock.elapsed()`. */
  sinceMs: number;
  cancel: () => void;
}

/** Repeats looks, less and less often, while orders of a key are open without a pursuit. */
class Watches {
  readonly #parts: ReconcileParts;
  readonly #looks: Looks;
  readonly #watches = new Map<string, Watch>();
  #isStopped = false;

  constructor(parts: ReconcileParts, looks: Looks) {
    this.#parts = parts;
    this.#looks = looks;
  }

  begin(credentials: Credentials, clientAddress: string): void {
    const owner = credentials.fingerprint;
    const sinceMs = this.#parts.clock.elapsed();
    if (this.#isStopped || (!this.#watches.has(owner) && this.#watches.size >= OWNERS_MAX)) return;
    const known = this.#watches.get(owner);
    // The planned look keeps its time: otherwise orders that are left open every few seconds would postpone it for ever.
    if (known !== undefined) return void Object.assign(known, { nth: 0, sinceMs });
    const watch: Watch = { nth: 0, sinceMs, cancel: () => undefined };
    this.#watches.set(owner, watch);
    this.#lookLater(watch, credentials, clientAddress);
  }

  stop(): void {
    this.#isStopped = true;
    for (const { cancel } of this.#watches.values()) cancel();
    this.#watches.clear();
  }

  #lookLater(watch: Watch, credentials: Credentials, clientAddress: string): void {
    const { clock, mapping } = this.#parts;
    const ageMs = clock.elapsed() - watch.sinceMs;
    const { quiet, pursue } = mapping().timing;
    const delayMs = delayOfLook(watch.nth, ageMs, quiet);
    const owner = credentials.fingerprint;
    if (ageMs + delayMs > pursue + quiet) return void this.#watches.delete(owner);
    watch.nth += 1;
    watch.cancel = clock.after(delayMs, () => {
      void this.#looks
        .look(credentials, clientAddress)
        .then(() => this.#isAnyOpen(owner))
        .then((isOpen) => {
          if (this.#isStopped) return;
          if (isOpen) this.#lookLater(watch, credentials, clientAddress);
          else this.#watches.delete(owner);
        });
    });
  }

  /** True also where the orders cannot be listed. */
  async #isAnyOpen(owner: string): Promise<boolean> {
    const { journal, onTrouble } = this.#parts;
    try {
      return (await journal.listUnsettled({ owner, limit: 1, onUnreadable: () => undefined })).length > 0;
    } catch (error) {
      onTrouble('reconcile', error);
      return true;
    }
  }
}

function delayOfLook(nth: number, ageMs: number, quietMs: number): number {
  const due = [...WATCH_EARLY_MS.filter((earlyMs) => earlyMs < quietMs), quietMs + 1_000];
  const dueMs = due[nth];
  if (dueMs !== undefined) return Math.max(1_000, dueMs - ageMs);
  return Math.min(WATCH_MOST_MS, WATCH_FIRST_LATE_MS * 2 ** Math.min(nth - due.length, 10));
}

/** First the orders that were asked for, then others up to `ORDERS_MAX`: each look goes on where the last one ended. */
function chooseInTurn(orders: readonly Order[], wanted: ReadonlySet<string>, turn: number): readonly Order[] {
  const first = orders.filter(({ requestId }) => wanted.has(requestId)).slice(0, ORDERS_MAX);
  const others = orders.filter(({ requestId }) => !wanted.has(requestId));
  const room = Math.min(ORDERS_MAX - first.length, others.length);
  const from = others.length === 0 ? 0 : (turn * ORDERS_MAX) % others.length;
  return [...first, ...[...others.slice(from), ...others.slice(0, from)].slice(0, room)];
}

async function lookAt(chosen: readonly Order[], context: CallContext, parts: LostParts): Promise<LookResult> {
  const still = await Promise.all(
    chosen.map(async (order) => ((await parts.pursuits.attemptOf(order)) === 'here' ? undefined : order)),
  );
  const orders = still.filter((order) => order !== undefined);
  const lost = orders.filter(isWithoutReference);
  // Both at once: slow receipts of pending orders must not delay the orders that are looked for in v1's history.
  const [found, settled] = await Promise.all([
    lost.length === 0 ? NOTHING_LOST : findLost(lost, context, parts),
    settleByReceipts(
      orders.filter((order) => !isWithoutReference(order)),
      context,
      parts,
    ),
  ]);
  return { ...found, settled: settled + found.settled };
}

/** Also where all that are lost are being sent. */
const NOTHING_LOST: LookResult = { settled: 0, hasLearnt: false, unread: 'it has not answered the purchase, which is under way' };

/** Resolves with the number of orders settled. */
async function settleByReceipts(orders: readonly Order[], context: CallContext, parts: LostParts): Promise<number> {
  const left = orders.values();
  let settled = 0;
  const readOn = async (): Promise<void> => {
    for (const order of left) {
      const { reference } = order.outcome as { readonly reference: string };
      const latest = await findReceipt(reference, context, parts.upstream);
      const ended = await settleIfFinal(order, latest, parts);
      settled += ended;
    }
  };
  await Promise.all(Array.from({ length: RECEIPTS_AT_ONCE }, readOn));
  return settled;
}

async function settleIfFinal(order: Order, outcome: Outcome | undefined, { journal, clock }: ReconcileParts): Promise<number> {
  if (outcome === undefined || outcome.kind === 'pending') return 0;
  await journal.settle(order.owner, order.requestId, outcome, clock.now());
  return 1;
}
