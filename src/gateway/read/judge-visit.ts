/**
 * Decides whether a script may be told about an order from the journal. v1 allows a key only from listed addresses and revokes
 * keys, so the gateway must not tell what v1 would refuse to tell (decision 0035). If v1 has accepted the key at this address
 * lately, v1 is not asked. If v1 cannot be asked, its last verdict counts; without one, only the address that placed the order is told.
 */
import { within, type Clock } from '../../domain/clock';
import type { Order } from '../../domain/order';
import type { Finding } from '../../upstream/upstream';
import type { Visitors } from '../../upstream/visitors';
import { readContextOf, type Reader, readerOf } from './walk-in';
import type { Keyring } from './keyring';

/** Why nothing of the order is told: v1's refusal, or v1 has not judged this key at this address. */
export type Obstacle = Exclude<Finding, { kind: 'found' }>;

export interface JudgingParts {
  readonly visitors: Visitors;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

/** The longest wait for v1's verdict, so that the reply comes before the script's patience ends. */
const WAIT_MS = 4_000;

/** v1's refusal of this key at this address a moment ago: a new question would only be refused again. */
export function recentRefusal(reader: Reader, { visitors }: Pick<JudgingParts, 'visitors'>): Obstacle | undefined {
  const context = readContextOf(reader);
  return visitors.isPaused(context) ? visitors.refusalOf(context) : undefined;
}

/** Undefined when the script may be told about the order. Never throws. */
export async function judgeVisit(
  order: Pick<Order, 'owner' | 'addressHash'>,
  reader: Reader,
  parts: JudgingParts,
): Promise<Obstacle | undefined> {
  const { visitors, keyring, clock } = parts;
  const context = readContextOf(readerOf(order, reader));
  if (visitors.isFresh(context)) return undefined;
  const isOwn = order.addressHash === keyring.hashOfAddress(context.clientAddress);
  if (!visitors.isPaused(context)) await within(clock, Math.min(WAIT_MS, context.timeoutMs), visitors.ask(context));
  const refusal = visitors.refusalOf(context);
  if (visitors.isKnown(context) || (isOwn && refusal === undefined)) return undefined;
  return refusal ?? { kind: 'unavailable', reason: 'v1 has not judged this key at this address' };
}
