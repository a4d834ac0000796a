/**
 * Pairs of name and text become fields, with PHP's bracket names: `a[b]=1` is an object, `a[]=1` a list, and `a[0]=1`
 * (what `http_build_query` makes of a list) a list as well. qs is not used: it repairs what must be refused here (one
 * name twice, `a=1` beside `a[b]=2`, broken percent-encoding).
 */
import type { JsonValue } from '../../domain/json';
import type { LegacyFields, LegacyValue } from '../../domain/legacy';
import type { BodyLimits } from '../http-limits';
import { assertDepth, assertFieldCount, assertFieldName, assertFieldText, repeatedField } from './field-rules';

export type FieldPair = readonly [name: string, text: string];
type Node = string | Branch;

interface Branch {
  readonly children: Map<string, Node>;
  /** Items without a key of their own (`[]`). */
  readonly items: Node[];
}

const BRACKET_NAME = /^([^[\]]+)((?:\[[^[\]]*\])+)$/;

/** Empty names are dropped (`&&`, `& &`, `=x`), leading spaces trimmed: PHP does both, and real scripts rely on it (facts, section 2.6). */
export function nestFields(pairs: Iterable<FieldPair>, limits: BodyLimits): LegacyFields {
  const root = newBranch();
  let count = 0;
  for (const [sentName, text] of pairs) {
    const name = sentName.trimStart();
    if (name === '') continue;
    assertFieldText(name, text);
    const path = pathOf(name);
    path.forEach(assertFieldName);
    assertDepth(path.length, limits.depthMax);
    // Items of a list are bounded by the body; counting them would refuse a bulk SMS.
    if (place(root, path, text, name)) assertFieldCount(++count, limits.fieldsMax);
  }
  const fields = new Map<string, LegacyValue>();
  for (const [name, node] of root.children) fields.set(name, valueOf(node));
  return fields;
}

/** `a[b][]` is `['a', 'b', '']`. A name with unpaired brackets is taken as it stands: no field is named so. */
function pathOf(name: string): readonly string[] {
  if (!name.includes('[')) return [name];
  const match = BRACKET_NAME.exec(name);
  if (match === null) return [name];
  const [, first = '', brackets = ''] = match;
  return [first, ...brackets.slice(1, -1).split('][')];
}

/** True when a new name came into being. */
function place(root: Branch, path: readonly string[], text: string, name: string): boolean {
  let branch = root;
  let isNew = false;
  path.forEach((key, index) => {
    const isLast = index === path.length - 1;
    // One kind of child per branch: `a[]=1&a[b]=2` has no meaning that every reader shares.
    if (index > 0 && (key === '' ? branch.children.size > 0 : branch.items.length > 0)) throw repeatedField(name);
    const existing = key === '' ? undefined : branch.children.get(key);
    if (existing !== undefined && (isLast || typeof existing === 'string')) throw repeatedField(name);
    if (existing !== undefined) {
      branch = existing;
      return;
    }
    const node = isLast ? text : newBranch();
    if (key === '') branch.items.push(node);
    else {
      branch.children.set(key, node);
      isNew = true;
    }
    if (typeof node !== 'string') branch = node;
  });
  return isNew;
}

function newBranch(): Branch {
  return { children: new Map(), items: [] };
}

function valueOf(node: Node): JsonValue {
  if (typeof node === 'string') return node;
  if (node.items.length > 0) return node.items.map(valueOf);
  const keys = [...node.children.keys()];
  if (keys.every((key, index) => key === String(index))) return [...node.children.values()].map(valueOf);
  return Object.fromEntries([...node.children].map(([key, child]) => [key, valueOf(child)]));
}
