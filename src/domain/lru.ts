/** Bounded maps. */
import { LRUCache } from 'lru-cache';

/**
 * A map of at most `max` entries that forgets the least recently used one. Entries older than `ttl` ms count as absent; the clock is
 * read once in `ttlResolution` ms.
 *
 * With `max` alone lru-cache fills arrays of that length at creation: 1.2 ms for ten thousand entries, and a gateway has thirty such
 * maps. With a size of one per entry the arrays grow with the entries. Reading and writing cost the same.
 */
export function createLru<Key extends NonNullable<unknown>, Value extends NonNullable<unknown>>(
  max: number,
  times: { readonly ttl?: number; readonly ttlResolution?: number } = {},
): LRUCache<Key, Value> {
  return new LRUCache<Key, Value>({ ...times, maxSize: max, sizeCalculation: sizeOfOne });
}

const sizeOfOne = (): number => 1;
