/**
 * A question about orders that cannot be answered: the key is refused, a limit is reached, v1 is away, nobody of this key
 * knows the id (which may have been ordered with a key that was regenerated since). The order may be charged, so that what is
 * told must not be a failure to any requery (decision 0025): the words of an order under way, beside a text that says why.
 */
import type { Mapping, Operation } from '../../mapping/mapping';
import type { Obstacle } from '../read/judge-visit';
import type { ReplyParts } from './merge-reply';

/**
 * Accepted, and no more. To one requery 404 is a failure after half an hour, to others every 4xx is; where 200 alone would be
 * a sale, 202 is none.
 */
const UNANSWERED_STATUS = 202;

export function tellUnanswered(
  said: string,
  mapping: Mapping,
  retryAfterSeconds?: number,
): Pick<ReplyParts, 'outcome' | 'http' | 'text' | 'retryAfterSeconds'> {
  const text = [said, mapping.texts['unanswered'] ?? ''].filter((part) => part !== '').join(' ');
  return { outcome: 'pending', http: UNANSWERED_STATUS, text, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

/** The repeat of a purchase by whom v1 does not accept: in v1's words where it refused, and as of an order under way. */
export function tellObstacle(obstacle: Obstacle, mapping: Mapping): ReturnType<typeof tellUnanswered> {
  const said = obstacle.kind === 'refused' ? (obstacle.message ?? '') : '';
  return { ...tellUnanswered(said, mapping), http: mapping.words.pending.http };
}

/** Whether what is told of this operation is told of orders that were placed before. */
export function asksAboutOrders(operation: Operation | undefined): boolean {
  return operation?.kind === 'status' || operation?.kind === 'history';
}
