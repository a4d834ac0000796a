/** Fields of an operation → readers. A format's further spellings are added to the shared ones. */
import { kobo, parseNaira } from '../domain/amount';
import type { JsonValue } from '../domain/json';
import { INPUT_TRANSFORMS } from './input-transforms';
import type { Field } from './mapping';
import { nearestName } from './nearest-name';
import type { FieldSource } from './schema';
import type { MappingSource, Report } from './source';
import type { Table } from './table';

export function compileFieldsOfOperation(
  operation: string,
  source: MappingSource,
  tables: ReadonlyMap<string, Table>,
  sent: ReadonlySet<string>,
  report: Report,
): Field[] {
  const fields = Object.entries(source.operations[operation]!.fields ?? {}).map(([name, field]) =>
    compileField(name, field, furtherSpellings(operation, name, source), tables, sent, (code, message, hint) =>
      report(['operations', operation, 'fields', name, 'as'], code, message, hint === undefined ? {} : { hint }),
    ),
  );
  reportSharedSpellings(operation, fields, report);
  reportUnknownFields(operation, source, fields, report);
  return fields;
}

function furtherSpellings(operation: string, field: string, source: MappingSource): string[] {
  return [...source.formats.values()].flatMap((format) => format.operations?.[operation]?.fields?.[field]?.from ?? []);
}

function compileField(
  name: string,
  source: FieldSource,
  further: readonly string[],
  tables: ReadonlyMap<string, Table>,
  sent: ReadonlySet<string>,
  complain: (code: string, message: string, hint?: string) => void,
): Field {
  const table = tables.get(source.as);
  const transform = Object.hasOwn(INPUT_TRANSFORMS, source.as) ? INPUT_TRANSFORMS[source.as] : undefined;
  if (table === undefined && transform === undefined) {
    const known = [...Object.keys(INPUT_TRANSFORMS), ...tables.keys()];
    const hint = nearestName(source.as, known);
    complain(
      'unknown-transform',
      `there is no transform or table \`${source.as}\``,
      hint === undefined ? `known: ${known.join(', ')}` : `did you mean \`${hint}\`?`,
    );
  }
  if (table !== undefined && transform !== undefined) complain('name-clash', `\`${source.as}\` is both a transform and a table`);
  const isAmount = transform?.isAmount ?? false;
  const bound = (value: number | undefined): number | undefined =>
    value === undefined ? undefined : isAmount ? kobo(value * 100) : value;
  return {
    name,
    as: source.as,
    from: [...new Set([...source.from, ...further])],
    otherwise: source.otherwise ?? [],
    table,
    read: transform?.read ?? (() => ({ expected: 'a known value' })),
    takesEmpty: transform?.takesEmpty ?? false,
    isAmount,
    isRequired: source.required ?? false,
    isLenient: source.lenient ?? false,
    // Filled while the call is compiled, which comes later.
    get isSent() {
      return sent.has(name);
    },
    fallback: isAmount && source.default !== undefined ? (parseNaira(source.default) as JsonValue) : source.default,
    min: bound(source.min),
    max: bound(source.max),
    lengthMax: source.length_max,
  };
}

/** One spelling cannot mean two fields of one operation. */
function reportSharedSpellings(operation: string, fields: readonly Field[], report: Report): void {
  const owners = new Map<string, string>();
  for (const field of fields) {
    for (const [index, spelling] of [...field.from, ...field.otherwise].entries()) {
      const owner = owners.get(spelling);
      if (owner === undefined) owners.set(spelling, field.name);
      else if (owner !== field.name)
        report(
          ['operations', operation, 'fields', field.name, 'from', index],
          'spelling-shared',
          `\`${spelling}\` is already a spelling of \`${owner}\``,
        );
    }
  }
}

function reportUnknownFields(operation: string, source: MappingSource, fields: readonly Field[], report: Report): void {
  for (const [id, format] of source.formats) {
    for (const name of Object.keys(format.operations?.[operation]?.fields ?? {})) {
      if (fields.some((field) => field.name === name)) continue;
      const hint = nearestName(
        name,
        fields.map((field) => field.name),
      );
      report(
        ['formats', id, 'operations', operation, 'fields', name],
        'unknown-field',
        `\`${operation}\` has no field \`${name}\``,
        { at: 'key', ...(hint === undefined ? {} : { hint: `did you mean \`${hint}\`?` }) },
      );
    }
  }
}
