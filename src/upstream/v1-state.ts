/**
 * Judges whether v1 is in trouble. A sign is the evidence that one exchange gives about v1 itself, apart from any order: is this
 * v1, and does it work? Calls of scripts and probes are judged by the same rules. The state follows from many signs.
 */
import type { Clock } from '../domain/clock';
import { parseJsonObject } from './answer-data';
import {
  type HttpAnswer,
  DEADLINE_PASSED,
  encodingWords,
  type Exchanged,
  type Failure,
  NO_TURN,
  REPLY_TOO_LARGE,
  WRITTEN_TWICE,
} from './exchange';
import { LEADS_BACK } from './probe-v1';

/** `silent`: no answer in time. `not_v1`: an answer as v1 never gives. `failing`: a 5xx. */
export type TroubleKind = 'unreachable' | 'silent' | 'not_v1' | 'failing';

export interface Trouble {
  readonly kind: TroubleKind;
  /** For the operator: the observation and what to check. */
  readonly detail: string;
  /** Set when there was an answer. */
  readonly httpStatus?: number;
  /** Set when the exchange failed. */
  readonly code?: string;
}

export type Sign = { readonly kind: 'well' } | Trouble;

export interface Asked {
  readonly host: string;
  /** The path after the host, without values. */
  readonly path: string;
  readonly durationMs: number;
}

/** A shorter call without an answer is no sign of silence: it had too little time left. */
const SILENCE_MS_MIN = 2_000;

/** Failures that are not v1's fault: our own limits, our own shutdown, a machine without free resources. */
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

/** Statuses that a proxy in front of v1 gives to single requests: they are no sign of v1's state. */
const OF_ONE_REQUEST: ReadonlySet<number> = new Set([408, 413, 414, 425, 429, 431]);

/** The sign of one exchange; undefined when the exchange is no evidence about v1. */
export function readSign(exchanged: Exchanged, asked: Asked): Sign | undefined {
  return exchanged.kind === 'answered' ? signOfAnswer(exchanged, asked) : signOfFailure(exchanged, asked);
}

function signOfAnswer(answer: HttpAnswer, { host, path }: Asked): Sign | undefined {
  const { httpStatus, text } = answer;
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
  // The specification does not show the whole body of these two (section 9). Only v1 judges keys in JSON.
  if (body !== undefined && (httpStatus === 401 || httpStatus === 403)) return { kind: 'well' };
  if (httpStatus === 404)
    return trouble('not_v1', `answers 404 for ${path}, and not as v1 does: is the path of UPSTREAM_URL right?`);
  if (httpStatus >= 300 && httpStatus < 400)
    return trouble(
      'not_v1',
      `redirects ${path} (HTTP ${httpStatus}), which v1 never does: does UPSTREAM_URL name v1's own address?`,
    );
  const isPage = text.trimStart().startsWith('<');
  const what = body !== undefined ? 'JSON that is not of v1' : isPage ? 'a page (HTML)' : `no JSON${encodingWords(answer)}`;
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
  if (code === REPLY_TOO_LARGE) {
    const detail = `${host} answers ${path} with more than this gateway reads (${code}): is that v1, or something in front of it?`;
    return { kind: 'not_v1', code, detail };
  }
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

/** A probe shows only that v1 answers; a call of a script shows that v1 sells. */
export type SignSource = 'traffic' | 'probe';

export type Change =
  | { readonly kind: 'begun'; readonly trouble: Trouble }
  /** `trouble` is the last one seen; `count` is how many calls of scripts have met trouble. */
  | { readonly kind: 'ended'; readonly trouble: Trouble; readonly durationMs: number; readonly count: number };

interface V1State {
  /** Adds the sign of a call that took `durationMs`. Returns the change of state, if there is one. */
  note(sign: Sign, source: SignSource, durationMs: number): Change | undefined;
  /** `suspected`: bad signs, but too few to report trouble. */
  readonly level: 'well' | 'suspected' | 'trouble';
}

/** Trouble begins with so many bad signs in a row, not all in one moment: a proxy that restarts breaks many at once. */
const BAD_IN_A_ROW = 3;
const BAD_FOR_MS = 1_000;
/** Trouble ends with a good sign after so long without a bad one, or with so many good answers to scripts in a row. */
const SETTLED_MS = 5_000;
const GOOD_IN_A_ROW = 10;
/** Bad signs count no longer when the last one is so old. */
const FORGOTTEN_MS = 5 * 60_000;

/** One lost answer does not begin trouble, and one good answer does not end it: otherwise the log would report changes again and again. */
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

  /** A good probe ends only trouble that a probe can see: v1 unreachable, or trouble that a probe has met. */
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
    // A bad probe at the start of the process counts at once: this v1 has never been seen well.
    const isClear = bad >= BAD_IN_A_ROW && nowMs - firstBadAtMs >= BAD_FOR_MS;
    if (isBegun || !(isClear || (source === 'probe' && !wasEverWell))) return undefined;
    isBegun = true;
    return { kind: 'begun', trouble: sign };
  };

  return {
    note(sign, source, durationMs) {
      const nowMs = clock.elapsed();
      if (sign.kind === 'well') return noteWell(source, nowMs);
      // A call that began before the trouble ended gives a sign of the old trouble.
      return nowMs - durationMs < endedAtMs ? undefined : noteBad(sign, source, nowMs);
    },
    get level() {
      return isBegun ? 'trouble' : trouble === undefined ? 'well' : 'suspected';
    },
  };
}
