/** Steps 7 to 10 of an operation that moves money: journal, send, hold, settle, reply. */
import { within } from '../domain/clock';
import { isList, textOf, type JsonObject, type JsonValue } from '../domain/json';
import type { LegacyReply } from '../domain/legacy';
import type { NewOrder, Order, Trail } from '../domain/order';
import { isOver, referenceOf, type Outcome, type Unknown } from '../domain/outcome';
import type { Finding } from '../upstream/upstream';
import { openOrder, type Opening } from './order/open-order';
import type { Pursuit } from './order/pursuit';
import { createLease } from './order/lease';
import { withGoods } from './proof/fill-goods';
import { readContextOf, type ParsedRequest } from './read/parsed-request';
import { addressHashOf, askedHashOf, contentHashOf } from './read/build-call';
import { catalogListsOf, type CatalogLists } from './read/catalog-lists';
import { judgeVisit, type Obstacle } from './read/judge-visit';
import { generateRequestId, type SentRequestId } from './read/request-id';
import { mergeReply, orderRoot, tellOutcome } from './tell/merge-reply';
import { noteTelling } from './tell/note-telling';
import { tellObstacle } from './tell/tell-unanswered';
import { tellWait } from './tell/tell-wait';
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

/** How long a finished order waits for a price list that is still on its way, for plan names in the reply. */
const CATALOG_GRACE_MS = 250;

export async function answerPurchase(parsed: ParsedRequest, parts: WalkParts): Promise<Answer> {
  const { operation, intent, mapping, credentials } = parsed;
  const lease = createLease(mapping.timing.quiet, parts);
  const startedAt = parts.clock.now();
  const call = parsed.call!;
  const newOrder: NewOrder = {
    owner: credentials.fingerprint,
    requestId: intent.requestId?.id ?? generateRequestId(startedAt),
    operation: operation.name,
    format: parsed.format,
    fields: boundedFields(intent.values),
    identifiers: operation.fields.filter(({ as }) => as === 'identifier').map(({ name }) => name),
    echo: intent.requestId?.echo ?? {},
    contentHash: contentHashOf(operation, call, parts.keyring),
    askedHash: askedHashOf(parsed.request, parts.keyring),
    ...headerIdOf(intent.requestId),
    addressHash: addressHashOf(parsed.request.clientAddress, parts.keyring),
    openedAtMs: startedAt,
    trail: trailOf(parsed),
  };
  const { pursuit, isOwn, isRepeat } = await join({ newOrder, call, lease }, parsed, parts);
  const beginning = isOwn ? pursuit.beginning : undefined;
  const waitsFrom = parts.clock.elapsed();
  const begun = pursuit.current();
  // What this request sends for the first time, or waits for where it was sent from, v1 judges in the purchase itself.
  const isUnderWay = !isOwn && (begun.outcome === undefined || !isOver(begun.outcome));
  const isJudged = beginning === 'new' || begun.number === 0 || (isUnderWay && begun.addressHash === newOrder.addressHash);
  const judging = isJudged ? undefined : judgeVisit(begun, parsed, parts);
  const order = await pursuit.waitFor(parsed.patienceMs, parsed.line);
  const obstacle = await judging;
  if (obstacle !== undefined) return tellNothing({ ...newOrder, requestId: begun.requestId }, obstacle, parsed);
  const { openSince } = pursuit;
  const outcome = await withGoods(order, parsed, parts, parsed.patienceMs - (parts.clock.now() - startedAt));
  if (outcome.kind === 'unknown') parts.reconciler.watch(credentials, parsed.request.clientAddress);
  const catalog = await catalogFor(parsed, parts);
  const told = tellOutcome(outcome, mapping);
  await noteTelling(order, told.outcome, parsed.line, parts);
  // The script's own spellings of this very request, which a joined or repeated order may not have been opened with.
  const echoed: Order = { ...order, echo: newOrder.echo };
  return {
    outcome: outcome.kind,
    repeat: isRepeat ? 'joined' : beginning === 'replayed' ? 'replayed' : undefined,
    order: idsOf(echoed, outcome),
    heldMs: openSince === undefined ? undefined : parts.clock.elapsed() - Math.max(openSince, waitsFrom),
    reply: mergeReply({
      ...tellWait(told, call.path),
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

interface Joined {
  readonly pursuit: Pursuit;
  /** This request has begun it; otherwise it was under way. */
  readonly isOwn: boolean;
  /** The request has another order's id, having none of its own. */
  readonly isRepeat: boolean;
}

/** The pursuit of the order that this request is about: one that is under way, or one that begins now. */
function join({ newOrder, call, lease }: Opening, parsed: ParsedRequest, parts: WalkParts): Promise<Joined> {
  const { intent, mapping } = parsed;
  return parts.repeats.join(newOrder, intent.requestId, mapping.replayMs, async (order, isRepeat) => {
    let isOwn = false;
    const pursuit = await parts.pursuits.join(order, () => {
      isOwn = true;
      return openOrder({ newOrder: order, call, lease }, parsed, parts);
    });
    return { pursuit, isOwn, isRepeat };
  });
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
  const trail = { mapping: mapping.hash, reason, ...(family === undefined ? {} : { family }), spellings };
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

async function catalogFor(parsed: ParsedRequest, parts: WalkParts): Promise<CatalogLists | undefined> {
  if (parsed.operation.joins.length === 0) return undefined;
  const { priceLists, clock } = parts;
  const catalog =
    priceLists.peek(parsed.credentials.fingerprint) ??
    (await within(clock, CATALOG_GRACE_MS, priceLists.get(readContextOf(parsed))));
  return catalog === undefined ? undefined : catalogListsOf(catalog, parsed.mapping);
}
