/** What a schema says about a place, for hints and for reading on: zod's own description of itself, walked by path. */
import type { z } from 'zod';

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
  readonly meta?: () => { readonly rule?: unknown } | undefined;
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

/** Whether names of the author's own stand at a path. */
export function isRecordAt(schema: z.ZodType, path: readonly PropertyKey[]): boolean {
  return unwrap(nodeAt(schema, path))?.def?.type === 'record';
}

/** The rule that a value of a wrong form breaks there: `.meta({ rule: 'bad-duration' })`. */
export function ruleAt(schema: z.ZodType, path: readonly PropertyKey[], what: 'key' | 'value'): string | undefined {
  if (what === 'value') return metaRule(nodeAt(schema, path));
  return metaRule(unwrap(nodeAt(schema, path.slice(0, -1)))?.def?.keyType);
}

function metaRule(node: unknown): string | undefined {
  const { meta, def } = (node ?? {}) as Node;
  const rule = meta?.call(node)?.rule;
  if (typeof rule === 'string') return rule;
  const next = def?.innerType ?? def?.in;
  return next === undefined ? undefined : metaRule(next);
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
