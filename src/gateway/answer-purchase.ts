/** Steps 7 to 10 of an operation that moves money: journal, send, hold, settle, reply. */
import { within } from '../domain/clock';
import { isList, type JsonObject, type JsonValue, textOf } from '../domain/json';
import type { LegacyReply } from '../domain/legacy';
import type { NewOrder, Order, Trail } from '../domain/order';
import { isOver, type Outcome, referenceOf, type Unknown } from '../domain/outcome';
import type { Finding, V1Call } from '../upstream/upstream';
import { openOrder } from './order/open-order';
import { createLease, type Pursuit } from './order/pursuit';
import { ANSWER_MS } from './order/pursuit-times';
import type { Standing } from './order/repeats';
import { isOfPins, withGoods } from './proof/fill-goods';
import { type ParsedRequest, readContextOf } from './read/walk-in';
import { askedHashOf, contentHashOf } from './read/build-call';
import { type CatalogLists, catalogListsOf } from './read/catalog-lists';
import { judgeVisit, type Obstacle } from './read/judge-visit';
import { generateRequestId } from './read/read-raw';
import { firstOf, mergeReply, orderRoot, tellOutcome } from './tell/merge-reply';
import { noteTelling, watchHangUp } from './tell/note-telling';
import { tellObstacle, tellWait } from './tell/refuse';
import type { WalkParts } from './walk-parts';

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
  const sent = firstOf(echo);
  const reference = referenceOf(outcome);
  const id = sent === undefined ? requestId : textOf(sent);
  // An order that could not be read has no number.
  return number === 0 ? { requestId: id, reference } : { requestId: id, number, reference };
}

/** `joined`: it has another order's id, having none of its own. `replayed`: what it repeats was sold, and is told again. */
export type Repeat = 'joined' | 'replayed';

/** How long a finished order waits for a price list that is still on its way, for plan names in the reply. */
const CATALOG_GRACE_MS = 250;

/** What is known of a purchase while its script waits. */
interface BegunPurchase {
  readonly newOrder: NewOrder;
  /** By `clock.elapsed()`. */
  readonly begunAt: number;
  /** The pursuit of the order that this request is about: one that is under way, or one that begins now. */
  readonly pursuit: Pursuit;
  /** Of a pursuit of this very request. */
  readonly beginning: Pursuit['beginning'] | undefined;
  /** It has the id of another request. */
  readonly isJoined: boolean;
  readonly requestId: string;
  /** Whether v1 accepts the key at this address, where the purchase itself does not tell. */
  readonly judging: Promise<Obstacle | undefined> | undefined;
  /** By `clock.elapsed()`. */
  readonly waitsFrom: number;
  /** How long its script still waits. */
  readonly leftMs: () => number;
}

/** Beginning and telling are on their own, so that what only they need is not held while the script waits. */
export async function answerPurchase(parsed: ParsedRequest, parts: WalkParts): Promise<Answer> {
  const purchase = await beginPurchase(parsed, parts);
  const order = await purchase.pursuit.waitFor(purchase.leftMs(), parsed.line);
  return tellPurchase(order, purchase, parsed, parts);
}

async function beginPurchase(parsed: ParsedRequest, parts: WalkParts): Promise<BegunPurchase> {
  const { intent, mapping } = parsed;
  const lease = createLease(mapping.timing.quiet, parts);
  const begunAt = parts.clock.elapsed();
  // A journal that is slow to write takes its time from the patience of the script.
  const leftMs = (): number =>
    Math.max(Math.min(ANSWER_MS, parsed.patienceMs), begunAt + parsed.patienceMs - parts.clock.elapsed());
  const isTooLate = (): boolean => {
    const tookMs = parts.clock.elapsed() - begunAt;
    if (tookMs < ANSWER_MS) return false;
    return parsed.line.hasHungUp || (parsed.afterPending !== 'buy' && tookMs >= parsed.patienceMs);
  };
  const call = parsed.call!;
  const newOrder = newOrderOf(parsed, call, parts.clock.now(), parts);
  let isOwn = false;
  let isJoined = false;
  const start = (order: NewOrder, standing: Standing): Promise<Pursuit> => {
    isJoined = standing === 'repeat';
    return parts.pursuits.join(order, () => {
      isOwn = true;
      return openOrder({ newOrder: order, standing, call, lease, leftMs, isTooLate }, parsed, parts);
    });
  };
  const { requestId: sent } = intent;
  const pursuit = await parts.repeats.join(newOrder, sent, mapping.repeatMs, start, isOfPins(parsed.operation));
  const beginning = isOwn ? pursuit.beginning : undefined;
  const waitsFrom = parts.clock.elapsed();
  const begun = pursuit.current();
  // What this request sends for the first time, or waits for where it was sent from, v1 judges in the purchase itself.
  const isUnderWay = !isOwn && (begun.outcome === undefined || !isOver(begun.outcome));
  const isJudged = beginning === 'new' || begun.number === 0 || (isUnderWay && begun.addressHash === newOrder.addressHash);
  const judging = isJudged ? undefined : judgeVisit(begun, parsed, parts);
  const { requestId } = begun;
  return { newOrder, begunAt, pursuit, beginning, isJoined, requestId, judging, waitsFrom, leftMs };
}

async function tellPurchase(
  order: Order,
  { newOrder, begunAt, pursuit, beginning, isJoined, requestId, judging, waitsFrom }: BegunPurchase,
  parsed: ParsedRequest,
  parts: WalkParts,
): Promise<Answer> {
  const { operation, intent, mapping, credentials } = parsed;
  const obstacle = await judging;
  if (obstacle !== undefined) return tellNothing({ ...newOrder, requestId }, obstacle, parsed);
  watchHangUp(order, parsed.line, parts);
  const { openSince } = pursuit;
  const outcome = await withGoods(order, parsed, parts, parsed.patienceMs - (parts.clock.elapsed() - begunAt));
  const isOpenedHere = order.openedAtMs === newOrder.openedAtMs;
  if (outcome.kind === 'unknown')
    parts.reconciler.watch(credentials, parsed.request.clientAddress, isOpenedHere ? { requestId, atMs: begunAt } : undefined);
  const catalog = operation.joins.length === 0 ? undefined : await catalogFor(parsed, parts);
  const told = tellWait(tellOutcome(outcome, mapping), parsed.call!.path);
  await noteTelling(order, told.outcome, parsed.line, parts);
  // The script's own spellings of this very request, which a joined or repeated order may not have been opened with.
  const echoed: Order = order.echo === newOrder.echo ? order : { ...order, echo: newOrder.echo };
  return {
    outcome: outcome.kind,
    repeat: isJoined ? 'joined' : beginning === 'replayed' ? 'replayed' : undefined,
    order: idsOf(echoed, outcome),
    heldMs: openSince === undefined ? undefined : parts.clock.elapsed() - Math.max(openSince, waitsFrom),
    reply: mergeReply({
      outcome: told.outcome,
      http: told.http,
      text: told.text,
      retryAfterSeconds: told.retryAfterSeconds,
      mapping,
      operation,
      format: parsed.format,
      // What was sold, should its numbers mean something else by now.
      values: order.contentHash === newOrder.contentHash ? intent.values : order.fields,
      callerKey: parsed.callerKey,
      ownNumbers: intent.ownNumbers,
      catalog,
      roots: { order: orderRoot(echoed, outcome) },
    }),
  };
}

/** The order as it goes into the journal. */
function newOrderOf(parsed: ParsedRequest, call: V1Call, openedAtMs: number, { keyring }: WalkParts): NewOrder {
  const { operation, intent, request } = parsed;
  const { requestId } = intent;
  const order = {
    owner: parsed.credentials.fingerprint,
    requestId: requestId?.id ?? generateRequestId(openedAtMs),
    operation: operation.name,
    format: parsed.format,
    fields: boundedFields(intent.values),
    identifiers: operation.identifiers,
    echo: requestId?.echo ?? {},
    contentHash: contentHashOf(operation, call, keyring),
    askedHash: askedHashOf(request, keyring),
    addressHash: keyring.hashOfAddress(request.clientAddress),
    openedAtMs,
    trail: trailOf(parsed),
  };
  // An id in a header is kept where it is not the request id itself.
  const headerId = requestId?.header?.id;
  return headerId === undefined || headerId === requestId?.id ? order : { ...order, headerId };
}

/**
 * A repeat by a key or from an address that v1 does not accept: as of an order that nothing is known of, never as a failure,
 * because the first one may be charged.
 */
function tellNothing(newOrder: NewOrder, obstacle: Obstacle, parsed: ParsedRequest): Answer {
  const { mapping, operation, format, intent, callerKey } = parsed;
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

function trailOf({ mapping, reason, family, intent: { spellings, ownNumbers, numberedBy } }: ParsedRequest): Trail {
  const { hash } = mapping;
  const trail = family === undefined ? { mapping: hash, reason, spellings } : { mapping: hash, reason, family, spellings };
  for (const _field in ownNumbers)
    return numberedBy === undefined ? { ...trail, ownNumbers } : { ...trail, ownNumbers, numberedBy: numberedBy.title };
  return trail;
}

const KEPT_TEXT_MAX = 500;
const KEPT_ITEMS_MAX = 200;

/** What the journal keeps of long texts and lists: their beginning. The content hash is over the whole. */
function boundedFields(values: JsonObject): JsonObject {
  const bounded: Record<string, JsonValue> = {};
  for (const name in values) bounded[name] = beginningOf(values[name]!);
  return bounded;
}

function beginningOf(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.length > KEPT_TEXT_MAX ? `${value.slice(0, KEPT_TEXT_MAX - 1)}…` : value;
  return isList(value) ? value.slice(0, KEPT_ITEMS_MAX) : value;
}

async function catalogFor(parsed: ParsedRequest, { priceLists, clock }: WalkParts): Promise<CatalogLists | undefined> {
  const catalog =
    priceLists.peek(parsed.credentials.fingerprint) ??
    (await within(clock, CATALOG_GRACE_MS, priceLists.get(readContextOf(parsed))));
  return catalog === undefined ? undefined : catalogListsOf(catalog, parsed.mapping);
}
