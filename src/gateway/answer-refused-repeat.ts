/**
 * A request that is refused before its order is looked up may be the repeat of one that was charged: the operator has
 * changed the mapping since, or the price list that names its plan cannot be had right now. A refusal would be taken for
 * the end of that order, so that whatever the journal knows of it is told instead.
 */
import type { Credentials } from '../domain/credentials';
import type { GatewayError } from '../domain/errors';
import type { LegacyRequest, Line } from '../domain/legacy';
import type { Order } from '../domain/order';
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
import { isUsedUp, replayMsOf } from './order/repeats';
import { readRequestId } from './read/read-raw';
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
  const requestId = readIdOf(request, parameters, mapping);
  const askedHash = askedHashOf(request, parts.keyring);
  const order = await findOrder(credentials, (owner) =>
    requestId === undefined ? parts.repeats.findUnheard(owner, askedHash, mapping.repeatMs) : findById(owner, requestId, parts),
  );
  if (order?.askedHash !== askedHash) return undefined;
  if (isUsedUp(order, replayMsOf(mapping, known.callerKey), parts)) return undefined;
  const reader = { credentials, request, mapping };
  const obstacle = obstacleOf(refusal) ?? (await judgeVisit(order, reader, parts));
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
function readIdOf(request: LegacyRequest, parameters: Readonly<Record<string, string>>, mapping: Mapping): string | undefined {
  try {
    return readRequestId(request, parameters, mapping)?.id;
  } catch {
    return undefined;
  }
}

/** Of a key that is sent to the sandbox also an order that it made at v1 before. */
async function findOrder(
  { fingerprint, sandboxOf }: Credentials,
  find: (owner: string) => Promise<Order | undefined>,
): Promise<Order | undefined> {
  for (const owner of sandboxOf === undefined ? [fingerprint] : [sandboxOf.fingerprint, fingerprint]) {
    const order = await find(owner);
    if (order !== undefined) return order;
  }
  return undefined;
}

async function findById(owner: string, requestId: string, { journal, pursuits }: WalkParts): Promise<Order | undefined> {
  const running = await pursuits.find(owner, requestId);
  return running?.current() ?? journal.find(owner, requestId);
}
