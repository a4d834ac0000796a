/**
 * Finds out later what became of orders whose fate is open, without buying: by v1's receipts and history. v1 is asked
 * with the key of the order's owner, the only one that may; so this happens with the next request of that key, and from
 * memory while a key is still held for the order itself.
 */
import { LRUCache } from 'lru-cache';
import type { Catalogs } from '../catalog/catalog';
import type { Clock } from '../domain/clock';
import type { Credentials } from '../domain/credentials';
import type { JsonObject } from '../domain/json';
import type { Order } from '../domain/order';
import type { Outcome } from '../domain/outcome';
import type { Journal } from '../journal/journal';
import type { Mapping } from '../mapping/mapping';
import { outcomeOfReceipt } from '../upstream/receipt';
import type { CallContext, Upstream } from '../upstream/upstream';
import { catalogListsOf, type CatalogLists } from './catalog-lists';
import { compareReceipt, traitsOf } from './compare-receipt';
import { findReceipt } from './pursue';
import type { Pursuits } from './pursuits';

export interface ReconcileParts {
  readonly journal: Journal;
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly pursuits: Pursuits;
  readonly catalogs: Pick<Catalogs, 'get'>;
  readonly mapping: () => Mapping;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface Reconciler {
  /** A request of this key came: looks at its open orders soon, at most every half minute. Never waits, never throws. */
  nudge(credentials: Credentials, clientAddress: string): void;
  /** Looks again when the order's quiet period is over, holding the key in memory until then. */
  watch(credentials: Credentials, clientAddress: string): void;
  /** Looks now. Gives how many orders found their end. */
  reconcile(credentials: Credentials, clientAddress: string): Promise<number>;
  /** Calls off everything that waits. */
  stop(): void;
}

const NUDGE_EVERY_MS = 30_000;
const OWNERS_MAX = 10_000;
const ORDERS_MAX = 50;
const RIVALS_MAX = 1_000;
const PAGES_MAX = 10;
const PER_PAGE = 50;
const RECEIPTS_MAX = 100;
/** Clocks of two services differ, and v1 may write an order down a little before or after it was sent. */
const EARLIER_MS = 2 * 60_000;
const LATER_MS = 10 * 60_000;
/** How far apart the clocks of two services may stand: what is to be proven absent is looked for this much earlier too. */
const SKEW_MS = 2 * 3_600_000;
/** v1's times carry no zone (specification, 2.4): its own, West Africa Time, or UTC. */
const ZONE_OFFSETS_MS = [3_600_000, 0];

export function createReconciler(parts: ReconcileParts): Reconciler {
  const { clock } = parts;
  const nextLook = new LRUCache<string, number>({ max: OWNERS_MAX });
  let isStopped = false;
  const running = new Map<string, Promise<number>>();
  const waiting = new Map<string, () => void>();

  const reconcile = (credentials: Credentials, clientAddress: string): Promise<number> => {
    const owner = credentials.fingerprint;
    const already = running.get(owner);
    if (already !== undefined) return already;
    const context: CallContext = { credentials, clientAddress, timeoutMs: parts.mapping().timing.read };
    const look = lookAt(owner, context, parts)
      .catch((error: unknown) => {
        parts.onTrouble('reconcile', error);
        return 0;
      })
      .finally(() => running.delete(owner));
    running.set(owner, look);
    return look;
  };

  return {
    reconcile,
    nudge(credentials, clientAddress) {
      const owner = credentials.fingerprint;
      const now = clock.now();
      if (isStopped || now < (nextLook.get(owner) ?? 0)) return;
      nextLook.set(owner, now + NUDGE_EVERY_MS);
      void reconcile(credentials, clientAddress);
    },
    watch(credentials, clientAddress) {
      const owner = credentials.fingerprint;
      if (isStopped || waiting.has(owner) || waiting.size >= OWNERS_MAX) return;
      const cancel = clock.after(parts.mapping().timing.quiet + 1_000, () => {
        waiting.delete(owner);
        void reconcile(credentials, clientAddress);
      });
      waiting.set(owner, cancel);
    },
    stop() {
      isStopped = true;
      for (const cancel of waiting.values()) cancel();
      waiting.clear();
    },
  };
}

async function lookAt(owner: string, context: CallContext, parts: ReconcileParts): Promise<number> {
  const open = await parts.journal.listUnsettled({ owner, limit: ORDERS_MAX });
  const still = await Promise.all(
    open.map(async (order) => ((await parts.pursuits.find(owner, order.requestId)) === undefined ? order : undefined)),
  );
  const orders = still.filter((order) => order !== undefined);
  let settled = 0;
  const lost: Order[] = [];
  for (const order of orders) {
    const reference = order.outcome !== undefined && 'reference' in order.outcome ? order.outcome.reference : undefined;
    if (reference === undefined) lost.push(order);
    else settled += await settleIfFinal(order, await findReceipt(reference, context, parts.upstream), parts);
  }
  return settled + (lost.length === 0 ? 0 : await findLost(lost, context, parts));
}

async function settleIfFinal(order: Order, outcome: Outcome | undefined, { journal, clock }: ReconcileParts): Promise<number> {
  if (outcome === undefined || outcome.kind === 'pending' || outcome.kind === 'unknown') return 0;
  await journal.settle(order.owner, order.requestId, outcome, clock.now());
  return 1;
}

/** One row of v1's history that no order of ours has claimed. */
interface Unclaimed {
  readonly reference: string;
  /** When v1 wrote it down, under each zone its time may be in; ms since the epoch. */
  readonly timesMs: readonly number[];
  readonly receipt: JsonObject;
}

/**
 * Looks for orders without a reference in v1's history. A row is an order's when both name the same number, price and
 * time, and when no other order and no other row could be meant: of two alike nobody can tell which is which, so both
 * stay open and are reported. An order that is certainly not there, long after its last try, was never sent.
 */
async function findLost(lost: readonly Order[], context: CallContext, parts: ReconcileParts): Promise<number> {
  const startedAt = parts.clock.now();
  const oldest = Math.min(...lost.map((order) => order.openedAtMs));
  const mayBeLost = (row: JsonObject): boolean => lost.some((order) => !isContradicted(order, row, parts.mapping()));
  const history = await readHistory(oldest - SKEW_MS, mayBeLost, context, parts);
  if (history === undefined) return 0;
  // Listed after the history was read: whatever made a row of it was on disk before, so it is seen here or has claimed its row.
  const open = await parts.journal.listUnsettled({ owner: context.credentials.fingerprint, limit: RIVALS_MAX });
  if (open.length === RIVALS_MAX) return 0;
  const catalog = await parts.catalogs.get(context);
  const prices = catalog === undefined ? undefined : catalogListsOf(catalog, parts.mapping());
  const candidates = new Map(open.filter(isWithoutReference).map((order) => [order, rowsFor(order, history, prices, parts)]));
  let settled = 0;
  for (const [order, rows] of candidates) {
    if (!lost.some((one) => isUntouched(one, order))) continue;
    const rivals = [...candidates].filter(([other, theirs]) => other !== order && theirs.some((row) => rows.includes(row)));
    const outcome = rows.length === 0 ? provenUnsent(order, history, startedAt, parts) : outcomeOfRow(rows, rivals.length);
    if (outcome === undefined || !(await isStillFree(order, outcome, parts))) continue;
    // As of when it was sought: a try that has begun since is not spoken of.
    await parts.journal.settle(order.owner, order.requestId, outcome, startedAt);
    settled += 1;
  }
  return settled;
}

function rowsFor(
  order: Order,
  history: History,
  prices: CatalogLists | undefined,
  { mapping }: ReconcileParts,
): readonly Unclaimed[] {
  return history.unclaimed.filter((row) => isTimely(order, row) && isAlike(order, row.receipt, prices, mapping()));
}

function outcomeOfRow(rows: readonly Unclaimed[], rivals: number): Outcome | undefined {
  const [row] = rows;
  return row === undefined || rows.length > 1 || rivals > 0 ? undefined : outcomeOfReceipt(row.receipt);
}

/**
 * The quiet time had passed before the history was read: a try that was still on its way then is in it, or never will be.
 * A row at another time proves nothing either way, because clocks differ: it may be the order, so absence is not proven.
 */
function provenUnsent(
  order: Order,
  { isWhole, unclaimed }: History,
  startedAt: number,
  { mapping }: ReconcileParts,
): Outcome | undefined {
  const isQuiet = startedAt - lastTriedAt(order) >= mapping().timing.quiet;
  const isAbsent = unclaimed.every((row) => isContradicted(order, row.receipt, mapping()));
  return isWhole && isQuiet && isAbsent ? { kind: 'not_sent', reason: 'v1 does not have this order', isProven: true } : undefined;
}

/** Much can happen while v1 is asked: the order may be under way again, another may have claimed its row. */
async function isStillFree(order: Order, outcome: Outcome, { journal, pursuits }: ReconcileParts): Promise<boolean> {
  const { owner, requestId } = order;
  const reference = 'reference' in outcome ? outcome.reference : undefined;
  if (reference !== undefined && (await journal.findByReference(owner, reference)) !== undefined) return false;
  if ((await pursuits.find(owner, requestId)) !== undefined) return false;
  const now = await journal.find(owner, requestId);
  return now !== undefined && isUntouched(now, order);
}

function isWithoutReference({ outcome }: Order): boolean {
  return outcome === undefined || !('reference' in outcome) || outcome.reference === undefined;
}

function isUntouched(one: Order, other: Order): boolean {
  return one.requestId === other.requestId && one.tries === other.tries && lastTriedAt(one) === lastTriedAt(other);
}

function lastTriedAt(order: Order): number {
  return Math.max(order.openedAtMs, order.settledAtMs ?? 0);
}

interface History {
  readonly unclaimed: readonly Unclaimed[];
  /** Everything since the wanted time was read: what is not there, is not there. */
  readonly isWhole: boolean;
}

/** Newest first, back to the wanted time. Rows that can be none of the lost orders are passed over. */
async function readHistory(
  sinceMs: number,
  mayBeLost: (row: JsonObject) => boolean,
  context: CallContext,
  parts: ReconcileParts,
): Promise<History | undefined> {
  const unclaimed: Unclaimed[] = [];
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const query = { page: String(page), per_page: String(PER_PAGE) };
    const finding = await parts.upstream.find({ method: 'GET', path: '/transactions', query }, context);
    if (finding.kind !== 'found') return undefined;
    const data = finding.body['data'] as JsonObject | undefined;
    const rows = data?.['transactions'];
    if (!Array.isArray(rows)) return undefined;
    for (const row of rows as readonly JsonObject[]) {
      const read = await readRow(row, sinceMs, mayBeLost, context, parts);
      if (read === 'too old') return { unclaimed, isWhole: true };
      if (read === 'unreadable') return { unclaimed, isWhole: false };
      // A new order moves the last row of a page to the next one, where it is seen again.
      if (read !== 'passed over' && !unclaimed.some(({ reference }) => reference === read.reference)) unclaimed.push(read);
      if (unclaimed.length > RECEIPTS_MAX) return { unclaimed, isWhole: false };
    }
    if (rows.length < PER_PAGE) return { unclaimed, isWhole: true };
  }
  return { unclaimed, isWhole: false };
}

async function readRow(
  row: JsonObject,
  sinceMs: number,
  mayBeLost: (row: JsonObject) => boolean,
  context: CallContext,
  { journal, upstream }: ReconcileParts,
): Promise<Unclaimed | 'passed over' | 'too old' | 'unreadable'> {
  const reference = row['transaction_ref'];
  const timesMs = parseTimes(row['created_at']);
  if (typeof reference !== 'string' || timesMs.length === 0) return 'unreadable';
  // Newest first: once the latest reading of a time is too early, so is all that follows.
  if (Math.max(...timesMs) < sinceMs) return 'too old';
  // A row of the list has no phone number, but its service and amount can speak against it: no receipt is fetched then.
  if (!mayBeLost({ data: row })) return 'passed over';
  if ((await journal.findByReference(context.credentials.fingerprint, reference)) !== undefined) return 'passed over';
  const finding = await upstream.find({ method: 'GET', path: '/receipt', query: { reference } }, context);
  return finding.kind === 'found' ? { reference, timesMs, receipt: finding.body } : 'unreadable';
}

function parseTimes(text: unknown): number[] {
  const match = typeof text === 'string' ? /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/.exec(text) : null;
  if (match === null) return [];
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second);
  return ZONE_OFFSETS_MS.map((offset) => asUtc - offset);
}

function isTimely(order: Order, row: Unclaimed): boolean {
  return row.timesMs.some((time) => time >= order.openedAtMs - EARLIER_MS && time <= lastTriedAt(order) + LATER_MS);
}

/**
 * Nothing that the receipt shows speaks against the order, and its number or price speaks for it. The service alone does
 * not: one sale of exam PINs looks like every other, and the PINs of another order would be given away. Only what has
 * neither number nor price (a message to many) is told by its service, and only while nobody doubts it.
 */
function isAlike(order: Order, receipt: JsonObject, prices: CatalogLists | undefined, mapping: Mapping): boolean {
  const operation = mapping.operations.get(order.operation);
  if (operation === undefined) return false;
  const traits = traitsOf(operation, order.fields, prices);
  const { number, price, category } = compareReceipt(receipt, traits);
  if ([number, price, category].includes('differs')) return false;
  const isTraceless = traits.numbers.length === 0 && traits.faceValue === undefined && operation.joins.length === 0;
  const isDoubted = order.outcome?.kind === 'unknown' && order.outcome.isDoubted === true;
  return number === 'agrees' || price === 'agrees' || (isTraceless && !isDoubted && category === 'agrees');
}

/** Something that the receipt shows is not of this order. Prices of the catalog do not count: they may have changed since. */
function isContradicted(order: Order, receipt: JsonObject, mapping: Mapping): boolean {
  const operation = mapping.operations.get(order.operation);
  return operation !== undefined && Object.values(compareReceipt(receipt, traitsOf(operation, order.fields))).includes('differs');
}
