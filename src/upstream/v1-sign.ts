/**
 * What one exchange says about v1 itself, whatever it says about an order: the one judgement of "is this v1, and is it
 * well?", for calls of scripts and for probes alike. Pure.
 */
import { DEADLINE_PASSED, NO_TURN, WRITTEN_TWICE, type Answer, type Exchanged, type Failure } from './exchange';
import { parseJsonObject } from './reply-json';

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
