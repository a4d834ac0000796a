/**
 * Learns how long the scripts of a key really wait. A script that hangs up before its reply has shown its limit. After two hang-ups
 * at about the same age the key is held for less than that, for this kind of caller. Only fingerprints, kinds and times are kept.
 * (Decision 0023.)
 */
import { type Clock, systemClock } from '../../domain/clock';
import { createLru } from '../../domain/lru';
import type { CallerKey, CallerKind, Operation } from '../../mapping/mapping';

export interface LearntEntry {
  readonly fingerprint: string;
  /** Kind of caller. */
  readonly kind: string;
  /** How long the scripts had waited when they hung up, the newest hang-up first. */
  readonly hangUpsMs: readonly number[];
  /** The learnt patience; undefined until two hang-ups agree. */
  readonly limitMs?: number;
}

export interface LearntPatience {
  limitOf(fingerprint: string, kind: string): number | undefined;
  /** A script of this key hung up `ageMs` after its purchase came in. False if that shows no limit. */
  hangUp(fingerprint: string, kind: string, ageMs: number): boolean;
  /** A script of this key got its whole reply `ageMs` after its purchase came in. True if none is known to have waited longer within a day. */
  answered(fingerprint: string, kind: string, ageMs: number): boolean;
  /** As `hangUp`, for a hang-up that another process met. */
  applyHangUp(fingerprint: string, kind: string, ageMs: number): void;
  entries(): readonly LearntEntry[];
}

/**
 * A connection that breaks sooner shows no limit: none of the scripts that were read gives up before five seconds. Most sales are answered
 * by then, so connections that break by accident during a sale often have similar ages.
 */
export const AGE_LEAST_MS = 4_000;
/** Two ages agree if they differ by at most a second, or by a tenth. */
const NEAR_MS = 1_000;
const NEAR_SHARE = 0.1;
/** The learnt patience is shorter than the hang-up by this much: time for v1's last answer and for the reply to arrive. */
const MARGIN_MS = 500;
const MARGIN_SHARE = 0.1;
const HANG_UPS_MAX = 4;
/** For how long a script that waited longer and got its reply disproves a shorter limit. Not for ever, because a script may be edited. */
const DISPROVES_MS = 24 * 3_600_000;
export const ENTRIES_MAX = 2_000;

export function createLearntPatience(
  known: readonly LearntEntry[] = [],
  onHangUp: (kind: string, entries: () => readonly LearntEntry[], isOwn: boolean) => void = () => undefined,
  clock: Pick<Clock, 'elapsed'> = systemClock,
): LearntPatience {
  const learnt = new Map(known.slice(-ENTRIES_MAX).map((entry) => [keyOf(entry.fingerprint, entry.kind), entry]));
  /** By key and kind: the longest time after which a script got its reply. */
  const answers = createLru<string, { readonly ageMs: number; readonly atMs: number }>(ENTRIES_MAX);
  const answeredMs = (key: string): number => {
    const { ageMs = 0, atMs = 0 } = answers.get(key) ?? {};
    return clock.elapsed() - atMs < DISPROVES_MS ? ageMs : 0;
  };
  const entries = (): readonly LearntEntry[] => [...learnt.values()];
  const learn = (fingerprint: string, kind: string, ageMs: number): boolean => {
    const key = keyOf(fingerprint, kind);
    // Connections also break by accident, at any age. Among thousands of sales a day two such ages agree by chance, so longer waits disprove them.
    if (!isShown(ageMs) || ageMs < answeredMs(key) - NEAR_MS) return false;
    const entry = learnFrom(learnt.get(key) ?? { fingerprint, kind, hangUpsMs: [] }, Math.round(ageMs));
    // Deleted and set again, so that the map begins with the entry that was changed longest ago.
    learnt.delete(key);
    learnt.set(key, entry);
    const [oldest] = learnt.size > ENTRIES_MAX ? learnt.keys() : [];
    if (oldest !== undefined) learnt.delete(oldest);
    return true;
  };
  return {
    entries,
    limitOf: (fingerprint, kind) => learnt.get(keyOf(fingerprint, kind))?.limitMs,
    hangUp(fingerprint, kind, ageMs) {
      const isLearnt = learn(fingerprint, kind, ageMs);
      onHangUp(kind, entries, true);
      return isLearnt;
    },
    answered(fingerprint, kind, ageMs) {
      const key = keyOf(fingerprint, kind);
      const isLongest = isShown(ageMs) && ageMs > answeredMs(key);
      if (isLongest) answers.set(key, { ageMs, atMs: clock.elapsed() });
      return isLongest;
    },
    applyHangUp(fingerprint, kind, ageMs) {
      learn(fingerprint, kind, ageMs);
      onHangUp(kind, entries, false);
    },
  };
}

function learnFrom(entry: LearntEntry, ageMs: number): LearntEntry {
  const twin = entry.hangUpsMs.find((other) => Math.abs(other - ageMs) <= Math.max(NEAR_MS, NEAR_SHARE * Math.max(other, ageMs)));
  const hangUpsMs = [ageMs, ...entry.hangUpsMs].slice(0, HANG_UPS_MAX);
  if (twin === undefined) return { ...entry, hangUpsMs };
  return { ...entry, hangUpsMs, limitMs: Math.min(limitBelow(Math.min(twin, ageMs)), entry.limitMs ?? Infinity) };
}

/** False for a stored entry that an earlier build learnt from hang-ups before `AGE_LEAST_MS`. */
export function isSound({ hangUpsMs, limitMs = Infinity }: LearntEntry): boolean {
  return hangUpsMs.every(isShown) && limitMs >= limitBelow(AGE_LEAST_MS);
}

function isShown(ageMs: number): boolean {
  return ageMs >= AGE_LEAST_MS;
}

function limitBelow(ageMs: number): number {
  return Math.floor(ageMs - Math.max(MARGIN_MS, MARGIN_SHARE * ageMs));
}

function keyOf(fingerprint: string, kind: string): string {
  return `${fingerprint} ${kind}`;
}

export interface Patience {
  readonly ms: number;
  /** The mapping's patience, where the learnt one is shorter. */
  readonly insteadOfMs?: number;
}

/** The patience in callers.yaml for the key, if there is one; else the shorter one of the mapping's patience and the learnt one. */
export function patienceFor(
  operation: Operation,
  kind: CallerKind,
  callerKey: CallerKey | undefined,
  learntMs: number | undefined,
): Patience {
  const said = callerKey?.patienceOf(operation.name);
  if (said !== undefined) return { ms: said };
  const ms = operation.patienceMs[kind.name] ?? kind.patienceMs;
  return learntMs !== undefined && learntMs < ms ? { ms: learntMs, insteadOfMs: ms } : { ms };
}
