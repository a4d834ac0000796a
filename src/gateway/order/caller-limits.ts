/**
 * Keys that callers.yaml has paused or limited: their purchases are turned away before anything is written, while it is certain that
 * nothing was charged. Questions are never turned away here, nor is what the journal knows of an order kept from its script.
 */
import { kobo, nairaText, type AmountMinor } from '../../domain/amount';
import { GatewayError } from '../../domain/errors';
import type { NewOrder } from '../../domain/order';
import type { CallerKey } from '../../mapping/mapping';
import type { ParsedRequest } from '../read/walk-in';
import { createCallerUsage, priceOf, type Usage, type UsageParts } from './caller-usage';

/** What an order takes of the limits of its key until the journal has it. */
export interface Entry {
  /** The journal has the order, or has not taken it. */
  leave(): void;
  /** It was one that took no money before, and may take some now. */
  reopened(): void;
}

export interface CallerLimits {
  /** Undefined for a key without limits. Rejects with the refusal where the order would go beyond one. */
  enter(order: NewOrder, parsed: Pick<ParsedRequest, 'callerKey'>): Promise<Entry> | undefined;
}

/** Why a paused key is turned away. */
export function pauseOf(callerKey: CallerKey | undefined): GatewayError | undefined {
  return callerKey?.pausedText === undefined ? undefined : new GatewayError('caller_paused', callerKey.pausedText);
}

const MINUTE_MS = 60_000;

/** Orders of one key that have come in and are not in the journal yet, by request id. */
interface Waiting {
  readonly amounts: Map<string, AmountMinor>;
  /** They are judged one after the other. */
  turn: Promise<unknown>;
}

export function createCallerLimits(parts: UsageParts): CallerLimits {
  const usage = createCallerUsage(parts);
  const waitingOf = new Map<string, Waiting>();

  async function judge(order: NewOrder, limit: NonNullable<CallerKey['limit']>, { amounts }: Waiting): Promise<Entry> {
    const { owner, requestId } = order;
    // Those that reach the journal while it is read are in neither otherwise.
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
  // Of more than there may be, those that came in while there was no limit or a higher one, all but the last have to age.
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
