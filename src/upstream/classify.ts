/**
 * Decides what an exchange with v1 proves. Pure. The first rule of the product is kept here: an order has failed only when
 * it is certain that no money moved, and has succeeded only when v1 said so about this very order.
 */
import type { KeyAndPin } from '../domain/credentials';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json';
import type { Delivery, NotSent, Outcome, Unknown } from '../domain/outcome';
import { DEADLINE_PASSED, encodingWords, NO_TURN, type HttpAnswer, type Failure } from './exchange';
import { isYes, parseJsonObject, readDelivery } from './answer-data';
import type { Finding, SentOutcome, V1Call } from './upstream';
import { sellsPins } from './v1';

/**
 * Codes of failures after which no byte of the request can have left. A code counts only while writing has not begun
 * (`isStarted` is false): the same ECONNRESET on a connection that carries the request proves nothing.
 */
const PROOFS_OF_NOT_SENT: ReadonlySet<string> = new Set([
  // The name was not resolved.
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_NODATA',
  'EAI_NONAME',
  'EAI_FAIL',
  // No connection was made.
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'ETIMEDOUT',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'UND_ERR_CONNECT_TIMEOUT',
  // The connection broke during its own handshake.
  'ECONNRESET',
  'EPIPE',
  'EPROTO',
  // The certificate was not accepted: undici gets the socket only after `secureConnect`, so there is nothing to write to.
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_CHAIN_TOO_LONG',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'CERT_SIGNATURE_FAILURE',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  // Never left the queue: our own deadline, our own shutdown, a header that cannot be written.
  DEADLINE_PASSED,
  NO_TURN,
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
  'UND_ERR_INVALID_ARG',
]);

// OpenSSL's and Node's own reasons for a handshake that did not finish (`ERR_SSL_WRONG_VERSION_NUMBER`, …).
const HANDSHAKE_CODE = /^ERR_(?:SSL|TLS)_/;

/** The outcome of an exchange without an answer: `not_sent` when two proofs agree (not begun, and only listed codes), else `unknown`. */
export function classifyFailure(failure: Failure): NotSent | Unknown {
  const reason = `${failure.codes.join(', ')}: ${failure.detail}`;
  const isProven =
    failure.codes.length > 0 && failure.codes.every((code) => PROOFS_OF_NOT_SENT.has(code) || HANDSHAKE_CODE.test(code));
  return { kind: !failure.isStarted && isProven ? 'not_sent' : 'unknown', reason };
}

/**
 * Refusals that a proxy in front of v1 gives before it forwards a request. They count even without v1's own JSON: too
 * large (413), address too long (414), too many requests (429), header too large (431). Every other 4xx without v1's
 * shape is `unknown`: a filter that inspects answers may replace that of a completed order by its own 403 page, and a 404
 * or 400 page may come from an application that died halfway.
 */
const REFUSED_BEFORE_V1: ReadonlySet<number> = new Set([413, 414, 429, 431]);

// RFC 9110 section 15.5.9 and similar: these statuses are about time and connection, not about the outcome of the request.
const PROVES_NOTHING: ReadonlySet<number> = new Set([408, 425, 499]);

/** The outcome that v1's answer to a purchase proves. */
export function classifyReply(
  answer: HttpAnswer,
  call: V1Call,
  requestId: string,
  retryAfterSeconds: number | undefined,
  credentials: KeyAndPin,
): SentOutcome {
  const body = readBody(answer, credentials);
  const outcome = outcomeOf(answer, body, call, requestId, retryAfterSeconds);
  return {
    outcome,
    isDuplicate: isYes(body?.duplicate) || (isJsonObject(body?.data) && isYes(body.data.duplicate)),
    ...(body === undefined ? {} : { body }),
  };
}

function outcomeOf(
  answer: HttpAnswer,
  body: JsonObject | undefined,
  call: V1Call,
  requestId: string,
  retryAfterSeconds: number | undefined,
): Outcome {
  const { httpStatus } = answer;
  if (httpStatus === 200)
    return body === undefined
      ? unknown(`HTTP 200 without a JSON object${encodingWords(answer)}`)
      : outcomeOfAccepted(body, call, requestId);
  // A 5xx is not a failure: v1 may have charged the wallet and then died. A 3xx is never followed; v1 gives no 1xx and no 2xx but 200.
  if (httpStatus < 400 || httpStatus > 499 || PROVES_NOTHING.has(httpStatus)) return unknown(`HTTP ${httpStatus}`);
  return outcomeOfRefused(httpStatus, body, requestId, retryAfterSeconds);
}

function outcomeOfAccepted(body: JsonObject, call: V1Call, requestId: string): Outcome {
  const { status } = body;
  if (status !== 'success' && status !== 'pending') return unknown(`HTTP 200 with status ${describeStatus(status)}`);
  const data = isJsonObject(body.data) ? body.data : {};
  const reference = data.reference;
  // Without a reference the order cannot be named. Sent again with the same request id, v1 answers with the order.
  if (typeof reference !== 'string' || reference === '') return unknown(`HTTP 200 with status ${status} and no reference`);
  const mismatch = foreignEcho(body, data, reference, requestId);
  if (mismatch !== undefined) return unknown(mismatch);
  // `success` with `pending: true` (section 4, electricity) contradicts itself: pending, until the receipt is read.
  const isPending = status === 'pending' || body.pending === true || data.pending === true;
  return { kind: isPending ? 'pending' : 'succeeded', reference, ...messageOf(body), ...deliveryOf(data, call) };
}

function outcomeOfRefused(
  httpStatus: number,
  body: JsonObject | undefined,
  requestId: string,
  retryAfterSeconds: number | undefined,
): Outcome {
  const rejected = {
    kind: 'rejected' as const,
    httpStatus,
    ...messageOf(body ?? {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
  if (body?.status !== 'error') {
    const isV1Shaped = body?.status === 'success' || body?.status === 'pending';
    if (REFUSED_BEFORE_V1.has(httpStatus) && !isV1Shaped) return rejected;
    return unknown(`HTTP ${httpStatus} with status ${describeStatus(body?.status)}`);
  }
  const mismatch = foreignEcho(body, {}, undefined, requestId);
  if (mismatch !== undefined) return unknown(mismatch);
  if (body.refunded !== true) return rejected;
  return { kind: 'declined', ...(typeof body.reference === 'string' ? { reference: body.reference } : {}), ...messageOf(body) };
}

/**
 * The reason why an answer may belong to another order: it names another request id, or two references. Undefined where
 * it names none: v1 does not promise to repeat the request id.
 */
function foreignEcho(body: JsonObject, data: JsonObject, reference: string | undefined, requestId: string): string | undefined {
  for (const echo of [body.request_id, body['request-id'], data.request_id, data['request-id']]) {
    if ((typeof echo === 'string' || typeof echo === 'number') && String(echo) !== requestId)
      return 'the answer names another request id';
  }
  if (reference === undefined) return undefined;
  for (const echo of [body.reference, data.transaction_ref]) {
    if (typeof echo === 'string' && echo !== reference) return 'the answer names two references';
  }
  return undefined;
}

/** The finding in v1's answer to a call that moves no money. A 4xx is a refusal only in v1's `error` shape or from `REFUSED_BEFORE_V1`. */
export function classifyFinding(answer: HttpAnswer, retryAfterSeconds: number | undefined, credentials: KeyAndPin): Finding {
  const { httpStatus } = answer;
  const body = readBody(answer, credentials);
  if (httpStatus === 200 && (body?.status === 'success' || body?.status === 'pending')) return { kind: 'found', body };
  if ((httpStatus === 200 || httpStatus === 400) && body !== undefined && isOfFailedOrder(body)) return { kind: 'found', body };
  const isRefusal = httpStatus >= 400 && httpStatus <= 499 && !PROVES_NOTHING.has(httpStatus);
  if (isRefusal && (body?.status === 'error' || REFUSED_BEFORE_V1.has(httpStatus))) {
    return {
      kind: 'refused',
      httpStatus,
      body: body ?? {},
      ...messageOf(body ?? {}),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    };
  }
  const encoded = body === undefined ? encodingWords(answer) : '';
  return unavailable(`HTTP ${httpStatus} with status ${describeStatus(body?.status)}${encoded}`, retryAfterSeconds);
}

/** The receipt of a failed order (section 3), which v1 may answer as an error: it was found all the same. */
function isOfFailedOrder({ data }: JsonObject): boolean {
  return isJsonObject(data) && data.status === 'failed' && typeof data.reference === 'string' && data.reference !== '';
}

export function unavailable(reason: string, retryAfterSeconds: number | undefined): Finding {
  return { kind: 'unavailable', reason, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

/** The words of `status` that decide. They stay whatever the key of a stranger is. */
const DECIDING: ReadonlySet<string> = new Set(['success', 'pending', 'error']);

/** v1's answer. Scripts, the journal and the notes get its words, so the key and the PIN of the call are masked where v1 repeats them. */
function readBody({ text }: HttpAnswer, credentials: KeyAndPin): JsonObject | undefined {
  const body = parseJsonObject(text);
  if (body === undefined) return undefined;
  const shown = masked(masked(body, 'message', credentials), 'status', credentials);
  if (!isJsonObject(body.data)) return shown;
  let data = masked(body.data, 'description', credentials);
  if (Array.isArray(data.transactions)) {
    const rows = data.transactions as readonly JsonValue[];
    data = { ...data, transactions: rows.map((row) => (isJsonObject(row) ? masked(row, 'description', credentials) : row)) };
  }
  return data === body.data ? shown : { ...shown, data };
}

/** The very same object where there is nothing to mask. */
function masked(object: JsonObject, name: string, { apiKey, pin }: KeyAndPin): JsonObject {
  const said = object[name];
  if (typeof said !== 'string' || DECIDING.has(said)) return object;
  const known = apiKey.hideIn(said);
  const shown = pin?.hideIn(known) ?? known;
  return shown === said ? object : { ...object, [name]: shown };
}

function messageOf(body: JsonObject): { readonly message?: string } {
  return typeof body.message === 'string' ? { message: body.message } : {};
}

function deliveryOf(data: JsonObject, call: V1Call) {
  const read = readDelivery(data);
  // The PINs may stand in v1's message, of which the journal then keeps no number as long as a PIN.
  const delivery: Delivery = read.pins === undefined && sellsPins(call) ? { ...read, goodsMissing: true } : read;
  return Object.keys(delivery).length === 0 ? {} : { delivery };
}

function unknown(reason: string): Unknown {
  return { kind: 'unknown', reason };
}

function describeStatus(status: JsonValue | undefined): string {
  return typeof status === 'string' ? `\`${status.slice(0, 40)}\`` : 'missing';
}
