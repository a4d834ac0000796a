/**
 * All refusals of the gateway. The key is the code that scripts and operators see; its meaning never changes.
 * A refused request has sent no purchase, so nothing is charged for it.
 */
export const ERRORS = {
  unreadable_body: { status: 400, title: 'The request body cannot be read' },
  body_too_large: { status: 413, title: 'The request body is too large' },
  body_too_slow: { status: 408, title: 'The request body did not arrive in time' },
  repeated_field: { status: 400, title: 'One field is given twice' },
  conflicting_fields: { status: 400, title: 'Two spellings of one field have different values' },
  unknown_path: { status: 404, title: 'Nothing is served at this address' },
  wrong_method: { status: 405, title: 'This address does not take this method' },
  sells_nothing: { status: 400, title: 'This address does not sell that' },
  ambiguous_format: { status: 400, title: 'What a number means is not certain' },
  network_number_doubtful: { status: 400, title: 'The network number does not fit the phone number' },
  number_unlisted: { status: 400, title: 'The number is not among those set up for this key' },
  missing_credentials: { status: 401, title: 'No API key was sent' },
  bad_credentials: { status: 401, title: 'The API key or PIN is malformed' },
  bad_forwarded_address: { status: 400, title: 'The forwarded address cannot be read' },
  wrong_pin: { status: 400, title: 'The transaction PIN was wrong before' },
  pin_held: { status: 400, title: 'Other PINs of this key were wrong, and v1 has not accepted this one lately' },
  too_many_wrong_keys: { status: 429, title: 'Too many wrong API keys from this address' },
  too_many_lookups: { status: 429, title: 'Too many lookups without a key of their own' },
  caller_paused: { status: 403, title: 'Sales of this key are paused' },
  too_many_purchases: { status: 429, title: 'More purchases in a minute than this key may make' },
  daily_limit_reached: { status: 403, title: 'More money in a day than this key may spend' },
  missing_field: { status: 400, title: 'A required field is absent' },
  invalid_field: { status: 400, title: 'A field has an unusable value' },
  catalog_unavailable: { status: 503, title: 'The price list cannot be had right now' },
  request_id_reused: { status: 409, title: 'This request id belongs to another order' },
  request_id_used: { status: 400, title: 'The order with this request id was sold and told long ago' },
  order_unknown: { status: 404, title: 'No such order' },
  journal_unavailable: { status: 503, title: 'The journal cannot be written, so nothing was sent' },
  overloaded: { status: 503, title: 'Too busy right now, nothing was sent' },
  internal: { status: 500, title: 'The gateway itself failed' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** Why a purchase is refused under load: it got its turn too late, all places are taken, or too many wait for v1. */
export type Shed = 'late' | 'full' | 'crowded';

interface RefusalOptions {
  /** The reason of `overloaded`, for the operator. */
  readonly shed?: Shed;
  readonly field?: string;
  readonly retryAfterSeconds?: number;
  /** The journal could not be read: the request may repeat an order that was charged. */
  readonly isUnread?: boolean;
  readonly cause?: unknown;
}

/** A refusal. `detail` names the field or setting and what was expected, and never repeats a secret or a whole body. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly detail: string;
  /** The script's own name of the wrong field, if the refusal is about one. */
  readonly field: string | undefined;
  /** After how long the same request may succeed; undefined when waiting does not help, or the time is not known. */
  readonly retryAfterSeconds: number | undefined;
  readonly shed: Shed | undefined;
  readonly isUnread: boolean;

  constructor(code: ErrorCode, detail?: string, options: RefusalOptions = {}) {
    super(
      `${ERRORS[code].title}${detail === undefined ? '' : `: ${detail}`}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'GatewayError';
    this.code = code;
    this.detail = detail ?? `${ERRORS[code].title}.`;
    this.field = options.field;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.shed = options.shed;
    this.isUnread = options.isUnread === true;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

const UNREAD = 'Nothing was sent now. Whether an earlier request for the same was charged cannot be read at the moment.';

/** The refusal of a purchase of which the journal cannot show whether it repeats another one. */
export function unreadRefusal(cause: unknown): GatewayError {
  return new GatewayError('journal_unavailable', UNREAD, { cause, isUnread: true });
}
