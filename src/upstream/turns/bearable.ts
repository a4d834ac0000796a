/**
 * How many calls at a time something of v1 can bear. Everything, until it says that this is too much; then half of what it
 * had, and again half while that goes on. Afterwards it doubles again and again. Time alone lets it grow: a v1 that takes twelve
 * seconds for each call would otherwise need minutes to prove that it is well.
 */
export interface Bearable {
  /** How many now: a whole number, at least 1. */
  readonly now: () => number;
  /**
   * Takes note of a call that has ended. `wasTooMuch` when v1 showed that it had too much to do; `inUse` is how many calls
   * there were. `restMs` is the time for which v1 asked for less.
   */
  learn(wasTooMuch: boolean, begunAtMs: number, inUse: number, restMs?: number): void;
}

export interface BearableOptions {
  readonly most: number;
  readonly least: number;
  readonly doublesInMs: number;
  readonly now: () => number;
}

/** One call among many says little: too much it is when about every tenth says so. */
const LATEST_WEIGHT = 1 / 16;
const TOO_OFTEN = 0.1;
const REST_MS_MAX = 10_000;

export function createBearable({ most, least, doublesInMs, now }: BearableOptions): Bearable {
  let limit = most;
  /** When it was lowered last, and from when on it grows. */
  let loweredAtMs = -Infinity;
  let growsFromMs = -Infinity;
  let tooMuch = 0;

  const atPresent = (): number => {
    if (limit === most) return most;
    const grown = Math.floor(limit * 2 ** (Math.max(0, now() - growsFromMs) / doublesInMs));
    if (grown < most) return grown;
    return (limit = most);
  };

  return {
    now: atPresent,
    learn(wasTooMuch, begunAtMs, inUse, restMs = 0) {
      tooMuch += ((wasTooMuch ? 1 : 0) - tooMuch) * LATEST_WEIGHT;
      // What began before it was lowered tells of the same moment once more.
      if (!wasTooMuch || tooMuch < TOO_OFTEN || begunAtMs <= loweredAtMs) return;
      limit = Math.min(most, Math.max(least, Math.min(atPresent(), inUse) / 2));
      loweredAtMs = now();
      growsFromMs = loweredAtMs + Math.min(restMs, REST_MS_MAX);
    },
  };
}
