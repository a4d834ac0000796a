import type { Refusal } from './refusal';
import type { Fault } from './order/mood';

/** A request as the service sees it, HTTP taken off. */
export interface V1Request {
  readonly method: string;
  /** Below the base path, with a leading slash. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly authorization: string | undefined;
  /** The caller's address, or undefined when it cannot be told; then no allowlist holds it. */
  readonly address: string | undefined;
}

/** What the service says, not yet HTTP. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** What spoils the answer on its way. */
  readonly fault?: Fault;
  /** The answer speaks of an order, so it waits until that order is on disk. */
  readonly isAboutOrder?: boolean;
}

/** Section 7: a rejection is status `error` and a message, and nothing else that a caller could mistake for an order. */
export function refuse(refusal: Refusal): Answer {
  const { status, message, retryAfterSeconds, code } = refusal;
  const isNotFound = code === 'unknown_reference' || code === 'lookup_not_found';
  return {
    status,
    body: isNotFound ? { status: 'error', success: false, message } : { status: 'error', message },
    ...(retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(retryAfterSeconds) } }),
  };
}
