/**
 * Refuses purchases of keys that callers.yaml pauses or limits. This happens before anything is written, so nothing is charged.
 * Questions are never refused here, and a script still hears the outcome of an order that the journal has.
 */
import { kobo, nairaText, type AmountMinor } from '../../domain/amount';
import { GatewayError } from '../../domain/errors';
import type { NewOrder } from '../../domain/order';
import type { CallerKey } from '../../mapping/mapping';
import type { ParsedRequest } from '../read/walk-in';
import { createCallerUsage, priceOf, type Usage, type UsageParts } from './caller-usage';

/** An order that counts for the limits of its key and is not in the journal yet. */
export interface Entry {
  /** Call it when the journal has taken the order or refused it. */
  leave(): void;
  /** Call it when the order was reopened: it took no money before, and may take some now. */
  reopened(): void;
}

export interface CallerLimits {
  /** Undefined for a key without limits. Rejects with the refusal if the order would exceed a limit. */
  enter(order: NewOrder, parsed: Pick<ParsedRequest, 'callerKey'>): Promise<Entry> | undefined;
}

/** The refusal of a paused key. */
export function pauseOf(callerKey: CallerKey | undefined): GatewayError | undefined {
  return callerKey?.pausedText === undefined ? undefined : new GatewayError('caller_paused', callerKey.pausedText);
}

const MINUTE_MS = 60_000;

/** The orders of one key that are not in the journal yet. */
interface Waiting {
  /** By request id. */
  readonly amounts: Map<string, AmountMinor>;
  /** The last judgement: orders of one key are judged one after another. */
  turn: Promise<unknown>;
}

export function createCallerLimits(parts: UsageParts): CallerLimits {
  const usage = createCallerUsage(parts);
  const waitingOf = new Map<string, Waiting>();

  async function judge(order: NewOrder, limit: NonNullable<CallerKey['limit']>, { amounts }: Waiting): Promise<Entry> {
    const { owner, requestId } = order;
    // A copy: an order that reaches the journal while it is read would otherwise be counted neither there nor here.
    const before = new Map(amounts);
    const { lastMinute, today } = await usage.read(owner, requestId).catch((error: unknown) => {
      throw new GatewayError('journal_unavailable', undefined, { cause: error });
    });
    const inJournal = new Set(lastMinute.map((one) => one.requestId));
    const others = [...new Map([...before, ...amounts])].filter(([id]) => id !== requestId && !inJournal.has(id));
    if (lastMinute.length + others.length >= limit.purchasesPerMinute)
      throw tooMany(limit.purchasesPerMinute, lastMinute, parts.clock.now());
    const price = priceOf(order, parts);
    if (limit.nairaPerDay !== undefined) {
      const spent = others.reduce<number>((sum, [, amount]) => sum + amount, today.amount);
      if (spent >= limit.nairaPerDay || spent + (price ?? 0) > limit.nairaPerDay) throw tooMuch(limit.nairaPerDay);
    }
    amounts.set(requestId, price ?? kobo(0));
    return {
      leave: () => void amounts.delete(requestId),
      reopened: () => usage.forget(owner),
    };
  }

  return {
    enter(order, { callerKey }) {
      const limit = callerKey?.limit;
      if (limit === undefined) return undefined;
      const waiting = waitingOf.get(order.owner) ?? { amounts: new Map<string, AmountMinor>(), turn: Promise.resolve() };
      waitingOf.set(order.owner, waiting);
      const judged = waiting.turn.then(() => judge(order, limit, waiting));
      waiting.turn = judged.catch(() => undefined);
      return judged;
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
