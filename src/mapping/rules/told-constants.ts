/** Every constant that a value of a reply can become, with the name of its field: what no order and no answer of v1 decides. */
import { isFields } from '../merge-layers';
import { parseExpression } from '../expression';
import type { YamlPath } from '../read-yaml';
import type { OutcomeWords, ValueSource } from '../language/schema';
import type { MappingSource } from '../source';
import { listOfEach } from './walk-value';

export interface ToldConstant {
  /** The innermost field that holds it. */
  readonly name: string;
  readonly value: string | number | boolean;
  readonly path: YamlPath;
  /** It stands in a row of the order history, where it is told of every order. */
  readonly isOfEveryOrder: boolean;
}

interface Around {
  readonly words: OutcomeWords;
  readonly rows: MappingSource['rows'];
  readonly isOfEveryOrder: boolean;
}

type Fields = Readonly<Record<string, ValueSource>>;

export function toldConstants(
  name: string,
  value: ValueSource,
  path: YamlPath,
  words: OutcomeWords,
  { rows }: Pick<MappingSource, 'rows'>,
): ToldConstant[] {
  return within(name, value, path, { words, rows, isOfEveryOrder: false });
}

function within(name: string, value: ValueSource, path: YamlPath, around: Around): ToldConstant[] {
  if (typeof value === 'string' && value.startsWith('$')) return [];
  if (value === null) return [];
  if (typeof value !== 'object') return [{ name, value, path, isOfEveryOrder: around.isOfEveryOrder }];
  if (Array.isArray(value)) return value.flatMap((item, index) => within(name, item as ValueSource, [...path, index], around));
  const object = value as Fields;
  if (isFields(object)) return fieldsWithin(object, path, around);
  if ('first' in object) return within(name, object['first'] ?? null, [...path, 'first'], around);
  if ('when' in object) return branchesWithin(name, object, path, around);
  return rowsWithin(object, around);
}

function fieldsWithin(fields: Fields, path: YamlPath, around: Around): ToldConstant[] {
  return Object.entries(fields).flatMap(([key, part]) => within(key, part, [...path, key], around));
}

/** What a row of orders says by a condition is said by the order's own words. */
function branchesWithin(name: string, object: Fields, path: YamlPath, around: Around): ToldConstant[] {
  if (around.isOfEveryOrder) return [];
  const holds = holdsAlways(object['when'] ?? null, around.words);
  const branches = holds === undefined ? ['value', 'else'] : [holds ? 'value' : 'else'];
  return branches.flatMap((branch) => within(name, object[branch] ?? null, [...path, branch], around));
}

/** The words of the outcome are known beforehand, nothing else is. */
function holdsAlways(conditions: ValueSource, words: OutcomeWords): boolean | undefined {
  if (conditions === null || typeof conditions !== 'object' || Array.isArray(conditions)) return undefined;
  const held = Object.entries(conditions as Fields).map(([key, wanted]) => {
    const { root, path = [] } = parseExpression(key) ?? {};
    if (root !== 'words' || (path[0] !== 'status' && path[0] !== 'Status')) return undefined;
    return wanted === 'present' || wanted === words[path[0]];
  });
  if (held.includes(false)) return false;
  return held.includes(undefined) ? undefined : true;
}

/** Rows of the catalog say nothing of orders. */
function rowsWithin(object: Fields, around: Around): ToldConstant[] {
  const { row } = object;
  if (listOfEach(object) !== 'orders' || typeof row !== 'string' || !Object.hasOwn(around.rows, row)) return [];
  return fieldsWithin(around.rows[row]!, ['rows', row], { ...around, isOfEveryOrder: true });
}
