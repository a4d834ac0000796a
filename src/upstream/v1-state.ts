/**
 * Whether v1 is in trouble, by the signs of one call after another. One lost answer is no trouble, and one good answer
 * is no end of it: both need more, so that the log does not swing.
 */
import type { Clock } from '../domain/clock';
import type { Sign, Trouble } from './v1-sign';

/** A probe shows that somebody answers as v1 does; only a call of a script shows that it sells. */
export type SignSource = 'traffic' | 'probe';

export type Change =
  | { readonly kind: 'begun'; readonly trouble: Trouble }
  /** `trouble` is what was seen last, `count` how many calls of scripts met it. */
  | { readonly kind: 'ended'; readonly trouble: Trouble; readonly durationMs: number; readonly count: number };

export interface V1State {
  /** Takes in a sign of a call that took so long; gives what it changes. */
  note(sign: Sign, source: SignSource, durationMs: number): Change | undefined;
  /** `suspected`: something was wrong, too little to say so. */
  readonly level: 'well' | 'suspected' | 'trouble';
}

/** Trouble begins with so many bad signs in a row, not all in one moment: a proxy that restarts breaks many at once. */
const BAD_IN_A_ROW = 3;
const BAD_FOR_MS = 1_000;
/** It ends with a good sign after so long without a bad one, or with so many good answers to scripts in a row. */
const SETTLED_MS = 5_000;
const GOOD_IN_A_ROW = 10;
/** Where the last bad sign is as old as this, it is forgotten. */
const FORGOTTEN_MS = 5 * 60_000;

export function createV1State(clock: Pick<Clock, 'elapsed'>): V1State {
  let trouble: Trouble | undefined;
  let isBegun = false;
  let wasEverWell = false;
  let endedAtMs = -Infinity;
  let firstBadAtMs = 0;
  let lastBadAtMs = 0;
  let bad = 0;
  let badTraffic = 0;
  let good = 0;
  let hasProbeSeen = false;

  const forget = (): void => {
    trouble = undefined;
    isBegun = hasProbeSeen = false;
    bad = badTraffic = good = 0;
  };

  /** A good probe ends what a probe can see: no connection, or what a probe itself has met. */
  const isOver = (source: SignSource, quietMs: number): boolean => {
    if (quietMs >= FORGOTTEN_MS) return true;
    if (source === 'probe' && !hasProbeSeen && trouble?.kind !== 'unreachable') return false;
    return !isBegun || quietMs >= SETTLED_MS || (source === 'traffic' && good >= GOOD_IN_A_ROW);
  };

  const noteWell = (source: SignSource, nowMs: number): Change | undefined => {
    wasEverWell = true;
    if (trouble === undefined) return undefined;
    if (source === 'traffic') good += 1;
    if (!isOver(source, nowMs - lastBadAtMs)) return undefined;
    const ended: Change = { kind: 'ended', trouble, durationMs: nowMs - firstBadAtMs, count: badTraffic };
    const wasBegun = isBegun;
    forget();
    if (!wasBegun) return undefined;
    endedAtMs = nowMs;
    return ended;
  };

  const noteBad = (sign: Trouble, source: SignSource, nowMs: number): Change | undefined => {
    if (!isBegun && nowMs - lastBadAtMs >= FORGOTTEN_MS) forget();
    if (bad === 0) firstBadAtMs = nowMs;
    trouble = sign;
    lastBadAtMs = nowMs;
    bad += 1;
    good = 0;
    if (source === 'probe') hasProbeSeen = true;
    else badTraffic += 1;
    // A start is told at once: nobody has ever seen this v1 well.
    const isClear = bad >= BAD_IN_A_ROW && nowMs - firstBadAtMs >= BAD_FOR_MS;
    if (isBegun || !(isClear || (source === 'probe' && !wasEverWell))) return undefined;
    isBegun = true;
    return { kind: 'begun', trouble: sign };
  };

  return {
    note(sign, source, durationMs) {
      const nowMs = clock.elapsed();
      if (sign.kind === 'well') return noteWell(source, nowMs);
      // A call that hung since before the end tells of what is over.
      return nowMs - durationMs < endedAtMs ? undefined : noteBad(sign, source, nowMs);
    },
    get level() {
      return isBegun ? 'trouble' : trouble === undefined ? 'well' : 'suspected';
    },
  };
}
