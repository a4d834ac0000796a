/**
 * A refusal in the script's own words: nothing was sent, nothing is charged. Of a question about orders it says nothing but
 * that it was not answered. And the words for when we ourselves fail.
 */
import type { GatewayError } from '../../domain/errors';
import { InexactNumber, type JsonObject, type JsonValue, textOf } from '../../domain/json';
import { headerOf, type LegacyHeaders, type LegacyReply, type LegacyRequest, type LegacyValue } from '../../domain/legacy';
import type { Mapping, Operation } from '../../mapping/mapping';
import { mergeReply, type ReplyParts } from './merge-reply';
import { readRaw, readSpellings } from '../read/read-raw';
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
  const roots: Record<string, JsonValue> = {
    refusal: { code: error.code, detail: error.detail },
    sent: { request_id: requestId, echo },
    order: { request_id: requestId, echo },
  };
  return mergeReply({
    mapping,
    ...(operation === undefined ? {} : { operation }),
    format: format ?? [...mapping.formats.keys()][0] ?? '',
    ...(asksAboutOrders(operation)
      ? tellUnanswered(error.detail, mapping, error.retryAfterSeconds)
      : { outcome: 'failure', http: error.status, text: error.detail, retryAfterSeconds: error.retryAfterSeconds }),
    roots,
  });
}

/**
 * Pending, because v1 may have charged: when the gateway itself fails in the middle of an order, and of an order that is
 * not told. Made of nothing but words, so that whatever broke cannot break this as well.
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

/** What the script knows the refused request by: its own field, or the header in the place of one. */
function idOf({ request, mapping }: Refused, echo: JsonObject): JsonValue {
  const [sent] = Object.values(echo);
  return sent ?? (request === undefined ? null : (idInHeader(request.headers, mapping) ?? null));
}

export function idInHeader(headers: LegacyHeaders, { requestIdHeaders }: Pick<Mapping, 'requestIdHeaders'>): string | undefined {
  return requestIdHeaders.flatMap((name) => headerOf(headers, name) ?? [])[0];
}

/** The id under which a script and its operator look for a request that came to no order; undefined when it has none. */
export function sentIdOf(refused: Refused): string | undefined {
  const { request, mapping, parameters = {} } = refused;
  if (request === undefined) return undefined;
  const own: LegacyValue | undefined = parameters['request_id'] ?? readSpellings(request, mapping.requestIdSpellings)[0]?.value;
  if (own instanceof InexactNumber) return own.text;
  const id = isScalar(own) ? own : (idOf(refused, {}) ?? askedId(refused));
  return id === null ? undefined : textOf(id);
}

/** What a refused question about an order asked for. */
function askedId({ operation, request, parameters = {} }: Refused): JsonValue {
  const field = operation?.kind === 'status' ? operation.fields.find(({ as }) => as === 'order_id') : undefined;
  if (field === undefined || request === undefined) return null;
  const asked = parameters[field.name] ?? readRaw(request, field)[0]?.value;
  return isScalar(asked) ? asked : null;
}

function echoOf({ request, mapping }: Refused): JsonObject {
  const sent = request === undefined ? [] : readSpellings(request, mapping.requestIdSpellings);
  return Object.fromEntries(sent.flatMap(({ spelling, value }) => (isScalar(value) ? [[spelling, value]] : [])));
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/**
 * A question about orders that cannot be answered: the key is refused, a limit is reached, v1 is away, nobody of this key
 * knows the id (which may have been ordered with a key that was regenerated since). The order may be charged, so that what is
 * told must not be a failure to any requery (decision 0025): the words of an order under way, beside a text that says why.
 */

/**
 * Accepted, and no more. To one requery 404 is a failure after half an hour, to others every 4xx is; where 200 alone would be
 * a sale, 202 is none.
 */
const UNANSWERED_STATUS = 202;

export function tellUnanswered(
  said: string,
  mapping: Mapping,
  retryAfterSeconds?: number,
): Pick<ReplyParts, 'outcome' | 'http' | 'text' | 'retryAfterSeconds'> {
  const text = [asSentence(said), mapping.texts['unanswered'] ?? ''].filter((part) => part !== '').join(' ');
  return { outcome: 'pending', http: UNANSWERED_STATUS, text, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

/** v1's words may end without a full stop, and another sentence follows. */
const asSentence = (said: string): string => (/[\p{L}\p{N}]$/u.test(said) ? `${said}.` : said);

/** The repeat of a purchase by whom v1 does not accept: in v1's words where it refused, and as of an order under way. */
export function tellObstacle(obstacle: Obstacle, mapping: Mapping): ReturnType<typeof tellUnanswered> {
  const said = obstacle.kind === 'refused' ? (obstacle.message ?? '') : '';
  return { ...tellUnanswered(said, mapping), http: mapping.words.pending.http };
}

/** Whether what is told of this operation is told of orders that were placed before. */
function asksAboutOrders(operation: Operation | undefined): boolean {
  return operation?.kind === 'status' || operation?.kind === 'history';
}

/** v1 may refuse with 429 and name no time (specification, section 7). A script is told one all the same: when to come back. */

type Told = Pick<ReplyParts, 'outcome' | 'http' | 'text' | 'retryAfterSeconds'>;

/** The windows of v1's limits (specification, section 8), in seconds: when one has passed whole, there is room in it again. */
const WINDOW_SECONDS = 60;
const LONGER_WINDOWS: Readonly<Record<string, number>> = {
  '/validate-cable': 5 * 60,
  '/validate-meter': 5 * 60,
  '/bulk_sms': 60 * 60,
};

/** What is told of a call to this path of v1, with the time to wait when v1's limit was reached or there was too much to do. */
export function tellWait(told: Told, path: string): Told {
  if (told.http !== 429 && (told.http !== 503 || told.retryAfterSeconds === undefined)) return told;
  const seconds = Math.max(1, Math.ceil(told.retryAfterSeconds ?? LONGER_WINDOWS[path] ?? WINDOW_SECONDS));
  return { ...told, retryAfterSeconds: seconds, text: `${asSentence(told.text)} Try again in ${waitText(seconds)}.` };
}

/** Never less than the time itself. */
export function waitText(seconds: number): string {
  if (seconds > 120) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
