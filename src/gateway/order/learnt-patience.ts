/**
 * How long the scripts of a key really wait: one that hangs up before its answer has shown its limit. After two such at about
 * the same age the key is held below it, for that kind of caller. Fingerprints, kinds and times; nothing else is kept.
 * (Decision 0023.)
 */
import { type Clock, systemClock } from '../../domain/clock';
import { createLru } from '../../domain/lru';
import type { CallerKey, CallerKind, Operation } from '../../mapping/mapping';

export interface LearntEntry {
  readonly fingerprint: string;
  /** Kind of caller. */
  readonly kind: string;
  /** At what ages its scripts hung up, the newest first. */
  readonly hangUpsMs: readonly number[];
  /** How long they are held since; undefined while only one such is known. */
  readonly limitMs?: number;
}

export interface LearntPatience {
  limitOf(fingerprint: string, kind: string): number | undefined;
  /** A script of this key hung up so long after its purchase came in. False where that shows no limit. */
  hangUp(fingerprint: string, kind: string, ageMs: number): boolean;
  /** One had its whole reply so long after. */
  answered(fingerprint: string, kind: string, ageMs: number): void;
  /** The same, met by another process. */
  hear(fingerprint: string, kind: string, ageMs: number): void;
  entries(): readonly LearntEntry[];
}

/**
 * A connection that breaks sooner shows no limit: no script that was read gives up before five seconds, and most sales are answered by then, so
 * that lines which break in the middle of them have about the same age by themselves.
 */
export const AGE_LEAST_MS = 4_000;
/** About the same age: within a second, or a tenth. */
const NEAR_MS = 1_000;
const NEAR_SHARE = 0.1;
/** What the way of the reply, and v1's last answer, may take. */
const MARGIN_MS = 500;
const MARGIN_SHARE = 0.1;
const HANG_UPS_MAX = 4;
/** A script that waited longer, and had its reply, disproves a limit for so long: it may be edited. */
const DISPROVES_MS = 24 * 3_600_000;
export const ENTRIES_MAX = 2_000;

export function createLearntPatience(
  known: readonly LearntEntry[] = [],
  onHangUp: (kind: string, entries: () => readonly LearntEntry[], isOwn: boolean) => void = () => undefined,
  clock: Pick<Clock, 'elapsed'> = systemClock,
): LearntPatience {
  const learnt = new Map(known.slice(-ENTRIES_MAX).map((entry) => [keyOf(entry.fingerprint, entry.kind), entry]));
  /** By key and kind: the longest that a script of it has waited for a reply. */
  const answers = createLru<string, { readonly ageMs: number; readonly atMs: number }>(ENTRIES_MAX);
  const answeredMs = (key: string): number => {
    const { ageMs = 0, atMs = 0 } = answers.get(key) ?? {};
    return clock.elapsed() - atMs < DISPROVES_MS ? ageMs : 0;
  };
  const entries = (): readonly LearntEntry[] => [...learnt.values()];
  const learn = (fingerprint: string, kind: string, ageMs: number): boolean => {
    const key = keyOf(fingerprint, kind);
    // A line that breaks does so at any age, and thousands of sales a day make two of them alike.
    if (!isShown(ageMs) || ageMs < answeredMs(key) - NEAR_MS) return false;
    const entry = learnFrom(learnt.get(key) ?? { fingerprint, kind, hangUpsMs: [] }, Math.round(ageMs));
    // Set anew, so that the one heard of longest ago stands first.
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
      if (isShown(ageMs) && ageMs > answeredMs(key)) answers.set(key, { ageMs, atMs: clock.elapsed() });
    },
    hear(fingerprint, kind, ageMs) {
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

/** Earlier builds learnt from sooner hang-ups as well. */
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
  /** Set when it is shorter than the mapping says. */
  readonly insteadOfMs?: number;
}

/** The operator's word for a key stands; else whatever is shorter, the mapping's patience or what was learnt. */
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
