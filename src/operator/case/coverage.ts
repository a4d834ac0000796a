/** Which rules of the mapping the cases show, and which rules no case shows. */
import { isJsonObject, isList, type JsonObject, type JsonValue } from '../../domain/json';
import type { LegacyRequest, LegacyValue } from '../../domain/legacy';
import { TOLD_AS } from '../../domain/outcome';
import { canonicalise, type Intent } from '../../gateway/read/canonicalise';
import { readRaw } from '../../gateway/read/read-raw';
import { pathWithoutFormat } from '../../gateway/read/walk-in';
import { sourceOfFamily } from '../../mapping/compile-family';
import type { SignalSource, ValueSource } from '../../mapping/language/schema';
import { splitNames } from '../../mapping/language/values';
import type { Field, Mapping, Operation, ReplyOutcome, Route } from '../../mapping/mapping';
import { BARE_LIST, refusalFields, type PlacedValue } from '../../mapping/merge-layers';
import type { YamlPath } from '../../mapping/read-yaml';
import { parseRoute, routesOf } from '../../mapping/routes';
import { spellingsOf } from '../../mapping/rules/checking';
import { outcomeReplies } from '../../mapping/rules/reply-layers';
import type { Signal } from '../../mapping/signals';
import { oncePerSource, partsAt, type MappingSource } from '../../mapping/source';
import { normaliseWord, numberIn, sameWord } from '../../mapping/table';
import { FIELD_NUMBERS, listRules, RULE_KINDS, idOf, isNested } from './rules';
import type { CaseResult, Observed } from './run-cases';

export type Coverage = ReturnType<typeof measureCoverage>;

export function measureCoverage(results: readonly CaseResult[], around: Surroundings) {
  const rules = listRules(around.source);
  const shown = new Set(results.flatMap((result) => [...shownRules(result, around)]));
  const missing = rules.filter(({ id }) => !shown.has(id));
  const byKind = RULE_KINDS.map((kind) => {
    const of = rules.filter((rule) => rule.kind === kind).length;
    return { kind, of, shown: of - missing.filter((rule) => rule.kind === kind).length };
  });
  return { byKind, missing, of: rules.length, shown: rules.length - missing.length };
}

export interface Surroundings {
  readonly source: MappingSource;
  readonly mapping: Mapping;
}

/**
 * The ids of the rules that one case shows: the rules that its request used, and the rules of the reply fields that it expects.
 * A failed case shows no rule.
 */
export function shownRules({ played, observed, differences }: CaseResult, around: Surroundings): Set<string> {
  const shown = new Set<string>();
  if (differences.length > 0 || observed?.request === undefined || observed.served === undefined) return shown;
  const { request, served } = observed;
  const { mapping } = around;
  if (played.expect_reply !== undefined || played.absent !== undefined) showReply(played, observed, around, shown);
  const match = mapping.matchRoute(request.method, request.path, request.rawPath);
  if (match.kind !== 'matched') return shown;
  const { operation, parameters, route } = match;
  const path = pathWithoutFormat(request.path, mapping);
  showRoute(request.method, route, around, shown);
  shown.add(idOf('outcome', ['operations', operation.name], served.outcome));
  const { format } = served;
  if (format === undefined) return shown;
  showTables(request, operation, format, around, shown);
  if (played.format !== undefined) {
    const { signals } = mapping.formats.get(format)!;
    showSignals(request, path, { signals, proof: around.source.formats.get(format)!.proof, at: ['formats', format] }, shown);
  }
  const family = mapping.families.get(played.family ?? '');
  if (family !== undefined) {
    const { proof } = around.source.families[family.id]!;
    showSignals(request, path, { signals: family.signals, proof, at: ['families', family.id] }, shown);
  }
  const intent = intentOf(request, operation, format, parameters, mapping);
  if (intent !== undefined) showSpellings(intent, around, shown);
  return shown;
}

function showRoute(method: string, { operation, path }: Route, { source }: Surroundings, shown: Set<string>): void {
  const placed = routesOf(source).find(
    (one) =>
      one.operation === operation &&
      parseRoute(one.text).some((address) => address.path === path && address.methods.includes(method)),
  );
  if (placed !== undefined) shown.add(idOf('route', placed.path, `${method} ${path}`));
}

function intentOf(
  request: LegacyRequest,
  operation: Operation,
  format: string,
  parameters: Readonly<Record<string, string>>,
  mapping: Mapping,
): Intent | undefined {
  try {
    const canonical = canonicalise({ request, parameters, operation, format, mapping, lookUpWord: () => 1 });
    return canonical.kind === 'intent' ? canonical.intent : undefined;
  } catch {
    // A refused request shows no spelling.
    return undefined;
  }
}

function showSpellings(intent: Intent, { source }: Surroundings, shown: Set<string>): void {
  for (const { operation, field, spelling, path } of spellingsOf(source))
    if (operation === intent.operation.name && intent.spellings[field] === spelling) shown.add(idOf('spelling', path));
  for (const spelling of Object.keys(intent.requestId?.echo ?? {}))
    shown.add(idOf('spelling', ['request_id', source.request_id.indexOf(spelling)]));
  const header = intent.requestId?.header?.name;
  if (header !== undefined) shown.add(idOf('spelling', ['request_id_headers', source.request_id_headers.indexOf(header)]));
  for (const field of intent.operation.fields)
    if (intent.spellings[field.name] !== undefined) shown.add(idOf('transform', [field.as]));
}

function showTables(
  request: LegacyRequest,
  operation: Operation,
  format: string,
  { source }: Surroundings,
  shown: Set<string>,
): void {
  for (const field of operation.fields) {
    const raw = readRaw(request, field)[0]?.value;
    if (raw === undefined) continue;
    for (const { value: numbers, path, names } of partsAt(source, FIELD_NUMBERS))
      if (names[0] === format && names[1] === operation.name && names[2] === field.name)
        shown.add(idOf('table number', [...path, asWritten(numberIn(raw) ?? NaN, numbers)]));
    if (field.table === undefined) continue;
    const { name } = field.table;
    const number = field.table.numberIn(raw);
    if (number === undefined) showWord(raw, name, source, shown);
    else {
      const own = source.formats.get(format)?.numbers?.[name];
      const at = own === undefined ? ['tables', name, 'numbers'] : ['formats', format, 'numbers', name];
      shown.add(idOf('table number', [...at, asWritten(number, own ?? source.tables[name]?.numbers)]));
      if (operation.guard?.number === field)
        for (const [index, { numbers }] of source.other_numberings.entries())
          shown.add(idOf('table number', ['other_numberings', index, 'numbers', asWritten(number, numbers)]));
    }
  }
  const { guard } = operation;
  if (guard?.number.table !== undefined)
    showPrefix(readRaw(request, guard.phone)[0]?.value, guard.phone, guard.number.table.name, source, shown);
}

/** The key of this number as the file writes it: the key `01` also means the number 1. */
function asWritten(number: number, numbers: Readonly<Record<string, string>> = {}): string {
  return Object.keys(numbers).find((key) => Number(key) === number) ?? String(number);
}

function showWord(raw: LegacyValue, table: string, source: MappingSource, shown: Set<string>): void {
  for (const [value, { words }] of Object.entries(source.tables[table]?.values ?? {})) {
    for (const [index, word] of words.entries())
      if (typeof raw === 'string' && normaliseWord(word) === normaliseWord(raw))
        shown.add(idOf('table word', ['tables', table, 'values', value, 'words', index]));
  }
}

function showPrefix(raw: LegacyValue | undefined, field: Field, table: string, source: MappingSource, shown: Set<string>): void {
  const read = raw === undefined ? undefined : field.read(raw);
  const phone = read !== undefined && 'value' in read && typeof read.value === 'string' ? read.value : '';
  for (const [value, { prefixes }] of Object.entries(source.tables[table]?.values ?? {})) {
    for (const [index, prefix] of (prefixes ?? []).entries())
      if (phone.startsWith(prefix)) shown.add(idOf('prefix', ['tables', table, 'values', value, 'prefixes', index]));
  }
}

/** The signals of a format or family, compiled and as the file has them. */
interface Provable {
  readonly signals: readonly Signal[];
  readonly proof: readonly SignalSource[] | undefined;
  readonly at: YamlPath;
}

/** Every signal that the request has is shown: the case names only the format or family that they prove together. */
function showSignals(request: LegacyRequest, path: string, { signals, proof, at: place }: Provable, shown: Set<string>): void {
  const valueOf = (name: string): LegacyValue | undefined => request.body.get(name) ?? request.query.get(name);
  for (const [index, signal] of signals.entries()) {
    if (signal.find(request, path) === undefined) continue;
    const at = [...place, 'proof', index];
    const { any_field: any, field, is } = proof![index]!;
    const first = any?.findIndex((name) => valueOf(name) !== undefined) ?? -1;
    const value = field === undefined ? undefined : valueOf(field);
    if (any !== undefined) shown.add(idOf('signal', [...at, 'any_field', first]));
    else if (is !== undefined)
      shown.add(idOf('signal', [...at, 'is', is.findIndex((word) => typeof value === 'string' && sameWord(word, value))]));
    else shown.add(idOf('signal', at));
  }
}

const REPLY_OF: Readonly<Record<string, ReplyOutcome>> = { ...TOLD_AS, found: 'success' };

function showReply(
  { expect_reply: expected, absent = [] }: CaseResult['played'],
  { served, reply }: Observed,
  { source: shared }: Surroundings,
  shown: Set<string>,
): void {
  const source = sourcesOfFamilies(shared).get(served?.family ?? '') ?? shared;
  const named: JsonValue = Array.isArray(expected)
    ? expected
    : { ...(expected as JsonObject | undefined), ...Object.fromEntries(absent.map((name) => [name, null])) };
  const { operation, format } = served!;
  const outcome = REPLY_OF[served!.outcome] ?? 'failure';
  const kind = operation === undefined ? undefined : source.operations[operation]?.kind;
  // A status request is answered with the reply of the operation that was ordered.
  const candidates = operation === undefined ? [] : repliesOf(source).filter((one) => one.outcome === outcome);
  const ofStatus = kind === 'status' ? serviceOf(reply.body as JsonObject, source) : undefined;
  const name = ofStatus ?? operation;
  const own =
    candidates.find((one) => one.operation === name && one.format === format) ??
    candidates.find((one) => one.operation === name && one.format === undefined);
  const list = own?.fields.get(BARE_LIST);
  if (list !== undefined) showValue(list.value, list.path, named, source, shown);
  else showFields(own?.fields ?? refusalFields(source.blocks), named, source, shown);
}

/** By family, the source with its replies. */
const sourcesOfFamilies = oncePerSource(
  (source) => new Map(Object.keys(source.families).map((id) => [id, sourceOfFamily(source, id)])),
);

const repliesOf = oncePerSource(outcomeReplies);

/**
 * The purchase operation of an order, from the field `service` of its reply. Undefined for an order that only v1 knows: its
 * reply has v1's category in `service`, and a `description`.
 */
function serviceOf(body: JsonObject, source: MappingSource): string | undefined {
  return Object.entries(source.operations).find(
    ([, { kind, reply }]) => kind === 'purchase' && reply?.always?.['service'] === body['service'] && !('description' in body),
  )?.[0];
}

function showFields(fields: ReadonlyMap<string, PlacedValue>, named: JsonValue, source: MappingSource, shown: Set<string>): void {
  for (const [key, part] of entriesOf(named)) {
    const placed = fields.get(key) ?? fields.get('*');
    if (placed !== undefined) showValue(placed.value, placed.path, part, source, shown);
  }
}

function entriesOf(value: JsonValue): [string, JsonValue][] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([names, part]) => splitNames(names).map((name): [string, JsonValue] => [name, part]));
}

/** Adds the rules of the fields that the expectation names, at any depth. */
function showValue(rule: ValueSource, path: YamlPath, named: JsonValue, source: MappingSource, shown: Set<string>): void {
  if (isNested(rule)) {
    for (const [key, part] of entriesOf(named))
      if (Object.hasOwn(rule, key)) showValue(rule[key]!, [...path, key], part, source, shown);
    return;
  }
  shown.add(idOf('reply field', path));
  if (!isJsonObject(rule) || !('each' in rule)) return;
  const { row } = rule;
  const fields = typeof row === 'string' ? source.rows[row] : undefined;
  for (const item of isList(named) ? named : [named])
    for (const [key, part] of entriesOf(item))
      if (fields !== undefined && Object.hasOwn(fields, key))
        showValue(fields[key]!, ['rows', row as string, key], part, source, shown);
}
