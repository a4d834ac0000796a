/** Steps 7 to 10 of an operation that moves money: journal, send, hold, settle, reply. */
import { within } from '../domain/clock';
import { isList, textOf, type JsonObject, type JsonValue } from '../domain/json';
import type { LegacyReply } from '../domain/legacy';
import type { NewOrder, Opened, Order, Trail } from '../domain/order';
import {
  isOver,
  isRefusal,
  isSafeToRefund,
  referenceOf,
  succeedOutcome,
  UNENDED,
  type Outcome,
  type Unknown,
} from '../domain/outcome';
import { isSameIntent } from '../domain/same-intent';
import { orderInReceipt, outcomeOfReceipt } from '../upstream/receipt';
import type { Finding, V1Call } from '../upstream/upstream';
import { readContextOf, type Asking, type Reader } from './read/asking';
import { addressHashOf, askedHashOf, contentHashOf } from './read/build-call';
import { catalogListsOf, type CatalogLists } from './read/catalog-lists';
import { fillMoney } from './proof/fill-money';
import type { WalkParts } from './walk-parts';
import { findReceipt } from './proof/find-receipt';
import { identifyReceipt, traitsOf } from './proof/compare-receipt';
import { judgeVisit, type Obstacle } from './read/judge-visit';
import type { Witness } from './order/judge-answer';
import { mergeReply, orderRoot, tellOutcome } from './tell/merge-reply';
import type { Pursuit } from './order/pursuit';
import { pursue } from './order/pursue';
import { requestIdReused } from './order/pursuits';
import { otherServices, rulesOut } from './proof/rules-out';
import { noteTelling } from './tell/note-telling';
import { isUsedUp, replayMsOf, requestIdUsed } from './order/replay-window';
import { generateRequestId, type SentRequestId } from './read/request-id';
import { tellObstacle } from './tell/tell-unanswered';
import { tellWait } from './tell/tell-wait';
import { createTryMark, type TryMark } from './order/try-mark';

export interface Answer {
  readonly reply: LegacyReply;
  /** For logs and metrics. */
  readonly outcome: Outcome['kind'] | Finding['kind'];
  readonly repeat?: Repeat | undefined;
  /** By what the order is known, where the answer is about one. */
  readonly order?: OrderIds;
  /** How long the script waited for an order that v1's first answer left open. */
  readonly heldMs?: number | undefined;
}

export interface OrderIds {
  /** As the script sent it; ours where it sent none. */
  readonly requestId: string;
  readonly number?: number;
  readonly reference?: string | undefined;
}

export function idsOf({ requestId, echo, number }: Order, outcome: Outcome): OrderIds {
  const sent = Object.values(echo)[0];
  return {
    requestId: sent === undefined ? requestId : textOf(sent),
    // An order that could not be read has no number.
    ...(number === 0 ? {} : { number }),
    reference: referenceOf(outcome),
  };
}

/** `joined`: it has another order's id, having none of its own. `replayed`: what it repeats was sold, and is told again. */
export type Repeat = 'joined' | 'replayed';

const UNREADABLE: Unknown = { kind: 'unknown', reason: 'the journal cannot be read' };

/** How long a finished order waits for a price list that is still on its way, for plan names in the reply. */
const CATALOG_GRACE_MS = 250;

export async function answerPurchase(asking: Asking, parts: WalkParts): Promise<Answer> {
  const { operation, intent, mapping, credentials } = asking;
  const mark = createTryMark(mapping.timing.quiet, parts);
  const startedAt = parts.clock.now();
  const call = asking.call!;
  const newOrder: NewOrder = {
    owner: credentials.fingerprint,
    requestId: intent.requestId?.id ?? generateRequestId(startedAt),
    operation: operation.name,
    format: asking.format,
    fields: boundedFields(intent.values),
    identifiers: operation.fields.filter(({ as }) => as === 'identifier').map(({ name }) => name),
    echo: intent.requestId?.echo ?? {},
    contentHash: contentHashOf(operation, call, parts.keyring),
    askedHash: askedHashOf(asking.request, parts.keyring),
    ...headerIdOf(intent.requestId),
    addressHash: addressHashOf(asking.request.clientAddress, parts.keyring),
    openedAtMs: startedAt,
    trail: trailOf(asking),
  };
  let repeat: Repeat | undefined;
  let [isJoined, isNew] = [true, false];
  const pursuit = await parts.repeats.join(newOrder, intent.requestId, mapping.replayMs, (order, isRepeat) => {
    if (isRepeat) repeat = 'joined';
    const onReplay = (): void => void (repeat ??= 'replayed');
    const onNew = (): void => void (isNew = true);
    return parts.pursuits.join(order, () => {
      isJoined = false;
      return openAndPursue({ newOrder: order, call, mark, onReplay, onNew }, asking, parts);
    });
  });
  const waitsFrom = parts.clock.elapsed();
  const begun = pursuit.current();
  // What this request sends for the first time, or waits for where it was sent from, v1 judges in the purchase itself.
  const isUnderWay = isJoined && (begun.outcome === undefined || !isOver(begun.outcome));
  const isJudged = isNew || begun.number === 0 || (isUnderWay && begun.addressHash === newOrder.addressHash);
  const judging = isJudged ? undefined : judgeVisit(begun, asking, parts);
  const order = await pursuit.waitFor(asking.patienceMs, asking.line.hungUp);
  const obstacle = await judging;
  if (obstacle !== undefined) return tellNothing({ ...newOrder, requestId: begun.requestId }, obstacle, asking);
  const { openSince } = pursuit;
  const outcome = await withGoods(order, asking, parts, asking.patienceMs - (parts.clock.now() - startedAt));
  if (outcome.kind === 'unknown') parts.reconciler.watch(credentials, asking.request.clientAddress);
  const catalog = await catalogFor(asking, parts);
  const told = tellOutcome(outcome, mapping);
  await noteTelling(order, told.outcome, asking.line, parts);
  // The script's own spellings of this very request, which a joined or repeated order may not have been opened with.
  const echoed: Order = { ...order, echo: newOrder.echo };
  return {
    outcome: outcome.kind,
    repeat,
    order: idsOf(echoed, outcome),
    heldMs: openSince === undefined ? undefined : parts.clock.elapsed() - Math.max(openSince, waitsFrom),
    reply: mergeReply({
      ...tellWait(told, call.path),
      mapping,
      operation,
      format: asking.format,
      // What was sold, should its numbers mean something else by now.
      values: order.contentHash === newOrder.contentHash ? intent.values : order.fields,
      callerKey: asking.callerKey,
      ownNumbers: intent.ownNumbers,
      catalog,
      roots: { order: orderRoot(echoed, outcome) },
    }),
  };
}

/**
 * A repeat by a key or from an address that v1 does not accept: as of an order that nothing is known of, never as a failure,
 * because the first one may be charged.
 */
function tellNothing(newOrder: NewOrder, obstacle: Obstacle, asking: Asking): Answer {
  const { mapping, operation, format, intent, callerKey } = asking;
  const outcome: Unknown = { kind: 'unknown', reason: 'v1 has not accepted the key at this address' };
  const order: Order = { ...newOrder, number: 0, tries: 0, outcome };
  const reply = mergeReply({
    ...tellObstacle(obstacle, mapping),
    mapping,
    operation,
    format,
    values: intent.values,
    callerKey,
    ownNumbers: intent.ownNumbers,
    roots: { order: orderRoot(order, outcome) },
  });
  return { reply, outcome: outcome.kind, order: idsOf(order, outcome) };
}

function trailOf({ mapping, reason, intent: { spellings, ownNumbers, numberedBy } }: Asking): Trail {
  const trail = { mapping: mapping.hash, reason, spellings };
  if (Object.keys(ownNumbers).length === 0) return trail;
  return numberedBy === undefined ? { ...trail, ownNumbers } : { ...trail, ownNumbers, numberedBy: numberedBy.title };
}

const KEPT_TEXT_MAX = 500;
const KEPT_ITEMS_MAX = 200;

/** What the journal keeps of long texts and lists: their beginning. The content hash is over the whole. */
function boundedFields(values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]): [string, JsonValue] => {
      if (typeof value === 'string' && value.length > KEPT_TEXT_MAX) return [name, `${value.slice(0, KEPT_TEXT_MAX - 1)}…`];
      return [name, isList(value) ? value.slice(0, KEPT_ITEMS_MAX) : value];
    }),
  );
}

/** An id in a header is kept where it is not the request id itself. */
function headerIdOf(sent: SentRequestId | undefined): Pick<NewOrder, 'headerId'> {
  const headerId = sent?.header?.id;
  return headerId === undefined || headerId === sent?.id ? {} : { headerId };
}

interface Opening {
  readonly newOrder: NewOrder;
  readonly call: V1Call;
  readonly mark: TryMark;
  /** The order was sold before, and is told again. */
  readonly onReplay: () => void;
  /** The journal had no order of this id, or one for which nothing was charged. */
  readonly onNew: () => void;
}

async function openAndPursue(
  { newOrder, call, mark, onReplay, onNew }: Opening,
  asking: Asking,
  parts: WalkParts,
): Promise<Pursuit> {
  let opened: Opened;
  try {
    const refusal = parts.pinGuard.refusalOf(asking.credentials);
    if (refusal !== undefined) throw refusal;
    await parts.keyGuard?.enter(readContextOf(asking));
    opened = await parts.journal.open(newOrder);
  } catch (refusal) {
    return standStill(await knownOrder(newOrder, refusal, asking, parts));
  }
  if (opened.kind === 'conflict') throw requestIdReused();
  if (opened.kind !== 'found') onNew();
  let { order } = opened;
  await refuseUsedUp(order, asking, parts);
  if (opened.kind === 'found' && isNothingToSend(order, newOrder)) {
    if (order.outcome?.kind === 'succeeded') onReplay();
    return standStill(order);
  }
  if (opened.kind === 'found' && (order.outcome === undefined || order.outcome.kind === 'unknown')) {
    // A try is under way elsewhere, a crash cut one short, or none had an answer: each may have charged. That it is tried
    // again is on disk first, or somebody could prove in the middle of this try that the order never was at v1.
    const marked = await mark.renew(order);
    if (marked === undefined) return standStill(order);
    order = marked;
    // The other try ended in this moment: its word is this one's too.
    if (order.outcome !== undefined && (isOver(order.outcome) || isSafeToRefund(order.outcome))) return standStill(order);
  }
  if (asking.operation.joins.length > 0) parts.catalogs.warm(readContextOf(asking));
  const { timing } = asking.mapping;
  return pursue(
    {
      order,
      previous: opened.kind === 'found' ? beforeThisTry(order) : undefined,
      call,
      credentials: asking.credentials,
      clientAddress: asking.request.clientAddress,
      patienceMs: asking.patienceMs,
      reconnectMs: Math.min(timing.reconnect, asking.patienceMs),
      afterPending: asking.afterPending,
      pursueMs: timing.pursue,
      tryMs: timing.try,
      readMs: timing.read,
      mark,
      identify: (reference, openedAtMs) => identify(reference, openedAtMs, asking, parts),
      look: () => parts.reconciler.reconcile(asking.credentials, asking.request.clientAddress, order.requestId),
    },
    parts,
  );
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
 * not refused, unless nothing was charged for it. When not even that can be read, only an order whose id we have just made
 * is certainly a first one (decision 0012).
 */
async function knownOrder(newOrder: NewOrder, refusal: unknown, asking: Asking, parts: WalkParts): Promise<Order> {
  const { intent } = asking;
  let known: Order | undefined;
  try {
    known = await parts.journal.find(newOrder.owner, newOrder.requestId);
  } catch (error) {
    if (intent.requestId === undefined) throw refusal;
    parts.onTrouble('find', error);
    return { ...newOrder, number: 0, tries: 0, outcome: UNREADABLE };
  }
  if (known === undefined || isRefusal(known.outcome)) throw refusal;
  if (!isSameIntent(known, newOrder)) throw requestIdReused();
  await refuseUsedUp(known, asking, parts);
  return known;
}

async function refuseUsedUp(order: Order, asking: Asking, parts: WalkParts): Promise<void> {
  if (!isUsedUp(order, replayMsOf(asking.mapping, asking.callerKey), parts)) return;
  throw requestIdUsed(order, (await judgeVisit(order, asking, parts)) === undefined);
}

/** What is known of the order now that another try begins; that it begins is no knowledge. */
function beforeThisTry({ outcome }: Order): Outcome {
  if (outcome === undefined) return UNENDED;
  if (outcome.kind !== 'unknown' || outcome.isBeginning !== true) return outcome;
  return outcome.isDoubted === true ? { ...UNENDED, isDoubted: true } : UNENDED;
}

/** The order as it stands: nothing is tried for it now. */
function standStill(order: Order): Pursuit {
  const standing: Order = { ...order, outcome: order.outcome ?? UNENDED };
  const ended = Promise.resolve();
  const hurry = (): void => undefined;
  return { current: () => standing, waitFor: async () => standing, hurry, isLooking: false, openSince: undefined, ended };
}

/** Compares v1's receipt with what is being bought. */
async function identify(reference: string, openedAtMs: number, asking: Asking, parts: WalkParts): Promise<Witness> {
  const finding = await parts.upstream.find({ method: 'GET', path: '/receipt', query: { reference } }, readContextOf(asking));
  if (finding.kind === 'refused' && finding.httpStatus === 404) return { identity: 'none' };
  if (finding.kind !== 'found') return { identity: 'unread' };
  if (orderInReceipt(finding.body, reference) === 'another') return { identity: 'unread' };
  const { operation, intent, mapping, credentials } = asking;
  const catalog = operation.joins.length === 0 ? undefined : parts.catalogs.peek(credentials.fingerprint);
  const lists = catalog === undefined ? undefined : catalogListsOf(catalog, mapping);
  const listed = traitsOf(operation, intent.values, lists);
  const identity = identifyReceipt(finding.body, traitsOf(operation, intent.values), {
    openedAtMs,
    nowMs: parts.clock.now(),
    listPrice: listed.faceValue,
  });
  const isRuledOut = identity === 'unclear' && rulesOut(finding.body, listed, otherServices(operation, mapping));
  return { identity: isRuledOut ? 'contradicted' : identity, outcome: outcomeOfReceipt(finding.body, reference) };
}

/**
 * Tokens and PINs are never journalled: for an order that was settled earlier they are fetched from v1's receipt, and so
 * they are for a sale of PINs of which v1 said "success" and nothing more. Where goods are told and money is not, the
 * receipt is asked for as long as the caller still waits.
 */
export async function withGoods(order: Order, asking: Reader, parts: WalkParts, leftMs = Infinity): Promise<Outcome> {
  const outcome: Outcome = order.outcome ?? { kind: 'unknown', reason: 'a try is under way' };
  if (outcome.kind !== 'succeeded') return outcome;
  const { delivery, reference } = outcome;
  const isWithoutPins = sellsPins(order, asking) && (delivery?.pins ?? []).length === 0;
  if (delivery?.goodsMissing !== true && !isWithoutPins) return fillMoney(outcome, asking, leftMs, parts.upstream);
  const receipt = reference === undefined ? undefined : await findReceipt(reference, readContextOf(asking), parts.upstream);
  return receipt === undefined ? outcome : succeedOutcome(outcome, receipt);
}

/** Cards and exam PINs are bought by number. */
function sellsPins({ operation }: Order, { mapping }: Reader): boolean {
  return mapping.operations.get(operation)?.fields.some((field) => field.isSent && field.as === 'quantity') === true;
}

async function catalogFor(asking: Asking, parts: WalkParts): Promise<CatalogLists | undefined> {
  if (asking.operation.joins.length === 0) return undefined;
  const { catalogs, clock } = parts;
  const catalog =
    catalogs.peek(asking.credentials.fingerprint) ?? (await within(clock, CATALOG_GRACE_MS, catalogs.get(readContextOf(asking))));
  return catalog === undefined ? undefined : catalogListsOf(catalog, asking.mapping);
}
