/** The addresses of callers whose key v1 has accepted lately. They do not wait behind strangers: neither for a turn, nor for a place. */
import { LRUCache } from 'lru-cache';
import { networkOf } from '../../domain/network-of';

const ADDRESSES_MAX = 5_000;
const LATELY_MS = 24 * 60 * 60 * 1_000;

export class KnownAddresses {
  readonly #lately = new LRUCache<string, true>({ max: ADDRESSES_MAX, ttl: LATELY_MS });

  /** v1 has accepted the key of a caller at this address. */
  add(address: string): void {
    this.#lately.set(networkOf(address), true);
  }

  /** True until v1 has accepted a key. */
  get isEmpty(): boolean {
    return this.#lately.size === 0;
  }

  has(address: string): boolean {
    return this.#lately.has(networkOf(address));
  }
}
