/** Lists what callers.yaml decided about one request, with places: format pin, a family without effect, own numbers, guard, patience, `after_pending` and the shape of a list. */
import { GatewayError } from '../../domain/errors';
import { textOf } from '../../domain/json';
import type { LegacyRequest } from '../../domain/legacy';
import { patienceFor, type LearntPatience } from '../../gateway/order/learnt-patience';
import { PINNED_BY_CALLER } from '../../gateway/read/detect-format';
import { guardNumbering } from '../../gateway/read/guard-numbering';
import type { Known } from '../../gateway/read/walk-in';
import { listShapeName } from '../../gateway/tell/merge-reply';
import { DEFAULT } from '../../mapping/compile-callers';
import type { CallerKey, Mapping, Operation } from '../../mapping/mapping';

interface CallerDecision {
  /** A sentence without its full stop. */
  readonly words: string;
  readonly place: ReturnType<Mapping['placeOf']>;
}

/** The settings of the key's entry that decided something about this request; empty for a key without an entry. */
export function explainCaller(
  known: Known,
  request: LegacyRequest,
  mapping: Mapping,
  refusal: GatewayError | undefined,
): CallerDecision[] {
  const { callerKey, operation, detection } = known;
  if (callerKey === undefined) return [];
  const decision = (words: string, ...path: readonly string[]): CallerDecision => ({
    words,
    place: mapping.placeOf(['callers', 'keys', callerKey.fingerprint, ...path]),
  });
  return [
    ...(detection?.reason === PINNED_BY_CALLER ? [decision(`its format is ${detection.format.toUpperCase()}`, 'format')] : []),
    ...explainFamily(known, mapping, decision),
    ...explainNumbers(known, refusal, decision),
    ...explainGuard(known, request, mapping, decision),
    ...(operation?.kind === 'purchase' ? explainWaiting(operation, callerKey, decision) : []),
    ...(operation === undefined || detection === undefined ? [] : explainList(operation, detection.format, callerKey, decision)),
  ];
}

type Decide = (words: string, ...path: readonly string[]) => CallerDecision;

/** The family of the key is mentioned only where it does not count: the address belongs to another format. */
function explainFamily({ callerKey, detection }: Known, { families }: Mapping, decide: Decide): CallerDecision[] {
  const family = families.get(callerKey?.family ?? '');
  if (family === undefined || detection === undefined || family.format === detection.format) return [];
  const format = detection.format.toUpperCase();
  return [decide(`its family ${family.id} does not count here, because the address is of format ${format} alone`, 'family')];
}

function explainNumbers({ operation, intent }: Known, refusal: GatewayError | undefined, decide: Decide): CallerDecision[] {
  if (refusal?.code === 'number_unlisted') {
    const field = operation?.fields.find(({ from, otherwise }) => [...from, ...otherwise].includes(refusal.field ?? ''));
    return field?.table === undefined
      ? []
      : [decide(`its own ${field.table.title} numbers do not have this number`, 'numbers', field.table.name)];
  }
  return Object.entries(intent?.ownNumbers ?? {}).flatMap(([name, number]) => {
    const table = operation?.fields.find((field) => field.name === name)?.table;
    if (table === undefined || intent?.numberedBy?.field === name) return [];
    const words = `its ${table.title} ${number} is ${textOf(intent?.values[name])} here`;
    return [decide(words, 'numbers', table.name, String(number))];
  });
}

/** A guard that is off is mentioned only for a request that it would have refused or sold as another network. */
function explainGuard({ callerKey, intent }: Known, request: LegacyRequest, mapping: Mapping, decide: Decide): CallerDecision[] {
  if (callerKey?.hasGuard !== false || intent === undefined) return [];
  try {
    const { numberedBy, values } = guardNumbering(intent, request, mapping, callerKey);
    if (numberedBy === undefined) return [];
    const network = textOf(values[numberedBy.field]);
    return [decide(`the numbering guard is off; it would have sold ${network}, as in ${numberedBy.title}`, 'guard')];
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return [decide(`the numbering guard is off; it would have refused: ${error.detail.split('. ')[0]}`, 'guard')];
  }
}

function explainWaiting({ name }: Operation, callerKey: CallerKey, decide: Decide): CallerDecision[] {
  const patienceMs = callerKey.patienceOf(name);
  const afterPending = callerKey.afterPendingOf(name);
  const then = afterPending === 'buy' ? 'this order is still bought' : 'this order is only looked for';
  return [
    ...(patienceMs === undefined ? [] : [decide(`it waits ${patienceMs / 1000} s for the end of this order`, 'patience', name)]),
    ...(afterPending === undefined ? [] : [decide(`once it has heard pending, ${then}`, 'after_pending', name)]),
  ];
}

/** Explains a network number that the numbering guard replaced by its meaning on another server. */
export function explainNumberedBy({ intent }: Known, mapping: Mapping): CallerDecision[] {
  if (intent?.numberedBy === undefined) return [];
  const { field, title, path } = intent.numberedBy;
  const words = `its ${field} ${intent.ownNumbers[field]} is ${textOf(intent.values[field])}, as in ${title}: the number is not ported`;
  return [{ words, place: mapping.placeOf([...path, 'sells_unported']) }];
}

/** Explains a learnt patience: the key is held for less than the mapping says, because its scripts hang up earlier. */
export function explainLearnt(
  { operation, credentials, callerKey }: Known,
  request: LegacyRequest,
  mapping: Mapping,
  learnt: LearntPatience,
): CallerDecision[] {
  if (operation?.kind !== 'purchase' || credentials === undefined) return [];
  const kind = mapping.callerKindOf(request.headers);
  const { ms, insteadOfMs } = patienceFor(operation, kind, callerKey, learnt.limitOf(credentials.fingerprint, kind.name));
  if (insteadOfMs === undefined) return [];
  const words = `its scripts hang up early: it is held ${ms / 1000} s (learnt) instead of ${insteadOfMs / 1000} s`;
  return [{ words, place: mapping.placeOf(['callers', 'kinds', kind.name, 'patience']) }];
}

function explainList(operation: Operation, format: string, callerKey: CallerKey, decide: Decide): CallerDecision[] {
  const shape = listShapeName(operation, format, callerKey);
  if (shape === undefined) return [];
  return [decide(shape === DEFAULT ? 'a bare list is wrapped for it' : 'this list is wrapped for it', 'lists', shape)];
}
