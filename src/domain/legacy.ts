/** A script's request and reply, without HTTP machinery. */
import type { InexactNumber, JsonObject, JsonValue } from './json';
import type { Trace } from './trace';

/** One value as the script sent it: nested values keep their JSON form. */
export type LegacyValue = JsonValue | InexactNumber;

/** Fields by the script's own spelling, in the order in which they were sent. */
export type LegacyFields = ReadonlyMap<string, LegacyValue>;

export interface LegacyRequest {
  /** Upper case. */
  readonly method: string;
  /** Percent-decoded, single slashes, without query; the trailing slash is kept as sent (`/api/topup/`). */
  readonly path: string;
  /** The path before percent-decoding: a slash inside an order's id may be `%2F` there. Absent where it is the same as `path`. */
  readonly rawPath?: string;
  readonly query: LegacyFields;
  readonly body: LegacyFields;
  /** The bytes of the body: signals may test how it is written. */
  readonly bytes?: Buffer;
  readonly headers: LegacyHeaders;
  /** The script's address as v1 must see it. Forwarded addresses were believed only from trusted proxies. */
  readonly clientAddress: string;
  /** The trace of this request in other programs. */
  readonly trace?: Trace | undefined;
}

/** A request that a person saved or wrote, before it is read. */
export interface SavedRequest {
  readonly method: string;
  /** Path and query as on a request line. */
  readonly target: string;
  /** `Name: value`, as written. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** The headers that the gateway uses. Absent ones are undefined. */
export interface LegacyHeaders {
  readonly authorization?: string | undefined;
  readonly token?: string | undefined;
  readonly userAgent?: string | undefined;
  /** All headers by lower-case name: a mapping may name further ones. */
  readonly sent?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The value of a header that a mapping names, trimmed; undefined when the header is absent or empty. */
export function headerOf({ sent }: LegacyHeaders, name: string): string | undefined {
  const value = sent?.[name.toLowerCase()];
  const text = typeof value === 'string' ? value.trim() : value?.join(', ').trim();
  return text === '' ? undefined : text;
}

/** The connection over which a script waits for its reply. */
export interface Line {
  /** Milliseconds since the head of the request was read. To the script, the wait for its turn and for the body counts as waiting. */
  readonly ageMs: number;
  /** How much longer the request may have waited unread, because this process stood still. */
  readonly heldUpMs?: number;
  /** True once the script has hung up before the whole reply was handed to the operating system. */
  readonly hasHungUp: boolean;
  /** Calls `run` once, when the script has hung up or the reply was handed over. `isWhole`: the whole reply was handed over. */
  onEnd(run: (isWhole: boolean) => void): void;
}

export interface LegacyReply {
  readonly status: number;
  readonly body: JsonObject | readonly JsonValue[];
  /** The body as text, where it was prepared. */
  readonly text?: string;
  /** The value of `Retry-After`. */
  readonly retryAfterSeconds?: number;
}
