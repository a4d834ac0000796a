/** Whether a field of a mapping, by how it is read, can be what v1 or a list of the catalog needs. */
import { INPUT_TRANSFORMS } from '../../input-transforms';
import type { FieldSource, TableSource } from '../../language/schema';
import type { MappingSource } from '../../source';
import { sameWord } from '../../table';
import type { V1Need } from './v1-needs';

type Tables = MappingSource['tables'];

/** Undefined when its `as:` is a transform, or nothing that is known. */
export function tableOf({ as }: FieldSource, tables: Tables): TableSource | undefined {
  return !Object.hasOwn(INPUT_TRANSFORMS, as) && Object.hasOwn(tables, as) ? tables[as] : undefined;
}

/** Lists of the catalog whose rows a table stands for, with and without their column: `discos`, `discos.id`. */
export function listsOf({ shown_in: shownIn = [], catalog }: TableSource): string[] {
  return [...shownIn.flatMap((place) => [place, place.split('.')[0]!]), ...(catalog === undefined ? [] : [catalog.list])];
}

/** A table that holds something else for certain: networks have prefixes, and values that v1 knows under another field. */
function isOfNetworks({ values = {} }: TableSource): boolean {
  return Object.values(values).some(({ prefixes }) => prefixes !== undefined);
}

export function readsAs(field: FieldSource, need: V1Need, tables: Tables): boolean {
  const table = tableOf(field, tables);
  // What is read by nothing that is known is told where fields are compiled.
  if (table === undefined) return !Object.hasOwn(INPUT_TRANSFORMS, field.as) || need.as.includes(field.as);
  if (need.values !== undefined) return holdsOneOf(table, need.values);
  if (need.lists === undefined || isOfNetworks(table)) return false;
  const lists = listsOf(table);
  return lists.length === 0 || lists.some((list) => need.lists!.includes(list));
}

/** One value is enough: that the others are misspelt is another mistake. */
function holdsOneOf({ values = {} }: TableSource, wanted: readonly string[]): boolean {
  return Object.keys(values).some((name) => wanted.some((one) => sameWord(one, name)));
}
