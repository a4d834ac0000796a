/**
 * How long the time of day has run evenly. Proofs that rest on "so long ago" are worth nothing when somebody has set the
 * clock in between: a day may have passed on the wall and a second in truth.
 */
import type { Clock } from '../../domain/clock';

export interface Steadiness {
  /** Milliseconds since this was first asked, or since a clock that had been set was first seen. */
  steadyForMs(): number;
}

/** Clocks that are disciplined drift by milliseconds between two looks; what is more was set by somebody. */
const JUMP_MS = 2_000;

export function createSteadiness(clock: Clock): Steadiness {
  let seen: { readonly offsetMs: number; readonly sinceMs: number } | undefined;
  return {
    steadyForMs() {
      const elapsed = clock.elapsed();
      const offsetMs = clock.now() - elapsed;
      const isSteady = seen !== undefined && Math.abs(offsetMs - seen.offsetMs) <= JUMP_MS;
      seen = { offsetMs, sinceMs: isSteady ? seen!.sinceMs : elapsed };
      return elapsed - seen.sinceMs;
    },
  };
}
