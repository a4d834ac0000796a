/** The conclusion of each family from its reply, and for each wrong conclusion the reason why no reply could have prevented it. */
import { casesOf, families } from '../families/expectation';
import type { Conclusion, Family } from '../families/family';
import { endedAtV1, type Sold } from './play-matrix';

const RIGHT = { success: 'sale', pending: 'pending', failure: 'failure' } as const;

export interface Judged {
  readonly counts: Readonly<Record<string, number>>;
  /** Wrong conclusions without a reason. */
  readonly wrongs: readonly string[];
}

type Holds = (sold: Sold, conclusion: Conclusion, family: Family) => boolean;

/** The closed list of reasons, each with the condition that must hold. */
export const REASONS = {
  'its own condition is broken': (sold, _conclusion, { because }) =>
    because !== undefined &&
    (sold.first.word === 'success' ? isCharged(sold) : sold.first.word === 'failure' && !isCharged(sold)),
  'v1 itself did not know the end': (sold) => isToldPending(sold) && (endedAtV1(sold) ?? 0) > sold.first.at - LAST_QUESTION_MS,
  'v1 gave no usable answer': (sold) =>
    isToldPending(sold) && answersOf(sold).length === 0 && isUnreadSince(sold, startOf(sold), sold.receipts),
  'v1 answered no question since it knew the end': (sold) =>
    isToldPending(sold) &&
    answersOf(sold).some(({ kind }) => kind === 'pending') &&
    sold.receipts.some(({ at }) => isBetween((endedAtV1(sold) ?? 0) - LAST_QUESTION_MS, at, sold.first.at)) &&
    isUnreadSince(sold, endedAtV1(sold) ?? 0, questionsFor(sold)),
  'v1 named an order that it had, and did not show its receipt': (sold) => {
    const named = answersOf(sold).filter(({ kind }) => kind !== 'rejected');
    return isToldPending(sold) && named.length > 0 && named.every((answer) => answer.isDuplicate && !isShown(sold, answer.at));
  },
  'v1 refused a later attempt, and an earlier one may still be charged': (sold) => {
    const refusedAt = answersOf(sold).find(({ kind }) => kind === 'rejected')?.at ?? 0;
    return isToldPending(sold) && !isCharged(sold) && sold.heard.some(({ at, kind }) => kind === 'unknown' && at < refusedAt);
  },
  'goods without a number, and v1 had them in the very second of their order': (sold) =>
    isToldPending(sold) &&
    isNumberless(sold) &&
    answersOf(sold).every(({ isDuplicate }) => isDuplicate) &&
    Math.floor((sold.v1?.createdAt ?? 0) / 1_000) === Math.floor(startOf(sold) / 1_000),
  'v1 answered no attempt, and of its history only a part': (sold) =>
    isToldPending(sold) && answersOf(sold).length === 0 && sold.unanswered.length > 0,
} satisfies Readonly<Record<string, Holds>>;

/** A question that is sent less than this time before the reply is rarely answered in time. */
const LAST_QUESTION_MS = 2_000;
/** From the end of a script's patience until it has its reply. */
const REPLY_MS = 50;
/** Within this time after a duplicate the gateway asks for the receipt that v1 names. */
const AT_ONCE_MS = 50;

function startOf({ first }: Sold): number {
  return first.at - first.afterMs;
}

function isBetween(from: number, at: number, until: number): boolean {
  return at >= from && at <= until;
}

/** Whether the receipt that was asked for at this answer came in time. */
function isShown({ receipts, first }: Sold, answeredAt: number): boolean {
  const question = receipts.find(({ at }) => isBetween(answeredAt, at, answeredAt + AT_ONCE_MS));
  return question === undefined || (question.readAt !== undefined && question.readAt <= first.at);
}

/** Whether no question since that time was answered before the reply was made. */
function isUnreadSince({ first }: Sold, since: number, questions: Sold['receipts']): boolean {
  return !questions.some(({ at, readAt }) => at >= since && readAt !== undefined && readAt < first.at - REPLY_MS);
}

/**
 * The receipts asked for by the order's pursuit or at an answer of v1. A search for a lost order of the same key reads this
 * receipt only to tell the two apart, so it does not count.
 */
function questionsFor(sold: Sold): Sold['receipts'] {
  const isAtAnswer = (at: number): boolean => answersOf(sold).some((answer) => isBetween(answer.at, at, answer.at + AT_ONCE_MS));
  return sold.receipts.filter(({ at, isOfPursuit }) => isOfPursuit || isAtAnswer(at));
}

/** Receipts of these operations show nothing that tells one sale from another (decision 0013). */
function isNumberless({ operation }: Sold): boolean {
  return ['buy_exam', 'buy_recharge_cards', 'buy_data_cards', 'send_sms'].includes(operation);
}

export function judge(sales: readonly Sold[]): Judged {
  const counts: Record<string, number> = {};
  const wrongs: string[] = [];
  const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);
  for (const sold of sales) {
    wrongs.push(...lies(sold, sales).map((lie) => `${nameOf(sold)}: ${lie}`));
    for (const family of readersOf(sold)) {
      const conclusion = family.concludes({ status: sold.first.http, body: sold.first.body, requestId: sold.requestId });
      if (!isWrong(conclusion, sold)) {
        count(conclusion === RIGHT[sold.first.word as 'success'] ? 'right' : 'harmless');
        continue;
      }
      const reason = Object.entries<Holds>(REASONS).find(([, holds]) => holds(sold, conclusion, family))?.[0];
      count(reason ?? 'AVOIDABLE');
      if (reason === undefined) wrongs.push(`${nameOf(sold)}: ${family.name} concludes ${conclusion}`);
    }
  }
  return { counts, wrongs };
}

function isWrong(conclusion: Conclusion, sold: Sold): boolean {
  return (conclusion === 'failure' && isCharged(sold)) || (conclusion === 'sale' && !isCharged(sold));
}

/** Charged at the end: a refunded order is not. */
function isCharged({ v1 }: Sold): boolean {
  return v1 !== undefined && v1.status !== 'failed';
}

function isToldPending({ first }: Sold): boolean {
  return first.word === 'pending';
}

/** v1's answers about the order that came before the reply. */
function answersOf({ heard, first }: Sold) {
  return heard.filter(
    ({ at, kind, httpStatus }) => at <= first.at && kind !== 'unknown' && kind !== 'not_sent' && httpStatus !== 429,
  );
}

/** The faults of the replies that do not depend on the family. */
function lies(sold: Sold, sales: readonly Sold[]): string[] {
  const { first, last, violations } = sold;
  const isSold = sold.v1?.status === 'success';
  const found = [...violations];
  if (first.word === 'success' && !isSold) found.push(`told success, and v1 has ${sold.v1?.status}`);
  if (first.word === 'failure' && isCharged(sold)) found.push('told failure, and v1 charged');
  if (!['success', 'pending', 'failure'].includes(first.word ?? '')) found.push(`told ${first.word}`);
  const mayStayOpen = last.word === 'pending' && isToldPending(sold) && (isNumberless(sold) || isLikeOpenCard(sold, sales));
  if (last.word !== (isSold ? 'success' : 'failure') && !mayStayOpen)
    found.push(`${sold.v1?.status ?? 'nothing at v1'}, and half an hour later told ${last.word}`);
  return found;
}

const READERS = new Map<string, Family[]>();
for (const family of families)
  for (const name of new Set(casesOf(family).map(({ operation, format }) => `${operation} ${format}`)))
    READERS.set(name, [...(READERS.get(name) ?? []), family]);

function readersOf({ operation, format }: Sold): readonly Family[] {
  return READERS.get(`${operation} ${format}`) ?? [];
}

/** A row of v1's history that may belong to an open data card order may as well belong to this order. */
function isLikeOpenCard({ operation, caller }: Sold, sales: readonly Sold[]): boolean {
  const isOpenCard = (other: Sold): boolean => other.operation === 'buy_data_cards' && other.last.word === 'pending';
  return operation === 'buy_data' && sales.some((other) => other.caller === caller && isOpenCard(other));
}

function nameOf(sold: Sold): string {
  const { operation, format, way, firstFault, first } = sold;
  const heard = sold.heard.map(
    ({ at, kind, isDuplicate }) => `${kind}${isDuplicate ? '*' : ''}@${((at - first.at + first.afterMs) / 1000).toFixed(1)}`,
  );
  return `${operation} ${format}, ${way}, ${firstFault ?? 'nothing'} → ${first.word} after ${(first.afterMs / 1000).toFixed(1)} s [${heard.join(' ')}] receipts ${sold.receipts.map(({ at, readAt }) => `${((at - startOf(sold)) / 1000).toFixed(1)}${readAt === undefined ? '!' : ''}`).join(' ')} ended ${(((endedAtV1(sold) ?? 0) - startOf(sold)) / 1000).toFixed(1)} v1 ${sold.v1?.status}`;
}
