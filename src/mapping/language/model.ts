/** The model of the language: the declarations of the schema, by pattern for the merged set and by path for one file. */
import type { z } from 'zod';
import type { Compared, Declared, Grouped } from './declare';
import { formatFileSchema, sharedFileSchema } from './schema';

interface Node {
  readonly shape?: Readonly<Record<PropertyKey, unknown>>;
  readonly def?: {
    readonly type?: string;
    readonly innerType?: unknown;
    readonly in?: unknown;
    readonly keyType?: unknown;
    readonly valueType?: unknown;
    readonly element?: unknown;
  };
  readonly meta?: () => Readonly<Record<string, unknown>> | undefined;
}

interface Model {
  /** Keys whose value is compared as a whole, by pattern: the path in the merged set with `*` for every name. */
  readonly keys: ReadonlyMap<string, Compared>;
  /** Objects that contain such keys, by pattern. */
  readonly groups: ReadonlyMap<string, Grouped>;
}

/** Read once when the module loads. A key without a declaration is a mistake in the schema and throws. */
export const MODEL: Model = readModel([
  [sharedFileSchema, ''],
  [formatFileSchema, 'formats.*'],
]);

/** Reads the declarations of schemas, each with the pattern of its place in the merged set. Throws if a key has none. */
export function readModel(schemas: readonly (readonly [z.ZodType, string])[]): Model {
  const keys = new Map<string, Compared>();
  const groups = new Map<string, Grouped>();
  const read = (schema: unknown, pattern: string, inherited: Declared | undefined, reply: string): void => {
    const declared = inherited ?? (metaOf(schema, 'language') as Declared | undefined);
    if (declared === 'elsewhere') return;
    if (declared !== undefined && 'compared' in declared) {
      const { title, added, removed } = declared;
      const named = (text: string): string => text.replace('{reply}', reply);
      keys.set(pattern, {
        ...declared,
        title: named(title),
        ...(added === undefined ? {} : { added: named(added) }),
        ...(removed === undefined ? {} : { removed: named(removed) }),
      });
      return;
    }
    if (declared !== undefined) groups.set(pattern, declared);
    const { shape, def } = unwrap(schema) ?? {};
    const called = declared?.reply ?? reply;
    const below = (step: string): string => (pattern === '' ? step : `${pattern}.${step}`);
    const entry = def?.valueType ?? def?.element;
    if (shape !== undefined) for (const [key, part] of Object.entries(shape)) read(part, below(key), undefined, called);
    else if (entry !== undefined) read(entry, below('*'), metaOf(schema, 'entries') as Declared | undefined, called);
    else throw new Error(`the key ${pattern} of the mapping language has no declaration: give it a .meta(whole(…))`);
  };
  for (const [schema, pattern] of schemas) read(schema, pattern, undefined, '');
  return { keys, groups };
}

/** A place in the merged set. */
export interface Place {
  readonly path: readonly (string | number)[];
  /** The path with `*` for each name that the author chose: `operations.*.fields.*.from`. */
  readonly pattern: string;
  /** The names in place of the stars, in order. */
  readonly names: readonly string[];
}

export const ROOT: Place = { path: [], pattern: '', names: [] };

/** The patterns of all keys of the language and of everything above them. */
const PATTERNS: ReadonlySet<string> = new Set(
  [...MODEL.keys.keys()].flatMap((pattern) => {
    const steps = pattern.split('.');
    return steps.map((_, index) => steps.slice(0, index + 1).join('.'));
  }),
);

/** The place one step below; undefined for a key that is not part of the language or is declared `elsewhere`. */
export function placeBelow({ path, pattern, names }: Place, key: string): Place | undefined {
  const own = pattern === '' ? key : `${pattern}.${key}`;
  if (PATTERNS.has(own)) return { path: [...path, key], pattern: own, names };
  const named = `${pattern}.*`;
  return PATTERNS.has(named) ? { path: [...path, key], pattern: named, names: [...names, key] } : undefined;
}

/** The declaration of a key or group; empty if the pattern has none. */
export function groupAt(pattern: string): Grouped {
  return MODEL.keys.get(pattern) ?? MODEL.groups.get(pattern) ?? {};
}

/** Fills the names of a place into a text: `{1}` is the first. */
export function fill(template: string, names: readonly string[]): string {
  return template.replaceAll(/\{(\d)\}/g, (_, index: string) => names[Number(index) - 1] ?? '');
}

/** The keys that the schema allows at a path. */
export function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  return Object.keys(unwrap(nodeAt(schema, path))?.shape ?? {});
}

/** Whether the value at a path may be absent. */
export function isOptionalAt(schema: z.ZodType, path: readonly PropertyKey[]): boolean {
  const node = nodeAt(schema, path) as Node | undefined;
  return path.length > 0 && node?.def?.type === 'optional';
}

/** Whether the schema lists what may stand at a path. */
export function isChoiceAt(schema: z.ZodType, path: readonly PropertyKey[]): boolean {
  return ['enum', 'literal'].includes(unwrap(nodeAt(schema, path))?.def?.type ?? '');
}

/** Whether the keys at a path are names that the author chooses. */
export function isRecordAt(schema: z.ZodType, path: readonly PropertyKey[]): boolean {
  return unwrap(nodeAt(schema, path))?.def?.type === 'record';
}

/** The rule for a value or key of a wrong form at a path: `.meta({ rule: 'bad-duration' })`. */
export function ruleAt(schema: z.ZodType, path: readonly PropertyKey[], what: 'key' | 'value'): string | undefined {
  const node = what === 'value' ? nodeAt(schema, path) : unwrap(nodeAt(schema, path.slice(0, -1)))?.def?.keyType;
  return metaOf(node, 'rule') as string | undefined;
}

/** Whether `plan` judges every change at a path as plain: no network, format or outcome depends on it. */
export function isPlainAt(schema: z.ZodType, path: readonly PropertyKey[]): boolean {
  const node = nodeAt(schema, path);
  const declared = (metaOf(node, 'language') ?? metaOf(node, 'entries')) as Declared | undefined;
  return typeof declared === 'object' && 'judged' in declared && declared.judged === 'plain';
}

/** The value with which the checker continues in place of an unreadable one; undefined if the value is optional or has none. */
export function standInAt(schema: z.ZodType, path: readonly PropertyKey[]): unknown {
  return isOptionalAt(schema, path) ? undefined : metaOf(nodeAt(schema, path), 'standIn');
}

/** The value of a key in the meta of a node, or of the node that it wraps. */
function metaOf(node: unknown, key: string): unknown {
  const { meta, def } = (node ?? {}) as Node;
  const own = meta?.call(node)?.[key];
  if (own !== undefined) return own;
  const next = def?.innerType ?? def?.in;
  return next === undefined ? undefined : metaOf(next, key);
}

function nodeAt(schema: z.ZodType, path: readonly PropertyKey[]): unknown {
  let node: unknown = schema;
  for (const step of path) {
    const { shape, def } = unwrap(node) ?? {};
    node = shape?.[step] ?? def?.valueType ?? def?.element;
  }
  return node;
}

function unwrap(node: unknown): Node | undefined {
  let current = node as Node | undefined;
  while (current?.def?.type === 'optional' || current?.def?.type === 'default' || current?.def?.type === 'pipe')
    current = (current.def.innerType ?? current.def.in) as Node | undefined;
  return current;
}
