/** Step 7, and the decision about step 8: the order is on disk, or found again, and is pursued unless sending it could do harm. */
import { GatewayError } from '../../domain/errors';
import type { PriceLists } from '../../price-lists/price-lists';
import { isSameIntent, type NewOrder, type Opened, type Order } from '../../domain/order';
import { isOver, isRefusal, isSafeToRefund, type NotSent, type Outcome, UNENDED, type Unknown } from '../../domain/outcome';
import type { CallContext, V1Call } from '../../upstream/upstream';
import { identifyOrder } from '../proof/compare-receipt';
import type { Reconciler } from '../proof/reconcile';
import type { Steadiness } from '../../domain/clock';
import { type ParsedRequest, readContextOf } from '../read/walk-in';
import { judgeVisit, type JudgingParts } from '../read/judge-visit';
import { type Admission, requestIdReused } from './pursuits';
import { type CallerLimits, type Entry, pauseOf } from './caller-limits';
import type { PinGuard } from './pin-guard';
import { pursue } from './pursue';
import type { Lease, Pursuit, PursuitParts } from './pursuit';
import type { Standing } from './repeats';
import { isUsedUp, replayMsOf, requestIdUsed } from './used-ids';

export interface OpeningParts extends PursuitParts, JudgingParts {
  readonly priceLists: Pick<PriceLists, 'peek' | 'warm'>;
  readonly pinGuard: Pick<PinGuard, 'refusalOf'>;
  readonly admission: Admission;
  readonly limits: CallerLimits;
  /** Without it wrong keys have no limit. */
  readonly keyGuard?: { enter(context: CallContext): Promise<void> | undefined };
  readonly reconciler: Pick<Reconciler, 'reconcile'>;
  readonly steadiness: Steadiness;
}

export const UNREADABLE: Unknown = { kind: 'unknown', reason: 'the journal cannot be read' };
const TOO_LATE: NotSent = { kind: 'not_sent', reason: 'its script had waited too long when the order was written' };

export interface Opening {
  readonly newOrder: NewOrder;
  readonly standing: Standing;
  readonly call: V1Call;
  readonly lease: Lease;
  /** How long the script that ordered still waits. */
  readonly leftMs: () => number;
  /** Whether opening took so long that what is sent now would be bought for a script that counts it as failed by now. */
  readonly isTooLate: () => boolean;
}

/** Opens the order, or finds it, and sends it where that cannot do harm. Refuses while nothing of it can have been charged. */
export async function openOrder(
  { newOrder, standing, call, lease, leftMs, isTooLate }: Opening,
  parsed: ParsedRequest,
  parts: OpeningParts,
): Promise<Pursuit> {
  // It has an id that nobody has asked for: to the question about it there is no such order, and never a failure.
  if (standing === 'unread') return restingPursuit({ ...newOrder, number: 0, tries: 0, outcome: UNREADABLE });
  let opened: Opened;
  const looking = realOrder(newOrder, parsed, parts);
  const real = looking === undefined ? undefined : await looking;
  if (real !== undefined) return restingPursuit(real);
  try {
    const refusal =
      pauseOf(parsed.callerKey) ?? parts.pinGuard.refusalOf(parsed.credentials) ?? parts.admission.refusalOf(call, parsed);
    if (refusal !== undefined) throw refusal;
    const entering = parts.keyGuard?.enter(readContextOf(parsed));
    if (entering !== undefined) await entering;
    const judging = parts.limits.enter(newOrder, parsed);
    const entry = judging === undefined ? undefined : await judging;
    opened = await (entry === undefined ? parts.journal.open(newOrder) : openWithin(entry, newOrder, parts));
  } catch (refusal) {
    // Who sells what is pending has no reason to repeat it, and would sell here what nobody buys.
    const isFirst = standing === 'new' && (parsed.intent.requestId === undefined || parsed.operation.takesPending === 'sells');
    return restingPursuit(await knownOrder(newOrder, { refusal, isFirst }, parsed, parts));
  }
  if (opened.kind === 'conflict') throw requestIdReused();
  let { order } = opened;
  if (isUsedUp(order, replayMsOf(parsed.mapping, parsed.callerKey), parts)) throw await usedUp(order, parsed, parts);
  if (opened.kind === 'found' && isNothingToSend(order, newOrder)) {
    return restingPursuit(order, order.outcome?.kind === 'succeeded' ? 'replayed' : 'known');
  }
  if (opened.kind === 'found' && (order.outcome === undefined || order.outcome.kind === 'unknown')) {
    if (isTooLate()) return restingPursuit(order);
    // An attempt is under way elsewhere, a crash cut one short, or none had an answer: each may have charged. The lease of the
    // next attempt is on disk first: else another process could prove the order absent in the middle of it.
    const renewed = await lease.renew(order);
    if (renewed === undefined) return restingPursuit(order);
    order = renewed;
    // The other attempt ended at this moment: its outcome is the outcome of this request too.
    if (order.outcome !== undefined && (isOver(order.outcome) || isSafeToRefund(order.outcome))) return restingPursuit(order);
  }
  if (opened.kind !== 'found' && isTooLate()) return restingPursuit(await settleUnsent(order, parts), 'new');
  if (parsed.operation.joins.length > 0) parts.priceLists.warm(readContextOf(parsed));
  const { timing } = parsed.mapping;
  const patienceMs = leftMs();
  return pursue(
    {
      order,
      beginning: opened.kind === 'found' ? 'known' : 'new',
      previous: opened.kind === 'found' ? beforeThisTry(order) : undefined,
      call,
      credentials: parsed.credentials,
      clientAddress: parsed.request.clientAddress,
      trace: parsed.request.trace,
      patienceMs,
      reconnectMs: Math.min(timing.reconnect, patienceMs),
      afterPending: parsed.afterPending,
      pursueMs: timing.pursue,
      tryMs: timing.try,
      readMs: timing.read,
      lease,
      identify: (reference, openedAtMs) =>
        identifyOrder(reference, openedAtMs, parsed, { ...parts, replayMs: replayMsOf(parsed.mapping, parsed.callerKey) }),
      look: () => parts.reconciler.reconcile(parsed.credentials, parsed.request.clientAddress, order.requestId),
    },
    parts,
  );
}

/** Where that cannot be written the order stands as an attempt without an end, and is told as pending. */
async function settleUnsent(order: Order, { journal, clock, onTrouble }: OpeningParts): Promise<Order> {
  try {
    return await journal.settle(order.owner, order.requestId, TOO_LATE, clock.now(), order.tries);
  } catch (error) {
    onTrouble('settle', error);
    return order;
  }
}

/** What the order takes of its key's limits is in the journal when it leaves. */
async function openWithin(entry: Entry, newOrder: NewOrder, { journal }: Pick<OpeningParts, 'journal'>): Promise<Opened> {
  try {
    const opened = await journal.open(newOrder);
    if (opened.kind === 'reopened') entry.reopened();
    return opened;
  } finally {
    entry.leave();
  }
}

/**
 * Whether sending a repeat could only do harm. What has ended has its answer, and a v1 that has forgotten the id by now
 * would sell again (decision 0011). And where the mapping has changed since, the call is no longer the one that may be at v1.
 */
function isNothingToSend(order: Order, repeat: NewOrder): boolean {
  return (order.outcome !== undefined && isOver(order.outcome)) || order.contentHash !== repeat.contentHash;
}

/**
 * Nothing may be sent for this request, but an earlier one under its id may have been: an order that the journal knows is
 * not refused, unless nothing was charged for it. When not even that can be read, an order whose id we have just made is a first one, and so
 * is one of a script that sells what is pending, unless its id has come to this process before (decision 0012).
 */
async function knownOrder(
  newOrder: NewOrder,
  { refusal, isFirst }: { readonly refusal: unknown; readonly isFirst: boolean },
  parsed: ParsedRequest,
  parts: OpeningParts,
): Promise<Order> {
  let known: Order | undefined;
  try {
    known = await parts.journal.find(newOrder.owner, newOrder.requestId);
  } catch (error) {
    if (isFirst) throw refusal;
    parts.onTrouble('find', error);
    parts.journal.doubt?.(newOrder);
    return { ...newOrder, number: 0, tries: 0, outcome: UNREADABLE };
  }
  if (known === undefined || isRefusal(known.outcome)) throw refusal;
  if (!isSameIntent(known, newOrder)) throw requestIdReused();
  if (isUsedUp(known, replayMsOf(parsed.mapping, parsed.callerKey), parts)) throw await usedUp(known, parsed, parts);
  return known;
}

/**
 * An order that a key made at v1 before it was sent to the sandbox: a repeat of it is told how it stands there. The sandbox would sell it
 * in play, and tell its script a success that v1 never gave.
 */
function realOrder(newOrder: NewOrder, parsed: ParsedRequest, parts: OpeningParts): Promise<Order | undefined> | undefined {
  const { sandboxOf } = parsed.credentials;
  if (sandboxOf === undefined || parsed.intent.requestId === undefined) return undefined;
  const none = new GatewayError('order_unknown');
  const order = { ...newOrder, owner: sandboxOf.fingerprint };
  return knownOrder(order, { refusal: none, isFirst: false }, parsed, parts).catch((error: unknown) => {
    if (error === none) return undefined;
    throw error;
  });
}

async function usedUp(order: Order, parsed: ParsedRequest, parts: OpeningParts): Promise<GatewayError> {
  return requestIdUsed(order, (await judgeVisit(order, parsed, parts)) === undefined);
}

/** What is known of the order before another attempt begins. */
function beforeThisTry({ outcome }: Order): Outcome {
  if (outcome === undefined) return UNENDED;
  if (outcome.kind !== 'unknown' || outcome.isBeginning !== true) return outcome;
  return outcome.isDoubted === true ? { ...UNENDED, isDoubted: true } : UNENDED;
}

/** The order as it stands: nothing is tried for it now. */
function restingPursuit(order: Order, beginning: Pursuit['beginning'] = 'known'): Pursuit {
  const standing: Order = { ...order, outcome: order.outcome ?? UNENDED };
  return {
    beginning,
    current: () => standing,
    waitFor: async () => standing,
    hurry: () => undefined,
    isAwaited: false,
    isLooking: false,
    openSince: undefined,
    ended: Promise.resolve(),
  };
}
