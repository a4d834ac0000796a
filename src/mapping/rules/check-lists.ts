/** Checks lookups in catalog lists: the value must be of the kind of its column, and the table must belong to the list. */
import { isJsonObject, isList } from '../../domain/json';
import { parseExpression } from '../expression';
import { normaliseWord } from '../table';
import type { YamlPath } from '../read-yaml';
import type { FieldSource, ValueSource } from '../language/schema';
import { isKind, kindOfField, ROW_SHAPES, type Kind } from '../shapes';
import { partsAt } from '../source';
import type { Checking } from './checking';
import { listsOf, tableOf } from './v1-needs';
import { listOfEach, walkValue } from './walk-value';

export function checkLists(checking: Checking): void {
  const { source } = checking;
  for (const [name, { catalog, shown_in: shownIn = [] }] of Object.entries(source.tables)) {
    // The value of a name must be the number of its row, the name itself, or a column that `shown_in` lists for the table.
    const held = ['id', catalog?.name, ...shownIn.map((place) => place.split('.')[1])];
    if (catalog !== undefined && !held.includes(catalog.id))
      checking.report(
        ['tables', name, 'catalog', 'id'],
        'lookup-by-another',
        `column \`${catalog.id}\` is not the number of a row of ${catalog.list}`,
      );
    if (catalog?.id === 'id' && !catalog.name.endsWith('name'))
      checking.report(
        ['tables', name, 'catalog', 'name'],
        'lookup-by-another',
        `column \`${catalog.name}\` is not the name of a row of ${catalog.list}`,
      );
    if (catalog !== undefined && shownIn.length > 0 && !shownIn.some((place) => place.startsWith(`${catalog.list}.`)))
      checking.report(['tables', name, 'catalog', 'list'], 'lookup-by-another', `\`${name}\` is shown in ${shownIn.join(', ')}`);
  }
  for (const { value, path, names } of partsAt(source, 'operations.*.join.*'))
    checkWhere(value.where, value.list, source.operations[names[0]]!.fields ?? {}, [...path, 'where'], checking);
  for (const { operation, fields, outcome } of checking.replies)
    if (outcome === 'success')
      for (const { value, path } of fields.values()) checkEach(value, path, source.operations[operation]!.fields ?? {}, checking);
}

function checkEach(value: ValueSource, path: YamlPath, fields: Readonly<Record<string, FieldSource>>, checking: Checking): void {
  walkValue(value, path, {
    each: (object, at) => {
      const list = listOfEach(object)?.replace(/^catalog\./, '');
      if (list === undefined) return;
      const { where = {}, where_any: any = [] } = object;
      checkWhere(where, list, fields, [...at, 'where'], checking);
      if (isList(any)) any.forEach((part, index) => checkWhere(part, list, fields, [...at, 'where_any', index], checking));
      checkName(where, at, checking);
    },
  });
}

function checkWhere(
  where: ValueSource,
  list: string,
  fields: Readonly<Record<string, FieldSource>>,
  path: YamlPath,
  { source, report }: Checking,
): void {
  for (const [column, value] of Object.entries(isJsonObject(where) ? where : {})) {
    const shape = ROW_SHAPES[`catalog.${list}`]?.[column];
    const wanted: Kind = shape === undefined || !isKind(shape) ? 'any' : shape;
    const root = parseExpression(value)?.root;
    const field = root !== undefined && Object.hasOwn(fields, root) ? fields[root] : undefined;
    if (root === undefined) {
      if (wanted === 'number' && typeof value === 'string')
        report([...path, column], 'lookup-by-another', `\`${column}\` of ${list} is a number, never \`${value}\``);
      continue;
    }
    if (field === undefined) continue;
    const table = tableOf(field, source.tables);
    const kind = kindOfField(field, source.tables);
    const lists = table === undefined ? [] : listsOf(table);
    const isHeld = lists.includes(list) || lists.includes(`${list}.${column}`) || isProviderOf(list, column, lists);
    const isAnotherList = lists.length > 0 && column !== 'network' && !isHeld;
    // A plan is looked up by its number, never by a quantity, which is a number as well.
    const isAnotherKind =
      wanted === 'number'
        ? kind !== 'number' || (table === undefined && field.as !== 'plan_id')
        : kind === 'number' && wanted === 'text' && table === undefined;
    const isNoNetwork =
      column === 'network' && Object.values(table?.values ?? {}).every(({ prefixes }) => prefixes === undefined);
    if (isAnotherList || isAnotherKind || isNoNetwork)
      report(
        [...path, column],
        'lookup-by-another',
        `column \`${column}\` of ${list} does not fit \`${root}\`, which is read as \`${field.as}\``,
      );
  }
}

/** Whether the column is the provider of cable TV packages, whose values are in another list. */
function isProviderOf(list: string, column: string, lists: readonly string[]): boolean {
  return list === 'cable_plans' && column === 'provider' && lists.includes('cable_providers');
}

/** Reports a list whose name contradicts its condition: `GLO_PLAN: { each: …, where: { network: AIRTEL } }`. */
function checkName(where: ValueSource, path: YamlPath, { source, report }: Checking): void {
  const name = normaliseWord(path.map(String).findLast((step) => !/^(?:ALL|\d+)$/.test(step)) ?? '');
  for (const [column, value] of Object.entries(isJsonObject(where) ? where : {})) {
    if (typeof value !== 'string') continue;
    const names = Object.values(source.tables).flatMap(({ values = {} }) => {
      const all = Object.keys(values);
      return all.includes(value) ? all : [];
    });
    const other = names.find((one) => one !== value && name.startsWith(normaliseWord(one)));
    if (other !== undefined && !name.includes(normaliseWord(value)))
      report([...path, 'where', column], 'list-under-another-name', `the list \`${other}\` has rows of ${value}`);
  }
}
