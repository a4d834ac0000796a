/** What v1 can bear, learnt from its answers to purchases: how many at a time, and whether it answers at all. */
import type { Clock } from '../../domain/clock';
import type { Outcome } from '../../domain/outcome';

/**
 * What was wrong with an attempt: v1 could not be reached, its answer was of no use (an error page, a reset, half a reply),
 * or none came in time.
 */
export type Trouble = 'unreachable' | 'unusable' | 'silent';

/** An answer without trouble may be a refusal. */
export function troubleOf(outcome: Outcome, isOutOfTime: boolean): Trouble | undefined {
  if (outcome.kind === 'not_sent') return 'unreachable';
  if (outcome.kind !== 'unknown') return undefined;
  return isOutOfTime ? 'silent' : 'unusable';
}

export interface Pace {
  /** How many repetitions may be in flight. */
  readonly limit: number;
  /** Takes note of an attempt that has ended; without trouble v1 has answered, be it with a refusal. */
  learn(trouble: Trouble | undefined, tookMs: number): void;
  /** While the circuit is open: milliseconds until the next probe may go. 0 otherwise. */
  nextProbeInMs(): number;
  /** A repetition goes out now; while the circuit is open it is the probe. */
  probed(): void;
}

const LIMIT_FIRST = 16;
const LIMIT_LEAST = 2;
const LIMIT_MOST = 128;
/** After an outage. It grows by one with each answer, so it doubles with each round. */
const LIMIT_AFTER_OUTAGE = 4;
/** v1 is slow while its latest answers take so many times as long as they usually do. */
const SLOW_FACTOR = 3;
const USUAL_WEIGHT = 0.01;
const LATEST_WEIGHT = 0.2;
/** So many attempts in a row with one kind of trouble open the circuit; one answer closes it. */
const OPEN_AFTER = 20;
/** A hanging call holds a connection of v1, a refused one costs it next to nothing. */
const PROBE_EVERY_MS: Readonly<Record<Trouble, number>> = { unreachable: 250, unusable: 500, silent: 2_000 };

export function createPace(clock: Clock): Pace {
  const runs: Record<Trouble, number> = { unreachable: 0, unusable: 0, silent: 0 };
  let limit = LIMIT_FIRST;
  let usualMs: number | undefined;
  let latestMs = 0;
  let probedAt = Number.NEGATIVE_INFINITY;

  const openFor = (): Trouble | undefined => (Object.keys(runs) as Trouble[]).find((kind) => runs[kind] >= OPEN_AFTER);

  const learnAnswer = (tookMs: number): void => {
    if (openFor() !== undefined) limit = LIMIT_AFTER_OUTAGE;
    runs.unreachable = runs.unusable = runs.silent = 0;
    if (usualMs === undefined) latestMs = usualMs = tookMs;
    usualMs += (tookMs - usualMs) * USUAL_WEIGHT;
    latestMs += (tookMs - latestMs) * LATEST_WEIGHT;
    limit = latestMs > usualMs * SLOW_FACTOR ? Math.max(LIMIT_LEAST, limit * 0.95) : Math.min(LIMIT_MOST, limit + 1);
  };

  return {
    get limit() {
      return limit;
    },
    learn(trouble, tookMs) {
      if (trouble === undefined) return learnAnswer(tookMs);
      runs[trouble] += 1;
      // Silence is what a v1 shows that has more to do than it can; an error page costs it little.
      if (trouble === 'silent') limit = Math.max(LIMIT_LEAST, limit * 0.7);
    },
    nextProbeInMs() {
      const trouble = openFor();
      return trouble === undefined ? 0 : Math.max(0, probedAt + PROBE_EVERY_MS[trouble] - clock.elapsed());
    },
    probed() {
      probedAt = clock.elapsed();
    },
  };
}
