import type { Store } from '../store/store';
import type { FinalStatus } from './order';

/** How the provider treats an order, at once and later. */
export interface Course {
  readonly first: FinalStatus | 'pending';
  readonly later?: { readonly afterMs: number; readonly result: FinalStatus };
  readonly toldWhenAsked?: FinalStatus;
  /** Until the order is final, receipt and history call it `processing` instead of `pending`. */
  readonly isProcessing?: true;
}

/** How the reply to the caller is spoilt. */
export type Fault = 'reset' | 'cut' | 'error-500' | 'slow' | 'html-502' | 'too-many';

/** `digits` are the last four digits of a phone, meter or smartcard number that select the mood. Without a course nothing is charged. */
export type Mood =
  | { readonly digits?: string; readonly course: Course; readonly fault?: Fault }
  | { readonly digits?: string; readonly course?: undefined; readonly fault: Fault };

export const SLOW_MS = 12_000;
const LATE_MS = 5_000;
const SUCCESS: Course = { first: 'success' };

/** Every mood. A mood without digits is selected only by name: with `mood.<name>.` in front of a request_id, or by the admin call. */
export const MOODS = {
  decline: { digits: '0000', course: { first: 'failed' } },
  'late-success': { digits: '0001', course: { first: 'pending', later: { afterMs: LATE_MS, result: 'success' } } },
  'late-failure': { digits: '0002', course: { first: 'pending', later: { afterMs: LATE_MS, result: 'failed' } } },
  pending: { digits: '0003', course: { first: 'pending' } },
  'reset-after-charge': { digits: '0004', course: SUCCESS, fault: 'reset' },
  'error-after-charge': { digits: '0005', course: SUCCESS, fault: 'error-500' },
  'cut-after-charge': { digits: '0006', course: SUCCESS, fault: 'cut' },
  slow: { digits: '0007', course: SUCCESS, fault: 'slow' },
  'html-502': { digits: '0008', fault: 'html-502' },
  'reset-before-charge': { digits: '0009', fault: 'reset' },
  processing: {
    digits: '0010',
    course: { first: 'pending', isProcessing: true, later: { afterMs: LATE_MS, result: 'success' } },
  },
  'too-many': { fault: 'too-many' },
  'recheck-success': { course: { first: 'pending', toldWhenAsked: 'success' } },
  'recheck-failure': { course: { first: 'pending', toldWhenAsked: 'failed' } },
} as const satisfies Record<string, Mood>;

export type MoodName = keyof typeof MOODS;

const NO_MOOD: Mood = { course: SUCCESS };

const BY_DIGITS: ReadonlyMap<string, MoodName> = new Map(
  Object.entries(MOODS).flatMap(([name, mood]) => ('digits' in mood ? [[mood.digits, name as MoodName]] : [])),
);

/** The mood that the purchase itself selects. A name in its request_id goes before the digits of its number. */
function moodOf(requestId: string | null, number: string): MoodName | undefined {
  const named = requestId === null ? undefined : /^mood\.([a-z0-9-]+)\./.exec(requestId)?.[1];
  if (named !== undefined && isMoodName(named)) return named;
  return BY_DIGITS.get(number.slice(-4));
}

export function isMoodName(name: string): name is MoodName {
  return Object.hasOwn(MOODS, name);
}

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

  /** Gives the next `calls` purchases of this wallet this mood, whatever their numbers are. Zero calls cancel it. */
  order(walletId: string, mood: MoodName, calls: number): void {
    if (calls > 0) this.#ordered.set(walletId, { mood, calls });
    else this.#ordered.delete(walletId);
  }

  /** The mood ordered for the next purchases of a wallet, and for how many; undefined if none is. */
  orderedFor(walletId: string): { readonly mood: MoodName; readonly calls: number } | undefined {
    return this.#ordered.get(walletId);
  }

  /**
   * The mood of this purchase. A mood strikes only the first request with a given request_id. If it charges, it leaves an
   * order, which a repeat finds. If it does not charge, the request_id is remembered here, and the repeat buys as usual.
   */
  take(walletId: string, requestId: string | null, number: string): Mood {
    const key = requestId === null ? undefined : `${walletId} ${requestId}`;
    if (key !== undefined && this.#struck.has(key)) return NO_MOOD;
    const name = this.#takeOrdered(walletId) ?? moodOf(requestId, number);
    if (name === undefined) return NO_MOOD;
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
