import type { Fault } from './order/mood';

/** A request without its HTTP form. */
export interface V1Request {
  readonly method: string;
  /** Below the base path, with a leading slash. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly authorization: string | undefined;
  /** The caller's address; undefined if unknown, and then it is on no allowlist. */
  readonly address: string | undefined;
}

/** The answer to a request, before it becomes HTTP. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The fault that spoils the answer. */
  readonly fault?: Fault;
  /** Whether the answer is about an order; such an answer waits until the order is on disk. */
  readonly isAboutOrder?: boolean;
}

/**
 * Every refusal of v1, all without a charge (specification, section 7). The text becomes `message` of the reply. Texts that the
 * specification quotes are repeated literally.
 */
const REFUSALS = {
  not_json: { status: 400, text: () => 'The request body must be a JSON object.' },
  wrong_content_type: { status: 400, text: () => 'Content-Type must be application/json.' },
  body_too_large: { status: 400, text: () => 'The request body is too large.' },
  missing_field: { status: 400, text: (field) => `The ${field} field is required.` },
  invalid_field: { status: 400, text: (field, rule) => `The ${field} field ${rule}.` },
  wrong_pin: { status: 400, text: () => 'Invalid transaction PIN.' },
  insufficient_balance: { status: 400, text: () => 'Insufficient balance. Please top up your wallet.' },
  duplicate_request: { status: 400, text: () => 'Duplicate request detected' },
  prefix_mismatch: {
    status: 400,
    text: (phone, network) =>
      `${phone} looks like a line of another network (${network}). If the number was ported, set ported to true.`,
  },
  lookup_not_found: { status: 400, text: (what) => `The ${what} could not be verified.` },
  missing_key: { status: 401, text: () => 'An API key is required: Authorization: Bearer <API_KEY>.' },
  wrong_key: { status: 401, text: () => 'Invalid API key.' },
  account_suspended: { status: 401, text: () => 'This account is suspended.' },
  vendor_required: { status: 403, text: () => 'API access requires a vendor account.' },
  api_access_disabled: { status: 403, text: () => 'API access is disabled for this account.' },
  address_not_allowed: { status: 403, text: () => 'Requests from this IP address are not allowed.' },
  service_off: { status: 403, text: (service) => `The ${service} service is switched off at the moment.` },
  purchases_locked: { status: 403, text: () => 'Purchases are locked for 10 minutes after three wrong PINs.' },
  unknown_reference: { status: 404, text: () => 'Transaction not found.' },
  unknown_path: { status: 404, text: () => 'No such endpoint.' },
  wrong_method: { status: 405, text: (method) => `${method} is not allowed on this endpoint.` },
  too_many_requests: { status: 429, text: () => 'Too many requests. Please slow down.' },
  malformed_request: { status: 400, text: () => 'The request is not well-formed HTTP.' },
  request_too_slow: { status: 408, text: () => 'The request did not arrive in time.' },
  headers_too_large: { status: 431, text: () => 'The headers of the request are too large.' },
  internal: { status: 500, text: () => 'Internal error. Check the receipt before retrying a purchase.' },
} as const satisfies Record<string, { status: number; text: (a: string, b: string) => string }>;

export type RefusalCode = keyof typeof REFUSALS;

/** A refusal of v1. Nothing was charged. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly status: number;
  /** Seconds for the Retry-After header of a 429. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: RefusalCode, first = '', second = '', retryAfterSeconds?: number) {
    const { status, text }: { status: number; text: (a: string, b: string) => string } = REFUSALS[code];
    super(text(first, second));
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The answer to a request that buys nothing. `beside` is what stands beside its data. */
export function succeed(data: unknown, beside: Readonly<Record<string, unknown>> = {}): Answer {
  return { status: 200, body: { status: 'success', ...beside, data } };
}

/** Section 7: a rejection has status `error` and a message, and nothing that a caller could take for an order. */
export function refuse(refusal: Refusal): Answer {
  const { status, message, retryAfterSeconds, code } = refusal;
  const isNotFound = code === 'unknown_reference' || code === 'lookup_not_found';
  return {
    status,
    body: isNotFound ? { status: 'error', success: false, message } : { status: 'error', message },
    ...(retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(retryAfterSeconds) } }),
  };
}
