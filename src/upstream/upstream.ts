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
  /** The whole call, connect to last byte. */
  readonly timeoutMs: number;
  /** When its first byte must have left; what still waits for a connection then is never sent. Absent: the whole time. */
  readonly leaveWithinMs?: number;
  /** Asked when the first byte is about to leave: false, and it is never sent. */
  readonly mayLeave?: () => boolean;
  /** By which v1 may know it; each call is a child of its own. */
  readonly trace?: Trace | undefined;
}

/** What a call that moves no money came to. */
export type Finding =
  | {
      readonly kind: 'found';
      readonly body: JsonObject;
      /** v1's clock by its `Date` header; ms since the epoch. */
      readonly serverAtMs?: number;
    }
  /** v1 said no (4xx). */
  | {
      readonly kind: 'refused';
      readonly httpStatus: number;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
      readonly body: JsonObject;
    }
  /** No usable answer. With a time where there was too much to do, here or at v1: then another try is worth it. */
  | { readonly kind: 'unavailable'; readonly reason: string; readonly retryAfterSeconds?: number };

export interface Upstream {
  /**
   * Sends a purchase once, with the PIN (when there is one) and the request id added to its body, and never throws.
   * `not_sent` only when an allow-listed error proves that no byte left; every other trouble is `unknown`.
   */
  send(call: V1Call, requestId: string, context: CallContext): Promise<SentOutcome>;

  /** Makes a call that moves no money, and never throws. */
  find(call: V1Call, context: CallContext): Promise<Finding>;

  close(): Promise<void>;
}

/** An outcome, with what v1 said around it. */
export interface SentOutcome {
  readonly outcome: Outcome;
  /** v1 answered with an order it already had. */
  readonly isDuplicate: boolean;
  /** v1's whole answer, when there was a readable one. */
  readonly body?: { readonly [key: string]: JsonValue };
}
