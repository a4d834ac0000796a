/** Compiles a merged source into a mapping of plain functions. Reports every value that has no meaning. */
import type { JsonValue } from '../domain/json';
import { atOnce, type Steps } from '../domain/steps';
import type { AfterPending, OperationSource } from './language/schema';
import { compileCallers } from './compile-callers';
import { columnsOf, compileNumberings } from './numbering';
import { compileFamily, type FamilyParts } from './compile-family';
import { compileFieldsOfOperation } from './compile-field';
import { compileRefusal, compileReplies, type ReplySurroundings } from './compile-reply';
import { compileFields, compileValue, ROOTS, type Value, type ValueContext } from './compile-value';
import type { CallTemplate, Field, Format, Join, LookupLimits, Mapping, Operation, OtherNumbering, Route } from './mapping';
import { nearestHint } from './nearest-name';
import { hasErrors, type Problem } from './problem';
import { createRouter, parseRoute, routesOf } from './routes';
import { compileSignal } from './signals';
import { createReport, partsAt, type MappingSource, type Report } from './source';
import { createTable, toNumbering, type Numbering, type Table } from './table';

/** Longer than a script or a customer takes to repeat an order; much shorter than the time until the same sale is wanted again. */
const REPLAY_MS = 10 * 60_000;

/** Compiles without running the rules of `check`; undefined if the files cannot be compiled. */
export function compileSound(source: MappingSource): Mapping | undefined {
  const problems: Problem[] = [];
  const mapping = compileMapping(source, createReport(source.places, problems));
  return hasErrors(problems) ? undefined : mapping;
}

export const compileMapping = (source: MappingSource, report: Report): Mapping => atOnce(compileInSteps(source, report));

/** The mapping may be used only if no problem of severity error was reported. */
export function* compileInSteps(source: MappingSource, report: Report): Steps<Mapping> {
  const tables = new Map(Object.entries(source.tables).map(([name, table]) => [name, createTable(name, table)]));
  const formats = new Map([...source.formats.keys()].map((id) => [id, compileFormat(id, source, tables, report)]));
  const rows = compileRows(source, tables, report);
  const contexts = new Map<string, ValueContext>();
  const operations = new Map<string, Operation>();
  for (const [name, operation] of Object.entries(source.operations))
    operations.set(name, yield* compileOperation(name, operation, { source, tables, formats, rows, contexts, report }));
  const compileOwnReplies: FamilyParts['compileOwnReplies'] = (name, format, familySource) =>
    atOnce(
      compileReplies(name, source.operations[name]!, [format], { source: familySource, report, context: contexts.get(name)! }),
    );
  reportUnknownOperations(source, report);
  const routes = collectRoutes(source);
  const numberingOf = (format: string, table: Table): Numbering =>
    formats.get(format)?.numberings.get(table.name) ?? table.numbering;
  const surroundings: ReplySurroundings = {
    source,
    report,
    context: { report, fieldTables: new Map(), joins: new Set(), rows, tables, allowRow: false },
  };
  const parts: FamilyParts = { base: () => mapping, compileOwnReplies, tables, report };
  const mapping: Mapping = {
    hash: source.hash,
    formats,
    families: new Map(Object.keys(source.families).map((id) => [id, compileFamily(id, source, parts)])),
    operations,
    tables,
    routes,
    otherNumberings: compileOthers(source),
    requestIdSpellings: source.request_id,
    requestIdHeaders: source.request_id_headers,
    words: source.words,
    texts: source.texts,
    timing: source.timing,
    replayMs: source.timing.replay ?? REPLAY_MS,
    repeatMs: source.timing.replay ?? REPLAY_MS,
    lookupKey: lookupLimitsOf(source),
    ...compileCallers(source, surroundings.context),
    refusal: compileRefusal(surroundings),
    placeOf: (path) => source.places.find(path),
    matchRoute: createRouter(routes, operations, new Set(formats.keys())),
    numberingOf,
  };
  return mapping;
}

function compileOthers({ other_numberings: otherNumberings }: MappingSource): OtherNumbering[] {
  return otherNumberings.map(({ title, table, numbers, sells_unported: sells }, index) => {
    return { title, table, numbering: toNumbering(numbers), sellsUnported: sells === true, path: ['other_numberings', index] };
  });
}

function lookupLimitsOf({ lookup_key: lookupKey }: MappingSource): LookupLimits {
  const { calls, window, total = Infinity, owner = 0, remember = 0, seller } = lookupKey;
  return {
    calls,
    windowMs: window,
    total,
    owner,
    rememberMs: remember,
    seller: seller && { calls: seller.calls, windowMs: seller.window, withinMs: seller.within },
  };
}

function compileFormat(id: string, source: MappingSource, tables: ReadonlyMap<string, Table>, report: Report): Format {
  const format = source.formats.get(id)!;
  const numberings = compileNumberings(format.numbers, ['formats', id, 'numbers'], tables, report);
  const signals = (format.proof ?? []).map((signal, index) => compileSignal(signal, ['formats', id, 'proof', index], report));
  return {
    id,
    title: format.title,
    hasLogin: format.login === 'basic',
    explainsNumbers: format.guard !== 'own',
    cure: format.cure,
    signals,
    numberings,
    columns: columnsOf(numberings.keys(), source, tables),
  };
}

function compileRows(source: MappingSource, tables: ReadonlyMap<string, Table>, report: Report): Map<string, Value> {
  const context: ValueContext = { report, fieldTables: new Map(), joins: new Set(), rows: new Map(), tables, allowRow: true };
  return new Map(Object.entries(source.rows).map(([name, row]) => [name, compileFields(row, ['rows', name], context)]));
}

interface Compiling {
  readonly source: MappingSource;
  readonly tables: ReadonlyMap<string, Table>;
  readonly formats: ReadonlyMap<string, Format>;
  readonly rows: ReadonlyMap<string, Value>;
  /** By operation: the fields, joins, rows and tables that its values may refer to. */
  readonly contexts: Map<string, ValueContext>;
  readonly report: Report;
}

function* compileOperation(name: string, operation: OperationSource, compiling: Compiling): Steps<Operation> {
  const { source, tables, formats, rows, contexts, report } = compiling;
  const path = ['operations', name];
  const fields = compileFieldsOfOperation(name, source, tables, report);
  const context: ValueContext = {
    report,
    fieldTables: new Map(fields.map((field) => [field.name, field.table])),
    joins: new Set(Object.keys(operation.join ?? {})),
    rows,
    tables,
    allowRow: false,
  };
  contexts.set(name, context);
  for (const field of fields)
    if (Object.hasOwn(ROOTS, field.name))
      report([...path, 'fields', field.name], 'reserved-name', `\`${field.name}\` has another meaning in replies`);
  const call = compileCall(operation, [...path, 'call'], context);
  if (operation.undecided !== undefined && !formats.has(operation.undecided))
    report([...path, 'undecided'], 'unknown-format', `there is no format \`${operation.undecided}\``);
  return {
    name,
    title: operation.title,
    kind: operation.kind,
    fields,
    identifiers: fields.filter(({ as }) => as === 'identifier').map((field) => field.name),
    essentials: essentialsOf(fields),
    known: knownSpellings(operation, fields, source),
    call,
    joins: compileJoins(operation, path, context),
    categories: categoriesOf(operation, source),
    wantsCatalog: operation.catalog === 'wanted',
    withoutKey: operation.without_key !== undefined,
    keyIn: operation.key_in,
    undecided: operation.undecided,
    sharedBy: formatsAtSharedAddresses(name, source),
    guard: compileGuard(operation, path, fields, report),
    patienceMs: operation.patience ?? {},
    afterPending: operation.after_pending,
    afterPendingByFormat: afterPendingByFormat(name, source),
    replies: yield* compileReplies(name, operation, [...formats.keys()], { source, report, context }),
  };
}

/** All that v1 is sent, but for flags (`ported`), and the customer's phone where a meter or smartcard is served. */
function essentialsOf(fields: readonly Field[]): string[] {
  const sent = fields.filter(({ isSent }) => isSent);
  const served = sent.some(({ as }) => as === 'identifier') ? 'identifier' : 'phone';
  const isEssential = ({ as }: Field): boolean => as === served || (as !== 'flag' && as !== 'phone');
  return sent.some(({ as }) => as === served) ? sent.filter(isEssential).map(({ name }) => name) : [];
}

/**
 * The category words of all operations with the same v1 call. v1's category names the product and not our operation, so the words of one
 * such operation hold for the others, even if their own list differs.
 */
function categoriesOf({ call }: OperationSource, { operations }: MappingSource): string[] {
  return Object.values(operations).flatMap((other) => (other.call?.to === call?.to ? (other.categories ?? []) : []));
}

function afterPendingByFormat(operation: string, { formats }: MappingSource): Map<string, AfterPending> {
  const said = [...formats].map(
    ([id, format]) => [id, format.operations?.[operation]?.after_pending ?? format.after_pending] as const,
  );
  return new Map(said.filter((entry): entry is [string, AfterPending] => entry[1] !== undefined));
}

/**
 * The formats whose scripts may come to addresses that all formats share. A format is left out if it has own addresses for the operation
 * and neither proof nor login: at a shared address nothing could recognise its scripts.
 */
function formatsAtSharedAddresses(operation: string, source: MappingSource): Set<string> {
  const ids = [...source.formats.keys()];
  const shared = ids.filter((id) => {
    const { proof = [], login, operations } = source.formats.get(id)!;
    return proof.length > 0 || login !== undefined || operations?.[operation]?.routes === undefined;
  });
  // A request at a served address is of some format, so all formats count when none is left.
  return new Set(shared.length === 0 ? ids : shared);
}

function compileCall(operation: OperationSource, path: readonly string[], context: ValueContext): CallTemplate | undefined {
  if (operation.call === undefined) {
    if (operation.kind !== 'list')
      context.report(path.slice(0, -1), 'missing-call', `an operation of kind ${operation.kind} needs a \`call\``);
    return undefined;
  }
  const [method, address] = operation.call.to.split(' ') as ['GET' | 'POST', string];
  const build = compileFields(operation.call.send ?? {}, [...path, 'send'], context);
  return {
    method,
    path: address,
    // A field without a value is not sent: v1 distinguishes an absent field from an empty one.
    send: (scope) => {
      const built = build(scope);
      const sent: Record<string, JsonValue> = {};
      for (const name in built) if (built[name] !== null) sent[name] = built[name]!;
      return sent;
    },
  };
}

function compileJoins(operation: OperationSource, path: readonly string[], context: ValueContext): Join[] {
  return Object.entries(operation.join ?? {}).flatMap(([name, join]) => {
    const [key, ...more] = Object.keys(join.where);
    if (key === undefined || more.length > 0) {
      context.report([...path, 'join', name, 'where'], 'bad-join', 'a join compares exactly one key, such as { id: $plan }');
      return [];
    }
    return [
      {
        name,
        list: join.list,
        key,
        value: compileValue(join.where[key] ?? null, [...path, 'join', name, 'where', key], context),
      },
    ];
  });
}

function compileGuard(
  operation: OperationSource,
  path: readonly string[],
  fields: readonly Field[],
  report: Report,
): Operation['guard'] {
  if (operation.numbering_guard === undefined) return undefined;
  const [number, phone, ported] = (['number', 'phone', 'ported'] as const).map((role) => {
    const name = operation.numbering_guard![role];
    if (name === undefined) return undefined;
    const field = fields.find((one) => one.name === name);
    if (field === undefined)
      report([...path, 'numbering_guard', role], 'unknown-field', `this operation has no field \`${name}\``);
    return field;
  });
  return number === undefined || phone === undefined ? undefined : { number, phone, ported };
}

function knownSpellings(operation: OperationSource, fields: readonly Field[], source: MappingSource): ReadonlySet<string> {
  const known = new Set<string>([...(operation.ignore ?? []), ...Object.values(operation.key_in ?? {})]);
  for (const field of fields) for (const spelling of [...field.from, ...field.otherwise]) known.add(spelling);
  if (operation.kind === 'purchase') for (const spelling of source.request_id) known.add(spelling);
  return known;
}

function reportUnknownOperations(source: MappingSource, report: Report): void {
  const known = Object.keys(source.operations);
  for (const { path, names } of partsAt(source, 'formats.*.operations.*'))
    if (!known.includes(names[1]))
      report(path, 'unknown-operation', `there is no operation \`${names[1]}\``, nearestHint(names[1], known));
}

function collectRoutes(source: MappingSource): Route[] {
  return routesOf(source).flatMap(({ text, operation, format }) =>
    parseRoute(text).map((address) => ({ ...address, operation, format })),
  );
}
