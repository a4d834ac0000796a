/**
 * How often receipts are read with one key. Each pending order asks again on its own, more and more seldom; thousands held at
 * once would ask v1 thousands of times a second all the same. The last reading before a script's patience ends is never put off.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock';

export interface ReceiptPace {
  /** Milliseconds until the key's next turn, which is thereby taken. */
  nextInMs(owner: string): number;
}

/** One reading in so many milliseconds: 200 a second. */
const EVERY_MS = 5;
const KEYS_MAX = 10_000;

export function createReceiptPace(clock: Pick<Clock, 'elapsed'>): ReceiptPace {
  const nextAtMs = new LRUCache<string, number>({ max: KEYS_MAX });
  return {
    nextInMs(owner) {
      const nowMs = clock.elapsed();
      const atMs = Math.max(nowMs, nextAtMs.get(owner) ?? 0);
      nextAtMs.set(owner, atMs + EVERY_MS);
      return atMs - nowMs;
    },
  };
}
