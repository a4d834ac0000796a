/**
 * Reads the valid rest of a file that breaks the schema, so that more of its problems can be found. Each mistake is mended as its
 * hint proposes. Without a proposal the smallest part around the mistake is left out, or a stand-in replaces it, so that
 * names to which other parts refer still exist.
 */
import type { z } from 'zod';
import { nearestName } from './nearest-name';
import { intendedChoice, describeMistake } from './describe-mistake';
import { isOptionalAt, isRecordAt, keysAt, standInAt } from './language/model';

type Path = readonly PropertyKey[];

/** A place with a reported mistake: the value that its author meant is not known. */
export interface Hole {
  readonly path: Path;
  /**
   * `guess`: the place has a stand-in. `gone`: the place was left out, so a reference to its name finds nothing. `part`: the place
   * is as written, but something may be missing from it.
   */
  readonly kind: 'guess' | 'gone' | 'part';
}

export interface Rest<T> {
  readonly value: T;
  readonly holes: readonly Hole[];
  /** Converts a path of `value` into a path of the file, which may have misspelt keys and longer lists. */
  readonly original: (path: Path) => Path;
  /** Mistakes that appear only after mending, such as one below a misspelt key; their paths are those of `value`. */
  readonly uncovered: readonly z.core.$ZodIssue[];
}

/** Mending one mistake may reveal the next. After this many rounds the file is given up. */
const ROUNDS_MAX = 8;

/** Undefined if no part of the file can be read. Never throws. */
export function readRest<T>(plain: unknown, schema: z.ZodType<T>): Rest<T> | undefined {
  const tree = copyOf(plain);
  const mending: Mending = { tree, schema, origins: new WeakMap(), renamed: [], holes: [] };
  const uncovered: z.core.$ZodIssue[] = [];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const parsed = schema.safeParse(tree, { reportInput: true, error: describeMistake });
    const original = (path: Path): Path => originalPath(tree, path, mending.origins);
    if (parsed.success) return { value: parsed.data, holes: mending.holes, original, uncovered };
    if (round > 0) uncovered.push(...parsed.error.issues.filter((issue) => isUncovered(issue, mending)));
    for (const issue of deepestAndLastFirst(parsed.error.issues)) if (!mend(issue, mending)) return undefined;
  }
  return undefined;
}

interface Mending {
  readonly tree: unknown;
  readonly schema: z.ZodType;
  /** For each object of the tree: from its present keys to the keys of the file. */
  readonly origins: WeakMap<object, Map<string, PropertyKey>>;
  readonly renamed: Path[];
  readonly holes: Hole[];
}

/** Whether an issue is below a corrected key. Issues of its own value, or of a stand-in, do not count: the correction is only a guess. */
function isUncovered({ path }: z.core.$ZodIssue, { renamed, holes }: Mending): boolean {
  const isBelow = renamed.some((one) => path.length > one.length && startsWith(path, one));
  return isBelow && !holes.some((hole) => hole.kind === 'guess' && startsWith(path, hole.path));
}

/** Orders issues so that mending one does not change the path of a later one: removing an item of a list moves the items after it. */
function deepestAndLastFirst(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  return [...issues].sort((a, b) => {
    const length = Math.min(a.path.length, b.path.length);
    for (let depth = 0; depth < length; depth += 1) {
      const [one, other] = [a.path[depth], b.path[depth]];
      if (one !== other) return typeof one === 'number' && typeof other === 'number' ? other - one : 0;
    }
    return b.path.length - a.path.length;
  });
}

function mend(issue: z.core.$ZodIssue, mending: Mending): boolean {
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) readUnderItsName(issue.path, key, mending);
    return true;
  }
  if (issue.code === 'invalid_value') {
    const meant = intendedChoice(issue.input, issue.values.map(String));
    if (meant !== undefined) return put(mending.tree, issue.path, meant);
  }
  return makeHole(issue.path, mending);
}

function readUnderItsName(path: Path, key: string, { tree, schema, origins, renamed }: Mending): void {
  const object = at(tree, path) as Record<string, unknown> | undefined;
  if (object === undefined || !Object.hasOwn(object, key)) return;
  const meant = nearestName(key, keysAt(schema, path));
  if (meant !== undefined && !Object.hasOwn(object, meant)) {
    object[meant] = object[key];
    originsOf(object, origins).set(meant, key);
    renamed.push([...path, meant]);
  }
  delete object[key];
}

/** Puts in a stand-in, or leaves out the smallest optional part around the place. False if there is neither. */
function makeHole(path: Path, mending: Mending): boolean {
  const { tree, schema, origins, holes } = mending;
  for (let length = path.length; length > 0; length -= 1) {
    const here = path.slice(0, length);
    const parent = at(tree, here.slice(0, -1));
    const key = here.at(-1)!;
    if (parent === null || typeof parent !== 'object') continue;
    const standIn = standInAt(schema, here);
    if (standIn !== undefined) {
      (parent as Record<PropertyKey, unknown>)[key] = copyOf(standIn);
      holes.push({ path: here, kind: 'guess' });
      return true;
    }
    if (Array.isArray(parent)) {
      takeOut(parent, Number(key), origins);
      holes.push({ path: here.slice(0, -1), kind: 'part' });
      return true;
    }
    if (isOptionalAt(schema, here) || isRecordAt(schema, here.slice(0, -1))) {
      delete (parent as Record<PropertyKey, unknown>)[key];
      holes.push({ path: here, kind: 'gone' });
      return true;
    }
  }
  return false;
}

function takeOut(list: unknown[], index: number, origins: Mending['origins']): void {
  const known = originsOf(list, origins);
  const indices = list.map((_, place) => known.get(String(place)) ?? place);
  list.splice(index, 1);
  indices.splice(index, 1);
  known.clear();
  for (const [place, first] of indices.entries()) known.set(String(place), first);
}

function originsOf(object: object, origins: Mending['origins']): Map<string, PropertyKey> {
  const known = origins.get(object) ?? new Map<string, PropertyKey>();
  origins.set(object, known);
  return known;
}

function originalPath(tree: unknown, path: Path, origins: Mending['origins']): Path {
  let node = tree;
  return path.map((step) => {
    const isObject = node !== null && typeof node === 'object';
    const first = isObject ? (origins.get(node as object)?.get(String(step)) ?? step) : step;
    node = isObject ? (node as Record<PropertyKey, unknown>)[step] : undefined;
    return first;
  });
}

function at(tree: unknown, path: Path): unknown {
  let node = tree;
  for (const step of path)
    node = node !== null && typeof node === 'object' ? (node as Record<PropertyKey, unknown>)[step] : undefined;
  return node;
}

function put(tree: unknown, path: Path, value: unknown): boolean {
  const parent = at(tree, path.slice(0, -1));
  if (parent === null || typeof parent !== 'object' || path.length === 0) return false;
  (parent as Record<PropertyKey, unknown>)[path.at(-1)!] = value;
  return true;
}

export function startsWith(path: Path, start: Path): boolean {
  return start.length <= path.length && start.every((step, depth) => String(step) === String(path[depth]));
}

/** A deep copy: YAML aliases share one value, and mending one place must not change the other. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copyOf(part)]));
}
