/** What numbers mean: number to value, as a table, a format or a family says it. */
import { nearestName } from './nearest-name';
import type { YamlPath } from './read-yaml';
import type { Report } from './source';
import type { Numbering, Table } from './table';

export function toNumbering(numbers: Readonly<Record<string, string>>): Numbering {
  // In order of number, however they are written: a value with two numbers is told by the smaller.
  return new Map(
    Object.entries(numbers)
      .map(([number, value]) => [Number(number), value] as const)
      .sort(([one], [other]) => one - other),
  );
}

/** By table. A table or value that is not there is reported. */
export function compileNumberings(
  source: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined,
  path: YamlPath,
  tables: ReadonlyMap<string, Table>,
  report: Report,
): Map<string, Numbering> {
  const numberings = new Map<string, Numbering>();
  for (const [name, numbers] of Object.entries(source ?? {})) {
    const table = tables.get(name);
    if (table === undefined) {
      const hint = nearestName(name, tables.keys());
      report([...path, name], 'unknown-table', `there is no table \`${name}\``, {
        at: 'key',
        ...(hint === undefined ? {} : { hint: `did you mean \`${hint}\`?` }),
      });
      continue;
    }
    for (const [number, value] of Object.entries(numbers))
      if (!table.values.includes(value))
        report([...path, name, number], 'unknown-value', `${table.title} \`${value}\` is not in the table`, {
          hint: `known: ${table.values.join(', ')}`,
        });
    numberings.set(name, toNumbering(numbers));
  }
  return numberings;
}
