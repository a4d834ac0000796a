/** Compiles the values of replies and calls into functions, so that no request has to walk YAML. */
import { isJsonObject, isList, textOf, type JsonObject, type JsonValue } from '../domain/json';
import { isExpression, parseExpression, type Expression } from './expression';
import type { ReplyFieldSource, Scope } from './mapping';
import { hintFor, nearestHint, nearestName } from './nearest-name';
import { OUTPUT_TRANSFORMS, TABLE_TRANSFORMS } from './output-transforms';
import { listOfEach } from './rules/walk-value';
import { CATALOG_LISTS, type ValueSource } from './language/schema';
import type { Report } from './source';
import type { YamlPath } from './read-yaml';
import { sameWord, type Table } from './table';

/** Makes a value from a scope. `undefined` means that the field is left out. */
export type Value = (scope: Scope) => JsonValue | undefined;

/** Every root (`$order`, `$v1` …) that is not a field or a join. */
export const ROOTS: Readonly<Record<string, string>> = {
  text: "The text of the reply: v1's message, or the text of the outcome under `texts`.",
  http: 'The HTTP status of the reply.',
  words: 'The status words of the outcome: status, Status.',
  order:
    'The order: request_id, number, reference, echo, opened_at, operation, charged, balance_before, balance_after, cashback, token, pins.',
  v1: "v1's answer to a lookup or read, as it came.",
  catalog: 'Lists of the catalog: data_plans, cable_plans, cable_providers, discos, exams, recharge_cards.',
  networks: "The format's networks, from the table `network`: number, name, label, prefixes.",
  orders: 'The rows of the order history.',
  login:
    'The key of the request: username, access_token, is_basic; and pin, if the request brought it in the fields of `key_in`.',
  refusal: 'Why the gateway refused: code, detail.',
  sent: 'The request id that a refused request had sent: request_id, echo.',
  row: 'The row of a list (inside `each`).',
  list: 'A list as all other callers get it (inside `callers.keys.<fingerprint>.lists`).',
};

/** The names that a value may refer to where it stands, and where problems are reported. */
export interface ValueContext {
  readonly report: Report;
  readonly fieldTables: ReadonlyMap<string, Table | undefined>;
  readonly joins: ReadonlySet<string>;
  readonly rows: ReadonlyMap<string, Value>;
  readonly tables: ReadonlyMap<string, Table>;
  readonly allowRow: boolean;
  /** True inside `lists` of a caller, where `$list` has a value. */
  readonly allowList?: boolean;
}

export function compileValue(source: ValueSource, path: YamlPath, context: ValueContext): Value {
  if (typeof source === 'string') return isExpression(source) ? compileExpression(source, path, context) : () => source;
  if (isList(source)) {
    const parts = source.map((part, index) => compileValue(part, [...path, index], context));
    return (scope) => parts.map((part) => part(scope) ?? null);
  }
  if (!isJsonObject(source)) return () => source;
  if ('first' in source) return compileFirst(source, path, context);
  if ('each' in source) return compileEach(source, path, context);
  if ('when' in source) return compileWhen(source, path, context);
  return compileFields(source, path, context);
}

export interface CompiledField {
  readonly key: string;
  readonly source: ValueSource;
  readonly value: Value;
}

/** Compiles a map of fields. A field whose value is left out has no key in the object. */
export function compileFields(source: JsonObject, path: YamlPath, context: ValueContext): (scope: Scope) => JsonObject {
  return buildObject(
    compilePlacedFields(
      Object.entries(source).map(([field, value]) => ({ field, value, path: [...path, field] })),
      context,
    ),
  );
}

/** Compiles fields of one object that come from several places of the mapping. */
export function compilePlacedFields(placed: readonly ReplyFieldSource[], context: ValueContext): readonly CompiledField[] {
  return placed.map(({ field, value, path }) => ({ key: field, source: value, value: compileValue(value, path, context) }));
}

export function buildObject(fields: readonly CompiledField[]): (scope: Scope) => JsonObject {
  return (scope) => {
    const object: Record<string, JsonValue> = {};
    for (const { key, value } of fields) {
      const made = value(scope);
      if (made === undefined) continue;
      // The value of "*" is an object; its fields, such as the script's own spellings of the request id, are added to this one.
      if (key === '*') Object.assign(object, made);
      else object[key] = made;
    }
    return object;
  };
}

function compileExpression(text: string, path: YamlPath, context: ValueContext): Value {
  const expression = parseExpression(text);
  if (expression === undefined) {
    context.report(path, 'bad-expression', `\`${text}\` is not of the form $path or $path | transform`);
    return () => null;
  }
  const read = compileRoot(expression, path, context);
  const changes = expression.transforms.map((name) => compileTransform(name, expression, path, context));
  if (changes.length === 0) return (scope) => read(scope) ?? null;
  return (scope) => {
    let value: JsonValue = read(scope) ?? null;
    for (const change of changes) if (value !== null) value = change(value, scope);
    return value;
  };
}

function compileRoot({ root, path: steps }: Expression, path: YamlPath, context: ValueContext): Value {
  if (context.fieldTables.has(root))
    return steps.length === 0 ? (scope) => scope.fields[root] : (scope) => valueAt(scope.fields[root], steps);
  if (context.joins.has(root)) return (scope) => valueAt(scope.joins[root], steps);
  if (!Object.hasOwn(ROOTS, root) || (root === 'row' && !context.allowRow) || (root === 'list' && context.allowList !== true)) {
    const known = [...context.fieldTables.keys(), ...context.joins, ...Object.keys(ROOTS)];
    const near = nearestName(
      root,
      known.filter((name) => name !== root),
    );
    const hint = near && `did you mean \`$${near}\`?`;
    context.report(path, 'unknown-source', `there is no \`$${root}\``, { hint });
    return () => null;
  }
  const [list] = steps;
  if (root === 'catalog' && list !== undefined && !CATALOG_LISTS.some((known) => known === list)) {
    context.report(path, 'unknown-list', `the catalog has no list \`${list}\``, hintFor(list, CATALOG_LISTS));
  }
  if (root === 'networks') needNetworks(path, context);
  return steps.length === 0 ? (scope) => scope.roots[root] : (scope) => valueAt(scope.roots[root], steps);
}

/** The networks of replies are those of the table `network`. Without it their list would be empty, and a script would import that. */
function needNetworks(path: YamlPath, { tables, report }: ValueContext): void {
  if (!tables.has('network')) report(path, 'unknown-table', 'there is no table `network`', { at: 'value' });
}

function valueAt(value: JsonValue | undefined, steps: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const step of steps) {
    if (!isJsonObject(current) || !Object.hasOwn(current, step)) return undefined;
    current = current[step];
  }
  return current;
}

function compileTransform(
  name: string,
  { root }: Expression,
  path: YamlPath,
  context: ValueContext,
): (value: JsonValue, scope: Scope) => JsonValue {
  const plain = OUTPUT_TRANSFORMS[name];
  if (plain !== undefined) return plain.apply;
  const table = context.fieldTables.get(root);
  if (name === 'id') {
    if (table !== undefined) return (value) => (typeof value === 'string' ? (table.idOf(value) ?? null) : value);
    context.report(path, 'transform-without-table', `\`id\` needs a field that is read through a table; \`$${root}\` is not`);
  } else if (name === 'number') {
    if (table === undefined) needNetworks(path, context);
    const [ofTable, field] = table === undefined ? ['network'] : [table.name, root];
    return (value, scope) =>
      typeof value === 'string' || typeof value === 'number' ? (scope.numberOf(ofTable, value, field) ?? null) : value;
  } else {
    const known = [...Object.keys(OUTPUT_TRANSFORMS), ...Object.keys(TABLE_TRANSFORMS)];
    context.report(path, 'unknown-transform', `there is no transform \`${name}\``, hintFor(name, known));
  }
  return () => null;
}

function allowKeys(object: JsonObject, allowed: readonly string[], path: YamlPath, context: ValueContext): void {
  for (const key of Object.keys(object)) {
    if (!allowed.includes(key))
      context.report([...path, key], 'unknown-key', `unknown key \`${key}\` beside \`${allowed[0]}\``, {
        hint: `allowed: ${allowed.join(', ')}`,
      });
  }
}

/** `first`: the first value that is neither null, left out nor empty. */
function compileFirst(object: JsonObject, path: YamlPath, context: ValueContext): Value {
  allowKeys(object, ['first'], path, context);
  const list = object['first'];
  if (!isList(list)) {
    context.report([...path, 'first'], 'bad-first', '`first` takes a list of values');
    return () => null;
  }
  const parts = list.map((part, index) => compileValue(part, [...path, 'first', index], context));
  return (scope) => {
    for (const part of parts) {
      const value = part(scope);
      if (value !== undefined && value !== null && value !== '') return value;
    }
    return null;
  };
}

/** `when`: the value if every condition holds, else the value of `else`. Without `else` the field is left out. */
function compileWhen(object: JsonObject, path: YamlPath, context: ValueContext): Value {
  allowKeys(object, ['when', 'value', 'else'], path, context);
  const conditions = object['when'];
  if (!isJsonObject(conditions)) {
    context.report(
      [...path, 'when'],
      'bad-when',
      '`when` takes conditions such as { $meter_type: prepaid } or { $order.token: present }',
    );
    return () => undefined;
  }
  const tests = Object.entries(conditions).map(([key, wanted]) => {
    const actual = compileExpression(key, [...path, 'when', key], context);
    if (wanted === 'present') return (scope: Scope) => (actual(scope) ?? null) !== null;
    if (wanted === 'absent') return (scope: Scope) => (actual(scope) ?? null) === null;
    return (scope: Scope) => actual(scope) === wanted;
  });
  const value = compileValue(object['value'] ?? null, [...path, 'value'], context);
  const otherwise =
    'else' in object ? compileValue(object['else'] ?? null, [...path, 'else'], context) : (): undefined => undefined;
  return (scope) => (tests.every((test) => test(scope)) ? value(scope) : otherwise(scope));
}

/** `each`: one row per item of a list. */
function compileEach(object: JsonObject, path: YamlPath, context: ValueContext): Value {
  allowKeys(object, ['each', 'where', 'where_any', 'row', 'only'], path, context);
  const list = compileValue(object['each'] ?? null, [...path, 'each'], context);
  const row = rowShapeOf(object, context);
  if (row === undefined) {
    const wanted = textOf(object['row']);
    const hint = nearestHint(wanted, context.rows.keys());
    context.report([...path, 'row'], 'unknown-row', `there is no row shape \`${wanted}\``, hint);
    return () => [];
  }
  const isWanted = compileWhere(object, path, context);
  const onlyFirst = object['only'] === 'first';
  const catalogList = /^catalog\.(\w+)$/.exec(listOfEach(object) ?? '')?.[1];
  return (scope) => {
    // A price list that is not available gives null. An empty list would mean that nothing is sold, and importers would delete their plans.
    if (catalogList !== undefined && scope.roots['catalog'] === undefined) return null;
    const items = list(scope);
    const wanted = (isList(items) ? items : []).filter((item) => isWanted(item as JsonObject, scope));
    const shown = catalogList === undefined || scope.rowOf === undefined ? wanted : ownRows(wanted, catalogList, scope.rowOf);
    // One scope for all rows: a row is made before the next item takes its place.
    const roots: Record<string, JsonValue | undefined> = { ...scope.roots };
    const ofRow: Scope = { ...scope, roots };
    const rows = shown.map((item) => {
      roots['row'] = item;
      return row(ofRow) ?? null;
    });
    return onlyFirst ? (rows[0] ?? null) : rows;
  };
}

/** The rows of `$list` are shaped already: without `row` they stay as they are. */
function rowShapeOf(object: JsonObject, context: ValueContext): Value | undefined {
  if (object['row'] === undefined && listOfEach(object) === 'list') return (scope) => scope.roots['row'];
  return typeof object['row'] === 'string' ? context.rows.get(object['row']) : undefined;
}

/** The rows with the script's own numbers in place of v1's. They are replaced after `where`, whose conditions compare v1's numbers. */
function ownRows(rows: readonly JsonValue[], list: string, rowOf: NonNullable<Scope['rowOf']>): JsonValue[] {
  return rows.flatMap((row) => rowOf(list, row as JsonObject) ?? []);
}

type RowTest = (row: JsonObject, scope: Scope) => boolean;

/** `where`: all conditions must hold. `where_any`: one of its groups must. A condition without a value does not filter. */
function compileWhere(object: JsonObject, path: YamlPath, context: ValueContext): RowTest {
  const any = object['where_any'];
  if (isList(any)) {
    const tests = any.map((part, index) => compileRowTest(part, [...path, 'where_any', index], context));
    return (row, scope) => tests.some((test) => test(row, scope));
  }
  return 'where' in object ? compileRowTest(object['where'] ?? null, [...path, 'where'], context) : () => true;
}

function compileRowTest(source: ValueSource, path: YamlPath, context: ValueContext): RowTest {
  if (!isJsonObject(source)) {
    context.report(path, 'bad-where', 'a condition on rows is a map such as { network: MTN }');
    return () => true;
  }
  const tests = Object.entries(source).map(([key, part]) => {
    const wanted = compileValue(part, [...path, key], context);
    return (row: JsonObject, scope: Scope): boolean => {
      const value = wanted(scope) ?? null;
      if (value === null) return true;
      const actual = row[key] ?? null;
      return (isList(value) ? value : [value]).some((one) => sameWord(textOf(one), textOf(actual)));
    };
  });
  return (row, scope) => tests.every((test) => test(row, scope));
}
