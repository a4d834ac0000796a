/** The orders under way in this process: a repeat joins the one that runs instead of starting another. */
import { GatewayError, type Shed } from '../../domain/errors';
import { isSameIntent, type NewOrder } from '../../domain/order';
import type { Pursuit } from './pursuit';
import type { HttpUpstream } from '../../upstream/http-upstream';
import type { V1Call } from '../../upstream/upstream';
import type { ParsedRequest } from '../read/walk-in';
import { waitText } from '../tell/refuse';

export interface Pursuits {
  /** The running pursuit of this order, or a new one. Refuses when the id is under way with other content. */
  join(order: NewOrder, start: () => Promise<Pursuit>): Promise<Pursuit>;
  /** The running pursuit of an order, if there is one. */
  find(owner: string, requestId: string): Promise<Pursuit | undefined>;
  /** Whether anything of this order may be on its way to v1. */
  isSending(owner: string, requestId: string): Promise<boolean>;
  readonly size: number;
  /** How many of them are of this owner, and of how many owners they are. */
  crowd(owner: string): { readonly own: number; readonly owners: number };
  /** Lets every script that waits have its order as it stands. */
  hurry(): void;
  /** Resolves when all that run now have ended. */
  drain(): Promise<void>;
}

interface Running {
  readonly order: NewOrder;
  readonly pursuit: Promise<Pursuit>;
}

export function createPursuits(): Pursuits {
  const running = new Map<string, Running>();
  const countOf = new Map<string, number>();
  const count = (owner: string, by: number): void => {
    const now = (countOf.get(owner) ?? 0) + by;
    if (now === 0) countOf.delete(owner);
    else countOf.set(owner, now);
  };
  const keyOf = (owner: string, requestId: string): string => `${owner}\0${requestId}`;
  const find: Pursuits['find'] = async (owner, requestId) => running.get(keyOf(owner, requestId))?.pursuit.catch(() => undefined);
  return {
    join(order, start) {
      const key = keyOf(order.owner, order.requestId);
      const found = running.get(key);
      if (found !== undefined) return isSameIntent(found.order, order) ? found.pursuit : Promise.reject(requestIdReused());
      // In the map before the journal has answered: two at once must meet here.
      const pursuit = start();
      running.set(key, { order, pursuit });
      count(order.owner, 1);
      const forget = (): void => {
        running.delete(key);
        count(order.owner, -1);
      };
      void pursuit.then((started) => void started.ended.then(forget), forget);
      return pursuit;
    },
    find,
    isSending: async (owner, requestId) => (await find(owner, requestId))?.isLooking === false,
    get size() {
      return running.size;
    },
    crowd: (owner) => ({ own: countOf.get(owner) ?? 0, owners: countOf.size }),
    hurry() {
      for (const { pursuit } of running.values())
        void pursuit.then(
          (started) => started.hurry(),
          () => undefined,
        );
    },
    async drain() {
      await Promise.all(
        [...running.values()].map(({ pursuit }) => pursuit.then((started) => started.ended).catch(() => undefined)),
      );
    },
  };
}

/** The refusal of an id that belongs to another order: one old server family fills missing ids with the current second. */
export function requestIdReused(): GatewayError {
  return new GatewayError(
    'request_id_reused',
    'This request-id was already used for another order. Nothing was charged for this one: send it again with an id of its own.',
  );
}

/**
 * Which purchases are turned away before anything is written, because the gateway has more to do than it can: nothing is sent,
 * nothing charged, and the script hears so while it still listens. Questions are never turned away here. (Decision 0055.)
 */

export interface Admission {
  /** Why this purchase is turned away; undefined when it is taken in. */
  refusalOf(call: V1Call, parsed: Pick<ParsedRequest, 'credentials' | 'waitedMs' | 'patienceMs'>): GatewayError | undefined;
}

export interface AdmissionParts {
  readonly pursuits: Pick<Pursuits, 'size' | 'crowd'>;
  /** How many orders may be under way. */
  readonly ordersMax: number;
  /** Without it none is turned away because others wait for their turn at v1. */
  readonly crowdedSeconds?: HttpUpstream['crowdedSeconds'] | undefined;
}

/** What has waited so long is late for everybody; those with little patience are late at half of it. */
const WAITED_MAX_MS = 10_000;
/** From this part of all places on a key has no more than its share. */
const CROWDED_PART = 0.5;
/** Of the patience. A purchase waits for its turn at v1 for three eighths of it at most: where others have waited so long, it will hardly come. */
const CROWDED_PART_OF_PATIENCE = 0.25;
const RETRY_LATE_SECONDS = 5;
/** Orders that are not over hold the places: v1 settles them in minutes. */
const RETRY_FULL_SECONDS = 30;

export function createAdmission({ pursuits, ordersMax, crowdedSeconds }: AdmissionParts): Admission {
  const hasPlace = (owner: string): boolean => {
    const { size } = pursuits;
    if (size >= ordersMax) return false;
    if (size < ordersMax * CROWDED_PART) return true;
    const { own, owners } = pursuits.crowd(owner);
    return own < ordersMax / (own === 0 ? owners + 1 : owners);
  };
  return {
    refusalOf(call, { credentials, waitedMs, patienceMs }) {
      // Its reply would come when nobody reads it any more: sold, and refunded by its script.
      if (waitedMs >= WAITED_MAX_MS || waitedMs > patienceMs) return overloaded('late', RETRY_LATE_SECONDS);
      if (!hasPlace(credentials.fingerprint)) return overloaded('full', RETRY_FULL_SECONDS);
      const crowded = crowdedSeconds?.(call.path, credentials.fingerprint, patienceMs * CROWDED_PART_OF_PATIENCE);
      return crowded === undefined ? undefined : overloaded('crowded', crowded);
    },
  };
}

function overloaded(shed: Shed, retryAfterSeconds: number): GatewayError {
  const detail = `There is too much to do right now. Nothing was sent and nothing was charged. Try again in ${waitText(retryAfterSeconds)}.`;
  return new GatewayError('overloaded', detail, { retryAfterSeconds, shed });
}
