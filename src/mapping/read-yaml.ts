/** YAML text → a value of the schema, or problems with their places. Never throws on what stands in the file. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit, type Document, type Node } from 'yaml';
import type { z } from 'zod';
import { nearestName } from './nearest-name';
import type { Problem } from './problem';
import { safeRename } from './safe-rename';

export type YamlPath = readonly PropertyKey[];

/** Finds the place of a value (or of its key) in the file it came from. */
export type Locate = (path: YamlPath, what?: 'key' | 'value') => { readonly line: number; readonly column: number };

export interface YamlRead<T> {
  /** Absent when there are errors. */
  readonly value?: T;
  readonly problems: readonly Problem[];
  readonly locate: Locate;
}

/** Mistakes of syntax that have a rule of their own. */
const SYNTAX_RULES: Readonly<Record<string, string>> = { DUPLICATE_KEY: 'duplicate-key', TAB_AS_INDENT: 'yaml-tab' };

/** Bounds of one file: a mapping is written by hand, and an alias bomb is not. */
const ALIASES_MAX = 100;

export function readYaml<T>(file: string, text: string, schema: z.ZodType<T>): YamlRead<T> {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, uniqueKeys: true, strict: true, prettyErrors: false });
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const locate: Locate = (path, what = 'value') => at(offsetOf(document, path, what));
  const broken = (offset: number, message: string, code = 'yaml-syntax'): Problem => ({
    file,
    ...at(offset),
    code,
    severity: 'error',
    message,
  });
  const syntax = [...document.errors, ...document.warnings].map((error) =>
    broken(error.pos[0], firstSentence(error.message), SYNTAX_RULES[error.code]),
  );
  // Walking the whole document for an alias that nobody wrote costs more than looking for one.
  if (/(?:^|[\s,:[{])\*[^\s*]/.test(text))
    visit(document, {
      Alias(_key, alias) {
        const place = alias.range?.[0] ?? 0;
        const named = alias.resolve(document);
        if (named === undefined) syntax.push(broken(place, `the alias \`*${alias.source}\` names nothing above it`));
        // A value that holds itself has no end: whoever walks it never comes back.
        else if (named.range && named.range[0] <= place && place < named.range[1])
          syntax.push(broken(place, `the alias \`*${alias.source}\` stands inside what it names`));
      },
    });
  if (syntax.length > 0) return { problems: syntax, locate };

  let plain: unknown;
  try {
    plain = document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    let first = 0;
    visit(document, {
      Alias(_key, alias) {
        first = alias.range?.[0] ?? 0;
        return visit.BREAK;
      },
    });
    return { problems: [broken(first, message, /alias/i.test(message) ? 'alias-bomb' : 'yaml-syntax')], locate };
  }
  const parsed = schema.safeParse(plain ?? {}, { reportInput: true });
  if (parsed.success) return { value: parsed.data, problems: [], locate };
  return { problems: parsed.error.issues.flatMap((issue) => describeIssue(file, issue, locate, schema)), locate };
}

function describeIssue(file: string, issue: z.core.$ZodIssue, locate: Locate, schema: z.ZodType): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const known = keysAt(schema, issue.path);
      const hint = nearestName(key, known);
      const to = safeRename(key, known);
      return {
        file,
        ...locate([...issue.path, key], 'key'),
        code: 'unknown-key',
        severity: 'error' as const,
        message: `unknown key \`${key}\`${where(issue.path)}`,
        ...(hint === undefined ? {} : { hint: `did you mean \`${hint}\`?` }),
        ...(to === undefined ? {} : { fix: { kind: 'rename' as const, path: [...issue.path, key], to } }),
      };
    });
  }
  // A bad key of a record is the key's fault, and stands where the key stands.
  const what = issue.code === 'invalid_key' ? 'key' : 'value';
  const message = issue.code === 'invalid_key' ? `unusable key: ${issue.issues[0]?.message ?? issue.message}` : issue.message;
  const hint =
    issue.code === 'invalid_value' && typeof issue.input === 'string'
      ? nearestName(issue.input, issue.values.map(String))
      : undefined;
  return [
    {
      file,
      ...locate(issue.path, what),
      code: ruleOfIssue(issue, schema),
      severity: 'error',
      message: `${message}${where(issue.path)}`,
      ...(hint === undefined ? {} : { hint: `did you mean \`${hint}\`?` }),
    },
  ];
}

/** A schema may name the rule that a value of a wrong form breaks: `.meta({ rule: 'bad-duration' })`. */
function ruleOfIssue(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  if (issue.code === 'invalid_value') return 'unknown-choice';
  if (issue.code === 'too_small' && issue.origin === 'array') return 'empty-list';
  if (issue.code !== 'invalid_format' && issue.code !== 'invalid_key') return 'schema';
  let node: unknown = schema;
  for (const step of issue.code === 'invalid_key' ? issue.path.slice(0, -1) : issue.path) node = childOf(unwrap(node), step);
  const record = unwrap(node) as { def?: { keyType?: unknown } } | undefined;
  return metaRule(issue.code === 'invalid_key' ? record?.def?.keyType : node) ?? 'schema';
}

function metaRule(node: unknown): string | undefined {
  const { meta } = (node ?? {}) as { meta?: () => { rule?: unknown } | undefined };
  const rule = meta?.call(node)?.rule;
  const inner = (node as { def?: { innerType?: unknown; in?: unknown } } | undefined)?.def;
  if (typeof rule === 'string') return rule;
  const next = inner?.innerType ?? inner?.in;
  return next === undefined ? undefined : metaRule(next);
}

function where(path: YamlPath): string {
  return path.length === 0 ? '' : ` (at ${path.map(String).join('.')})`;
}

function firstSentence(message: string): string {
  return message.split('\n')[0]!.replace(/ at line \d+, column \d+:?$/, '');
}

/** The keys that the schema allows at a path, for the hint. */
function keysAt(schema: z.ZodType, path: YamlPath): string[] {
  let node: unknown = schema;
  for (const step of path) node = childOf(unwrap(node), step);
  const shape = (unwrap(node) as { shape?: Record<string, unknown> } | undefined)?.shape;
  return shape === undefined ? [] : Object.keys(shape);
}

function unwrap(node: unknown): unknown {
  let current = node as { def?: { type?: string; innerType?: unknown; in?: unknown } } | undefined;
  while (current?.def?.type === 'optional' || current?.def?.type === 'default' || current?.def?.type === 'pipe') {
    current = (current.def.innerType ?? current.def.in) as typeof current;
  }
  return current;
}

function childOf(node: unknown, step: PropertyKey): unknown {
  const schema = node as { shape?: Record<PropertyKey, unknown>; def?: { valueType?: unknown; element?: unknown } } | undefined;
  return schema?.shape?.[step] ?? schema?.def?.valueType ?? schema?.def?.element;
}

/** Walks the document by hand: keys such as `1` are numbers in YAML and text in JavaScript. */
function offsetOf(document: Document, path: YamlPath, what: 'key' | 'value'): number {
  let node: Node | null = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const [depth, step] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document) ?? null;
    const isLast = depth === path.length - 1;
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (pair === undefined) return offset;
      const key = pair.key as Node;
      const child = pair.value as Node | null;
      offset = (isLast && what === 'key' ? key.range?.[0] : (child?.range?.[0] ?? key.range?.[0])) ?? offset;
      node = child;
    } else if (isSeq(node)) {
      const child = node.items[Number(step)] as Node | undefined;
      if (child === undefined) return offset;
      offset = child.range?.[0] ?? offset;
      node = child;
    } else return offset;
  }
  return offset;
}
