/**
 * A request that is refused before its order is looked up may be the repeat of one that was charged: the operator has
 * changed the mapping since, or the price list that names its plan cannot be had right now. A refusal would be taken for
 * the end of that order, so that whatever the journal knows of it is told instead.
 */
import type { Credentials } from '../domain/credentials';
import type { GatewayError } from '../domain/errors';
import type { LegacyRequest, Line } from '../domain/legacy';
import type { NewOrder, Order } from '../domain/order';
import { isSafeToRefund } from '../domain/outcome';
import type { Mapping } from '../mapping/mapping';
import { type Answer, idsOf } from './answer-purchase';
import { withGoods } from './proof/fill-goods';
import { askedHashOf } from './read/build-call';
import type { WalkParts } from './walk-parts';
import { judgeVisit, type Obstacle } from './read/judge-visit';
import { mergeReply, orderRoot, tellOutcome } from './tell/merge-reply';
import { noteTelling } from './tell/note-telling';
import { pendingInWords, tellObstacle } from './tell/refuse';
import { UNREADABLE } from './order/open-order';
import { UNREAD } from './order/repeats';
import { isUsedUp, replayMsOf } from './order/used-ids';
import { generateRequestId, readRequestId, type SentRequestId } from './read/read-raw';
import type { Known } from './read/walk-in';

/** Undefined when the refusal stands: no such order, or none that was charged, or not word for word the same request. */
export async function answerRefusedRepeat(
  request: LegacyRequest,
  mapping: Mapping,
  known: Known,
  { refusal, line }: { readonly refusal: GatewayError; readonly line: Line },
  parts: WalkParts,
): Promise<Answer | undefined> {
  const { operation, credentials, parameters = {} } = known;
  if (operation?.kind !== 'purchase' || credentials === undefined) return undefined;
  const sent = readIdOf(request, parameters, mapping);
  const askedHash = askedHashOf(request, parts.keyring);
  const found = await findOrder(credentials, (owner) =>
    sent === undefined ? findUnheard(owner, askedHash, mapping, parts) : findById(owner, sent.id, parts),
  );
  const order = found === UNREAD ? unreadOrder({ ...known, operation, credentials }, request, { sent, askedHash }, parts) : found;
  if (order?.askedHash !== askedHash) return undefined;
  if (isUsedUp(order, replayMsOf(mapping, known.callerKey), parts)) return undefined;
  const reader = { credentials, request, mapping };
  const obstacle = obstacleOf(refusal) ?? (order.number === 0 ? undefined : await judgeVisit(order, reader, parts));
  if (obstacle !== undefined) {
    if (order.outcome !== undefined && isSafeToRefund(order.outcome)) return undefined;
    const refused = { mapping, request, operation, format: known.detection?.format, parameters };
    return { reply: pendingInWords(refused, tellObstacle(obstacle, mapping).text), outcome: 'unknown' };
  }
  const outcome = await withGoods(order, reader, parts);
  if (isSafeToRefund(outcome)) return undefined;
  const told = tellOutcome(outcome, mapping);
  await noteTelling(order, told.outcome, line, parts);
  const reply = mergeReply({
    ...told,
    mapping,
    operation: mapping.operations.get(order.operation) ?? operation,
    format: mapping.formats.has(order.format) ? order.format : (known.detection?.format ?? ''),
    values: order.fields,
    roots: { order: orderRoot(order, outcome) },
  });
  return { reply, outcome: outcome.kind, order: idsOf(order, outcome) };
}

/** A key that was read and refused all the same is an AccessToken that is too old: whose it is may be used, not told by. */
function obstacleOf({ code, detail }: GatewayError): Obstacle | undefined {
  return code === 'bad_credentials' ? { kind: 'refused', httpStatus: 401, message: detail, body: {} } : undefined;
}

/** An id that cannot be read was refused the first time as well. */
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

type Found = Order | typeof UNREAD | undefined;

/** Of a key that is sent to the sandbox also an order that it made at v1 before. */
async function findOrder({ fingerprint, sandboxOf }: Credentials, find: (owner: string) => Promise<Found>): Promise<Found> {
  for (const owner of sandboxOf === undefined ? [fingerprint] : [sandboxOf.fingerprint, fingerprint]) {
    const order = await find(owner);
    if (order !== undefined) return order;
  }
  return undefined;
}

async function findById(owner: string, requestId: string, { journal, pursuits, onTrouble }: WalkParts): Promise<Found> {
  const running = await pursuits.find(owner, requestId);
  if (running !== undefined) return running.current();
  return journal.find(owner, requestId).catch((error: unknown) => {
    onTrouble('find', error);
    return UNREAD;
  });
}

/** Where the journal cannot be read and nothing is known here, the refusal stands: a first order without an id would be refused as well (decision 0012). */
function findUnheard(owner: string, askedHash: string, { repeatMs }: Mapping, { repeats, onTrouble }: WalkParts): Promise<Found> {
  return repeats.findUnheard(owner, askedHash, repeatMs).catch((error: unknown) => {
    onTrouble('find', error);
    return undefined;
  });
}

/** The order that cannot be read, as far as this request shows it. Under an id of its own it is remembered, as every order that is told as pending so. */
function unreadOrder(
  { operation, credentials, detection }: Known & Required<Pick<Known, 'operation' | 'credentials'>>,
  request: LegacyRequest,
  { sent, askedHash }: { readonly sent: SentRequestId | undefined; readonly askedHash: string },
  { journal, clock, keyring }: WalkParts,
): Order {
  const openedAtMs = clock.now();
  const newOrder: NewOrder = {
    owner: credentials.fingerprint,
    requestId: sent?.id ?? generateRequestId(openedAtMs),
    operation: operation.name,
    format: detection?.format ?? '',
    fields: {},
    echo: sent?.echo ?? {},
    // Its words were refused, and make no content.
    contentHash: askedHash,
    askedHash,
    addressHash: keyring.hashOfAddress(request.clientAddress),
    openedAtMs,
  };
  if (sent !== undefined) journal.doubt?.(newOrder);
  return { ...newOrder, number: 0, tries: 0, outcome: UNREADABLE };
}
