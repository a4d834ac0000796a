/** Bounded maps. */
import { LRUCache } from 'lru-cache';

/**
 * A map of at most `max` entries that forgets the least recently used one, and tells `onForgotten`. Entries older than `ttl` ms count as absent; the clock
 * is read once in `ttlResolution` ms. With `sizeOf` the sizes of all entries together are at most `max`.
 *
 * With `max` alone lru-cache fills arrays of that length at creation: 1.2 ms for ten thousand entries, and a gateway has thirty such
 * maps. With a size of one per entry the arrays grow with the entries. Reading and writing cost the same.
 */
export function createLru<Key extends NonNullable<unknown>, Value extends NonNullable<unknown>>(
  max: number,
  { onForgotten, sizeOf = sizeOfOne, ...times }: LruOptions<Key, Value> = {},
): LRUCache<Key, Value> {
  const dispose =
    onForgotten && ((value: Value, key: Key, reason: LRUCache.DisposeReason) => reason === 'evict' && onForgotten(key, value));
  return new LRUCache<Key, Value>({ ...times, ...(dispose && { dispose }), maxSize: max, sizeCalculation: sizeOf });
}

interface LruOptions<Key, Value> {
  readonly ttl?: number;
  readonly ttlResolution?: number;
  readonly sizeOf?: (value: Value) => number;
  readonly onForgotten?: (key: Key, value: Value) => void;
}

const sizeOfOne = (): number => 1;
