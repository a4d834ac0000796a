/** Compiles the fields of an operation into readers. Further spellings of formats are added to the shared ones. */
import { parseNaira } from '../domain/amount';
import type { JsonValue } from '../domain/json';
import type { LegacyValue } from '../domain/legacy';
import { INPUT_TRANSFORMS, type Read } from './input-transforms';
import { rootsIn } from './expression';
import type { Field } from './mapping';
import { hintFor, nearestHint } from './nearest-name';
import type { YamlPath } from './read-yaml';
import { trimSlash } from '../domain/decode-path';
import { spellingsOf } from './rules/checking';
import type { RuleId } from './rules/rules';
import type { FieldSource } from './language/schema';
import { partsAt, type MappingSource, type Report } from './source';
import { toNumbering, type Table, type TableRead } from './table';

export function compileFieldsOfOperation(
  operation: string,
  source: MappingSource,
  tables: ReadonlyMap<string, Table>,
  report: Report,
): Field[] {
  const { fields: declared = {}, call } = source.operations[operation]!;
  const sent = rootsIn(call?.send);
  const fields = Object.entries(declared).map(([name, field]) =>
    compileField(name, field, additionsOf(operation, name, source), tables, sent.has(name), (key, ...said) =>
      report(['operations', operation, 'fields', name, key], ...said),
    ),
  );
  reportNumbers(operation, source, fields, report);
  reportSharedSpellings(operation, source, report);
  reportUnknownFields(operation, source, fields, report);
  return fields;
}

/** The spellings that formats add to a field, and by format the value that each of its numbers means. */
function additionsOf(operation: string, field: string, source: MappingSource) {
  const said = [...source.formats].map(([id, { operations }]) => ({ id, ...operations?.[operation]?.fields?.[field] }));
  const numbers = said.flatMap(({ id, numbers: own }) => (own === undefined ? [] : [[id, toNumbering(own)] as const]));
  return { spellings: said.flatMap(({ from }) => from ?? []), numbers: new Map(numbers) };
}

function compileField(
  name: string,
  source: FieldSource,
  additions: ReturnType<typeof additionsOf>,
  tables: ReadonlyMap<string, Table>,
  isSent: boolean,
  complain: (key: keyof FieldSource, code: RuleId, message: string, extra?: { readonly hint?: string }) => void,
): Field {
  const table = tables.get(source.as);
  const transform = Object.hasOwn(INPUT_TRANSFORMS, source.as) ? INPUT_TRANSFORMS[source.as] : undefined;
  if (table === undefined && transform === undefined) {
    const known = [...Object.keys(INPUT_TRANSFORMS), ...tables.keys()];
    complain('as', 'unknown-transform', `there is no transform or table \`${source.as}\``, hintFor(source.as, known));
  }
  if (table !== undefined && transform !== undefined)
    complain('as', 'name-clash', `\`${source.as}\` is both a transform and a table`);
  const isAmount = transform?.isAmount ?? false;
  const bound = (key: 'min' | 'max'): number | undefined => {
    const value = source[key];
    if (value === undefined || !isAmount) return value;
    const amount = parseNaira(value);
    if (amount === undefined)
      complain(key, 'bad-bound', 'a bound of naira has at most two decimals, and twelve digits before them');
    return amount;
  };
  const read = (raw: LegacyValue): Read =>
    table === undefined ? (transform?.read(raw) ?? { expected: 'a known value' }) : wordOf(table.read(raw, table.numbering));
  return {
    name,
    as: source.as,
    from: [...new Set([...source.from, ...additions.spellings])],
    otherwise: source.otherwise ?? [],
    numbers: additions.numbers,
    table,
    read: transform?.read ?? (() => ({ expected: 'a known value' })),
    takesEmpty: transform?.takesEmpty ?? false,
    isAmount,
    isRequired: source.required ?? false,
    isLenient: source.lenient ?? false,
    isSent,
    fallback: source.default === undefined ? undefined : readDefault(name, source.default, read, complain),
    min: bound('min'),
    max: bound('max'),
    lengthMax: source.length_max,
    tryValues: (source.try_values ?? []).flatMap((value) => readDefault(name, value, read, complain, 'try_values') ?? []),
    requiredIf: source.required_if && {
      path: source.required_if.path && trimSlash(source.required_if.path),
      sentEmpty: source.required_if.sent_empty,
      why: source.required_if.why,
    },
  };
}

/** A default is written as a script would send it: `100` naira, `MTN`, `true`. */
function readDefault(
  name: string,
  value: NonNullable<FieldSource['default']>,
  read: (raw: LegacyValue) => Read,
  complain: (key: 'default' | 'try_values', code: RuleId, message: string) => void,
  key: 'default' | 'try_values' = 'default',
): JsonValue | undefined {
  const result = read(value);
  if ('value' in result) return result.value;
  const what = key === 'default' ? 'the default' : 'a value to try';
  complain(key, 'bad-default', `${what} of \`${name}\` is not a valid value: expected ${result.expected}`);
  return undefined;
}

function wordOf(read: TableRead): Read {
  return 'lookUp' in read ? { expected: 'a number or a listed word: only a request can ask the catalog' } : read;
}

/** Reports a spelling of two fields of one operation. */
function reportSharedSpellings(operation: string, source: MappingSource, report: Report): void {
  const owners = new Map<string, { readonly name: string; readonly at: YamlPath }>();
  for (const { operation: of, field: name, spelling, path: at } of spellingsOf(source)) {
    if (of !== operation) continue;
    const owner = owners.get(spelling);
    if (owner === undefined) owners.set(spelling, { name, at });
    else if (owner.name !== name)
      report(at, 'spelling-shared', `\`${spelling}\` is already a spelling of \`${owner.name}\``, {
        hint: `it is also at ${source.places.say(owner.at)}`,
      });
  }
}

function reportUnknownFields(operation: string, source: MappingSource, fields: readonly Field[], report: Report): void {
  const known = fields.map((field) => field.name);
  for (const { path, names } of partsAt(source, 'formats.*.operations.*.fields.*')) {
    const [, of, name] = names;
    if (of === operation && !known.includes(name))
      report(path, 'unknown-field', `\`${operation}\` has no field \`${name}\``, { at: 'key', ...nearestHint(name, known) });
  }
}

/** Reports numbers of a field that is read by a table, which belong to the table for all its fields, and values that the field cannot have. */
function reportNumbers(operation: string, source: MappingSource, fields: readonly Field[], report: Report): void {
  for (const { value: numbers, path, names } of partsAt(source, 'formats.*.operations.*.fields.*.numbers')) {
    const [, of, name] = names;
    const field = of === operation ? fields.find((one) => one.name === name) : undefined;
    if (field?.table !== undefined)
      report(path, 'numbers-of-table', `\`${name}\` is read by the table \`${field.table.name}\``, {
        hint: `write them below \`numbers: { ${field.table.name}: … }\` of the format`,
      });
    else if (field !== undefined && Object.hasOwn(INPUT_TRANSFORMS, field.as))
      for (const [number, value] of Object.entries(numbers)) {
        const read = field.read(value);
        if ('expected' in read)
          report([...path, number], 'unknown-value', `\`${value}\` cannot be read as \`${field.as}\``, {
            hint: `expected ${read.expected}`,
          });
      }
  }
}
