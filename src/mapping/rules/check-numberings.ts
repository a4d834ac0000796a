/** Numbers of tables and formats: a wrong one sells another network. */
import type { YamlPath } from '../read-yaml';
import { toNumbering } from '../numbering';
import { CATALOG_LISTS } from '../language/schema';
import { ROW_SHAPES } from '../shape/source-shapes';
import { hintFor, type Checking } from './checking';

type Numbers = Readonly<Record<string, string>>;

export function checkNumberings(checking: Checking): void {
  const { source } = checking;
  for (const [name, table] of Object.entries(source.tables)) {
    checkNumbers(table.numbers ?? {}, ['tables', name, 'numbers'], checking);
    checkValues(name, checking);
    checkShownIn(name, checking);
  }
  for (const [id, format] of source.formats)
    for (const [table, numbers] of Object.entries(format.numbers ?? {})) {
      const path = ['formats', id, 'numbers', table];
      checkNumbers(numbers, path, checking);
      checkCompleteness(table, numbers, path, checking);
    }
  for (const [index, { numbers }] of source.other_numberings.entries())
    checkNumbers(numbers, ['other_numberings', index, 'numbers'], checking);
  checkOthers(checking);
}

/** Two numbers for one value would make a list that does not read back. */
function checkNumbers(numbers: Numbers, path: YamlPath, { source, report }: Checking): void {
  const values = new Map<string, string>();
  const seen = new Map<number, string>();
  for (const [number, value] of Object.entries(numbers)) {
    const twin = seen.get(Number(number));
    if (twin !== undefined)
      report([...path, number], 'number-repeated', `${twin} and ${number} are the same number`, {
        at: 'key',
        hint: `the other stands at ${source.places.say([...path, twin], 'key')}`,
      });
    seen.set(Number(number), number);
    const other = values.get(value);
    if (other !== undefined) report([...path, number], 'numbering-not-one-to-one', `${number} and ${other} both mean ${value}`);
    values.set(value, number);
  }
}

function checkCompleteness(name: string, numbers: Numbers, path: YamlPath, { source, report }: Checking): void {
  const table = source.tables[name];
  const known = { ...table?.numbers, ...numbers };
  const without = Object.keys(table?.values ?? {}).filter((value) => !Object.values(known).includes(value));
  if (without.length > 0) report(path, 'numbering-incomplete', `no number means ${without.join(' or ')}`, { at: 'key' });
}

function checkValues(name: string, { source, report }: Checking): void {
  const { values = {}, catalog, unlisted, numbers = {} } = source.tables[name]!;
  const path = ['tables', name];
  const isEmpty = Object.keys(values).length === 0 && Object.keys(numbers).length === 0;
  if (isEmpty && catalog === undefined && unlisted === undefined)
    report(path, 'table-reads-nothing', `no value is listed in \`${name}\``, { at: 'key' });
  const ids = new Map<number, string>();
  for (const [value, { id, words }] of Object.entries(values)) {
    const owner = id === undefined ? undefined : ids.get(id);
    if (owner !== undefined) report([...path, 'values', value, 'id'], 'id-shared', `${id!} is the number of ${owner} already`);
    if (id !== undefined) ids.set(id, owner ?? value);
    for (const [index, word] of words.entries())
      if (/^\s*\d+(?:\.0+)?\s*$/.test(word))
        report([...path, 'values', value, 'words', index], 'word-is-number', `\`${word}\` is a number, not a word`);
  }
}

/** Where callers with numbers of their own are shown them. */
function checkShownIn(name: string, { source, report }: Checking): void {
  for (const [index, place] of (source.tables[name]!.shown_in ?? []).entries()) {
    const path = ['tables', name, 'shown_in', index];
    const [list = '', column = ''] = place.split('.');
    const columns = ROW_SHAPES[`catalog.${list}`];
    if (columns === undefined) report(path, 'unknown-list', `the catalog has no list \`${list}\``, hintFor(list, CATALOG_LISTS));
    else if (!Object.hasOwn(columns, column))
      report(path, 'unknown-column', `rows of ${list} have no column \`${column}\``, hintFor(column, Object.keys(columns)));
  }
}

/** A numbering that a format has already explains nothing to the guard. */
function checkOthers({ source, report }: Checking): void {
  for (const [index, { table, numbers }] of source.other_numberings.entries()) {
    const twin = [...source.formats].find(
      ([, { guard, ...format }]) => guard !== 'own' && isSame(format.numbers?.[table], numbers),
    );
    if (twin !== undefined)
      report(['other_numberings', index, 'numbers'], 'numbering-identical', `format \`${twin[0]}\` numbers exactly so`);
  }
}

function isSame(a: Numbers | undefined, b: Numbers): boolean {
  if (a === undefined) return false;
  const [one, other] = [toNumbering(a), toNumbering(b)];
  return one.size === other.size && [...one].every(([number, value]) => other.get(number) === value);
}
