/** Step 7: writes the order into the journal, or finds it there, and decides whether it is pursued: not where sending could do harm. */
import { type ErrorCode, GatewayError, unreadRefusal } from '../../domain/errors';
import type { PriceLists } from '../../price-lists/price-lists';
import { isSameIntent, isStandIn, type NewOrder, type Opened, type Order, standIn } from '../../domain/order';
import {
  isAttemptMarked,
  isOver,
  isRefusal,
  isSafeToRefund,
  isWaitingForProvider,
  type NotSent,
  type Outcome,
  ATTEMPT_NOT_ENDED,
  JOURNAL_UNREAD,
} from '../../domain/outcome';
import type { CallContext, V1Call } from '../../upstream/upstream';
import { isOfPins } from '../proof/compare-receipt';
import type { Reconciler } from '../proof/reconcile';
import type { Steadiness } from '../../domain/clock';
import { headerIdOf } from '../read/read-raw';
import { type ParsedRequest, readContextOf } from '../read/walk-in';
import { judgeVisit, type JudgingParts } from '../read/judge-visit';
import type { Admission } from './admission';
import { type CallerLimits, pauseOf } from './caller-limits';
import { identifyOrder } from './judge-answer';
import type { PinGuard } from './pin-guard';
import type { Lease, OpeningKind, Pursuit, PursuitParts, PursuitPlan } from './pursuit';
import { UNREAD } from './read-earlier';
import type { RepeatKind } from './repeats';
import { createFindElsewhere, type ElsewhereParts, repeatedElsewhere, soldMeanwhile } from './sold-elsewhere';
import { isUsedUp, replayMsOf, requestIdReused, requestIdUsed, type UsedIdParts } from './used-ids';
import { UnreadYet } from './wait-for-journal';

interface OpeningParts extends PursuitParts, JudgingParts, UsedIdParts, Pick<ElsewhereParts, 'repeats'> {
  readonly priceLists: Pick<PriceLists, 'peek' | 'warm'>;
  readonly pinGuard: Pick<PinGuard, 'refusalOf'>;
  readonly admission: Admission;
  readonly limits: CallerLimits;
  /** Without it wrong keys have no limit. */
  readonly keyGuard?: { enter(context: CallContext): Promise<void> | undefined };
  readonly reconciler: Pick<Reconciler, 'reconcile'>;
  readonly steadiness: Steadiness;
}

/** Stands for the order that this one may repeat, while the journal cannot be read. */
export const unreadOrder = (newOrder: NewOrder): Order => standIn(newOrder, JOURNAL_UNREAD);
const TOO_LATE: NotSent = { kind: 'not_sent', reason: 'its script had waited too long when the order was written' };
/** Refusals after which the receipt of an order that waits for its provider is still read: reading buys nothing. */
const OF_PURCHASES_ALONE: ReadonlySet<ErrorCode> = new Set([
  'caller_paused',
  'too_many_purchases',
  'daily_limit_reached',
  'wrong_pin',
  'pin_held',
]);

export interface Opening {
  readonly newOrder: NewOrder;
  readonly repeatKind: RepeatKind;
  readonly call: V1Call;
  readonly lease: Lease;
  /** How long the script that ordered still waits. */
  readonly leftMs: () => number;
  /** How long ago the request came. */
  readonly ageMs: () => number;
  /** Whether opening took so long that the script counts the sale as failed by now: nothing may be bought for it. */
  readonly isTooLate: () => boolean;
}

/** The order that was opened or found: with the plan of its pursuit, or with an idle pursuit because sending could do harm. */
type OpenedOrder =
  { readonly kind: 'to_pursue'; readonly plan: PursuitPlan } | { readonly kind: 'idle'; readonly pursuit: Pursuit };

/** Where an order cannot be read that this request may be, or repeat. */
type IfUnread = 'try again' | 'refuse' | 'tell pending';

/**
 * Opens the order or finds it. Rejects with a GatewayError only if v1 cannot have charged for it, or as unread, and with `UnreadYet` unless this is the last
 * time.
 */
export async function openOrder(
  opening: Opening,
  isLast: boolean,
  parsed: ParsedRequest,
  parts: OpeningParts,
): Promise<OpenedOrder> {
  const { newOrder, repeatKind, call, lease, ageMs, isTooLate } = opening;
  // It may repeat an order that cannot be read now, so nothing is sent. A question about its new id finds no order, which is not told as a failure.
  if (repeatKind === 'unread') {
    if (parsed.operation.takesPending === 'sells') throw unreadRefusal('an order that it may repeat cannot be read');
    return idlePursuit(unreadOrder(newOrder));
  }
  let opened: Opened;
  // A script that sells pending orders does not repeat them, so its request is a first one: "pending" would make it sell an order that nobody buys.
  const isFirst = repeatKind === 'first' && parsed.operation.takesPending === 'sells';
  const ifUnread: IfUnread = !isLast ? 'try again' : isFirst ? 'refuse' : 'tell pending';
  const findAtV1 = (): Promise<Order | undefined> | undefined => orderAtV1(opening, ifUnread, parsed, parts);
  const looking = findAtV1();
  const atV1 = looking === undefined ? undefined : await looking;
  if (atV1 !== undefined) return idlePursuit(atV1);
  try {
    const refusal =
      pauseOf(parsed.callerKey) ?? parts.pinGuard.refusalOf(parsed.credentials) ?? parts.admission.refusalOf(call, parsed);
    if (refusal !== undefined) throw refusal;
    const entering = parts.keyGuard?.enter(readContextOf(parsed));
    if (entering !== undefined) await entering;
    opened = await parts.limits.open(newOrder, parsed);
  } catch (refusal) {
    const isNewId = repeatKind === 'first' && parsed.intent.requestId === undefined;
    const findById = async (): Promise<Order | undefined> =>
      (await knownOrder(newOrder, isLast && isNewId ? 'refuse' : ifUnread, parsed, parts)) ?? findAtV1();
    const known = (await findById()) ?? (await repeatedElsewhere(newOrder, parsed, isNewId ? undefined : findById, parts));
    if (known === undefined) throw refusal;
    const isReadable = known.owner === newOrder.owner && refusal instanceof GatewayError && OF_PURCHASES_ALONE.has(refusal.code);
    if (!isReadable || !isWaitingForProvider(known.outcome)) return idlePursuit(known);
    return { kind: 'to_pursue', plan: planOf(known, { kind: 'found', order: known }, opening, parsed, parts) };
  }
  if (opened.kind === 'conflict') throw requestIdReused();
  let order = await unlessUsed(opened.order, newOrder, parsed, parts);
  if (isStandIn(order) || isNothingToSend(order, newOrder)) {
    return idlePursuit(order, order.outcome?.kind === 'succeeded' ? 'replayed' : 'found');
  }
  if (opened.kind === 'found' && (order.outcome === undefined || order.outcome.kind === 'unknown')) {
    if (isTooLate()) return idlePursuit(order);
    // An earlier attempt is under way elsewhere, was cut off by a crash, or got no answer. Each may have charged. The lease of the
    // next attempt is written first: otherwise another process could prove the order absent during the attempt.
    const renewed = await lease.renew(order);
    if (renewed === undefined) return idlePursuit(order);
    order = renewed;
    // The other attempt has ended in the meantime: its outcome is the outcome of this request.
    if (order.outcome !== undefined && (isOver(order.outcome) || isSafeToRefund(order.outcome))) return idlePursuit(order);
  }
  if (opened.kind !== 'found') {
    // Whose script has left may have asked meanwhile, and heard of the refusal before.
    const isDeserted = opened.kind === 'reopened' && parsed.line.hasHungUp;
    const reason = isDeserted || isTooLate() ? TOO_LATE : await soldMeanwhile(order, ageMs(), parsed, parts);
    if (reason !== undefined) return idlePursuit(await settleUnsent(order, reason, parts), 'opened');
  }
  if (parsed.operation.joins.length > 0) void parts.priceLists.warm(readContextOf(parsed));
  return { kind: 'to_pursue', plan: planOf(order, opened, opening, parsed, parts) };
}

function planOf(
  order: Order,
  opened: Opened,
  { call, lease, leftMs, ageMs }: Opening,
  parsed: ParsedRequest,
  parts: OpeningParts,
): PursuitPlan {
  const { timing } = parsed.mapping;
  const patienceMs = leftMs();
  const isFound = opened.kind === 'found';
  return {
    order,
    openingKind: isFound ? 'found' : 'opened',
    previous: isFound ? beforeThisAttempt(order) : undefined,
    isBesideAnother: isFound && isAttemptMarked(opened.order.outcome),
    call,
    credentials: parsed.credentials,
    clientAddress: parsed.request.clientAddress,
    trace: parsed.request.trace,
    patienceMs,
    reconnectMs: Math.min(timing.reconnect, patienceMs),
    afterPending: parsed.afterPending,
    pursueMs: timing.pursue,
    attemptMs: timing.try,
    readMs: timing.read,
    lease,
    identify: (reference, openedAtMs) =>
      identifyOrder(reference, openedAtMs, parsed, { ...parts, replayMs: replayMsOf(parsed.mapping, parsed.callerKey) }),
    findElsewhere: createFindElsewhere(order, isFound ? () => Infinity : ageMs, parsed, parts),
    look: () => parts.reconciler.reconcile(parsed.credentials, parsed.request.clientAddress, order.requestId),
  };
}

/**
 * Settles an order that is not sent. If that cannot be written, the order is told as pending where another process has an order of the sale. Else the
 * request is refused as unread: nothing is bought before a repeat sends the order.
 */
async function settleUnsent(order: Order, reason: NotSent, { journal, clock, onTrouble }: OpeningParts): Promise<Order> {
  try {
    return await journal.settle(order.owner, order.requestId, reason, clock.now(), order.attempts);
  } catch (error) {
    onTrouble('settle', error);
    if (reason === TOO_LATE) throw unreadRefusal(error);
    return order;
  }
}

/**
 * Whether sending a repeat could only do harm, for one of three reasons. The order is over: v1 would sell it again if it has forgotten the id. The order
 * was refused after the request came: a script may have refunded it (decision 0011). The mapping has changed: the call may be another one than v1 has.
 */
function isNothingToSend(order: Order, repeat: NewOrder): boolean {
  const { outcome, contentHash } = order;
  return (outcome !== undefined && (isOver(outcome) || isRefusal(outcome))) || contentHash !== repeat.contentHash;
}

/**
 * The order in the journal, for a request that is refused in this step (`answer-refused-repeat` looks for refusals of the steps before): an earlier
 * request under its id may have been charged. Undefined if there is no such order or nothing was charged for it: the refusal stands. If the journal
 * cannot be read, the order is told as pending, or the request is refused as unread: the gateway has just made its id, or its
 * script sells pending orders and the id has not come to this process before (decision 0012).
 */
async function knownOrder(
  newOrder: NewOrder,
  ifUnread: IfUnread,
  parsed: ParsedRequest,
  parts: OpeningParts,
): Promise<Order | undefined> {
  let known: Order | undefined;
  try {
    known = await parts.journal.find(newOrder.owner, newOrder.requestId);
  } catch (error) {
    if (ifUnread === 'try again') throw new UnreadYet(error);
    if (ifUnread === 'refuse') throw unreadRefusal(error);
    parts.onTrouble('find', error);
    parts.journal.doubt?.(newOrder);
    return unreadOrder(newOrder);
  }
  if (known === undefined || isRefusal(known.outcome)) return undefined;
  if (!isSameIntent(known, newOrder)) throw requestIdReused();
  return unlessUsed(known, newOrder, parsed, parts);
}

/**
 * The order that this request repeats and that its key placed at v1, before callers.yaml sent the key to the sandbox. The repeat is told the
 * outcome at v1: the sandbox would only simulate a sale, and the script would hear a success that v1 never gave.
 */
function orderAtV1(
  { newOrder, repeatKind }: Opening,
  ifUnread: IfUnread,
  parsed: ParsedRequest,
  parts: OpeningParts,
): Promise<Order | undefined> | undefined {
  const { sandboxOf } = parsed.credentials;
  if (sandboxOf === undefined) return undefined;
  const owner = sandboxOf.fingerprint;
  const { requestId } = parsed.intent;
  const findUnheard = async (): Promise<Order | undefined> => {
    const search = {
      sent: requestId,
      // PINs name no customer: an order that is alike may be another one's.
      contentHash: isOfPins(parsed.operation) ? undefined : newOrder.contentHash,
      isRefundedPending: parsed.operation.takesPending === 'refunds',
    };
    const found = await parts.repeats.findUnheard(owner, newOrder.wordsHash!, parsed.mapping, search);
    return found === UNREAD ? unreadOrder({ ...newOrder, owner }) : found;
  };
  if (requestId === undefined) return findUnheard();
  // The order in the sandbox that the request repeats is not the one at v1 under the same id.
  const id = repeatKind === 'joined' ? requestId.id : newOrder.requestId;
  const known = knownOrder({ ...newOrder, owner, requestId: id }, ifUnread, parsed, parts);
  // A repeat may leave out the id of the order, which came with this header then.
  return headerIdOf(requestId) === undefined ? known : known.then((order) => order ?? findUnheard());
}

/** The order, unless its id is used up: then the request is refused. Where that cannot be read, the order is told as pending, or the request refused as unread. */
async function unlessUsed(order: Order, newOrder: NewOrder, parsed: ParsedRequest, parts: OpeningParts): Promise<Order> {
  const isUsed = await isUsedUp(order, replayMsOf(parsed.mapping, parsed.callerKey), parts);
  if (isUsed === true) throw requestIdUsed(order, (await judgeVisit(order, parsed, parts)) === undefined);
  if (isUsed === false) return order;
  if (parsed.operation.takesPending === 'sells') throw unreadRefusal('whether its success was told cannot be read');
  return unreadOrder(newOrder);
}

/** The outcome before another attempt begins, without a lease. */
function beforeThisAttempt({ outcome }: Order): Outcome {
  if (outcome === undefined) return ATTEMPT_NOT_ENDED;
  if (outcome.kind !== 'unknown' || outcome.isBeginning !== true) return outcome;
  return outcome.isDoubted === true ? { ...ATTEMPT_NOT_ENDED, isDoubted: true } : ATTEMPT_NOT_ENDED;
}

/** A pursuit that sends nothing and gives the order as it is now. */
function idlePursuit(order: Order, openingKind: OpeningKind = 'found'): OpenedOrder {
  const shown: Order = { ...order, outcome: order.outcome ?? ATTEMPT_NOT_ENDED };
  const pursuit: Pursuit = {
    openingKind,
    current: () => shown,
    waitFor: async () => shown,
    endWaiting: () => undefined,
    isAwaited: false,
    isLooking: false,
    isOnlyOf: () => false,
    openSince: undefined,
    ended: Promise.resolve(),
  };
  return { kind: 'idle', pursuit };
}
