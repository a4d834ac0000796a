/**
 * Which purchases are turned away before anything is written, because the gateway has more to do than it can: nothing is sent,
 * nothing charged, and the script hears so while it still listens. Questions are never turned away here. (Decision 0055.)
 */
import { GatewayError } from '../../domain/errors';
import type { HttpUpstream } from '../../upstream/http-upstream';
import type { V1Call } from '../../upstream/upstream';
import type { ParsedRequest } from '../read/parsed-request';
import { waitText } from '../tell/tell-wait';
import type { Pursuits } from './pursuits';

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
      if (waitedMs >= WAITED_MAX_MS || waitedMs > patienceMs) return overloaded(RETRY_LATE_SECONDS);
      if (!hasPlace(credentials.fingerprint)) return overloaded(RETRY_FULL_SECONDS);
      const crowded = crowdedSeconds?.(call.path, credentials.fingerprint, patienceMs * CROWDED_PART_OF_PATIENCE);
      return crowded === undefined ? undefined : overloaded(crowded);
    },
  };
}

function overloaded(retryAfterSeconds: number): GatewayError {
  const detail = `There is too much to do right now. Nothing was sent and nothing was charged. Try again in ${waitText(retryAfterSeconds)}.`;
  return new GatewayError('overloaded', detail, { retryAfterSeconds });
}
