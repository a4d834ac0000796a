/** Steps 7 to 10 of an operation that moves money: journal, send, hold, settle, reply. */
import { GatewayError } from '../domain/errors';
import { isStandIn, isToldAtSettling, isToldLater, type NewOrder, type Order, standIn } from '../domain/order';
import { ATTEMPT_NOT_ENDED, isOver, isRefusal, isSafeToRefund, type Outcome } from '../domain/outcome';
import { type Answer, idsOf } from './answer';
import { type Opening, openOrder } from './order/open-order';
import { pursue } from './order/pursue';
import { Lease, type Pursuit } from './order/pursuit';
import { ANSWER_MS } from './order/pursuit-times';
import type { SaleTurn } from './order/repeats';
import { orderSoldInstead, rereadOldRefusal } from './order/sold-elsewhere';
import { UnreadYet } from './order/wait-for-journal';
import { isOfPins } from './proof/compare-receipt';
import { withGoods } from './proof/fill-goods';
import { type ParsedRequest, readerOf } from './read/walk-in';
import { isWithoutItsId, newOrderOf, wholeFields } from './read/new-order';
import { earlierSetOf } from './read/earlier-set';
import { judgeVisit, type Obstacle } from './read/judge-visit';
import { isNameless, namesItsSale } from './read/read-raw';
import { orderRoot, outcomeParts, replyTo } from './tell/merge-reply';
import { markTold, takeEnd, watchHangUp } from './tell/mark-told';
import { pendingInWords, obstacleParts, withWait } from './tell/refuse';
import { catalogFor, type WalkParts } from './walk-parts';

/** What is kept of a purchase while its script waits. */
interface BegunPurchase {
  readonly newOrder: NewOrder;
  /** By `clock.elapsed()`. */
  readonly begunAt: number;
  /** The pursuit of the order: one that is under way, or one that this request has begun. */
  readonly pursuit: Pursuit;
  /** Undefined where another request began the pursuit. */
  readonly openingKind: Pursuit['openingKind'] | undefined;
  /** The request has no id of its own and got that of the order that it repeats. */
  readonly isJoined: boolean;
  /** Resolves with the reason why the script may not be told, if any; undefined where v1 judges the key in the purchase itself. */
  readonly judging: Promise<Obstacle | undefined> | undefined;
  /** When the script began to wait for the order, by `clock.elapsed()`. */
  readonly waitsFrom: number;
  /** How long the script still waits. */
  readonly leftMs: () => number;
}

/** `beginPurchase` and `finishPurchase` are functions of their own, so that their variables are not in memory while the script waits. */
export async function answerPurchase(parsed: ParsedRequest, parts: WalkParts): Promise<Answer> {
  const purchase = await beginPurchase(parsed, parts);
  const waited = await purchase.pursuit.waitFor(purchase.leftMs(), parsed.line, parsed.afterPending);
  const order = await rereadOldRefusal(waited, parts);
  const earlier = await orderSoldInstead(order, purchase.leftMs, parsed, parts);
  if (earlier === undefined) return finishPurchase(order, purchase, parsed, parts);
  return finishPurchase(earlier, { ...purchase, isJoined: true }, parsed, parts);
}

async function beginPurchase(parsed: ParsedRequest, parts: WalkParts): Promise<BegunPurchase> {
  const { intent, line, mapping, operation, request } = parsed;
  const lease = new Lease(mapping.timing.quiet, parts);
  const begunAt = parts.clock.elapsed();
  // The time that the journal takes is part of the script's patience.
  const leftMs = (): number =>
    Math.max(Math.min(ANSWER_MS, parsed.patienceMs), begunAt + parsed.patienceMs - parts.clock.elapsed());
  const ageMs = (): number => parts.clock.elapsed() - begunAt;
  const isTooLate = (): boolean => {
    const tookMs = ageMs();
    if (tookMs < ANSWER_MS) return false;
    return line.hasHungUp || (parsed.afterPending !== 'buy' && tookMs >= parsed.patienceMs);
  };
  const call = parsed.call!;
  const newOrder = newOrderOf(parsed, call, parts.clock.now(), parts.keyring);
  const sale = {
    isOfPins: isOfPins(operation),
    isRefundedPending: operation.takesPending === 'refunds',
    isWithoutIdOf: (earlier: Order) => isWithoutItsId(request, earlier, parts.keyring),
    ...{ leftMs, line },
  };
  const takeTurn = async (toOpen: NewOrder, isLast: boolean): Promise<SaleTurn> => {
    const turn = await parts.repeats.takeTurn(toOpen, intent.requestId, mapping.repeatMs, sale).catch((error: unknown) => {
      throw error instanceof GatewayError && error.isUnread ? error : new UnreadYet(error);
    });
    if (isLast || turn.repeatKind !== 'unread') return turn;
    turn.end(false);
    throw new UnreadYet('an order that it may repeat');
  };
  const { order, repeatKind, end: endTurn } = await parts.waitForJournal(newOrder, takeTurn, { leftMs, line });
  const opening: Opening = { newOrder: order, repeatKind, call, lease, leftMs, ageMs, isTooLate };
  const joined = parts.pursuits.join(order, begunAt - line.ageMs);
  const pursuing = joined ?? parts.pursuits.add(order, openPursuit(opening, parsed, parts));
  void pursuing.then(
    // Another owner: the request repeats an order from before its key was sent to the sandbox, and starts no order.
    (begun) => endTurn(begun.current().owner === order.owner),
    () => endTurn(false),
  );
  const pursuit = await pursuing;
  const openingKind = joined === undefined ? pursuit.openingKind : undefined;
  const waitsFrom = parts.clock.elapsed();
  const begun = pursuit.current();
  // No question to v1 where the request's own purchase is sent, or where it joins one that was sent from the same address: v1 judges that call.
  const isUnderWay = joined !== undefined && (begun.outcome === undefined || !isOver(begun.outcome));
  const isJudged = openingKind === 'opened' || isStandIn(begun) || (isUnderWay && begun.addressHash === newOrder.addressHash);
  const judging = isJudged ? undefined : judgeVisit(begun, parsed, parts);
  return { newOrder, begunAt, pursuit, openingKind, isJoined: repeatKind === 'joined', judging, waitsFrom, leftMs };
}

/** Opens the order, and pursues it where it may be sent. */
async function openPursuit(opening: Opening, parsed: ParsedRequest, parts: WalkParts): Promise<Pursuit> {
  const open = (newOrder: NewOrder, isLast: boolean): ReturnType<typeof openOrder> =>
    openOrder(newOrder === opening.newOrder ? opening : { ...opening, newOrder }, isLast, parsed, parts);
  const opened = await parts.waitForJournal(opening.newOrder, open, { leftMs: opening.leftMs });
  return opened.kind === 'idle' ? opened.pursuit : pursue(opened.plan, parts);
}

async function finishPurchase(order: Order, purchase: BegunPurchase, parsed: ParsedRequest, parts: WalkParts): Promise<Answer> {
  const { newOrder, begunAt, pursuit, openingKind, isJoined, judging, waitsFrom, leftMs } = purchase;
  const forReply = parsedForReply(order, parsed, parts);
  const { requestId } = pursuit.current();
  const obstacle = await judging;
  if (obstacle !== undefined) return answerObstacle({ ...newOrder, requestId }, order.outcome, obstacle, parsed);
  watchHangUp(order, parsed.line, parts);
  const { openSince } = pursuit;
  const outcome = await withGoods(order, forReply, parts, parsed.patienceMs - (parts.clock.elapsed() - begunAt));
  // Of an order that could not be read it is not known since when another process has had it.
  const isOpenedHere = !isStandIn(order) && order.openedAtMs === newOrder.openedAtMs;
  const opened = isOpenedHere ? { requestId, atMs: begunAt } : undefined;
  if (outcome.kind === 'unknown')
    parts.reconciler.watch(readerOf(order, parsed).credentials, parsed.request.clientAddress, opened);
  if (outcome.kind === 'succeeded' && outcome.reference !== undefined) parts.reconciler.noteSale(order.owner, outcome.reference);
  const catalog = forReply.operation.joins.length === 0 ? undefined : await catalogFor(readerOf(order, parsed), parts);
  const again = isRefusal(outcome) ? await sentAgain(order, purchase, parsed, parts) : undefined;
  if (again !== undefined) return finishPurchase(again.order, { ...purchase, ...again, openingKind: undefined }, parsed, parts);
  const told = withWait(outcomeParts(outcome, forReply.mapping), parsed.call!.path);
  const isContested = arePinsContested(order, { isJoined, openingKind }, forReply, parts);
  const isNamed = namesItsSale(parsed.intent.requestId);
  const isUnderOwnHeader = openingKind === undefined && !isNameless(parsed.intent.requestId, order);
  const isOwn = !isJoined && (openingKind === 'opened' || isUnderOwnHeader);
  const taken = await takeEnd(order, { told: told.outcome, isContested, isNamed, isOwn, line: parsed.line }, parts);
  // Another sale would be bought for nobody: the script that has taken the PINs may be this one, which has asked again.
  if (taken === 'unwritten' || (taken === 'taken' && parsed.line.hasHungUp))
    return { reply: pendingInWords(parsed), outcome: 'unknown' };
  // Another request has taken the PINs of this order, so this one is another sale.
  if (taken === 'taken') {
    const intent = { ...parsed.intent, requestId: undefined };
    return answerPurchase({ ...parsed, intent, patienceMs: leftMs() }, parts);
  }
  await markTold(taken, told.outcome, parsed.line, parts);
  // The spellings of this request: the order may have been opened by another request with other spellings.
  const echoed: Order = order.echo === newOrder.echo ? order : { ...order, echo: newOrder.echo };
  return {
    outcome: outcome.kind,
    repeat: isJoined ? 'joined' : repeatById(order, openingKind),
    order: idsOf(echoed, outcome),
    heldMs: openSince === undefined ? undefined : parts.clock.elapsed() - Math.max(openSince, waitsFrom),
    reply: replyTo(forReply, {
      ...told,
      // If the fields of this request mean another content by now, or have other names, the reply shows the fields of the order that was sold.
      values: forReply === parsed && order.contentHash === newOrder.contentHash ? parsed.intent.values : wholeFields(order),
      catalog,
      roots: { order: orderRoot(echoed, outcome) },
    }),
  };
}

function repeatById(order: Order, openingKind: BegunPurchase['openingKind']): Answer['repeat'] {
  if (openingKind === 'replayed') return 'replayed';
  // A request whose order cannot be read may be a first one.
  return openingKind === 'opened' || isStandIn(order) ? undefined : 'again';
}

/**
 * The order, and its pursuit, where a repeat has sent the refused order again while its reply waited for its parts: v1 may charge it yet, or has done so
 * already.
 */
async function sentAgain(
  order: Order,
  { pursuit, leftMs }: BegunPurchase,
  { line, afterPending }: ParsedRequest,
  { pursuits, journal, onTrouble }: WalkParts,
): Promise<{ readonly order: Order; readonly pursuit: Pursuit } | undefined> {
  const { owner, requestId, attempts } = order;
  const running = await pursuits.find(owner, requestId);
  if (running !== undefined && running !== pursuit)
    return { order: await running.waitFor(leftMs(), line, afterPending), pursuit: running };
  if (isStandIn(order)) return undefined;
  const now = await journal.find(owner, requestId).catch((error: unknown) => onTrouble('find', error));
  if (!now || now.attempts === attempts) return undefined;
  return { order: { ...now, outcome: now.outcome ?? ATTEMPT_NOT_ENDED }, pursuit };
}

/**
 * Whether another script may hear the same PINs, perhaps from another process that counts this one as dead. A repeat under the order's header hears them
 * again, unless its script had left the order: then a request under another header may have taken them.
 */
function arePinsContested(
  order: Order,
  { isJoined, openingKind }: Pick<BegunPurchase, 'isJoined' | 'openingKind'>,
  { intent, operation }: ParsedRequest,
  { toldSales }: Pick<WalkParts, 'toldSales'>,
): boolean {
  if (namesItsSale(intent.requestId) || !isOfPins(operation)) return false;
  if (openingKind !== 'opened' && !isNameless(intent.requestId, order))
    return openingKind === undefined || !isToldAtSettling(order);
  // Another process may have marked the order as not told since it was settled: while this one reads its receipt.
  return isJoined || isToldLater(order) || toldSales?.() !== undefined;
}

/** What the reply is made of: the request as it was read, with the set that read the order where the running one no longer has the order's names. */
function parsedForReply(order: Order, parsed: ParsedRequest, { setOf }: WalkParts): ParsedRequest {
  const mapping = earlierSetOf(order, parsed.mapping, parsed.family !== undefined, setOf);
  const operation = mapping?.operations.get(order.operation);
  return mapping === undefined || operation === undefined ? parsed : { ...parsed, mapping, operation, format: order.format };
}

/**
 * The answer to a repeat whose key v1 does not accept at this address. It shows nothing of the order, and no failure, because the order may be
 * charged. Where v1 took no money for it, it hears the failure that a first purchase would hear now: a script may deliver what is pending.
 */
function answerObstacle(newOrder: NewOrder, known: Outcome | undefined, obstacle: Obstacle, parsed: ParsedRequest): Answer {
  const isUnpaid = known !== undefined && isSafeToRefund(known);
  const outcome: Outcome = isUnpaid
    ? refusalOf(obstacle)
    : { kind: 'unknown', reason: 'v1 has not accepted the key at this address' };
  const order = standIn(newOrder, outcome);
  const told = isUnpaid ? outcomeParts(outcome, parsed.mapping) : obstacleParts(obstacle, parsed.mapping);
  const reply = replyTo(parsed, { ...told, roots: { order: orderRoot(order, outcome) } });
  return { reply, outcome: outcome.kind, order: idsOf(order, outcome) };
}

function refusalOf(obstacle: Obstacle): Outcome {
  if (obstacle.kind === 'unavailable') return { kind: 'not_sent', reason: obstacle.reason };
  const { httpStatus, message } = obstacle;
  return { kind: 'rejected', httpStatus, ...(message === undefined ? {} : { message }) };
}
