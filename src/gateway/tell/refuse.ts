/**
 * Replies to requests that are refused: nothing was sent and nothing is charged. A refused question about orders is told only that
 * it was not answered. Also the reply for failures of the gateway itself, and the waiting times in replies.
 */
import { ERRORS, type GatewayError } from '../../domain/errors';
import { InexactNumber, type JsonObject, type JsonValue, textOf } from '../../domain/json';
import { headerOf, type LegacyHeaders, type LegacyReply, type LegacyRequest, type LegacyValue } from '../../domain/legacy';
import type { Mapping, Operation } from '../../mapping/mapping';
import { withoutSuccess } from '../../mapping/rules/read-as';
import { mergeReply, type OutcomeParts } from './merge-reply';
import { readRaw, readSpellings, SENT_LENGTH_MAX } from '../read/read-raw';
import type { Obstacle } from '../read/judge-visit';

export interface Refused {
  readonly mapping: Mapping;
  readonly request: LegacyRequest | undefined;
  /** Absent when the request was refused before its operation was known. */
  readonly operation?: Operation | undefined;
  readonly format?: string | undefined;
  /** The parts of the address that are fields. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

export function refuseRequest(error: GatewayError, refused: Refused): LegacyReply {
  const { mapping, operation, format } = refused;
  const echo = echoOf(refused);
  const requestId = idOf(refused, echo) ?? askedId(refused);
  // The text may have v1's message about a wrong PIN, or a name that the script sent.
  const text = withoutSuccess(error.detail) ?? `${ERRORS[error.code].title}.`;
  const roots: Record<string, JsonValue> = {
    refusal: { code: error.code, detail: text },
    sent: { request_id: requestId, echo },
    order: { request_id: requestId, echo },
  };
  return mergeReply({
    mapping,
    ...(operation === undefined ? {} : { operation }),
    format: format ?? [...mapping.formats.keys()][0] ?? '',
    ...(error.code !== 'sells_nothing' && asksAboutOrders(operation)
      ? unansweredParts(text, mapping, error.retryAfterSeconds)
      : { outcome: 'failure', http: error.status, text, retryAfterSeconds: error.retryAfterSeconds, isUnread: error.isUnread }),
    roots,
  });
}

/**
 * The reply "pending", because v1 may have charged: for a gateway that fails in the middle of an order, and for an order about which
 * the script may not be told. It uses only the status words of the mapping, so that it works whatever else has failed.
 */
export function pendingInWords(refused: Refused, text = refused.mapping.texts['unknown'] ?? ''): LegacyReply {
  const { http, status, Status } = refused.mapping.words.pending;
  const echo = echoOf(refused);
  const requestId = idOf(refused, echo);
  return {
    status: http,
    body: {
      status,
      Status,
      message: text,
      msg: text,
      api_response: text,
      response: text,
      'request-id': requestId,
      request_id: requestId,
      ...echo,
    },
  };
}

/** The id of the refused request, as sent: from the script's field, else from a header. */
function idOf({ request, mapping }: Refused, echo: JsonObject): JsonValue {
  const [sent] = Object.values(echo);
  return sent ?? (request === undefined ? null : (idInHeader(request.headers, mapping) ?? null));
}

export function idInHeader(headers: LegacyHeaders, { requestIdHeaders }: Pick<Mapping, 'requestIdHeaders'>): string | undefined {
  return requestIdHeaders.flatMap((name) => headerOf(headers, name) ?? [])[0];
}

/** The sent id by which an operator can search for a request without an order; undefined when the request has none. */
export function sentIdOf(refused: Refused): string | undefined {
  const { request, mapping, parameters = {} } = refused;
  if (request === undefined) return undefined;
  const own: LegacyValue | undefined = parameters['request_id'] ?? readSpellings(request, mapping.requestIdSpellings)[0]?.value;
  if (own instanceof InexactNumber) return own.text;
  const id = mayBeId(own) ? own : (idOf(refused, {}) ?? askedId(refused));
  return id === null ? undefined : textOf(id);
}

/** The id that a refused question about an order asked for. */
function askedId({ operation, request, parameters = {} }: Refused): JsonValue {
  const field = operation?.kind === 'status' ? operation.fields.find(({ as }) => as === 'order_id') : undefined;
  if (field === undefined || request === undefined) return null;
  const asked = parameters[field.name] ?? readRaw(request, field)[0]?.value;
  return mayBeId(asked) ? asked : null;
}

function echoOf({ request, mapping }: Refused): JsonObject {
  const sent = request === undefined ? [] : readSpellings(request, mapping.requestIdSpellings);
  return Object.fromEntries(sent.flatMap(({ spelling, value }) => (mayBeId(value) ? [[spelling, value]] : [])));
}

/** A longer value would be refused as an id. It is not repeated, because it may fill a whole body. */
function mayBeId(value: unknown): value is string | number | boolean {
  if (typeof value === 'string') return value.length <= SENT_LENGTH_MAX;
  return typeof value === 'number' || typeof value === 'boolean';
}

/**
 * One kind of script counts 404 as a failure after half an hour, others count every 4xx as a failure, and some count 200 alone as a
 * sale. 202 is neither a failure nor a sale to any of them.
 */
const UNANSWERED_STATUS = 202;

/**
 * The reply parts for a question about orders that cannot be answered: the key is refused, a limit is reached, v1 is away, or this key
 * has no such order (it may have been placed with a key that was replaced since). The order may be charged, so no script may read the
 * reply as a failure (decision 0025): it has the words of a pending order and a text with the reason.
 */
export function unansweredParts(said: string, mapping: Mapping, retryAfterSeconds?: number): OutcomeParts {
  const text = [asSentence(said), mapping.texts['unanswered'] ?? ''].filter((part) => part !== '').join(' ');
  return { outcome: 'pending', http: UNANSWERED_STATUS, text, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

/** v1's messages may lack the full stop that the sentence after them needs. */
const asSentence = (said: string): string => (/[\p{L}\p{N}]$/u.test(said) ? `${said}.` : said);

/** The reply parts for a repeated purchase whose key v1 does not accept at this address: pending, with v1's message if it refused. */
export function obstacleParts(obstacle: Obstacle, mapping: Mapping): OutcomeParts {
  const said = obstacle.kind === 'refused' ? (obstacle.message ?? '') : '';
  return { ...unansweredParts(said, mapping), http: mapping.words.pending.http };
}

/** Whether the operation asks about orders that were placed before. */
export function asksAboutOrders(operation: Operation | undefined): boolean {
  return operation?.kind === 'status' || operation?.kind === 'history';
}

/** The windows of v1's limits (specification, section 8), in seconds. After one window a limit has room again. */
const WINDOW_SECONDS = 60;
const LONGER_WINDOWS: Readonly<Record<string, number>> = {
  '/validate-cable': 5 * 60,
  '/validate-meter': 5 * 60,
  '/bulk_sms': 60 * 60,
};

/**
 * Adds the time to wait to reply parts, where v1's limit was reached or the gateway was overloaded. v1 may answer 429 without a time
 * (specification, section 7): the window of the limit on this path of v1 is used then.
 */
export function withWait(told: OutcomeParts, path: string): OutcomeParts {
  if (told.http !== 429 && (told.http !== 503 || told.retryAfterSeconds === undefined)) return told;
  const seconds = Math.max(1, Math.ceil(told.retryAfterSeconds ?? LONGER_WINDOWS[path] ?? WINDOW_SECONDS));
  return { ...told, retryAfterSeconds: seconds, text: `${asSentence(told.text)} Try again in ${waitText(seconds)}.` };
}

/** The time in words, rounded up. */
export function waitText(seconds: number): string {
  if (seconds > 120) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
