/** How often one address may look up with the operator's key: that key's own limit at v1 is for everybody. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../domain/clock';
import { GatewayError } from '../domain/errors';

const ADDRESSES_MAX = 10_000;

export interface LookupLimit {
  /** Counts one lookup; refuses when there were too many within the window. */
  take(address: string, limit: { readonly calls: number; readonly windowMs: number }): void;
}

export function createLookupLimit(clock: Clock): LookupLimit {
  const seen = new LRUCache<string, number[]>({ max: ADDRESSES_MAX });
  return {
    take(address, { calls, windowMs }) {
      const now = clock.elapsed();
      const recent = (seen.get(address) ?? []).filter((time) => time > now - windowMs);
      if (recent.length >= calls) {
        throw new GatewayError(
          'too_many_lookups',
          `At most ${calls} lookups without a key every ${Math.round(windowMs / 1000)} seconds. Send your own API key, or wait.`,
        );
      }
      seen.set(address, [...recent, now]);
    },
  };
}
