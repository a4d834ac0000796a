/** Answers questions about one order (from the journal and v1's receipt) and about v1's history. Buys nothing. */
import { within } from '../domain/clock';
import { decodePath, withoutEndSlashes } from '../domain/decode-path';
import { GatewayError } from '../domain/errors';
import { type JsonObject, type JsonValue, textOf } from '../domain/json';
import type { LegacyRequest } from '../domain/legacy';
import { type Order, standIn } from '../domain/order';
import { isFinal, isSafeToRefund, type Outcome, referenceOf, succeedOutcome, TOLD_AS } from '../domain/outcome';
import { ORDER_NUMBER } from '../journal/order-life';
import type { Mapping, ReplyOutcome } from '../mapping/mapping';
import { isMoneyIn, outcomeOfReceipt } from '../upstream/answer-data';
import type { Finding, V1Call } from '../upstream/upstream';
import { type Answer, idsOf } from './answer';
import { isOfPins } from './proof/compare-receipt';
import { withGoods } from './proof/fill-goods';
import { type ParsedRequest, readContextOf, type Reader, readerOf, type Walk } from './read/walk-in';
import { buildCall } from './read/build-call';
import { earlierSetOf } from './read/earlier-set';
import { wholeFields } from './read/new-order';
import { catalogFor, type WalkParts } from './walk-parts';
import { judgeVisit, recentRefusal } from './read/judge-visit';
import { findingParts, firstOf, mergeReply, orderRoot, orderWords, type OutcomeParts, questionParts } from './tell/merge-reply';
import { UNREAD } from './order/read-earlier';
import { findReceipt } from './proof/find-receipt';
import { markToldWhenAsked } from './tell/mark-told';
import { shortenRequestId } from './read/read-raw';
import { unansweredParts, withWait } from './tell/refuse';
import { walkRequest } from './walk-request';

type Asker = Pick<ParsedRequest, 'credentials' | 'readings'>;

/** How long a question waits for an order to be written. */
const WRITING_MS = 3_000;

export async function answerStatus(parsed: ParsedRequest, parts: WalkParts): Promise<Answer> {
  const id = parsed.intent.values['id'] as string;
  const order = await findOrder(id, parsed, parts);
  if (order === undefined) return answerUnknownOrder(id, parsed, parts);
  const obstacle = await judgeVisit(order, parsed, parts);
  return obstacle === undefined ? answerKnownOrder(order, parsed, parts) : answerWithoutOrder(id, obstacle, parsed);
}

/**
 * Checks whether a request at an address that nothing serves, or not by this method, asks about an order: a mapping that served the address was
 * removed, or the script uses an address or a method of its own. With no other field than an id it does; else only where this key has the order.
 * A purchase that lacks a field does where it has nothing but the id of such an order: with an unknown id it may be a sale that lost its fields.
 * Returns the same question at an address of an order status, else undefined. The ordinary refusal of such a request reads as "failed", and the script
 * could refund a charged order.
 */
export async function atStatusAddress(
  request: LegacyRequest,
  mapping: Mapping,
  code: 'unknown_path' | 'wrong_method' | 'missing_field',
  parts: WalkParts,
): Promise<{ readonly request: LegacyRequest; readonly walk: Extract<Walk, { kind: 'walked' }> } | undefined> {
  const address = withoutEndSlashes(request.rawPath ?? request.path);
  const last = address.slice(address.lastIndexOf('/') + 1);
  const routes = mapping.routes.filter(({ operation }) => mapping.operations.get(operation)?.kind === 'status');
  // The end of a purchase's own address is a word, and no id unless a status address is there, too.
  const below = code === 'missing_field' ? undefined : routes.find(({ path }) => /^[^:]+:[^/:]+$/.test(path));
  const paths = [below, routes.find(({ path }) => !path.includes(':'))];
  // Below a status address that does not take the method every id is asked for, also one that nobody knows.
  const own = code === 'unknown_path' ? [] : [{ ...request, method: 'GET' }];
  const others = paths.flatMap((route) => route?.path.replace(/:.+/, () => last) ?? []);
  for (const asked of [...own, ...others.map((path) => ({ ...request, method: 'GET', path: decodePath(path), rawPath: path }))]) {
    const walk = await walkRequest(asked, mapping, parts);
    if (walk.kind !== 'walked' || walk.known.operation.kind !== 'status') continue;
    const { intent, parameters } = walk.known;
    // A sale that came by the wrong method, or to a wrong address, has other fields than an id, and its id may be that of another sale.
    const mayBeSale = code !== 'unknown_path' || request.method !== 'GET';
    const hasOthers = intent.unknownFields.length > 0;
    if (mayBeSale && hasOthers) return undefined;
    const isByField = Object.keys(parameters).length === 0;
    if (code !== 'missing_field' && (own.includes(asked) || (isByField && !hasOthers))) return { request: asked, walk };
    const order = await findOrder(textOf(intent.values['id']), walk.known, parts).catch((error: unknown) => {
      parts.onTrouble('find', error);
      return UNREAD;
    });
    if (order !== undefined) return { request: asked, walk };
  }
  return undefined;
}

/**
 * Tries every id that the address may contain: an id may contain slashes, and a slash at the end may belong to the address. Last comes the id with
 * blanks as `+`, which an id that was not encoded loses in a query or a form.
 */
async function findOrder(id: string, parsed: Asker, parts: WalkParts): Promise<Order | undefined> {
  for (const reading of new Set([...parsed.readings, id, id.replaceAll(' ', '+')])) {
    const order = await findById(reading, parsed, parts);
    if (order !== undefined) return order;
  }
  return undefined;
}

type FindParts = Pick<WalkParts, 'clock' | 'journal' | 'pursuits'>;

/**
 * Waits for an order that is being written into the journal, because "no such order" would be wrong a moment later. Rejects where that takes too long: many
 * scripts count a question without a reply as a failure.
 */
export async function findByRequestId(
  owner: string,
  requestId: string,
  { clock, journal, pursuits }: FindParts,
): Promise<Order | undefined> {
  const found = await within(
    clock,
    WRITING_MS,
    pursuits.find(owner, requestId).then((running) => ({ running })),
  );
  if (found === undefined) throw new Error('the order is still being written');
  return found.running?.current() ?? journal.find(owner, requestId);
}

/** Finds an order of this key by request id, by the `id` of the gateway's replies, or by v1's reference. */
async function findById(id: string, { credentials }: Asker, parts: WalkParts): Promise<Order | undefined> {
  const owner = credentials.fingerprint;
  const { journal } = parts;
  const byRequestId = await findByRequestId(owner, shortenRequestId(id), parts);
  if (byRequestId !== undefined) return byRequestId;
  const byNumber = ORDER_NUMBER.test(id) ? await journal.findByNumber(owner, Number(id)) : undefined;
  return byNumber ?? (await journal.findByReference(owner, id));
}

async function answerKnownOrder(found: Order, parsed: ParsedRequest, parts: WalkParts): Promise<Answer> {
  const hasFamily = parsed.callerKey?.family !== undefined;
  const mapping = earlierSetOf(found, parsed.mapping, hasFamily, parts.setOf) ?? provenFamilyOf(found, parsed);
  const order = await latestOf(found, parsed, parts);
  const outcome = await withGoods(order, { ...parsed, mapping }, parts);
  const { operations } = mapping;
  const operation = operations.get(order.operation) ?? operations.get(parsed.operation.name) ?? parsed.operation;
  const catalog = operation.joins.length === 0 ? undefined : await catalogFor(readerOf(order, { ...parsed, mapping }), parts);
  const told = questionParts(outcome, mapping);
  await markToldWhenAsked(order, told.outcome, parsed.line, parts);
  const reply = mergeReply({
    ...told,
    mapping,
    operation,
    format: mapping.formats.has(order.format) ? order.format : parsed.format,
    values: wholeFields(order),
    callerKey: parsed.callerKey,
    ownNumbers: order.trail?.ownNumbers,
    catalog,
    roots: { order: orderRoot(order, outcome) },
  });
  return { reply, outcome: outcome.kind, order: idsOf(order, outcome) };
}

/** The mapping of the family that the purchase proved, because a question shows fewer signals. A family in callers.yaml takes precedence. */
function provenFamilyOf({ trail }: Order, { mapping, callerKey }: ParsedRequest): Mapping {
  const family = callerKey?.family === undefined ? mapping.families.get(trail?.family?.id ?? '') : undefined;
  return family === undefined || family.signals.length === 0 ? mapping : family.mapping();
}

/** The order as it is now: of a running pursuit, or after a question to v1. */
export async function latestOf(found: Order, reader: Reader, parts: WalkParts): Promise<Order> {
  const running = await parts.pursuits.find(found.owner, found.requestId);
  return running?.current() ?? refresh(found, readerOf(found, reader), parts);
}

/** Asks v1 about an order that is not over, and settles it when v1 knows the end. */
async function refresh(order: Order, reader: Reader, parts: WalkParts): Promise<Order> {
  const { outcome } = order;
  if (outcome !== undefined && isFinal(outcome)) return order;
  // Another request may have bought an order that took no money before, while v1 judged the key: the journal is read again.
  if (outcome !== undefined && isSafeToRefund(outcome)) return (await parts.journal.find(order.owner, order.requestId)) ?? order;
  const reference = referenceOf(outcome);
  if (outcome === undefined || reference === undefined) {
    // Without a reference the order is looked for in v1's history, together with other orders of the key. That may take long, but the
    // script must not wait too long: many scripts count a question without a reply as a failure.
    const { credentials, request, mapping } = reader;
    const looking = parts.reconciler.reconcile(credentials, request.clientAddress, order.requestId);
    await within(parts.clock, mapping.timing.read, looking);
    return (await parts.journal.find(order.owner, order.requestId)) ?? order;
  }
  const latest = await findReceipt(reference, readContextOf(reader), parts.upstream);
  const now = latest === undefined ? outcome : succeedOutcome(outcome, latest);
  if (!isFinal(now)) return order;
  const settling = parts.journal.settle(order.owner, order.requestId, now, parts.clock.now(), order.attempts);
  const settled = await within(parts.clock, WRITING_MS, settling);
  return settled === undefined ? order : { ...settled, outcome: now };
}

/** The answer about an order that is not in the journal: the id may be a reference of v1. */
async function answerUnknownOrder(id: string, parsed: ParsedRequest, parts: WalkParts): Promise<Answer> {
  const { mapping, operation, format, credentials } = parsed;
  const call = buildCall(operation.call!, parsed.intent.values, { order: { reference: id } });
  await parts.keyGuard?.enter(readContextOf(parsed));
  const finding = recentRefusal(parsed, parts) ?? (await parts.upstream.find(call, readContextOf(parsed)));
  if (finding.kind === 'refused' && (finding.httpStatus === 404 || finding.httpStatus === 400)) {
    throw new GatewayError('order_unknown', `There is no order ${JSON.stringify(id.slice(0, 80))} of this key.`);
  }
  const shown = finding.kind === 'found' ? outcomeShown(finding.body, id, mapping) : undefined;
  if (finding.kind !== 'found' || shown === undefined) return answerWithoutOrder(id, finding, parsed);
  const known = {
    owner: credentials.fingerprint,
    requestId: id,
    operation: operation.name,
    format,
    openedAtMs: parts.clock.now(),
  };
  const order = standIn({ ...known, fields: {}, echo: {}, contentHash: '' }, shown);
  const root: JsonObject = { ...orderRoot(order, shown), opened_at: null };
  const reply = mergeReply({
    ...questionParts(shown, mapping),
    mapping,
    operation,
    format,
    roots: { order: root, v1: finding.body },
  });
  return { reply, outcome: shown.kind, order: { requestId: id, reference: id } };
}

/**
 * The outcome in the receipt of an order that only v1 knows. A sale of PINs shows no phone number. Where it shows no PIN either, they are missing: on a
 * success the script would deliver an empty PIN.
 */
function outcomeShown(body: JsonObject, reference: string, { operations }: Mapping): Outcome | undefined {
  const shown = outcomeOfReceipt(body, reference);
  const data = body['data'] as JsonObject;
  if (shown?.kind !== 'succeeded' || shown.delivery?.pins !== undefined || textOf(data['phone']) !== '') return shown;
  const category = textOf(data['category']).toLowerCase();
  const wordsOf = (areOfPins: boolean): string[] =>
    [...operations.values()].filter((one) => isOfPins(one) === areOfPins).flatMap(({ categories }) => categories);
  const [ofPins, ofOthers] = [wordsOf(true), wordsOf(false)];
  const isNamedBy = (words: readonly string[], except: readonly string[]): boolean =>
    words.some((word) => !except.includes(word) && category.includes(word.toLowerCase()));
  // `data` stands in the category of both.
  const isSaleOfPins = isNamedBy(ofPins, ofOthers) && !isNamedBy(ofOthers, ofPins);
  return isSaleOfPins ? { ...shown, delivery: { ...shown.delivery, goodsMissing: true } } : shown;
}

/** The answer with nothing but the id, so that it is the same whether the journal has the order or not. */
function answerWithoutOrder(id: string, finding: Finding, parsed: ParsedRequest): Answer {
  const { mapping, operation, format } = parsed;
  const roots = { order: { request_id: id } };
  const reply = mergeReply({ ...noAnswerParts(finding, parsed, operation.call!), mapping, operation, format, roots });
  return { outcome: finding.kind, reply };
}

/** The reply parts where v1 gave no usable answer: v1's message if it refused, and the time to wait if a limit was reached. */
function noAnswerParts(finding: Finding, parsed: ParsedRequest, call: Pick<V1Call, 'path'>): OutcomeParts {
  const { text, retryAfterSeconds } = withWait(findingParts(finding, parsed.mapping), call.path);
  return unansweredParts(finding.kind === 'refused' ? text : '', parsed.mapping, retryAfterSeconds);
}

export async function answerHistory(parsed: ParsedRequest, parts: WalkParts): Promise<Answer> {
  const { mapping, operation, format, intent } = parsed;
  const isOfOne = intent.values['id'] !== undefined;
  const status = isOfOne ? [...mapping.operations.values()].find(({ kind }) => kind === 'status') : undefined;
  // The script would take the success of a list for the order's.
  if (status !== undefined) return answerStatus({ ...parsed, operation: status }, parts);
  const finding = recentRefusal(parsed, parts) ?? (await parts.upstream.find(parsed.call!, readContextOf(parsed)));
  const found = findingParts(finding, parsed.mapping);
  const told = found.outcome === 'success' ? found : noAnswerParts(finding, parsed, parsed.call!);
  const orders = finding.kind === 'found' && told.outcome === 'success' ? await historyRows(finding.body, parsed, parts) : [];
  const v1 = finding.kind === 'unavailable' ? null : finding.body;
  return {
    outcome: finding.kind,
    reply: mergeReply({ ...told, mapping, operation, format, values: intent.values, roots: { v1, orders } }),
  };
}

/** By v1's status of a row. */
const ROW_TOLD_AS: Readonly<Record<string, ReplyOutcome>> = { success: 'success', failed: 'failure' };

/**
 * v1's rows, completed with request ids from the journal: scripts search the history by their own ids. An end that the journal knows is told
 * rather than the row's status: v1 may list a refund under the reference of its order, or an older state of the order.
 */
async function historyRows(
  body: JsonObject,
  { credentials, mapping }: ParsedRequest,
  { journal }: WalkParts,
): Promise<JsonValue[]> {
  const rows = (body['data'] as JsonObject | undefined)?.['transactions'];
  return Promise.all(
    (Array.isArray(rows) ? (rows as readonly JsonObject[]) : []).map(async (row): Promise<JsonObject> => {
      const reference = typeof row['transaction_ref'] === 'string' ? row['transaction_ref'] : '';
      const order = await journal.findByReference(credentials.fingerprint, reference);
      // Also where a service is named like money paid in: its sale is told as pending until the journal knows its end.
      const isRefund = order !== undefined && isMoneyIn(row, []);
      const shown = (isRefund ? undefined : ROW_TOLD_AS[textOf(row['status'])]) ?? 'pending';
      const end = order?.outcome !== undefined && isFinal(order.outcome) ? TOLD_AS[order.outcome.kind] : undefined;
      const { status, Status } = orderWords(end ?? shown, mapping);
      return {
        ...row,
        reference,
        id: order?.number ?? row['id'] ?? null,
        request_id: order === undefined ? null : (firstOf(order.echo) ?? order.requestId),
        words: { status, Status },
      };
    }),
  );
}
