/** Walks through a value of a reply or call and visits its texts and expressions. */
import { isJsonObject, isList, type JsonObject } from '../../domain/json';
import { parseExpression, type Expression } from '../expression';
import type { YamlPath } from '../read-yaml';
import type { ValueSource } from '../language/schema';

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
  readonly each?: (object: JsonObject, path: YamlPath, list: string | undefined) => void;
  readonly when?: (object: JsonObject, path: YamlPath, list: string | undefined) => void;
}

export function walkValue(value: ValueSource, path: YamlPath, visit: Visit, list?: string, isTold = true, name?: string): void {
  if (typeof value === 'string') {
    if (isTold) visit.text?.(value, path);
    const expression = parseExpression(value);
    if (expression !== undefined) visit.expression?.(expression, path, isTold, list, name);
    return;
  }
  if (isList(value)) for (const [index, part] of value.entries()) walkValue(part, [...path, index], visit, list, isTold, name);
  if (!isJsonObject(value)) return;
  if ('each' in value) return walkEach(value, path, visit, list);
  if ('when' in value) visit.when?.(value, path, list);
  const isChoice = 'when' in value || 'first' in value;
  for (const [key, part] of Object.entries(value)) {
    if (key === 'when') walkConditions(part, [...path, key], visit, list);
    else walkValue(part, [...path, key], visit, list, isTold, isChoice ? name : key);
  }
}

function walkEach(object: JsonObject, path: YamlPath, visit: Visit, list: string | undefined): void {
  visit.each?.(object, path, list);
  for (const key of ['each', 'where', 'where_any'])
    if (key in object) walkValue(object[key] ?? null, [...path, key], visit, list, false);
}

function walkConditions(conditions: ValueSource, path: YamlPath, visit: Visit, list: string | undefined): void {
  if (!isJsonObject(conditions)) return;
  for (const key of Object.keys(conditions)) {
    const expression = parseExpression(key);
    if (expression !== undefined) visit.expression?.(expression, [...path, key], false, list, undefined);
  }
}

/** `catalog.discos` of `$catalog.discos`. */
export function listOfEach(object: JsonObject): string | undefined {
  const expression = parseExpression(object['each']);
  return expression === undefined || expression.transforms.length > 0
    ? undefined
    : [expression.root, ...expression.path].join('.');
}
