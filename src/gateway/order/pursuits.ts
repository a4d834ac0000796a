/** The pursuits of this process: a repeat joins the running pursuit of its order instead of starting another. */
import type { Clock } from '../../domain/clock';
import { createLru } from '../../domain/lru';
import { TransientMap } from '../../domain/transient-map';
import { isSameIntent, type NewOrder, type Order } from '../../domain/order';
import { isAttemptMarked } from '../../domain/outcome';
import { CROSSING_MS } from '../../journal/order-life';
import type { LostParts } from '../proof/find-lost';
import type { Pursuit } from './pursuit';
import { requestIdReused } from './used-ids';

export interface Pursuits {
  /**
   * The running pursuit of this order, if there is one. Rejects when another intent is under way under this request id, or when its twin, a request under
   * the same id, was refused after this one had come (`cameAtMs`, by `clock.elapsed()`), or just before: one would hear a failure, and the other would be sold.
   */
  join(order: NewOrder, cameAtMs: number): Promise<Pursuit> | undefined;
  /** Adds a pursuit, usually before the journal has opened its order. An `await` between `join` and `add` would let two requests begin the same. */
  add(order: NewOrder, pursuit: Promise<Pursuit>): Promise<Pursuit>;
  /** The running pursuit of an order, if there is one. */
  find(owner: string, requestId: string): Promise<Pursuit | undefined>;
  /** For looks into v1's history, which give no row to an order that is being sent (`LostParts` says what the words mean). */
  attemptOf: LostParts['pursuits']['attemptOf'];
  readonly size: number;
  /** How many running pursuits this owner has, and how many owners have some. */
  loadOf(owner: string): { readonly own: number; readonly owners: number };
  /** Ends all waiting: every script that waits gets its order as it is. */
  endWaiting(): void;
  /** Resolves when all that run now have ended. */
  drain(): Promise<void>;
}

/**
 * Whether a script may wait for the order, at this process or another. At another process no mark in the journal means yes: a hang-up, a "pending" and
 * the death of a process leave a mark.
 */
export async function mayBeAwaited({ owner, requestId, toldAtMs }: Order, pursuits: Pick<Pursuits, 'find'>): Promise<boolean> {
  return (await pursuits.find(owner, requestId))?.isAwaited ?? toldAtMs === undefined;
}

interface Running {
  readonly order: NewOrder;
  readonly pursuit: Promise<Pursuit>;
}

interface Refused extends Running {
  readonly atMs: number;
}

/** A twin comes within seconds, and waits at the door as long at most. */
const REFUSED_MAX = 5_000;

export function createPursuits(clock: Pick<Clock, 'elapsed'>): Pursuits {
  const running = new TransientMap<string, Running>();
  const refused = createLru<string, Refused>(REFUSED_MAX);
  const countOf = new Map<string, number>();
  const count = (owner: string, by: number): void => {
    const now = (countOf.get(owner) ?? 0) + by;
    if (now === 0) countOf.delete(owner);
    else countOf.set(owner, now);
  };
  const keyOf = (owner: string, requestId: string): string => `${owner}\0${requestId}`;
  const find: Pursuits['find'] = async (owner, requestId) => running.get(keyOf(owner, requestId))?.pursuit.catch(() => undefined);
  return {
    join(order, cameAtMs) {
      const key = keyOf(order.owner, order.requestId);
      const twin = refused.get(key);
      const found = running.get(key) ?? (twin !== undefined && twin.atMs > cameAtMs - CROSSING_MS ? twin : undefined);
      if (found === undefined || isSameIntent(found.order, order)) return found?.pursuit;
      return Promise.reject(requestIdReused());
    },
    add(order, pursuit) {
      const key = keyOf(order.owner, order.requestId);
      running.set(key, { order, pursuit });
      refused.delete(key);
      count(order.owner, 1);
      const forget = (): void => {
        running.delete(key);
        count(order.owner, -1);
      };
      const forgetRefused = (): void => {
        forget();
        refused.set(key, { order, pursuit, atMs: clock.elapsed() });
      };
      void pursuit.then((started) => void started.ended.then(forget), forgetRefused);
      return pursuit;
    },
    find,
    async attemptOf(order) {
      const pursuit = await find(order.owner, order.requestId);
      if (pursuit?.isLooking === false) return 'here';
      return isAttemptMarked(order.outcome) && pursuit?.isOnlyOf(order) !== true ? 'elsewhere' : undefined;
    },
    get size() {
      return running.size;
    },
    loadOf: (owner) => ({ own: countOf.get(owner) ?? 0, owners: countOf.size }),
    endWaiting() {
      for (const { pursuit } of running.values())
        void pursuit.then(
          (started) => started.endWaiting(),
          () => undefined,
        );
    },
    async drain() {
      await Promise.all(running.values().map(({ pursuit }) => pursuit.then((started) => started.ended).catch(() => undefined)));
    },
  };
}
