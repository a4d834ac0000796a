/**
 * A request that is refused in steps 2 to 6, or because its id belongs to another content, may be the repeat of a charged order: the operator has
 * changed the mapping since (its address may be gone), or the price list with the plan's name cannot be fetched now. Its script would take the
 * refusal for the order's end and refund. So the script is told the order's outcome instead. (For refusals of step 7: `knownOrder` of `open-order`.)
 */
import { within } from '../domain/clock';
import type { Credentials } from '../domain/credentials';
import { type GatewayError, unreadRefusal } from '../domain/errors';
import type { LegacyRequest, Line } from '../domain/legacy';
import { isSameSale, isStandIn, isToldAtSettling, isToldLater, type NewOrder, type Order } from '../domain/order';
import { isSafeToRefund } from '../domain/outcome';
import type { Mapping } from '../mapping/mapping';
import { type Answer, idsOf } from './answer';
import { findByRequestId, latestOf } from './answer-status';
import { isOfPins } from './proof/compare-receipt';
import { withGoods } from './proof/fill-goods';
import { contentHashOf, isWithoutItsId, wholeFields, wordsHashOf } from './read/new-order';
import type { WalkParts } from './walk-parts';
import { earlierSetOf } from './read/earlier-set';
import { judgeVisit, type Obstacle } from './read/judge-visit';
import { mergeReply, orderRoot, outcomeParts } from './tell/merge-reply';
import { markTold, takeEnd } from './tell/mark-told';
import { pendingInWords, obstacleParts } from './tell/refuse';
import { unreadOrder } from './order/open-order';
import { mayBeAwaited } from './order/pursuits';
import { type EarlierOrder, UNREAD } from './order/read-earlier';
import { isUsedUp, replayMsOf } from './order/used-ids';
import {
  generateRequestId,
  hasFieldId,
  headerIdOf,
  isNameless,
  namesItsSale,
  readRequestId,
  type SentRequestId,
} from './read/read-raw';
import type { Known, Walk } from './read/walk-in';
import { ownKeyOf, walkRequest } from './walk-request';

/** How long a reply waits for v1. How long the script waits is not known here; what comes later is told to its next repeat. */
const ASK_MS = 3_000;

/** Undefined where the refusal stands: there is no such order, nothing was charged for it, or the request means another sale. */
export async function answerRefusedRepeat(
  request: LegacyRequest,
  mapping: Mapping,
  walked: Known,
  { refusal, line }: { readonly refusal: GatewayError; readonly line: Line },
  parts: WalkParts,
): Promise<Answer | undefined> {
  const known = walked.operation === undefined ? knownByKey(request, mapping, parts) : walked;
  // A redirect makes a GET of a purchase, which takes POST.
  const asSale = refusal.code === 'wrong_method' ? { ...request, method: 'POST' } : request;
  const repeated = await findRepeated(request, known, { mapping, refusal, asSale }, parts);
  if (repeated === undefined) return undefined;
  const { order, sent, credentials, isProven } = repeated;
  const replyMapping = replyMappingOf(order, known, mapping, parts);
  const ordered = replyMapping.operations.get(order.operation) ?? known.operation;
  const reader = { credentials, request, mapping: replyMapping };
  const obstacle = obstacleOf(refusal) ?? (isStandIn(order) ? undefined : await judgeVisit(order, reader, parts));
  if (obstacle !== undefined || ordered === undefined || !isProven) return answerPending(repeated, known, reader, obstacle);
  // PINs name no customer: with the order's id another customer's script could ask for them.
  const isByWords = isNameless(sent, order) && isOfPins(ordered);
  if (isByWords && (await mayBeAwaited(order, parts.pursuits))) return answerPending(repeated, known, reader);

  const asItWas = (error: unknown): Order => {
    parts.onTrouble('find', error);
    return order;
  };
  const asking = isStandIn(order) ? undefined : within(parts.clock, ASK_MS, latestOf(order, reader, parts).catch(asItWas));
  const latest = (await asking) ?? order;
  const outcome = await withGoods(latest, reader, parts);
  if (isSafeToRefund(outcome)) return undefined;
  const told = outcomeParts(outcome, replyMapping);
  // A request under another header may have taken them, too.
  const isContested = isByWords || (isOfPins(ordered) && !namesItsSale(sent) && !isToldAtSettling(latest));
  if (isContested && isToldLater(latest)) return undefined;
  const taken = await takeEnd(latest, { told: told.outcome, isContested, isNamed: namesItsSale(sent), line }, parts);
  if (taken === 'unwritten') return answerPending(repeated, known, reader);
  if (taken === 'taken') return undefined;
  await markTold(taken, told.outcome, line, parts);
  const reply = mergeReply({
    ...told,
    mapping: replyMapping,
    operation: ordered,
    format: replyMapping.formats.has(order.format)
      ? order.format
      : (known.detection?.format ?? [...replyMapping.formats.keys()][0]!),
    values: wholeFields(order),
    // The order may have another id, or another spelling of its id.
    roots: { order: orderRoot({ ...latest, echo: sent?.echo ?? latest.echo }, outcome) },
  });
  return { reply, outcome: outcome.kind, order: idsOf(latest, outcome) };
}

/** The mapping of the reply: the earlier set if only that has the order's names, else the running one, with the family of the key or of the order. */
function replyMappingOf(order: Order, known: Known, running: Mapping, { setOf }: WalkParts): Mapping {
  const { callerKey } = known;
  const hasFamily = known.family !== undefined || callerKey?.family !== undefined;
  const family = known.mapping ? undefined : running.families.get(callerKey?.family ?? order.trail?.family?.id ?? '');
  return earlierSetOf(order, running, hasFamily, setOf) ?? family?.mapping() ?? running;
}

/** Tells "pending" and nothing of the order: v1 does not let this caller hear of it, or it may not be the order of this request. */
function answerPending(
  { order, isProven }: Repeated,
  { operation, detection, parameters = {} }: Known,
  { request, mapping }: { readonly request: LegacyRequest; readonly mapping: Mapping },
  obstacle?: Obstacle,
): Answer | undefined {
  if (order.outcome !== undefined && isSafeToRefund(order.outcome)) return undefined;
  if (!isProven && operation?.takesPending === 'sells')
    throw unreadRefusal(
      'whether this repeats an order cannot be read: its set of mappings or what was told is not here, or the price list lacks a name',
    );
  const refused = { mapping, request, operation, format: detection?.format, parameters };
  return { reply: pendingInWords(refused, obstacle && obstacleParts(obstacle, mapping).text), outcome: 'unknown' };
}

interface Refused {
  readonly mapping: Mapping;
  readonly refusal: GatewayError;
  /** The request as it comes to an address of purchases. */
  readonly asSale: LegacyRequest;
}

interface Repeated {
  readonly order: Order;
  readonly sent: SentRequestId | undefined;
  readonly credentials: Credentials;
  /** False if it cannot be told here whether the request means the same sale: by its words, or as its id may be used up. */
  readonly isProven: boolean;
}

/** The order that the request repeats, by its id, or else by its words. Undefined for an order whose id may not be used again. */
async function findRepeated(
  request: LegacyRequest,
  known: Known,
  refused: Refused,
  parts: WalkParts,
): Promise<Repeated | undefined> {
  const { mapping } = refused;
  const { operation, credentials, callerKey, parameters = {} } = known;
  if ((operation !== undefined && operation.kind !== 'purchase') || credentials === undefined) return undefined;
  const sent = readIdOf(request, parameters, mapping);
  const wordsHash = wordsHashOf(request, parts.keyring);
  const named = sent === undefined ? undefined : await findOrder(credentials, (owner) => findById(owner, sent.id, parts));
  const isQuestion = named !== undefined && bringsOnlyIds(request, parameters, mapping);
  const isRead = named !== undefined && named !== UNREAD;
  const isRefundedPending = operation?.takesPending === 'refunds';
  const words = { wordsHash, sent: named === UNREAD && hasFieldId(sent) ? undefined : sent, isRefundedPending };
  const find = async (owner: string): Promise<Found> => {
    const byWords = findUnheard(owner, words, mapping, parts);
    const found = await byWords.catch(() => undefined);
    return found ?? (namesItsSale(sent) ? undefined : await findByEarlierSets(owner, words, refused, parts)) ?? byWords;
  };
  const finding = isRead ? undefined : findOrder(credentials, find);
  const unheard = await finding?.catch((refusal: unknown) => {
    // At an address that nothing serves it may be any request.
    if (named === UNREAD || operation === undefined) return undefined;
    throw refusal;
  });
  const found = named ?? unheard;
  // Words that have not come to this process may be a first sale.
  const mayBeFirst = unheard === undefined && !isQuestion;
  if (found === UNREAD && mayBeFirst && operation === undefined) return undefined;
  // Nor does a header show whether the order is this sale or the one before it of the same.
  if (found === UNREAD && (mayBeFirst || !hasFieldId(sent)) && operation?.takesPending === 'sells')
    throw unreadRefusal('the journal cannot be read');
  const shown = { sent, wordsHash, isDoubted: named === UNREAD };
  const order = found === UNREAD ? standInFor({ ...known, credentials }, request, shown, parts) : found;
  if (order === undefined) return undefined;
  if (isQuestion) return { order, sent, credentials, isProven: true };
  const isUnderHeader = headerIdOf(sent) !== undefined;
  const isWordForWord = order.wordsHash === wordsHash || (isUnderHeader && isWithoutItsId(request, order, parts.keyring));
  const likeness = isWordForWord ? 'same' : await compareByItsSet(order, known, refused, parts);
  const isUsed = likeness === 'another' || (await isUsedUp(order, replayMsOf(mapping, callerKey), parts));
  return isUsed === true ? undefined : { order, sent, credentials, isProven: likeness === 'same' && isUsed === false };
}

/**
 * Whether the request has an id in a field or in its address and no other field: it asks about the order of that id, and means no other sale. Under the
 * id of a header alone it may be another sale, whose fields were lost on the way.
 */
function bringsOnlyIds(
  { body, query }: LegacyRequest,
  parameters: Readonly<Record<string, string>>,
  { requestIdSpellings }: Mapping,
): boolean {
  const names = [...body.keys(), ...query.keys()];
  const hasId = names.length > 0 || parameters['request_id'] !== undefined;
  return hasId && names.every((name) => requestIdSpellings.includes(name));
}

type Likeness = 'same' | 'another' | 'unproven';

/**
 * Whether words that are not the order's own mean the same sale to the set that read it. The running set reads another sale in them, or none: the
 * operation has another name now, or a number another meaning. Unproven where that set is not here: another machine has it already, or still; and
 * where all but a name is the same that the price list does not translate: it is away, or has the name no more.
 */
async function compareByItsSet(
  order: Order,
  known: Known,
  { mapping: running, refusal, asSale }: Refused,
  parts: WalkParts,
): Promise<Likeness> {
  const hash = order.trail?.mapping;
  if (hash === undefined || (hash === running.hash && refusal.code === 'request_id_reused')) return 'another';
  const was = hash === running.hash ? running : parts.setOf?.(hash);
  if (was === undefined) return isAnotherToAnySet(order, known) ? 'another' : 'unproven';
  const walk = was === running && refusal.code !== 'wrong_method' ? undefined : await walkRequest(asSale, was, parts);
  if (walk?.kind === 'walked') return isReadAs(order, walk, parts) ? 'same' : 'another';
  const asOrdered = await walkRequest(asSale, was, parts, ({ name }) => order.fields[name]);
  return isReadAs(order, asOrdered, parts) ? 'unproven' : 'another';
}

function isReadAs(order: Order, walk: Walk, { keyring }: WalkParts): boolean {
  if (walk.kind !== 'walked' || walk.known.call === undefined) return false;
  const { operation, call, intent } = walk.known;
  const { name, identifiers, essentials } = operation;
  const isSame = contentHashOf(operation, call, keyring) === order.contentHash;
  return isSame || isSameSale(order, { operation: name, fields: intent.values, identifiers, essentials });
}

/** Whether a value that has the same meaning in every set, as a phone number or an amount, shows another sale. */
function isAnotherToAnySet(order: Order, { operation, intent }: Known): boolean {
  if (operation === undefined || intent === undefined) return false;
  const plain = operation.fields
    .filter(({ table, numbers }) => table === undefined && numbers.size === 0)
    .map(({ name }) => name);
  const essentials = operation.essentials.filter((name) => plain.includes(name) && name in order.fields);
  const sale = { operation: order.operation, fields: intent.values, identifiers: operation.identifiers, essentials };
  return essentials.length > 0 && !isSameSale(order, sale);
}

/** For an address that the mapping does not have: the key in the headers, if it is a valid one. */
function knownByKey(request: LegacyRequest, mapping: Mapping, parts: WalkParts): Known {
  try {
    const own = ownKeyOf(request, undefined, mapping, parts);
    if (own === undefined || own.isExpired === true) return {};
    const { credentials } = own;
    return { credentials, callerKey: mapping.callerKeys.get(credentials.fingerprint) };
  } catch {
    return {};
  }
}

/** An expired AccessToken identifies the key, but nothing of the order may be told to it. */
function obstacleOf({ code, detail }: GatewayError): Obstacle | undefined {
  return code === 'bad_credentials' ? { kind: 'refused', httpStatus: 401, message: detail, body: {} } : undefined;
}

/** Undefined for an unreadable id: the first request was refused for it as well, so there is no order. */
function readIdOf(
  request: LegacyRequest,
  parameters: Readonly<Record<string, string>>,
  mapping: Mapping,
): SentRequestId | undefined {
  try {
    return readRequestId(request, parameters, mapping);
  } catch {
    return undefined;
  }
}

type Found = EarlierOrder | undefined;

/** For a key that is sent to the sandbox, first the orders that it placed at v1 before. */
async function findOrder({ fingerprint, sandboxOf }: Credentials, find: (owner: string) => Promise<Found>): Promise<Found> {
  for (const owner of sandboxOf === undefined ? [fingerprint] : [sandboxOf.fingerprint, fingerprint]) {
    const order = await find(owner);
    if (order !== undefined) return order;
  }
  return undefined;
}

function findById(owner: string, requestId: string, parts: WalkParts): Promise<Found> {
  return findByRequestId(owner, requestId, parts).catch((error: unknown) => {
    parts.onTrouble('find', error);
    return UNREAD;
  });
}

interface Words {
  readonly wordsHash: string;
  readonly sent: SentRequestId | undefined;
}

type Search = Words & { readonly isRefundedPending: boolean; readonly contentHash?: string };

/**
 * The order that the request repeats in other words: a script without ids may send the time with each sale. The running set reads no content in it, so the
 * sets do that have read orders of this key. To a set that has not read the order found, the words may mean another sale.
 */
async function findByEarlierSets(owner: string, words: Search, { mapping, asSale }: Refused, parts: WalkParts): Promise<Found> {
  let ofAnother: Found;
  for (const hash of parts.repeats.setsOf(owner, mapping.repeatMs)) {
    const was = hash === mapping.hash ? undefined : parts.setOf?.(hash);
    const walk = was && (await walkRequest(asSale, was, parts));
    if (walk?.kind !== 'walked' || walk.known.call === undefined || walk.known.operation.kind !== 'purchase') continue;
    const { operation, call, intent } = walk.known;
    const id = namesItsSale(intent.requestId) ? intent.requestId?.id : undefined;
    const content = { ...words, contentHash: contentHashOf(operation, call, parts.keyring) };
    const found = await (id === undefined ? findUnheard(owner, content, mapping, parts) : findById(owner, id, parts));
    if (found === UNREAD || found?.trail?.mapping === hash) return found;
    ofAnother ??= found;
  }
  return ofAnother;
}

/** Rejects where the journal cannot be read and this process knows no order: the request is refused as unread then (decision 0012). */
async function findUnheard(owner: string, { wordsHash, ...search }: Search, mapping: Mapping, parts: WalkParts): Promise<Found> {
  // Another process may have opened the order since the last search: the mapping that it uses may be another one for a while.
  // A search by content is the second one of its request.
  const isDue = search.contentHash === undefined && parts.toldSales?.() !== undefined;
  return parts.repeats.findUnheard(owner, wordsHash, mapping, { ...search, isDue }).catch((error: unknown) => {
    parts.onTrouble('find', error);
    throw unreadRefusal(error);
  });
}

/**
 * Stands for the order that cannot be read, with what this request shows of it. `isDoubted`: the journal could not be asked for the request's own id,
 * so it is noted in the journal's doubts, like every order that is told as pending while the journal cannot be read.
 */
function standInFor(
  { operation, credentials, detection }: Known & Required<Pick<Known, 'credentials'>>,
  request: LegacyRequest,
  { sent, wordsHash, isDoubted }: Words & { readonly isDoubted: boolean },
  { journal, clock, keyring }: WalkParts,
): Order {
  const openedAtMs = clock.now();
  const newOrder: NewOrder = {
    owner: credentials.fingerprint,
    requestId: sent?.id ?? generateRequestId(openedAtMs),
    operation: operation?.name ?? '',
    format: detection?.format ?? '',
    fields: {},
    echo: sent?.echo ?? {},
    // The request was refused before it had a content, so the hash of its words stands in.
    contentHash: wordsHash,
    wordsHash,
    addressHash: keyring.hashOfAddress(request.clientAddress),
    openedAtMs,
  };
  if (isDoubted) journal.doubt?.(newOrder);
  return unreadOrder(newOrder);
}
