/** Which lookups were made lately, by name: of a key, of a network of callers. In memory and bounded. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../domain/clock';

const NAMES_MAX = 10_000;

export interface LookupCounts {
  add(name: string): void;
  /** How many within the window, and in how many milliseconds the oldest of them leaves it. */
  within(name: string, windowMs: number): { readonly count: number; readonly roomInMs: number };
}

/** Of one name at most `timesMax` are kept: more than any limit of v1. */
export function createLookupCounts(clock: Clock, timesMax = 100): LookupCounts {
  const seen = new LRUCache<string, readonly number[]>({ max: NAMES_MAX });
  return {
    add: (name) => void seen.set(name, [...(seen.get(name) ?? []).slice(1 - timesMax), clock.elapsed()]),
    within(name, windowMs) {
      const from = clock.elapsed() - windowMs;
      const recent = (seen.get(name) ?? []).filter((time) => time > from);
      return { count: recent.length, roomInMs: (recent[0] ?? from) - from };
    },
  };
}
