/**
 * A refusal in the script's own words: nothing was sent, nothing is charged. Of a question about orders it says nothing but
 * that it was not answered. And the words for when we ourselves fail.
 */
import type { GatewayError } from '../../domain/errors';
import { InexactNumber, textOf, type JsonObject, type JsonValue } from '../../domain/json';
import { headerOf, type LegacyHeaders, type LegacyReply, type LegacyRequest, type LegacyValue } from '../../domain/legacy';
import type { Mapping, Operation } from '../../mapping/mapping';
import { mergeReply } from './merge-reply';
import { readRaw, readSpellings } from '../read/read-raw';
import { asksAboutOrders, tellUnanswered } from './tell-unanswered';

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
