/** How often lookups are made for one address, or with one key: the limit of a key at v1 is for all who use it. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../domain/clock';
import { GatewayError } from '../domain/errors';
import type { CallLimit } from '../mapping/mapping';

const NAMES_MAX = 10_000;

export interface LookupLimit {
  /** Counts one lookup; refuses when there were too many within the window. */
  take(name: string, limit: CallLimit): void;
  /** Counts one lookup and gives true, unless there were too many. */
  takes(name: string, limit: CallLimit): boolean;
}

export function createLookupLimit(clock: Clock): LookupLimit {
  const seen = new LRUCache<string, number[]>({ max: NAMES_MAX });
  const takes: LookupLimit['takes'] = (name, { calls, windowMs }) => {
    const now = clock.elapsed();
    const recent = (seen.get(name) ?? []).filter((time) => time > now - windowMs);
    if (recent.length >= calls) return false;
    seen.set(name, [...recent, now]);
    return true;
  };
  return {
    takes,
    take(name, limit) {
      if (takes(name, limit)) return;
      const { calls, windowMs } = limit;
      throw new GatewayError(
        'too_many_lookups',
        `At most ${calls} lookups without a key every ${Math.round(windowMs / 1000)} seconds. Send your own API key, or wait.`,
      );
    },
  };
}
