/**
 * What v1's answer to a purchase is worth beside everything else that is known. `classify` reads its words; here they are
 * held against each other, against the journal and, where v1 speaks of an order that it had already, against its receipt.
 */
import type { JsonObject, JsonValue } from '../../domain/json';
import type { Order } from '../../domain/order';
import { isRefusal, referenceOf, succeedOutcome, type Outcome, type Unknown } from '../../domain/outcome';
import type { Journal } from '../../journal/journal';
import { isJsonObject } from '../../upstream/answer-data';
import type { SentOutcome } from '../../upstream/upstream';
import type { Identify } from '../proof/compare-receipt';

export interface Judging {
  readonly order: Order;
  /** What was known before this answer. */
  readonly before: Outcome | undefined;
  readonly identify: Identify;
  readonly journal: Pick<Journal, 'findByReference'>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const OTHER_ORDER: Outcome = { kind: 'unknown', reason: 'v1 answered about another order' };
const USED: Outcome = {
  kind: 'rejected',
  httpStatus: 400,
  message:
    'This request-id was already used: the order with it was sold long ago. Nothing was charged for this request. Send a new sale with an id of its own.',
};
/** Whose reference it is cannot be read: v1 is asked again, or its answer would be lost and the order left open. */
const NOBODY_KNOWS: Unknown = { kind: 'unknown', reason: 'the journal cannot be read' };

/**
 * Doubts an answer that contradicts itself, and one that may be about another order: its reference belongs to another
 * order of the journal (a connection out of step), or v1 had it already (another gateway, another key, another sale under
 * this id).
 */
export async function judgeAnswer(sent: SentOutcome, judging: Judging): Promise<Outcome> {
  const body: JsonObject = sent.body ?? {};
  const data = isJsonObject(body['data']) ? body['data'] : {};
  if (sent.outcome.kind === 'rejected') return judgeRefusal(sent.outcome, body, data, judging);
  const reference = referenceOf(sent.outcome);
  if (reference === undefined) return sent.outcome;
  const outcome: Outcome = isTakenBack(sent.outcome, body, data) ? { kind: 'pending', reference } : sent.outcome;
  if (referenceOf(judging.before) === reference) return outcome;
  const isDuplicate = sent.isDuplicate || isYes(body['duplicate']) || isYes(data['duplicate']);
  const judged = isDuplicate ? await judgeDuplicate(outcome, reference, judging) : outcome;
  // Asked last: while a receipt was read, the order that it belongs to may have been written down.
  const owning = await ownerOf(reference, judging);
  if (owning === 'another') return OTHER_ORDER;
  if (owning !== 'unread' || judged.kind === 'unknown') return judged;
  if (isDuplicate && !isExpected(judging)) return { ...NOBODY_KNOWS, isDoubted: true };
  // A journal may be away for longer than any script waits: then v1's own record of the reference tells whose it is.
  const { identity, isOfOld } = await judging.identify(reference, judging.order.openedAtMs);
  return identity === 'same' && isOfOld !== true ? judged : NOBODY_KNOWS;
}

/**
 * "No" beside the sign of an order that v1 has (its reference, `duplicate`, `pending`) is not the refusal of section 7,
 * which creates nothing. Its receipt tells; without one nobody knows.
 */
async function judgeRefusal(refusal: Outcome, body: JsonObject, data: JsonObject, judging: Judging): Promise<Outcome> {
  const reference = [body['reference'], data['reference'], data['transaction_ref']].find(isName);
  const isOfOrder = [body['duplicate'], body['pending'], body['success'], data['pending']].some(isYes);
  const doubt: Outcome = { kind: 'unknown', reason: 'v1 refuses and speaks of an order that it has', isDoubted: true };
  if (reference === undefined) return isOfOrder ? doubt : refusal;
  const { identity, outcome, isOfOld } = await judging.identify(reference, judging.order.openedAtMs);
  const owning = await ownerOf(reference, judging);
  if (owning === 'another') return isOfOrder ? OTHER_ORDER : refusal;
  if (owning === 'unread') return doubt;
  // An old sale under this id is the reason of the refusal, and not what this request has bought.
  if (identity === 'same' && isOfOld === true && outcome?.kind === 'succeeded') return refusal;
  if (identity === 'same') return outcome ?? { kind: 'pending', reference };
  // No order has this reference, or it is provably another sale: then it only explains the refusal.
  return (identity === 'none' && !isOfOrder) || identity === 'other' ? refusal : doubt;
}

/** v1 gave back an order that it had under this id. */
async function judgeDuplicate(told: Outcome, reference: string, judging: Judging): Promise<Outcome> {
  const { order, before, identify } = judging;
  const { identity, outcome, isOfOld } = await identify(reference, order.openedAtMs);
  const wasExpected = isExpected(judging);
  if (identity === 'same' || (identity === 'unclear' && wasExpected)) {
    if (isOfOld === true && (outcome ?? told).kind === 'succeeded') {
      // No attempt of ours has made it: this request has sold nothing, as one under an id that the journal knows as used.
      if (before === undefined || isRefusal(before)) return USED;
      return { kind: 'unknown', reason: 'v1 has an old order under this request id', isDoubted: true };
    }
    // "Success" may only say that the original was found. What became of it stands in its receipt.
    if (outcome === undefined) return told;
    // It may show the goods that a mere "found" leaves out.
    return outcome.kind === told.kind ? succeedOutcome(outcome, told) : outcome;
  }
  if (identity === 'other')
    return {
      kind: 'rejected',
      httpStatus: 409,
      message: 'This request id belongs to another order. Nothing was charged for this one.',
    };
  const reason = 'v1 has an order under this request id that cannot be told from this one';
  // The expected order whose receipt cannot be read right now is looked at again; any other stays in doubt.
  const isReadAgain = (identity === 'unread' || identity === 'none') && wasExpected;
  return { kind: 'unknown', reason, ...(isReadAgain ? {} : { isDoubted: true }) };
}

/** After an attempt of our own whose answer was lost, an order under its id is the expected one, unless it was doubted before. */
function isExpected({ before }: Judging): boolean {
  return before?.kind === 'unknown' && before.isDoubted !== true;
}

/** A success in whose own answer something says that it is none: the receipt will tell. */
function isTakenBack({ kind }: Outcome, body: JsonObject, data: JsonObject): boolean {
  if (kind !== 'succeeded') return false;
  const { status } = data;
  const isOtherStatus = typeof status === 'string' && !/^success(?:ful)?$/i.test(status);
  return (
    isOtherStatus ||
    body['success'] === false ||
    [body['refunded'], data['refunded'], body['pending'], data['pending']].some(isYes)
  );
}

/** `none` is also this very order. */
async function ownerOf(reference: string, { order, journal, onTrouble }: Judging): Promise<'another' | 'none' | 'unread'> {
  try {
    const owning = await journal.findByReference(order.owner, reference);
    return owning !== undefined && owning.requestId !== order.requestId ? 'another' : 'none';
  } catch (error) {
    onTrouble('find', error);
    return 'unread';
  }
}

/** PHP and MySQL write `true` as 1 now and then, and as text. */
function isYes(value: JsonValue | undefined): boolean {
  return value === true || value === 1 || (typeof value === 'string' && /^(?:1|true|yes)$/i.test(value));
}

function isName(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '';
}
