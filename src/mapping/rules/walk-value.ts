/** Walks through a value of a reply or call and visits its texts and expressions. */
import { isExpression, parseExpression, type Expression } from '../expression';
import type { YamlPath } from '../read-yaml';
import type { ValueSource } from '../language/schema';

type Fields = Readonly<Record<string, ValueSource>>;

export interface Visit {
  /**
   * `isTold` is true for a value that the script or v1 gets, false in conditions. `list` is the list of `$row`, `name` the innermost
   * field name of the value.
   */
  readonly expression?: (
    expression: Expression,
    path: YamlPath,
    isTold: boolean,
    list: string | undefined,
    name: string | undefined,
  ) => void;
  /** Visits every text that the script or v1 gets, including expressions. */
  readonly text?: (text: string, path: YamlPath) => void;
  readonly each?: (object: Fields, path: YamlPath, list: string | undefined) => void;
  readonly when?: (object: Fields, path: YamlPath, list: string | undefined) => void;
}

export function walkValue(value: ValueSource, path: YamlPath, visit: Visit, list?: string, isTold = true, name?: string): void {
  if (typeof value === 'string') {
    if (isTold) visit.text?.(value, path);
    const expression = isExpression(value) ? parseExpression(value) : undefined;
    if (expression !== undefined) visit.expression?.(expression, path, isTold, list, name);
    return;
  }
  if (value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) {
    for (const [index, part] of value.entries()) walkValue(part as ValueSource, [...path, index], visit, list, isTold, name);
    return;
  }
  const object = value as Fields;
  if ('each' in object) return walkEach(object, path, visit, list);
  if ('when' in object) visit.when?.(object, path, list);
  const isChoice = 'when' in object || 'first' in object;
  for (const [key, part] of Object.entries(object)) {
    if (key === 'when') walkConditions(part, [...path, key], visit, list);
    else walkValue(part, [...path, key], visit, list, isTold, isChoice ? name : key);
  }
}

function walkEach(object: Fields, path: YamlPath, visit: Visit, list: string | undefined): void {
  visit.each?.(object, path, list);
  for (const key of ['each', 'where', 'where_any'])
    if (key in object) walkValue(object[key] ?? null, [...path, key], visit, list, false);
}

function walkConditions(conditions: ValueSource, path: YamlPath, visit: Visit, list: string | undefined): void {
  if (conditions === null || typeof conditions !== 'object' || Array.isArray(conditions)) return;
  for (const key of Object.keys(conditions)) {
    const expression = isExpression(key) ? parseExpression(key) : undefined;
    if (expression !== undefined) visit.expression?.(expression, [...path, key], false, list, undefined);
  }
}

/** `catalog.discos` of `$catalog.discos`. */
export function listOfEach(object: Fields): string | undefined {
  const source = object['each'];
  const expression = typeof source === 'string' ? parseExpression(source) : undefined;
  return expression === undefined || expression.transforms.length > 0
    ? undefined
    : [expression.root, ...expression.path].join('.');
}
