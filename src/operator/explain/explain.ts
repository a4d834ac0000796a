/**
 * Explains a request: the results of steps 2 to 6, and the reply to each outcome with the source of every field. It runs the same
 * functions as the walk. It sends nothing, writes nothing to the journal and shows no secret.
 */
import { kobo } from '../../domain/amount';
import { GatewayError } from '../../domain/errors';
import { textOf, type JsonObject, type JsonValue } from '../../domain/json';
import type { LegacyRequest } from '../../domain/legacy';
import type { Order } from '../../domain/order';
import type { Outcome } from '../../domain/outcome';
import { withoutKeys } from '../../domain/shown-words';
import type { Mapping, Operation, ReplyOutcome } from '../../mapping/mapping';
import type { ValueSource } from '../../mapping/language/schema';
import { authenticate, authenticateFields, type Authenticated } from '../../gateway/read/authenticate';
import type { CatalogLists } from '../../gateway/read/catalog-lists';
import { findSignals } from '../../gateway/read/detect-format';
import type { Keyring } from '../../gateway/read/keyring';
import { explainCaller, explainLearnt, explainNumberedBy } from './explain-caller';
import { createLearntPatience, type LearntPatience } from '../../gateway/order/learnt-patience';
import { listShapeName, mergeReply, orderRoot, outcomeParts, type ReplyParts } from '../../gateway/tell/merge-reply';
import { pathWithoutFormat, walkIn, type Known, type Walk } from '../../gateway/read/walk-in';

export type Place = ReturnType<Mapping['placeOf']>;

export type Explanation = ReturnType<typeof explain>;
export type ExplainedField = Explanation['fields'][number];
export type ExplainedReply = ReturnType<typeof explainReply>;

const SAMPLES: Readonly<Record<ReplyOutcome, Outcome>> = {
  success: {
    kind: 'succeeded',
    reference: 'V1-REFERENCE',
    delivery: {
      balanceBefore: kobo(500_000),
      balanceAfter: kobo(490_200),
      charged: kobo(9_800),
      token: '1234-5678-9012-3456-7890',
      pins: [{ pin: '123456789012', serial: 'SN0001' }],
    },
  },
  pending: { kind: 'pending', reference: 'V1-REFERENCE' },
  failure: { kind: 'declined', reference: 'V1-REFERENCE' },
};
const SAMPLE_ORDER_NUMBER = 1;

export function explain(
  request: LegacyRequest,
  mapping: Mapping,
  keyring: Keyring,
  learnt: LearntPatience = createLearntPatience(),
) {
  const walk = walkAsSent(request, mapping, keyring);
  if (walk.kind === 'stopped' && !(walk.error instanceof GatewayError)) throw walk.error;
  const refusal = walk.kind === 'stopped' ? (walk.error as GatewayError) : undefined;
  /** The refusal that ended the walk, or why it ends early: no key was sent, or a name can be found only in the price list. */
  let end: { refusal?: { code: string; detail: string; http: number }; note?: string } = {};
  if (walk.kind === 'needs_catalog') end = { note: NEEDS_CATALOG };
  const shown = (text: string): string => withoutKeys(text, request.headers);
  if (refusal !== undefined) end = { refusal: { code: refusal.code, detail: shown(refusal.detail), http: refusal.status } };
  const known: Known = walk.known;
  const { operation, detection, intent, call, credentials } = known;
  const path = pathWithoutFormat(request.path, mapping);
  if (operation !== undefined && !operation.withoutKey && !hasKey(request, operation)) {
    end = { ...end, note: 'No key was sent, so the gateway answers 401 and reads nothing more.' };
  }
  return {
    operation: operation && {
      ...{ name: operation.name, title: operation.title },
      place: mapping.placeOf(['operations', operation.name]),
    },
    // Without a fingerprint if the request has no key.
    key: credentials && {
      fingerprint: hasKey(request, operation) ? credentials.fingerprint : undefined,
      hasPin: credentials.pin !== undefined,
      how: howSent(known, request),
    },
    format: detection && {
      ...{ id: detection.format, reason: detection.reason },
      signals: findSignals(request, mapping, path),
    },
    family: known.family && { ...known.family, place: mapping.placeOf(['families', known.family.id]) },
    // What callers.yaml decided for this key, and which other numbering gave its network number a meaning, if any.
    caller: [
      ...explainNumberedBy(known, mapping),
      ...explainCaller(known, request, mapping, refusal),
      ...explainLearnt(known, request, mapping, learnt),
    ],
    fields:
      operation === undefined || intent === undefined ? [] : explainFields(operation, intent.values, intent.spellings, mapping),
    unknownFields: (intent?.unknownFields ?? []).map(shown),
    ...{ requestId: intent?.requestId?.sent, call },
    ...end,
    replies: end.refusal === undefined ? explainReplies(known, mapping) : [],
  };
}

const NEEDS_CATALOG =
  'A name in this request is looked up in the catalog of the key, which explain does not fetch. Send its number to see the rest.';

function walkAsSent(request: LegacyRequest, mapping: Mapping, keyring: Keyring): Walk {
  const walk = walkIn(request, mapping);
  if (walk.kind !== 'needs_caller') return walk;
  try {
    return walk.withCaller(identify(request, walk.known.operation, keyring));
  } catch (error) {
    return { kind: 'stopped', known: walk.known, error };
  }
}

/** A request without a key gets a made-up key, because its meaning does not depend on the key. */
function identify(request: LegacyRequest, operation: Operation, keyring: Keyring): Authenticated {
  const sent = authenticate(request.headers, keyring) ?? authenticateFields(request, operation, keyring);
  return sent ?? authenticate({ token: 'no-key-was-sent' }, keyring)!;
}

function hasKey({ headers, body }: LegacyRequest, operation: Operation | undefined): boolean {
  const isInFields = operation?.keyIn !== undefined && body.has(operation.keyIn.key);
  return headers.authorization !== undefined || headers.token !== undefined || isInFields;
}

function howSent({ credentials, isBasic, operation }: Known, request: LegacyRequest): string {
  if (!hasKey(request, operation)) return 'no key was sent';
  if (credentials?.tokenFormat !== undefined) return `an AccessToken of format ${credentials.tokenFormat.toUpperCase()}`;
  return isBasic === true ? 'Basic authorization' : 'an API key';
}

function explainFields(operation: Operation, values: JsonObject, spellings: Readonly<Record<string, string>>, mapping: Mapping) {
  return operation.fields.flatMap((field) => {
    const value = values[field.name];
    if (value === undefined) return [];
    const place = mapping.placeOf(['operations', operation.name, 'fields', field.name]);
    // Without a spelling for a default; `as` is the transform or table that read the field.
    return [{ field: field.name, value, spelling: spellings[field.name], as: field.as, place }];
  });
}

/** The reply to each outcome, with made-up answers of v1. Empty if the format is not known. */
export function explainReplies(
  { operation, detection, intent, callerKey, mapping: told }: Known,
  shared: Mapping,
  catalog?: CatalogLists,
): ExplainedReply[] {
  if (operation === undefined || detection === undefined) return [];
  const mapping = told ?? shared;
  const { format } = detection;
  const outcomes: readonly ReplyOutcome[] =
    operation.kind === 'purchase' || operation.kind === 'status' ? ['success', 'pending', 'failure'] : ['success', 'failure'];
  return outcomes.map((outcome) => {
    const sample = SAMPLES[outcome];
    const asked = { operation, format, values: intent?.values ?? {}, callerKey, ownNumbers: intent?.ownNumbers, catalog };
    return explainReply({ ...outcomeParts(sample, mapping), outcome, ...asked, mapping, roots: sampleRoots(operation, sample) });
  });
}

/** The reply that a script hears about an order now. An order without an outcome is explained as `unknown`. */
export function explainOrderReply(order: Order, shared: Mapping): ExplainedReply | undefined {
  const mapping = mappingOf(order, shared);
  const operation = mapping.operations.get(order.operation);
  if (operation === undefined || !mapping.formats.has(order.format)) return undefined;
  const outcome = order.outcome ?? { kind: 'unknown', reason: 'no answer so far' };
  const explained = {
    operation,
    format: order.format,
    values: order.fields,
    callerKey: mapping.callerKeys.get(order.owner),
    ownNumbers: order.trail?.ownNumbers,
  };
  return explainReply({ ...outcomeParts(outcome, mapping), ...explained, mapping, roots: { order: orderRoot(order, outcome) } });
}

/** The mapping of the family that was recognised for the order's script, or the shared mapping. */
function mappingOf({ trail }: Order, mapping: Mapping): Mapping {
  return mapping.families.get(trail?.family?.id ?? '')?.mapping() ?? mapping;
}

function explainReply(parts: ReplyParts & { readonly operation: Operation }) {
  const { mapping, operation, format, outcome, callerKey } = parts;
  const reply = mergeReply(parts);
  const body = reply.body as JsonObject;
  const shape = outcome === 'success' ? listShapeName(operation, format, callerKey) : undefined;
  const sources =
    (shape === undefined ? undefined : callerKey?.lists.get(shape)?.sources) ??
    operation.replies.get(format)?.[outcome].sources ??
    [];
  const named = new Set(sources.map(({ field }) => field));
  const fields = sources.flatMap(({ field, value, path }) => {
    // A rule for `*` makes the fields that no rule names: the spellings of the request id that the script sent.
    const made = field === '*' ? Object.keys(body).filter((name) => !named.has(name)) : [field];
    return made
      .filter((name) => name === '' || Object.hasOwn(body, name))
      .map((name) => ({
        field: name,
        value: name === '' ? reply.body : (body[name] ?? null),
        source: describeSource(value),
        // Found only on access, because a replay of thousands of requests never reads it.
        get place() {
          return mapping.placeOf(path);
        },
      }));
  });
  return { outcome, http: reply.status, fields };
}

function sampleRoots(operation: Operation, outcome: Outcome): Readonly<Record<string, JsonValue>> {
  const order: Order = {
    owner: '',
    requestId: 'the-request-id',
    operation: operation.name,
    format: '',
    fields: {},
    echo: { 'request-id': 'the-request-id' },
    contentHash: '',
    openedAtMs: 0,
    number: SAMPLE_ORDER_NUMBER,
    attempts: 1,
  };
  return {
    order: orderRoot(order, outcome),
    v1: {
      status: 'success',
      data: {
        name: 'A CUSTOMER',
        customer_name: 'A CUSTOMER',
        address: 'AN ADDRESS',
        wallet_balance: 5_000,
        cashback_balance: 0,
        currency: 'NGN',
      },
    },
    login: { username: 'api-00000000', is_basic: false, access_token: null, pin: null },
  };
}

function describeSource(value: ValueSource): string {
  const text = textOf(value);
  return text.length > 100 ? `${text.slice(0, 97)}…` : text;
}
