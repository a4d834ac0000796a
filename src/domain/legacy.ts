/** What a script sent and what it gets back, free of HTTP machinery. */
import type { InexactNumber, JsonObject, JsonValue } from './json';
import type { Trace } from './trace';

/** One value as the script sent it: nested values keep their JSON form. */
export type LegacyValue = JsonValue | InexactNumber;

/** Fields by the script's own spelling, in the order in which they came. */
export type LegacyFields = ReadonlyMap<string, LegacyValue>;

export interface LegacyRequest {
  /** Upper case. */
  readonly method: string;
  /** Percent-decoded, single slashes, without query; the trailing slash is kept as sent (`/api/topup/`). */
  readonly path: string;
  /** As sent: what of it is a slash of the address, and what the slash in an order's id. Absent where that is the same. */
  readonly rawPath?: string;
  readonly query: LegacyFields;
  readonly body: LegacyFields;
  /** The body as it came, for what its way of writing shows. */
  readonly bytes?: Buffer;
  readonly headers: LegacyHeaders;
  /** The script's address as v1 must see it, already judged against the trusted proxies. */
  readonly clientAddress: string;
  /** By which other programs know this request. */
  readonly trace?: Trace | undefined;
}

/** A request as somebody saved or wrote it, before it is read. */
export interface SavedRequest {
  readonly method: string;
  /** Path and query as they stand on a request line. */
  readonly target: string;
  /** `Name: value`, as written. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** The few headers that carry meaning here. Absent ones are undefined. */
export interface LegacyHeaders {
  readonly authorization?: string | undefined;
  readonly token?: string | undefined;
  readonly userAgent?: string | undefined;
  /** All that were sent, by lower-case name: a mapping may name further ones. */
  readonly sent?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** A header that a mapping names, without blanks at its ends; undefined when it was not sent, or is empty. */
export function headerOf({ sent }: LegacyHeaders, name: string): string | undefined {
  const value = sent?.[name.toLowerCase()];
  const text = typeof value === 'string' ? value.trim() : value?.join(', ').trim();
  return text === '' ? undefined : text;
}

/** The connection over which a script waits for its reply. */
export interface Line {
  /** Milliseconds since the head of its request was read: what it waited for its turn, and its body took, counts for a script. */
  readonly ageMs: number;
  /** True once the script has hung up before its reply was handed over whole. */
  readonly hasHungUp: boolean;
  /** Runs once, at the end of the connection's part: true when the reply has been handed over whole. */
  onEnd(run: (isWhole: boolean) => void): void;
}

export interface LegacyReply {
  readonly status: number;
  readonly body: JsonObject | readonly JsonValue[];
  /** The body as it is sent, where that was prepared. */
  readonly text?: string;
  /** For `Retry-After`. */
  readonly retryAfterSeconds?: number;
}
