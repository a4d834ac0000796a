/**
 * Several processes may sell from one journal, and a script sends its sale again to any of them. This file finds what another process has made of the
 * same sale or of the same order, where this process is late or v1 has refused the sale as identical to one that it made (decision 0024).
 */
import { type Clock, pause, type Steadiness } from '../../domain/clock';
import { unreadRefusal } from '../../domain/errors';
import { type NewOrder, type Order, standIn } from '../../domain/order';
import {
  ATTEMPT_NOT_ENDED,
  isRefusal,
  isRefusedAsIdentical,
  JOURNAL_UNREAD,
  type NotSent,
  type Unknown,
} from '../../domain/outcome';
import type { Journal } from '../../journal/journal';
import { isOfPins } from '../proof/compare-receipt';
import { generateRequestId, hasFieldId } from '../read/read-raw';
import type { ParsedRequest } from '../read/walk-in';
import { LOOK_EVERY_MS } from './look-for-unheard';
import { type EarlierOrder, REFUSED_AS_IDENTICAL_MS, UNREAD } from './read-earlier';
import type { Repeats } from './repeats';
import { UnreadYet, type WaitForJournal } from './wait-for-journal';

export interface ElsewhereParts {
  readonly repeats: Pick<Repeats, 'findUnheard'>;
  readonly journal: Pick<Journal, 'find' | 'isWritable'>;
  readonly clock: Clock;
  readonly steadiness: Pick<Steadiness, 'agoMs'>;
  /** Undefined while no other process sells from the same journal. */
  readonly toldSales?: (() => unknown) | undefined;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const SOLD_MEANWHILE: NotSent = {
  kind: 'not_sent',
  reason: 'another process had opened an order for the same sale when this one was written',
};
/** A refusal that was written so long ago is read anew from the journal before it is told. */
const OLD_REFUSAL_MS = 1_000;
/** How long the journal may take to find a database again that seemed to be away. */
const DATABASE_SOUGHT_MS = 500;

/** Whether an order for the same sale can be found by its words. Not with an id in a field, by which the order is found; not for PINs: they name no customer. */
function isFoundByWords({ intent, operation }: ParsedRequest): boolean {
  return !hasFieldId(intent.requestId) && !isOfPins(operation);
}

function mayBeElsewhere(parsed: ParsedRequest, { toldSales }: ElsewhereParts): boolean {
  return toldSales?.() !== undefined && isFoundByWords(parsed);
}

interface SameSaleSearch {
  readonly isDue?: boolean;
  /** An order that ended since this request came is found also where another script has heard that end. */
  readonly countsHeard?: boolean;
  /** How long ago the request came; that of `parsed` unless given. */
  readonly ageMs?: number;
  /** The result where the journal cannot be searched and this process remembers no order of the sale. */
  readonly ifFailed?: typeof UNREAD | undefined;
}

function findSameSale(
  order: NewOrder,
  { intent, mapping, line, operation }: ParsedRequest,
  { repeats, clock, onTrouble }: ElsewhereParts,
  { isDue = true, countsHeard = isDue, ageMs = line.ageMs, ifFailed }: SameSaleSearch,
): Promise<EarlierOrder | undefined> {
  const cameAt = countsHeard ? clock.elapsed() - ageMs : undefined;
  const isRefundedPending = operation.takesPending === 'refunds';
  const same = { except: order.requestId, sent: intent.requestId, contentHash: order.contentHash };
  const pinsCameAt = isOfPins(operation) ? clock.elapsed() - line.ageMs : undefined;
  const search = { isDue, cameAt, isRefundedPending, pinsCameAt, ...same };
  return repeats.findUnheard(order.owner, order.wordsHash!, mapping, search).catch((error: unknown) => {
    onTrouble('find', error);
    return ifFailed;
  });
}

/**
 * The reason to send nothing for a new order that was written late: another process has opened an order for the same sale since the search for repeats,
 * or the journal cannot show whether one has. v1 would sell both, because it refuses the second as identical only for five seconds.
 */
export async function soldMeanwhile(
  order: Order,
  ageMs: number,
  parsed: ParsedRequest,
  parts: ElsewhereParts,
): Promise<NotSent | undefined> {
  if (ageMs <= REFUSED_AS_IDENTICAL_MS || !mayBeElsewhere(parsed, parts)) return undefined;
  return (await findSameSale(order, parsed, parts, { ifFailed: UNREAD })) && SOLD_MEANWHILE;
}

/** Whether this process sends the order no more, because another process has opened an order for the same sale. */
function wasSoldMeanwhile({ outcome }: Order): boolean {
  return (outcome?.kind === 'not_sent' || outcome?.kind === 'unknown') && outcome.reason === SOLD_MEANWHILE.reason;
}

/**
 * The returned function searches once, before the first attempt that comes too late for v1 to refuse it as identical (`ageMs`: how long ago the order came;
 * Infinity for an order that a repeat has found).
 * It gives the reason to send an order without an answer no further time: another process has an order for the same sale, and v1 may have sold that one and
 * refused this one. If that order was refused it is no reason, because v1 may have refused it as identical to this one.
 */
export function createFindElsewhere(
  order: Order,
  ageMs: () => number,
  parsed: ParsedRequest,
  parts: ElsewhereParts,
): () => Promise<Unknown | undefined> {
  let isDue = true;
  // In a process that stood still the request may have waited unread for so long.
  const { heldUpMs = 0 } = parsed.line;
  const isRefusedBy = (found: EarlierOrder): boolean =>
    found !== UNREAD && parts.steadiness.agoMs(found.openedAtMs) <= REFUSED_AS_IDENTICAL_MS;
  return async () => {
    const isYoung = ageMs() <= REFUSED_AS_IDENTICAL_MS;
    if (!isDue || ageMs() + heldUpMs <= REFUSED_AS_IDENTICAL_MS) return undefined;
    isDue = false;
    if (!mayBeElsewhere(parsed, parts)) return undefined;
    // The order that a repeat has found came with an earlier request.
    const openedAgoMs = Math.max(parsed.line.ageMs + heldUpMs, parts.steadiness.agoMs(order.openedAtMs));
    const found = await findSameSale(order, parsed, parts, { ageMs: openedAgoMs, ifFailed: UNREAD });
    // v1 still refuses this attempt as identical to the other order.
    isDue = isYoung && found !== undefined && isRefusedBy(found);
    if (isDue || found === undefined || (found !== UNREAD && isRefusal(found.outcome))) return undefined;
    return { kind: 'unknown', reason: SOLD_MEANWHILE.reason };
  };
}

/**
 * The order of another process that a refused request repeats. While there is too much to do, many requests are refused, and wait here until one
 * search of the journal serves all of them. If the journal cannot be read, the refusal stands, as for a first order (decision 0012). A request with
 * an id, or with that of the order that it repeats, is looked for by that once more (`findById`): its twin may have come to the other process just
 * before, and be opened by now.
 */
export async function repeatedElsewhere(
  order: NewOrder,
  parsed: ParsedRequest,
  findById: (() => Promise<Order | undefined>) | undefined,
  parts: ElsewhereParts,
): Promise<Order | undefined> {
  if (parts.toldSales?.() === undefined || !(findById !== undefined || isFoundByWords(parsed))) return undefined;
  await pause(parts.clock, LOOK_EVERY_MS);
  const known = await findById?.();
  if (known !== undefined || !isFoundByWords(parsed)) return known;
  const found = await findSameSale(order, parsed, parts, { isDue: false });
  return found === UNREAD || isRefusal(found?.outcome) ? undefined : found;
}

/**
 * The order that this sale without an id repeats, because of which v1 refused it as identical, or this process did not send it; undefined for any other sale.
 * While that cannot be read it is looked for again, as long as the script waits.
 */
export async function orderSoldInstead(
  order: Order,
  leftMs: () => number,
  parsed: ParsedRequest,
  parts: ElsewhereParts & { readonly waitForJournal: WaitForJournal },
): Promise<Order | undefined> {
  const isMeanwhile = wasSoldMeanwhile(order);
  if (!(isMeanwhile || isRefusedAsIdentical(order.outcome)) || hasFieldId(parsed.intent.requestId)) return undefined;
  const search = async (_order: NewOrder, isLast: boolean): Promise<EarlierOrder | undefined> => {
    const found = await findSameSale(order, parsed, parts, { countsHeard: isMeanwhile, ifFailed: UNREAD });
    if (found === UNREAD && !isLast) throw new UnreadYet('the other order of the sale');
    return found;
  };
  const found = await parts.waitForJournal(order, search, { leftMs, line: parsed.line });
  if (found === UNREAD && parsed.operation.takesPending === 'sells')
    throw unreadRefusal('the other order of its sale cannot be read');
  // Under an id that no question finds: asked by its own, the script would hear of v1's refusal.
  if (found === UNREAD) return standIn({ ...order, requestId: generateRequestId(parts.clock.now()) }, JOURNAL_UNREAD);
  // v1 may have refused the earlier order because of this one, of whose attempts nothing is known.
  if (order.outcome?.kind === 'unknown' && isRefusal(found?.outcome)) return undefined;
  return found && { ...found, outcome: found.outcome ?? ATTEMPT_NOT_ENDED };
}

/**
 * The order with its latest outcome, where this one is an old refusal: this process stood still or its journal was slow. Meanwhile another process may
 * have opened the order again, and v1 may have charged it.
 */
export async function rereadOldRefusal(order: Order, { journal, clock, toldSales, onTrouble }: ElsewhereParts): Promise<Order> {
  const { owner, requestId, outcome, settledAtMs = Infinity } = order;
  if (!isRefusal(outcome) || clock.now() - settledAtMs < OLD_REFUSAL_MS || toldSales?.() === undefined) return order;
  try {
    // When this process has stood still, the deadlines of its statements are over, so the database seems to be away for a moment.
    if (!journal.isWritable()) await pause(clock, DATABASE_SOUGHT_MS);
    const now = await journal.find(owner, requestId);
    return now === undefined ? order : { ...now, outcome: now.outcome ?? ATTEMPT_NOT_ENDED };
  } catch (error) {
    onTrouble('find', error);
    return order;
  }
}
