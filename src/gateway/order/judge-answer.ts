/**
 * Decides whether v1's answer to a purchase can be believed. `classify` has read the answer. This file checks that the
 * answer does not contradict itself or the journal, and reads the receipt where v1 says that it had the order already.
 */
import type { Clock } from '../../domain/clock';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json';
import type { Order } from '../../domain/order';
import {
  isRefusal,
  isRefusedAsIdentical,
  JOURNAL_UNREAD,
  referenceOf,
  type Rejected,
  succeedOutcome,
  type Outcome,
} from '../../domain/outcome';
import type { Journal } from '../../journal/journal';
import type { PriceLists } from '../../price-lists/price-lists';
import { isNo, isYes, orderInReceipt, outcomeOfReceipt } from '../../upstream/answer-data';
import type { Finding, SentOutcome, Upstream } from '../../upstream/upstream';
import { type Identity, identifyReceipt, isExactly, otherServices, rulesOut, traitsOf } from '../proof/compare-receipt';
import { askForReceipt } from '../proof/find-receipt';
import { parseTimes } from '../proof/read-history';
import { catalogListsOf } from '../read/catalog-lists';
import { type ParsedRequest, readContextOf } from '../read/walk-in';

export interface Judging {
  readonly order: Order;
  /** What was known before this answer. */
  readonly before: Outcome | undefined;
  readonly identify: Identify;
  readonly journal: Pick<Journal, 'findByReference'>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const OTHER_ORDER: Outcome = { kind: 'unknown', reason: 'v1 answered about another order' };
const OF_THIS_ORDER: Outcome = { kind: 'unknown', reason: 'v1 refuses and speaks of an order that it has' };
const OF_AN_ORDER: Outcome = { ...OF_THIS_ORDER, isDoubted: true };
const USED: Outcome = {
  kind: 'rejected',
  httpStatus: 400,
  message:
    'This request-id was already used: the order with it was sold long ago. Nothing was charged for this request. Send a new sale with an id of its own.',
};

/**
 * The outcome of one attempt. Two kinds of answers are doubted: an answer that contradicts itself, and an answer that may be
 * about another order. The latter has the reference of another order in the journal (a connection out of step), or v1 had an
 * order under this id already (from another gateway, another key, or another sale).
 */
export async function judgeAnswer(sent: SentOutcome, judging: Judging): Promise<Outcome> {
  const { isDuplicate, body = {} } = sent;
  const data = isJsonObject(body['data']) ? body['data'] : {};
  if (sent.outcome.kind === 'rejected') return judgeRefusal(sent.outcome, sent, data, judging);
  const reference = referenceOf(sent.outcome);
  const isContradictory = isSelfContradictory(sent.outcome, body, data);
  if (reference === undefined) return isContradictory ? OF_AN_ORDER : sent.outcome;
  const outcome: Outcome = isContradictory ? { kind: 'pending', reference } : sent.outcome;
  if (referenceOf(judging.before) === reference) return outcome;
  const judged = isDuplicate ? await judgeDuplicate(outcome, reference, judging) : outcome;
  // The journal is asked last: while the receipt was read, another order may have been settled with this reference.
  const claim = await claimOn(reference, judging);
  if (claim === 'another') return OTHER_ORDER;
  if (claim !== 'unread' || judged.kind === 'unknown') return judged;
  // `JOURNAL_UNREAD` makes the pursuit ask v1 again, so the answer is not lost.
  if (isDuplicate && !isExpected(judging)) return { ...JOURNAL_UNREAD, isDoubted: true };
  // The journal may be away for longer than any script waits. v1's receipt of the reference can then show that it is this order's.
  const { identity, isOldSale } = await judging.identify(reference, judging.order.openedAtMs);
  return identity === 'same' && isOldSale !== true ? judged : JOURNAL_UNREAD;
}

/**
 * A refusal of section 7 of the specification creates no order. A refusal with the sign of an order (a reference, `duplicate`,
 * `pending`, words that v1 has it) is something else: the receipt of the reference decides, and without a readable receipt the outcome is in doubt.
 */
async function judgeRefusal(
  refusal: Rejected,
  { isDuplicate, body = {} }: SentOutcome,
  data: JsonObject,
  judging: Judging,
): Promise<Outcome> {
  const named = [body['reference'], data['reference'], data['transaction_ref']].find(isNamed);
  const reference = named?.toString();
  const isOfOrder = isDuplicate || saysSold(body, data) || saysKnown(refusal);
  // An earlier attempt of ours explains that v1 knows the request: it may be at work on that one.
  if (reference === undefined && isExpected(judging)) return isOfOrder ? OF_THIS_ORDER : refusal;
  if (reference === undefined) return isOfOrder ? OF_AN_ORDER : refusal;
  const { identity, outcome, isOldSale } = await evidenceOf(reference, judging);
  const claim = await claimOn(reference, judging);
  if (claim === 'another') return isOfOrder ? OTHER_ORDER : refusal;
  if (claim === 'unread') return OF_AN_ORDER;
  // An old sale under this id explains the refusal: this request has bought nothing.
  if (identity === 'same' && isOldSale === true && outcome?.kind === 'succeeded') return refusal;
  if (identity === 'same') return outcome ?? { kind: 'pending', reference };
  // v1 has no order of this reference, or the reference is provably another sale's: then the refusal stands.
  return (identity === 'none' && !isOfOrder) || identity === 'other' ? refusal : OF_AN_ORDER;
}

/** v1 answered with an order that it had under this id before. */
async function judgeDuplicate(answered: Outcome, reference: string, judging: Judging): Promise<Outcome> {
  const { before } = judging;
  const { identity, outcome, isOldSale } = await evidenceOf(reference, judging);
  const wasExpected = isExpected(judging);
  if (identity === 'same' || (identity === 'unclear' && wasExpected)) {
    if (isOldSale === true && (outcome ?? answered).kind === 'succeeded') {
      // No attempt of ours made that sale, so this request has sold nothing: it is refused like any used-up id.
      if (before === undefined || isRefusal(before)) return USED;
      return { kind: 'unknown', reason: 'v1 has an old order under this request id', isDoubted: true };
    }
    // v1's "success" may only mean that it found the earlier order: the receipt has that order's outcome, and is read again where it shows none.
    if (outcome === undefined) return { kind: 'pending', reference };
    // The receipt may show goods (token, PINs) that v1's answer leaves out.
    return outcome.kind === answered.kind ? succeedOutcome(outcome, answered) : outcome;
  }
  if (identity === 'other')
    return {
      kind: 'rejected',
      httpStatus: 409,
      message: 'This request id belongs to another order. Nothing was charged for this one.',
    };
  const reason = 'v1 has an order under this request id that cannot be told from this one';
  // If the receipt of an expected order cannot be read now, v1 is asked again. Any other order stays in doubt.
  const isReadAgain = (identity === 'unread' || identity === 'none') && wasExpected;
  return { kind: 'unknown', reason, ...(isReadAgain ? {} : { isDoubted: true }) };
}

/**
 * The receipt of this reference, beside what was known. Where no earlier attempt of ours may have reached v1, or that was in doubt, a sale to the same
 * number that is not old may still be another one, under an id that the script has used elsewhere: another plan, another amount. (Nothing was charged for
 * one that was declined.)
 */
async function evidenceOf(reference: string, { order, before, identify }: Judging): Promise<Evidence> {
  const evidence = await identify(reference, order.openedAtMs);
  const { identity, outcome, isOldSale, isExact } = evidence;
  const isUnsent = before === undefined || isRefusal(before) || (before.kind === 'unknown' && before.isDoubted === true);
  const mayBeAnother = isUnsent && isExact !== true && isOldSale !== true && outcome?.kind !== 'declined';
  return identity === 'same' && mayBeAnother ? { ...evidence, identity: 'unclear' } : evidence;
}

/** An earlier attempt of ours got no usable answer: an order that v1 has under its id is then the expected one, unless it was doubted before. */
function isExpected({ before }: Judging): boolean {
  return before?.kind === 'unknown' && before.isDoubted !== true;
}

/** A success or decline whose answer also says the opposite (another status, refunded, pending). It counts as pending, and the receipt decides. */
function isSelfContradictory({ kind }: Outcome, body: JsonObject, data: JsonObject): boolean {
  if (kind === 'declined') return saysSold(body, data);
  if (kind !== 'succeeded') return false;
  const { status } = data;
  const isOtherStatus = typeof status === 'string' && !/^success(?:ful)?$/i.test(status);
  return (
    isOtherStatus ||
    [body['success'], data['success']].some(isNo) ||
    [body['refunded'], data['refunded'], body['pending'], data['pending']].some(isYes)
  );
}

/** Whether the answer has the sign of an order that v1 has charged. */
function saysSold(body: JsonObject, data: JsonObject): boolean {
  const { status } = data;
  const isSoldStatus = typeof status === 'string' && /^(?:success(?:ful)?|pending|processing)$/i.test(status);
  return isSoldStatus || [body['success'], data['success'], body['pending'], data['pending']].some(isYes);
}

/** Words for a request that v1 works on, or for an id that it has. A limit is "reached" or "exceeded", and not of one request. */
const KNOWN =
  /\b(?:request|transaction|order|purchase|ref(?:erence)?)(?:[_ -]?id)?\b.{0,40}\b(?:in progress|being processed|already (?:been )?(?:exist|us|tak|process|receiv|submit|complet))|\bduplicate (?:\w+[_ -]id|ref)/i;

/**
 * Whether a refusal says that v1 knows this very request: perhaps a copy of it, which a front of v1 or a gateway with another journal has sent. The
 * specification has no HTTP 409. "Duplicate request detected" is its word for another sale of the same.
 */
function saysKnown(refusal: Rejected): boolean {
  return KNOWN.test(refusal.message ?? '') || (refusal.httpStatus === 409 && !isRefusedAsIdentical(refusal));
}

/** Whether another order of the journal has this reference. `none` also where it is this order's own. */
async function claimOn(reference: string, { order, journal, onTrouble }: Judging): Promise<'another' | 'none' | 'unread'> {
  try {
    const owning = await journal.findByReference(order.owner, reference);
    return owning !== undefined && owning.requestId !== order.requestId ? 'another' : 'none';
  } catch (error) {
    onTrouble('find', error);
    return 'unread';
  }
}

function isNamed(value: JsonValue | undefined): value is string | number {
  return (typeof value === 'string' && value !== '') || (typeof value === 'number' && value > 0);
}

/** What v1's receipt of a reference proves about an order. */
export interface Evidence {
  /** `unread`: the receipt cannot be read right now. `none`: v1 has no order of this reference. */
  readonly identity: Identity | 'unread' | 'none';
  /** The outcome that the receipt shows, if any. */
  readonly outcome?: Outcome | undefined;
  /** By its own clock v1 wrote the receipt so long before the order was opened that the request with this id must mean another sale. */
  readonly isOldSale?: boolean;
  /** v1 wrote the receipt since the order was opened, or it shows exactly the price of the order. */
  readonly isExact?: boolean;
}

/** Reads the receipt of a reference and compares it with the order that is being bought. */
export type Identify = (reference: string, openedAtMs: number) => Promise<Evidence>;

interface IdentifyingParts {
  readonly upstream: Pick<Upstream, 'find'>;
  readonly priceLists: Pick<PriceLists, 'peek'>;
  readonly clock: Clock;
  /** For how long a repeat of a sold order is told that order's success. */
  readonly replayMs: number;
}

/**
 * A receipt older than this that the journal does not know is an old sale. A younger one may be this order's, made with a journal that was lost
 * (decision 0024). The journal keeps orders for at least a day.
 */
const OLD_MS = 20 * 3_600_000;
const SECOND_MS = 1_000;

/** Judged by v1's own clock only: this machine's clock may be a day wrong. False where v1's answer has no time. */
function isOldSale(
  { body, serverAtMs }: Extract<Finding, { kind: 'found' }>,
  openedAtMs: number,
  { clock, replayMs }: IdentifyingParts,
): boolean {
  const timesMs = parseTimes(((body['data'] ?? {}) as JsonObject)['created_at']);
  const oldMs = Math.max(OLD_MS, replayMs) + Math.max(0, clock.now() - openedAtMs);
  return serverAtMs !== undefined && timesMs.length > 0 && timesMs.every((time) => serverAtMs - time > oldMs);
}

/** Reads the receipt of this reference from v1 and compares it with the purchase of the parsed request. */
export async function identifyOrder(
  reference: string,
  openedAtMs: number,
  parsed: ParsedRequest,
  parts: IdentifyingParts,
): Promise<Evidence> {
  const askedAtMs = parts.clock.now();
  const finding = await askForReceipt(reference, readContextOf(parsed), parts.upstream);
  if (finding.kind === 'refused' && finding.httpStatus === 404) return { identity: 'none' };
  if (finding.kind !== 'found') return { identity: 'unread' };
  if (orderInReceipt(finding.body, reference) === 'another') return { identity: 'unread' };
  const { operation, intent, mapping, credentials } = parsed;
  const catalog = operation.joins.length === 0 ? undefined : parts.priceLists.peek(credentials.fingerprint);
  const listed = traitsOf(operation, intent.values, catalogListsOf(catalog, mapping));
  const traits = { ...traitsOf(operation, intent.values), charge: listed.charge };
  const known = { openedAtMs, nowMs: parts.clock.now(), listPrice: listed.faceValue };
  const aheadMs = known.nowMs - (finding.serverAtMs ?? known.nowMs);
  // At least: v1 answers some time after the question, and tells whole seconds. So a sale just before the opening is none since then.
  const leastMs = aheadMs - (known.nowMs - askedAtMs) - SECOND_MS;
  const identity = identifyReceipt(finding.body, traits, { ...known, aheadMs: Math.max(Math.min(aheadMs, 0), leastMs) });
  const isRuledOut = identity === 'unclear' && rulesOut(finding.body, listed, otherServices(operation, mapping));
  return {
    identity: isRuledOut ? 'contradicted' : identity,
    outcome: outcomeOfReceipt(finding.body, reference),
    isOldSale: isOldSale(finding, openedAtMs, parts),
    isExact: isExactly(finding.body, listed, { ...known, aheadMs }),
  };
}
