/** Step 10: the outcome, the order and the price list → the reply in the fields of the script's format. */
import type { JsonObject, JsonValue } from '../../domain/json';
import type { LegacyReply } from '../../domain/legacy';
import { isStandIn, type Order } from '../../domain/order';
import { deliveryOf, isProvenAbsent, type Outcome, type OutcomeKind, referenceOf, TOLD_AS } from '../../domain/outcome';
import type { CallerKey, Join, Mapping, Operation, ReplyBuilder, ReplyOutcome, Scope } from '../../mapping/mapping';
import { DEFAULT } from '../../mapping/compile-callers';
import { withoutSuccess } from '../../mapping/rules/read-as';
import { NULL_IN_FAILURE } from '../../mapping/shapes';
import { shownNumbers } from '../../mapping/shown-numbers';
import { isNo } from '../../upstream/answer-data';
import type { Finding } from '../../upstream/upstream';
import type { CatalogLists } from '../read/catalog-lists';
import type { ParsedRequest } from '../read/walk-in';

export interface ReplyParts {
  readonly mapping: Mapping;
  /** Absent when the operation is not known. The reply is then a refusal with the fields of all formats. */
  readonly operation?: Operation;
  readonly format: string;
  readonly outcome: ReplyOutcome;
  readonly http?: number | undefined;
  readonly text: string;
  readonly values?: JsonObject;
  /** The entry of the key in callers.yaml: the caller's own numbers, and the shapes of lists. */
  readonly callerKey?: CallerKey | undefined;
  /** By field: the number as sent, where the caller's own numbers gave it its meaning. */
  readonly ownNumbers?: Readonly<Record<string, number>> | undefined;
  readonly catalog?: CatalogLists | undefined;
  /** Further roots of expressions: order, v1, login, refusal… */
  readonly roots?: Readonly<Record<string, JsonValue>>;
  readonly retryAfterSeconds?: number | undefined;
  /** A refusal that proves nothing about an earlier request for the same: told in words of its own, with its own HTTP status in every family. */
  readonly isUnread?: boolean;
}

export function mergeReply(parts: ReplyParts): LegacyReply {
  const { mapping, operation, format, outcome, values = {}, catalog } = parts;
  const unread = parts.isUnread === true ? mapping.words.unread : undefined;
  const isOfOrder = operation?.kind === 'purchase' || operation?.kind === 'status';
  const words = unread ?? (isOfOrder ? orderWords(outcome, mapping) : mapping.words[outcome]);
  const ownHttp = outcome === 'failure' && unread === undefined ? mapping.failureHttp : undefined;
  const status = ownHttp ?? parts.http ?? mapping.words[outcome].http;
  const { numberOf, rowOf } = shownNumbers(mapping, format, parts.callerKey, parts.ownNumbers);
  const roots: Record<string, JsonValue> = { ...parts.roots };
  roots['words'] = { status: words.status, Status: words.Status };
  roots['http'] = status;
  roots['text'] = parts.text;
  if (catalog !== undefined) roots['catalog'] = catalog.lists;
  const plain: Scope = { fields: values, joins: {}, roots, format, numberOf };
  const isPlain = parts.callerKey === undefined && (mapping.formats.get(format)?.columns.size ?? 0) === 0;
  const unjoined: Scope = isPlain ? plain : { ...plain, rowOf };
  const scope = operation === undefined ? unjoined : joinRows(operation.joins, unjoined, catalog);
  const build = operation?.replies.get(format)?.[outcome] ?? mapping.refusal;
  const { retryAfterSeconds } = parts;
  const shape = operation === undefined || outcome !== 'success' ? undefined : listShapeName(operation, format, parts.callerKey);
  if (shape === undefined) return new BuiltReply(status, build, scope, retryAfterSeconds);
  const body = parts.callerKey!.lists.get(shape)!.build(build(scope), unjoined);
  return { status, body, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

/** The reply to a request in its own format, with its own values and the caller's own numbers. */
export function replyTo(
  { mapping, operation, format, intent, callerKey }: ParsedRequest,
  told: OutcomeParts & Pick<ReplyParts, 'values' | 'catalog' | 'roots'>,
): LegacyReply {
  return mergeReply({ mapping, operation, format, callerKey, ownNumbers: intent.ownNumbers, values: intent.values, ...told });
}

/** Scripts get `text`. `body` is for tools, and is built only when a tool reads it. */
class BuiltReply implements LegacyReply {
  readonly status: number;
  readonly text: string;
  readonly retryAfterSeconds?: number;
  readonly #build: ReplyBuilder;
  readonly #scope: Scope;

  constructor(status: number, build: ReplyBuilder, scope: Scope, retryAfterSeconds: number | undefined) {
    this.status = status;
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds;
    this.#build = build;
    this.#scope = scope;
    this.text = build.text(scope) ?? JSON.stringify(build(scope));
  }

  get body(): LegacyReply['body'] {
    return this.#build(this.#scope);
  }
}

function joinRows(joins: readonly Join[], scope: Scope, catalog: CatalogLists | undefined): Scope {
  if (joins.length === 0) return scope;
  const rows: Record<string, JsonValue | undefined> = {};
  for (const join of joins) rows[join.name] = joinRow(join, scope, catalog);
  return { ...scope, joins: rows };
}

function joinRow({ value, list, key }: Join, scope: Scope, catalog: CatalogLists | undefined): JsonValue | undefined {
  const wanted = value(scope) ?? null;
  const row = wanted === null ? undefined : catalog?.find(list, key, wanted);
  // The bought row is shown even if the caller no longer has a number of its own for it.
  return row === undefined || scope.rowOf === undefined ? row : (scope.rowOf(list, row) ?? { ...row, id: null });
}

/** The name of the caller's shape for a list: that of the operation, or the default one if the list is a bare array. */
export function listShapeName(operation: Operation, format: string, callerKey: CallerKey | undefined): string | undefined {
  if (callerKey === undefined || operation.kind !== 'list') return undefined;
  const isBare = operation.replies.get(format)?.success.sources[0]?.field === '';
  return [operation.name, ...(isBare ? [DEFAULT] : [])].find((name) => callerKey.lists.has(name));
}

/** The reply parts that follow from an outcome alone, whatever was ordered. */
export type OutcomeParts = Pick<ReplyParts, 'outcome' | 'http' | 'text' | 'retryAfterSeconds' | 'isUnread'>;

export function outcomeParts(outcome: Outcome, mapping: Mapping): OutcomeParts {
  // Goods cannot be shown right now, so the success is told as pending: the script would deliver an empty PIN.
  const isUndelivered = outcome.kind === 'succeeded' && outcome.delivery?.goodsMissing === true;
  const kind: OutcomeKind = isUndelivered ? 'pending' : outcome.kind;
  const told = TOLD_AS[kind];
  const message = 'message' in outcome && !isUndelivered ? outcome.message : undefined;
  // No text beside a failure or "pending" may read as a success. The mapping's texts were checked at load; v1's message is checked here.
  const said = message === undefined || told === 'success' ? message : withoutSuccess(message);
  const isAbsent = isProvenAbsent(outcome);
  const text = said === undefined || said === '' ? (mapping.texts[isAbsent ? 'absent' : kind] ?? kind) : said;
  return {
    outcome: told,
    text,
    http: outcome.kind === 'rejected' ? outcome.httpStatus : orderWords(told, mapping).http,
    ...(outcome.kind === 'rejected' && outcome.retryAfterSeconds !== undefined
      ? { retryAfterSeconds: outcome.retryAfterSeconds }
      : {}),
  };
}

/** The words and the HTTP status of an order. */
export function orderWords(told: ReplyOutcome, { saleWords, words }: Mapping): Mapping['words'][ReplyOutcome] {
  return told === 'success' && saleWords !== undefined ? saleWords : words[told];
}

/** The reply parts for a question about an order. The HTTP status is that of an answered question; only the status words show the outcome. */
export function questionParts(outcome: Outcome, mapping: Mapping): OutcomeParts {
  const told = outcomeParts(outcome, mapping);
  return told.outcome === 'success' ? told : { ...told, http: mapping.words.success.http };
}

/** v1 gave no answer: 503 with the failure words. A lookup charges nothing, so a failure is safe. */
const UNAVAILABLE_STATUS = 503;
const TOO_BUSY = 'There is too much to do right now. Nothing was checked.';
/** For refusals without a message of v1: the text of `not_found` would say that the number does not exist. */
const DEFAULT_REFUSAL_TEXTS: Readonly<Record<number, string>> = {
  401: 'The API key was refused. Nothing was checked.',
  403: 'The API key may not be used here. Nothing was checked.',
  429: 'Too many requests. Nothing was checked.',
};

/** The reply parts for what v1 said to a question. */
export function findingParts(finding: Finding, { texts }: Mapping): OutcomeParts {
  if (finding.kind === 'unavailable') {
    const { reason, retryAfterSeconds } = finding;
    const text = retryAfterSeconds === undefined ? (texts['unavailable'] ?? reason) : TOO_BUSY;
    return { outcome: 'failure', http: UNAVAILABLE_STATUS, text, retryAfterSeconds };
  }
  const said = finding.body['message'];
  const message = typeof said === 'string' && said !== '' ? said : undefined;
  if (isFound(finding)) return { outcome: 'success', text: message ?? texts['found'] ?? 'Successful.' };
  const denial = message === undefined ? undefined : withoutSuccess(message);
  if (finding.kind === 'found') return { outcome: 'failure', text: denial ?? texts['not_found'] ?? 'Not found.' };
  const { httpStatus, retryAfterSeconds } = finding;
  return {
    outcome: 'failure',
    http: httpStatus,
    text: denial ?? DEFAULT_REFUSAL_TEXTS[httpStatus] ?? texts['not_found'] ?? 'Not found.',
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

/** v1 may answer "no such card" with HTTP 200, so `success` and `status` decide. */
export function isFound(finding: Finding): boolean {
  return finding.kind === 'found' && !isNo(finding.body['success']) && finding.body['status'] !== 'error';
}

/** `$order` in mappings: money in kobo, times in milliseconds. Null for values that are not known or that a failure does not have. */
export function orderRoot(order: Order, outcome: Outcome): JsonObject {
  const delivery = deliveryOf(outcome);
  const root = {
    request_id: firstOf(order.echo) ?? order.requestId,
    echo: order.echo,
    number: isStandIn(order) ? null : order.number,
    reference: referenceOf(outcome) ?? null,
    operation: order.operation,
    opened_at: order.openedAtMs,
    charged: delivery.charged ?? null,
    balance_before: delivery.balanceBefore ?? null,
    balance_after: delivery.balanceAfter ?? null,
    cashback: delivery.cashback ?? null,
    token: delivery.token ?? null,
    pins:
      delivery.pins === undefined || delivery.pins.length === 0
        ? null
        : delivery.pins.map(({ pin, serial }) => ({ pin, serial })),
  };
  return TOLD_AS[outcome.kind] === 'failure' ? { ...root, ...NULL_IN_FAILURE } : root;
}

/** The first request id in `echo`; undefined where the script sent none. */
export function firstOf(echo: JsonObject): JsonValue | undefined {
  for (const name in echo) return echo[name];
  return undefined;
}
