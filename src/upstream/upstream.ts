/** The v1 service as the gateway sees it. One call is one attempt; only `gateway/order/pursue.ts` sends a purchase again. */
import type { JsonObject, JsonValue } from '../domain/json';
import type { Credentials } from '../domain/credentials';
import type { Outcome } from '../domain/outcome';
import type { Trace } from '../domain/trace';

/** A call to v1 as the mapping built it. Paths are relative to the v1 base (`/airtime`). */
export interface V1Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

export interface CallContext {
  readonly credentials: Credentials;
  /** The script's address, sent as the one value of `X-Forwarded-For`. */
  readonly clientAddress: string;
  /** For the whole call, from connect to last byte. */
  readonly timeoutMs: number;
  /** By when the first byte must have left: a call that still waits for a connection then is never sent. Absent: `timeoutMs`. */
  readonly leaveWithinMs?: number;
  /** Called just before the first byte leaves; when it returns false, the call is never sent. */
  readonly mayLeave?: () => boolean;
  /** The trace that v1 is told; each call is a child span of its own. */
  readonly trace?: Trace | undefined;
}

/** The result of a call that moves no money. */
export type Finding =
  | {
      readonly kind: 'found';
      readonly body: JsonObject;
      /** v1's clock by its `Date` header; ms since the epoch. */
      readonly serverAtMs?: number;
    }
  /** v1 refused the call (4xx). */
  | {
      readonly kind: 'refused';
      readonly httpStatus: number;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
      readonly body: JsonObject;
    }
  /** No usable answer. `retryAfterSeconds` is set when there was too much to do, here or at v1: then a later attempt is worth it. */
  | { readonly kind: 'unavailable'; readonly reason: string; readonly retryAfterSeconds?: number };

export interface Upstream {
  /**
   * Sends a purchase once, with the PIN (when there is one) and the request id added to its body, and never throws.
   * `not_sent` only when an allow-listed error proves that no byte left; every other failure is `unknown`.
   */
  send(call: V1Call, requestId: string, context: CallContext): Promise<SentOutcome>;

  /** Makes a call that moves no money, and never throws. */
  find(call: V1Call, context: CallContext): Promise<Finding>;

  close(): Promise<void>;
}

/** An outcome, with the rest of v1's answer. */
export interface SentOutcome {
  readonly outcome: Outcome;
  /** v1 answered with an order it already had. */
  readonly isDuplicate: boolean;
  /** v1's whole answer, when there was a readable one. */
  readonly body?: { readonly [key: string]: JsonValue };
}
