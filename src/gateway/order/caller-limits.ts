/**
 * Refuses purchases of keys that callers.yaml pauses or limits. This happens before anything is written, so nothing is charged.
 * Questions are never refused here, and a script still hears the outcome of an order that the journal has.
 */
import { nairaText, type AmountMinor } from '../../domain/amount';
import { GatewayError } from '../../domain/errors';
import type { NewOrder, Opened } from '../../domain/order';
import { oneByOnePerName } from '../../domain/steps';
import type { Journal } from '../../journal/journal';
import type { CallerKey } from '../../mapping/mapping';
import type { ParsedRequest } from '../read/walk-in';
import { createCallerUsage, priceOf, type Usage, type UsageParts } from './caller-usage';

export interface CallerLimits {
  /** Opens the order in the journal. Rejects with the refusal if the order would exceed a limit of its key. */
  open(order: NewOrder, parsed: Pick<ParsedRequest, 'callerKey'>): Promise<Opened>;
}

/** The refusal of a paused key. */
export function pauseOf(callerKey: CallerKey | undefined): GatewayError | undefined {
  return callerKey?.pausedText === undefined ? undefined : new GatewayError('caller_paused', callerKey.pausedText);
}

const MINUTE_MS = 60_000;

type Limit = NonNullable<CallerKey['limit']>;

interface LimitsParts extends UsageParts {
  readonly journal: UsageParts['journal'] & Pick<Journal, 'open'>;
}

export function createCallerLimits(parts: LimitsParts): CallerLimits {
  const usage = createCallerUsage(parts);
  const inTurn = oneByOnePerName();

  async function openWithin(order: NewOrder, limit: Limit): Promise<Opened> {
    const { owner, requestId } = order;
    const { lastMinute, today } = await usage.read(owner, requestId).catch((error: unknown) => {
      throw new GatewayError('journal_unavailable', undefined, { cause: error });
    });
    if (lastMinute.length >= limit.purchasesPerMinute) throw tooMany(limit.purchasesPerMinute, lastMinute, parts.clock.now());
    const [most, { amount: spent }] = [limit.nairaPerDay, today];
    if (most !== undefined && (spent >= most || spent + (priceOf(order, parts) ?? 0) > most)) throw tooMuch(most);
    const opened = await parts.journal.open(order);
    // A reopened order took no money before, and may take some now.
    if (opened.kind === 'reopened') usage.forget(owner);
    return opened;
  }

  return {
    open(order, { callerKey }) {
      const limit = callerKey?.limit;
      if (limit === undefined) return parts.journal.open(order);
      // One order at a time: it is judged by the orders in the journal, and only there do workers and machines see each other's.
      return inTurn(order.owner, () => openWithin(order, limit));
    },
  };
}

function tooMany(most: number, lastMinute: Usage['lastMinute'], now: number): GatewayError {
  // There may be more orders than the limit, from before it was set or lowered: the limit has room when the `most`-th newest is a minute old.
  const ageMs = now - (lastMinute.at(-most)?.openedAtMs ?? now);
  const purchases = most === 1 ? 'one purchase' : `${most} purchases`;
  return new GatewayError(
    'too_many_purchases',
    `This account may make ${purchases} a minute, and has. Nothing was charged. Try again in a minute.`,
    { retryAfterSeconds: Math.max(1, Math.ceil((MINUTE_MS - ageMs) / 1_000)) },
  );
}

function tooMuch(most: AmountMinor): GatewayError {
  return new GatewayError(
    'daily_limit_reached',
    `This purchase would go beyond the NGN ${nairaText(most)} that this account may buy for in a day. Nothing was charged.`,
  );
}
