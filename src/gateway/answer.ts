/** What every `answer-*` file makes of a request: the reply, and what logs and metrics show of it. */
import { textOf } from '../domain/json';
import type { LegacyReply } from '../domain/legacy';
import { isStandIn, type Order } from '../domain/order';
import { type Outcome, referenceOf } from '../domain/outcome';
import type { Finding } from '../upstream/upstream';
import { firstOf } from './tell/merge-reply';

export interface Answer {
  readonly reply: LegacyReply;
  /** For logs and metrics. */
  readonly outcome: Outcome['kind'] | Finding['kind'];
  readonly repeat?: Repeat | undefined;
  /** The ids of the order, if the answer is about one. */
  readonly order?: OrderIds;
  /** How long the script was held after v1's first answer had left the order open. */
  readonly heldMs?: number | undefined;
}

export interface OrderIds {
  /** As the script sent it; the gateway's own where the script sent none. */
  readonly requestId: string;
  readonly number?: number;
  readonly reference?: string | undefined;
}

export function idsOf(order: Order, outcome: Outcome): OrderIds {
  const { requestId, echo, number } = order;
  const sent = firstOf(echo);
  const reference = referenceOf(outcome);
  const id = sent === undefined ? requestId : textOf(sent);
  return isStandIn(order) ? { requestId: id, reference } : { requestId: id, number, reference };
}

/** For logs and metrics: `joined` and `again` as in `RepeatKind`, `replayed` as in `OpeningKind`. */
export type Repeat = 'joined' | 'again' | 'replayed';
