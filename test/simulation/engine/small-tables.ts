/** Tables that are full: each bounded table holds a small part of what it may hold, and forgets the rest. */
import { LRUCache } from 'lru-cache';

/** Runs the work while each table holds one entry for `scale` that it may have, at least one. One run at a time, as for `sealed`. */
export async function withSmallTables<T>(scale: number | undefined, run: () => Promise<T>): Promise<T> {
  if (scale === undefined) return run();
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const { set } = LRUCache.prototype;
  LRUCache.prototype.set = function (...entry) {
    set.apply(this, entry);
    while (this.size > Math.max(1, Math.floor(this.maxSize / scale))) this.pop();
    return this;
  };
  try {
    return await run();
  } finally {
    LRUCache.prototype.set = set;
  }
}
