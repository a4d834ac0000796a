/**
 * Whether the journal may answer: v1 lists the addresses of a key and revokes keys, and what it would not tell is not told
 * here either (decision 0035). Whoever v1 has accepted lately costs no question. While v1 cannot be asked its last word
 * counts, and where it has said none, an order is told to the address that placed it.
 */
import { within, type Clock } from '../../domain/clock';
import type { Order } from '../../domain/order';
import type { Finding } from '../../upstream/upstream';
import type { Visitors } from '../../upstream/visitors';
import { readContextOf, type Reader } from './walk-in';
import type { Keyring } from './keyring';

/** What keeps the journal from answering: v1's refusal, or that v1 has said nothing of this key at this address. */
export type Obstacle = Exclude<Finding, { kind: 'found' }>;

export interface JudgingParts {
  readonly visitors: Visitors;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

/** Longest wait for v1's word: a script whose patience ends hears something in time. */
const WAIT_MS = 4_000;

/** v1's refusal of a moment ago, for a question that v1 would only refuse again. */
export function refusedLately(reader: Reader, { visitors }: Pick<JudgingParts, 'visitors'>): Obstacle | undefined {
  const context = readContextOf(reader);
  return visitors.isPaused(context) ? visitors.refusalOf(context) : undefined;
}

/** Undefined: the journal may answer. Never throws. */
export async function judgeVisit(
  order: Pick<Order, 'addressHash'>,
  reader: Reader,
  parts: JudgingParts,
): Promise<Obstacle | undefined> {
  const { visitors, keyring, clock } = parts;
  const context = readContextOf(reader);
  if (visitors.isFresh(context)) return undefined;
  const isOwn = order.addressHash === keyring.hashOfAddress(context.clientAddress);
  if (!visitors.isPaused(context)) await within(clock, Math.min(WAIT_MS, context.timeoutMs), visitors.ask(context));
  const refusal = visitors.refusalOf(context);
  if (visitors.isKnown(context) || (isOwn && refusal === undefined)) return undefined;
  return refusal ?? { kind: 'unavailable', reason: 'v1 has not judged this key at this address' };
}
