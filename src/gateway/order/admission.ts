/**
 * Refuses purchases while the gateway is overloaded. This happens before anything is written, so nothing is sent or charged, and
 * the script gets the refusal while it still waits. Questions are never refused here. (Decision 0055.)
 */
import { GatewayError, type Shed } from '../../domain/errors';
import type { HttpUpstream } from '../../upstream/http-upstream';
import type { V1Call } from '../../upstream/upstream';
import type { ParsedRequest } from '../read/walk-in';
import { waitText } from '../tell/refuse';
import type { Pursuits } from './pursuits';

export interface Admission {
  /** The refusal of this purchase; undefined when it is taken. */
  refusalOf(call: V1Call, parsed: Pick<ParsedRequest, 'credentials' | 'waitedMs' | 'patienceMs'>): GatewayError | undefined;
}

interface AdmissionParts {
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
