/**
 * Which keys v1 has accepted at which addresses, and when: v1 lists the addresses of a key, so a list that one address
 * was given is no list for another. In memory and bounded; whoever is forgotten is judged by v1 again.
 */
import { LRUCache } from 'lru-cache';
import type { CallContext } from '../upstream/upstream';

export interface Visitors {
  /** v1 answered a call of this key from this address. */
  accept(visit: Visit): void;
  /** v1 refused one: it is not asked again for so long. */
  refuse(visit: Visit, pauseMs: number): void;
  pause(visit: Visit, pauseMs: number): void;
  /** v1 accepted it within the fresh time. */
  isFresh(visit: Visit): boolean;
  /** v1 accepted it within the stale time and has not refused it since. */
  isKnown(visit: Visit): boolean;
  isPaused(visit: Visit): boolean;
  /** Rises with every refusal of the key, at whatever address. */
  refusalsOf(visit: Visit): number;
}

export type Visit = Pick<CallContext, 'credentials' | 'clientAddress'>;

export interface VisitorTimes {
  readonly freshMs: number;
  readonly staleMs: number;
  readonly clock: () => number;
}

interface Visitor {
  readonly acceptedAtMs: number | undefined;
  readonly pausedUntilMs: number;
}

const VISITORS_MAX = 10_000;

export function createVisitors({ freshMs, staleMs, clock }: VisitorTimes): Visitors {
  const visitors = new LRUCache<string, Visitor>({ max: VISITORS_MAX });
  const refusals = new LRUCache<string, number>({ max: VISITORS_MAX });
  let refusedSoFar = 0;

  const ageOf = (visit: Visit): number => clock() - (visitors.get(visitorOf(visit))?.acceptedAtMs ?? -Infinity);
  return {
    accept: (visit) => void visitors.set(visitorOf(visit), { acceptedAtMs: clock(), pausedUntilMs: 0 }),
    refuse(visit, pauseMs) {
      refusedSoFar += 1;
      refusals.set(visit.credentials.fingerprint, refusedSoFar);
      visitors.set(visitorOf(visit), { acceptedAtMs: undefined, pausedUntilMs: clock() + pauseMs });
    },
    pause(visit, pauseMs) {
      const acceptedAtMs = visitors.peek(visitorOf(visit))?.acceptedAtMs;
      visitors.set(visitorOf(visit), { acceptedAtMs, pausedUntilMs: clock() + pauseMs });
    },
    isFresh: (visit) => ageOf(visit) < freshMs,
    isKnown: (visit) => ageOf(visit) < freshMs + staleMs,
    isPaused: (visit) => clock() < (visitors.peek(visitorOf(visit))?.pausedUntilMs ?? 0),
    refusalsOf: ({ credentials }) => refusals.get(credentials.fingerprint) ?? 0,
  };
}

export function visitorOf({ credentials, clientAddress }: Visit): string {
  return `${credentials.fingerprint} ${clientAddress}`;
}
