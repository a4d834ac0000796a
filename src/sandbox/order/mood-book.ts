import type { Store } from '../store/store';
import { FAIR, MOODS, moodOf, type Mood, type MoodName } from './mood';

interface Ordered {
  readonly mood: MoodName;
  calls: number;
}

/** Decides the mood of each purchase. */
export class MoodBook {
  readonly #store: Store;
  readonly #struck = new Set<string>();
  readonly #ordered = new Map<string, Ordered>();

  constructor(store: Store) {
    this.#store = store;
    for (const [key] of store.entries('struck')) this.#struck.add(key);
  }

  /** The next `calls` purchases of this wallet have this mood, whatever their numbers say. */
  order(walletId: string, mood: MoodName, calls: number): void {
    if (calls > 0) this.#ordered.set(walletId, { mood, calls });
    else this.#ordered.delete(walletId);
  }

  /**
   * A mood strikes the first request with a given request_id. One that charges leaves an order, which a repeat finds; one that
   * does not is remembered here, so that the repeat simply buys.
   */
  take(walletId: string, requestId: string | null, number: string): Mood {
    const key = requestId === null ? undefined : `${walletId} ${requestId}`;
    if (key !== undefined && this.#struck.has(key)) return FAIR;
    const name = this.#takeOrdered(walletId) ?? moodOf(requestId, number);
    if (name === undefined) return FAIR;
    const mood: Mood = MOODS[name];
    if (mood.course === undefined && key !== undefined) {
      this.#struck.add(key);
      this.#store.put('struck', key, 1);
    }
    return mood;
  }

  #takeOrdered(walletId: string): MoodName | undefined {
    const ordered = this.#ordered.get(walletId);
    if (ordered === undefined) return undefined;
    ordered.calls -= 1;
    if (ordered.calls === 0) this.#ordered.delete(walletId);
    return ordered.mood;
  }
}
