/**
 * Records the requests and replies of one caller, masked, for as long as an operator wants. Nothing is written to disk. What was recorded stays
 * in memory until the recording is stopped, or another one starts after its end. Without a recording this costs a request one look at the
 * size of an empty map.
 */
import { InexactNumber } from '../domain/json';
import type { LegacyFields, LegacyHeaders, LegacyRequest, LegacyValue } from '../domain/legacy';
import type { MaskedField, RecordedRequest, Recordings } from '../domain/recorded-request';
import { digitsIn, keepName } from '../domain/shown-words';
import type { Served } from '../gateway/gateway';
import { fieldKindOf } from '../traffic/shape-of';
import { detailOf, pathOf } from './observer';

/** Most callers that are recorded at a time. */
const CALLERS_MAX = 5;
const FIELDS_MAX = 60;
/** The last two digits are shown only of numbers that are at least so long: of a PIN (four to six digits) they would tell too much. */
const TAIL_DIGITS_MIN = 8;
const STATUS_WORD = /^[a-z_ -]{1,20}$/i;

export type Unnumbered = Omit<RecordedRequest, 'number'>;

/** In each process that sells: masks the requests of recorded callers and passes each to `keep`. */
export class RequestNoter {
  readonly #untilMs = new Map<string, number>();
  readonly #showId: (id: string) => string;
  readonly #keep: (fingerprint: string, recorded: Unnumbered) => void;

  constructor(showId: (id: string) => string, keep: (fingerprint: string, recorded: Unnumbered) => void) {
    this.#showId = showId;
    this.#keep = keep;
  }

  /** Records until then (ms since the epoch); undefined stops. */
  record(fingerprint: string, untilMs: number | undefined): void {
    if (untilMs === undefined) this.#untilMs.delete(fingerprint);
    else this.#untilMs.set(fingerprint, untilMs);
  }

  note(request: LegacyRequest, served: Served, receivedAtMs: number): void {
    if (this.#untilMs.size === 0 || served.fingerprint === undefined) return;
    const untilMs = this.#untilMs.get(served.fingerprint);
    if (untilMs === undefined) return;
    const now = Date.now();
    if (now > untilMs) return this.record(served.fingerprint, undefined);
    try {
      this.#keep(served.fingerprint, maskRequest(request, served, receivedAtMs, now - receivedAtMs, this.#showId));
    } catch {
      // An error of a recording changes no reply.
    }
  }
}

/** Once for all processes: holds the recorded requests, and ends a recording after its time or its number of requests. */
export class KeptRecordings implements Recordings {
  readonly #recordings = new Map<string, { untilMs: number; max: number; readonly requests: RecordedRequest[] }>();
  readonly #onChange: (fingerprint: string, untilMs: number | undefined) => void;

  /** `onChange` tells the selling processes until when to record a caller; undefined stops. */
  constructor(onChange: (fingerprint: string, untilMs: number | undefined) => void) {
    this.#onChange = onChange;
  }

  start(fingerprint: string, forMs: number, max: number): number | undefined {
    this.#forgetOld();
    const untilMs = Date.now() + forMs;
    const running = this.#recordings.get(fingerprint);
    if (running === undefined && this.#recordings.size >= CALLERS_MAX) return undefined;
    if (running === undefined) this.#recordings.set(fingerprint, { untilMs, max, requests: [] });
    else Object.assign(running, { untilMs, max: running.requests.length + max });
    this.#onChange(fingerprint, untilMs);
    return untilMs;
  }

  stop(fingerprint: string): void {
    this.#recordings.delete(fingerprint);
    this.#onChange(fingerprint, undefined);
  }

  add(fingerprint: string, recorded: Unnumbered): void {
    const recording = this.#recordings.get(fingerprint);
    if (recording === undefined || recording.requests.length >= recording.max) return;
    recording.requests.push({ number: recording.requests.length + 1, ...recorded });
    if (recording.requests.length >= recording.max) this.#onChange(fingerprint, undefined);
  }

  read(fingerprint: string, after: number): { isOver: boolean; requests: readonly RecordedRequest[] } | undefined {
    const recording = this.#recordings.get(fingerprint);
    if (recording === undefined) return undefined;
    const { untilMs, max, requests } = recording;
    return { isOver: Date.now() > untilMs || requests.length >= max, requests: requests.slice(after) };
  }

  /** The current recordings, for a process that begins to serve. */
  underWay(): readonly (readonly [fingerprint: string, untilMs: number])[] {
    return [...this.#recordings]
      .filter(([, { max, requests }]) => requests.length < max)
      .map(([fingerprint, { untilMs }]) => [fingerprint, untilMs] as const);
  }

  /** Removes recordings that ended a while ago: they have been read by then. */
  #forgetOld(): void {
    for (const [fingerprint, { untilMs }] of this.#recordings) if (Date.now() > untilMs + 60_000) this.stop(fingerprint);
  }
}

function maskRequest(
  request: LegacyRequest,
  served: Served,
  atMs: number,
  durationMs: number,
  showId: (id: string) => string,
): Unnumbered {
  const { headers } = request;
  const path = pathOf(request, served.parameters);
  const { operation, format, reason, family, outcome, refusal, order, reply } = served;
  return {
    ...{ atMs, durationMs, method: request.method.slice(0, 10), path, operation, format, reason, family, outcome },
    headers: Object.keys(headers.sent ?? {}).map((name) => keepName(name, headers)),
    fields: [...maskFields(request.body, 'body', headers), ...maskFields(request.query, 'query', headers)],
    requestId: order.requestId === undefined ? undefined : showId(order.requestId),
    refusedAs: refusal?.code,
    detail: refusal === undefined ? undefined : detailOf(refusal, request.path, path, headers),
    told: { httpStatus: reply.status, ...maskReply(reply.body, headers) },
  };
}

function maskReply(body: unknown, headers: LegacyHeaders): { words: Record<string, string>; fields: MaskedField[] } {
  const entries = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
  const isWord = ([name, value]: [string, unknown]): boolean =>
    name.toLowerCase() === 'status' && typeof value === 'string' && STATUS_WORD.test(value);
  return {
    words: Object.fromEntries(entries.filter(isWord)),
    fields: maskFields(new Map(entries.filter((entry) => !isWord(entry)) as [string, LegacyValue][]), 'reply', headers),
  };
}

function maskFields(fields: LegacyFields, place: MaskedField['place'], headers: LegacyHeaders): MaskedField[] {
  return [...fields].slice(0, FIELDS_MAX).map(([name, value]) => maskField(keepName(name, headers), place, value));
}

function maskField(name: string, place: MaskedField['place'], value: LegacyValue): MaskedField {
  const kind = fieldKindOf(value);
  if (value === null || typeof value === 'boolean') return { name, place, kind };
  if (kind === 'list' || kind === 'object') return { name, place, kind, length: Object.keys(value).length };
  const text = value instanceof InexactNumber ? value.text : typeof value === 'string' ? value : JSON.stringify(value);
  // A reply holds card PINs and tokens.
  const isLongNumber = place !== 'reply' && ['phone', 'digits', 'integer'].includes(kind) && digitsIn(text) >= TAIL_DIGITS_MIN;
  return { name, place, kind, length: text.length, ...(isLongNumber ? { endsWith: text.replace(/\D/g, '').slice(-2) } : {}) };
}
