/** The pursuits of this process: a repeat joins the running pursuit of its order instead of starting another. */
import { TransientMap } from '../../domain/transient-map';
import { GatewayError, type Shed } from '../../domain/errors';
import { isSameIntent, type NewOrder } from '../../domain/order';
import type { Pursuit } from './pursuit';
import type { HttpUpstream } from '../../upstream/http-upstream';
import type { V1Call } from '../../upstream/upstream';
import type { ParsedRequest } from '../read/walk-in';
import { waitText } from '../tell/refuse';

export interface Pursuits {
  /** The running pursuit of this order, if there is one. Rejects when another intent is under way under this request id. */
  join(order: NewOrder): Promise<Pursuit> | undefined;
  /** Adds a pursuit, usually before the journal has opened its order. An `await` between `join` and `add` would let two requests begin the same. */
  add(order: NewOrder, pursuit: Promise<Pursuit>): Promise<Pursuit>;
  /** The running pursuit of an order, if there is one. */
  find(owner: string, requestId: string): Promise<Pursuit | undefined>;
  /** Whether an attempt of this order may be on its way to v1. */
  isSending(owner: string, requestId: string): Promise<boolean>;
  readonly size: number;
  /** How many running pursuits this owner has, and how many owners have some. */
  loadOf(owner: string): { readonly own: number; readonly owners: number };
  /** Ends all waiting: every script that waits gets its order as it is. */
  endWaiting(): void;
  /** Resolves when all that run now have ended. */
  drain(): Promise<void>;
}

interface Running {
  readonly order: NewOrder;
  readonly pursuit: Promise<Pursuit>;
}

export function createPursuits(): Pursuits {
  const running = new TransientMap<string, Running>();
  const countOf = new Map<string, number>();
  const count = (owner: string, by: number): void => {
    const now = (countOf.get(owner) ?? 0) + by;
    if (now === 0) countOf.delete(owner);
    else countOf.set(owner, now);
  };
  const keyOf = (owner: string, requestId: string): string => `${owner}\0${requestId}`;
  const find: Pursuits['find'] = async (owner, requestId) => running.get(keyOf(owner, requestId))?.pursuit.catch(() => undefined);
  return {
    join(order) {
      const found = running.get(keyOf(order.owner, order.requestId));
      if (found === undefined || isSameIntent(found.order, order)) return found?.pursuit;
      return Promise.reject(requestIdReused());
    },
    add(order, pursuit) {
      const key = keyOf(order.owner, order.requestId);
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
    loadOf: (owner) => ({ own: countOf.get(owner) ?? 0, owners: countOf.size }),
    endWaiting() {
      for (const { pursuit } of running.values())
        void pursuit.then(
          (started) => started.hurry(),
          () => undefined,
        );
    },
    async drain() {
      await Promise.all(running.values().map(({ pursuit }) => pursuit.then((started) => started.ended).catch(() => undefined)));
    },
  };
}

/** The refusal of a request id that belongs to another order. It happens: one old server family fills missing ids with the current second. */
export function requestIdReused(): GatewayError {
  return new GatewayError(
    'request_id_reused',
    'This request-id was already used for another order. Nothing was charged for this one: send it again with an id of its own.',
  );
}

/**
 * Refuses purchases while the gateway is overloaded. This happens before anything is written, so nothing is sent or charged, and
 * the script gets the refusal while it still waits. Questions are never refused here. (Decision 0055.)
 */

export interface Admission {
  /** The refusal of this purchase; undefined when it is taken. */
  refusalOf(call: V1Call, parsed: Pick<ParsedRequest, 'credentials' | 'waitedMs' | 'patienceMs'>): GatewayError | undefined;
}

export interface AdmissionParts {
  readonly pursuits: Pick<Pursuits, 'size' | 'loadOf'>;
  /** How many orders may be under way. */
  readonly ordersMax: number;
  /** Without it no purchase is refused because others wait for their turn at v1. */
  readonly crowdedSeconds?: HttpUpstream['crowdedSeconds'] | undefined;
}

/** A purchase that has waited so long is late for any script. It is also late when it has waited for half of its script's patience. */
const WAITED_MAX_MS = 10_000;
/** When this part of all places is taken, a key may have no more than its share. */
const CROWDED_PART = 0.5;
/**
 * A purchase waits for its turn at v1 for at most three eighths of its patience. If others have waited for this part of the patience
 * already, its turn will hardly come in time.
 */
const CROWDED_PART_OF_PATIENCE = 0.25;
const RETRY_LATE_SECONDS = 5;
/** Places are taken by open orders, which v1 finishes within minutes. */
const RETRY_FULL_SECONDS = 30;

export function createAdmission({ pursuits, ordersMax, crowdedSeconds }: AdmissionParts): Admission {
  const hasPlace = (owner: string): boolean => {
    const { size } = pursuits;
    if (size >= ordersMax) return false;
    if (size < ordersMax * CROWDED_PART) return true;
    const { own, owners } = pursuits.loadOf(owner);
    return own < ordersMax / (own === 0 ? owners + 1 : owners);
  };
  return {
    refusalOf(call, { credentials, waitedMs, patienceMs }) {
      // The script would hang up before the reply: v1 would sell, and the script would refund. `patienceMs` is what is left of its patience.
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
