/**
 * Whether v1 is in trouble. A sign is what one exchange says about v1 itself, whatever it says about an order: the one
 * judgement of "is this v1, and is it well?", for calls of scripts and for probes alike. The state is what many signs come to.
 */
import type { Clock } from '../domain/clock';
import { parseJsonObject } from './answer-data';
import { type Answer, DEADLINE_PASSED, type Exchanged, type Failure, LEADS_BACK, NO_TURN, WRITTEN_TWICE } from './exchange';

/** `not_v1`: somebody answers, in a way that v1 never does. */
export type TroubleKind = 'unreachable' | 'silent' | 'not_v1' | 'failing';

export interface Trouble {
  readonly kind: TroubleKind;
  /** For the operator: what was seen, and what to look at. */
  readonly detail: string;
  /** Of an answer. */
  readonly httpStatus?: number;
  /** Of a failure. */
  readonly code?: string;
}

export type Sign = { readonly kind: 'well' } | Trouble;

export interface Asked {
  readonly host: string;
  /** From the host on, without values. */
  readonly path: string;
  readonly durationMs: number;
}

/** A call with hardly any time left proves no silence. */
const SILENCE_MS_MIN = 2_000;

/** A limit of ours, an end of ours, a machine out of something: none of it is v1's fault. */
const OURS: ReadonlySet<string> = new Set([
  WRITTEN_TWICE,
  NO_TURN,
  'UND_ERR_INVALID_ARG',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'EADDRNOTAVAIL',
]);

/** Statuses that a proxy in front of v1 gives to single requests: they say nothing about v1. */
const OF_ONE_REQUEST: ReadonlySet<number> = new Set([408, 413, 414, 425, 429, 431]);

/** Undefined when the exchange says nothing about v1. */
export function readSign(exchanged: Exchanged, asked: Asked): Sign | undefined {
  return exchanged.kind === 'answered' ? signOfAnswer(exchanged, asked) : signOfFailure(exchanged, asked);
}

function signOfAnswer({ httpStatus, text }: Answer, { host, path }: Asked): Sign | undefined {
  const trouble = (kind: TroubleKind, words: string): Trouble => ({ kind, httpStatus, detail: `${host} ${words}` });
  if (text.includes(LEADS_BACK))
    return trouble(
      'not_v1',
      'leads back to this gateway: UPSTREAM_URL must be the address of v1, not of a server in front of the gateway.',
    );
  if (httpStatus >= 500)
    return trouble('failing', `answers HTTP ${httpStatus} for ${path}: look at the log of v1, or of the proxy in front of it.`);
  const body = parseJsonObject(text);
  if (typeof body?.status === 'string') return { kind: 'well' };
  if (OF_ONE_REQUEST.has(httpStatus)) return undefined;
  // The specification does not show the whole body of these two (section 9); whoever judges keys in JSON is v1.
  if (body !== undefined && (httpStatus === 401 || httpStatus === 403)) return { kind: 'well' };
  if (httpStatus === 404)
    return trouble('not_v1', `answers 404 for ${path}, and not as v1 does: is the path of UPSTREAM_URL right?`);
  if (httpStatus >= 300 && httpStatus < 400)
    return trouble(
      'not_v1',
      `redirects ${path} (HTTP ${httpStatus}), which v1 never does: does UPSTREAM_URL name v1's own address?`,
    );
  const what = body !== undefined ? 'JSON that is not of v1' : text.trimStart().startsWith('<') ? 'a page (HTML)' : 'no JSON';
  return trouble('not_v1', `answers ${path} with HTTP ${httpStatus} and ${what}: is that v1, or something in front of it?`);
}

function signOfFailure({ isStarted, codes }: Failure, { host, path, durationMs }: Asked): Trouble | undefined {
  const code = codes[0] ?? 'NO_CODE';
  if (codes.some((one) => OURS.has(one))) return undefined;
  if (code === DEADLINE_PASSED) {
    if (!isStarted || durationMs < SILENCE_MS_MIN) return undefined;
    const seconds = Math.round(durationMs / 1_000);
    return {
      kind: 'silent',
      code,
      detail: `${host} took ${path} and gave no answer within ${seconds} s: is v1 overloaded or stuck?`,
    };
  }
  if (code.startsWith('HPE_'))
    return { kind: 'not_v1', code, detail: `${host} does not speak HTTP (${code}): is the port of UPSTREAM_URL right?` };
  return { kind: 'unreachable', code, detail: `${host} ${wordsFor(code)}` };
}

const WORDS: readonly (readonly [RegExp, (code: string) => string])[] = [
  [/^ECONNREFUSED$/, (code) => `takes no connection (${code}): is v1 running, and is the port of UPSTREAM_URL right?`],
  [
    /^(?:ENOTFOUND|EAI_)/,
    (code) => `has no address (${code}): is the name in UPSTREAM_URL spelt right, and does DNS work on this machine?`,
  ],
  [
    /CONNECT_TIMEOUT$|^ETIMEDOUT$|UNREACH$|DOWN$|^EACCES$|^EPERM$/,
    (code) => `cannot be reached (${code}): is it up, and does a firewall stand between?`,
  ],
  [
    /^ERR_(?:SSL|TLS)_|^EPROTO$/,
    (code) => `does not finish TLS (${code}): should UPSTREAM_URL begin with http:, or name another port?`,
  ],
  [
    /CERT|SIGNATURE|HOSTNAME_MISMATCH|^INVALID_/,
    (code) =>
      `shows a certificate that is not accepted (${code}): has it expired, is it for another name, or is its issuer unknown here?`,
  ],
];

function wordsFor(code: string): string {
  const words = WORDS.find(([pattern]) => pattern.test(code))?.[1];
  return words?.(code) ?? `broke the connection (${code}): does v1, or the proxy in front of it, restart?`;
}

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

/** One lost answer is no trouble, and one good answer is no end of it: both need more, so that the log does not swing. */
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
