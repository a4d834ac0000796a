/** Reads YAML text into a value of a schema, or into problems with their places. No content of a file makes it throw. */
import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import type { z } from 'zod';
import { maskPath } from './mask-caller-keys';
import { nearestHint, nearestName, safeRename } from './nearest-name';
import { bareProblem, type Problem } from './problem';
import { readRest, type Hole } from './read-rest';
import { hintForIssue, describeMistake, describeSyntaxError, SYNTAX } from './describe-mistake';
import { splitNames } from './language/values';
import { sharedFileSchema } from './language/schema';
import { isPlainAt, keysAt, ruleAt } from './language/model';

export type YamlPath = readonly PropertyKey[];

/** Finds the place of a value (or of its key) in the file it came from. */
export type Locate = (path: YamlPath, what?: 'key' | 'value') => { readonly line: number; readonly column: number };

export interface YamlRead<T> {
  /** Absent when there are errors. */
  readonly value?: T;
  readonly problems: readonly Problem[];
  readonly locate: Locate;
  /** The valid rest of a file with errors. It serves only to find more problems and is never used for requests. */
  readonly rest?: YamlRest<T>;
}

interface YamlRest<T> {
  readonly value: T;
  readonly holes: readonly Hole[];
  readonly locate: Locate;
}

/** Errors of the YAML library that have a rule of their own; all others are `yaml-syntax`. */
const SYNTAX_RULES: Readonly<Record<string, string>> = { TAB_AS_INDENT: 'yaml-tab' };

/** The number of aliases in one file. No file that is written by hand reaches it, and an alias bomb does. */
const ALIASES_MAX = 100;

/** A parsed text that has not been compared with a schema yet. */
interface ParsedYaml {
  readonly file: string;
  readonly document: Document;
  readonly syntax: readonly Problem[];
  /** The paths of keys that are in their map for the second time. Each of them is in `syntax` too. */
  readonly twice: readonly YamlPath[];
  readonly at: (offset: number) => { readonly line: number; readonly column: number };
}

export function readYaml<T>(file: string, text: string, schema: z.ZodType<T>): YamlRead<T> {
  return readParsed(parseYaml(file, text), schema);
}

/** The top keys of a file, which decide its schema, quoted or not. */
export function topKeys({ document: { contents } }: ParsedYaml): string[] {
  return isMap(contents) ? contents.items.flatMap(({ key }) => (isScalar(key) ? [keyText(key)] : [])) : [];
}

/** A key as JavaScript has it, where `2` and `'2'` are the same key. */
function keyText(key: Scalar<unknown>): string {
  const value = key.value as string | number | boolean | null;
  return value === null ? '' : String(value);
}

/** Counts the lines of the text. The parser's own count misses a line after a folded text in a wrong place. */
function countLines(text: string): LineCounter {
  const counter = new LineCounter();
  for (let start = 0; ;) {
    counter.addNewLine(start);
    start = text.indexOf('\n', start) + 1;
    if (start === 0) return counter;
  }
}

export function parseYaml(file: string, text: string): ParsedYaml {
  const lineCounter = countLines(text);
  const document = parseDocument(text, {
    // The library would compare each key with every key before it, which takes many seconds where `callers` has thousands of keys.
    uniqueKeys: false,
    strict: true,
    prettyErrors: false,
    // Otherwise the library prints warnings with text of the file to stderr.
    logLevel: 'error',
  });
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const broken = (offset: number, said: { message: string; hint?: string }, code = 'yaml-syntax'): Problem => ({
    file,
    ...at(offset),
    code,
    severity: 'error',
    ...said,
  });
  const syntax = [...document.errors, ...document.warnings].map((error) =>
    broken(error.pos[0], describeSyntaxError(error), SYNTAX_RULES[error.code]),
  );
  const repeated = repeatedKeys(document);
  for (const { path, first, second } of repeated) {
    const { line, column } = at(first);
    const message = `\`${String(maskPath(path).at(-1))}\` is here for the second time`;
    syntax.push(broken(second, { message, hint: `it is also at ${file}:${line}:${column}` }, 'duplicate-key'));
  }
  // Most files have no alias, and a search of the text is cheaper than a walk through the document.
  if (/(?:^|[\s,:[{])\*[^\s*]/.test(text))
    visit(document, {
      Alias(_key, alias) {
        const place = alias.range?.[0] ?? 0;
        const named = alias.resolve(document);
        if (named === undefined)
          syntax.push(broken(place, { message: `there is no anchor \`&${alias.source}\` above the alias \`*${alias.source}\`` }));
        // A walk through a value that contains itself would never end.
        else if (named.range && named.range[0] <= place && place < named.range[1])
          syntax.push(broken(place, { message: `the alias \`*${alias.source}\` is inside the value that it repeats` }));
      },
    });
  if (text.includes('!'))
    visit(document, {
      Value(_key, { tag, range }) {
        const [, kind] = UNPLAIN_TAG.exec(tag ?? '') ?? [];
        if (kind === undefined) return;
        const message = `\`!!${kind}\` is a tag that mappings do not have`;
        syntax.push(broken(range?.[0] ?? 0, { message, hint: 'write a text, a number, a list or fields' }));
      },
    });
  return { file, document, syntax, twice: repeated.map(({ path }) => path), at };
}

/** Tags whose values (bytes, sets, times) would otherwise be taken for fields or for a text. */
const UNPLAIN_TAG = /^tag:yaml\.org,2002:(binary|omap|pairs|set|timestamp)$/;

/** The keys that are in their map again, each with the offsets of its first place and of this one. */
function repeatedKeys(document: Document) {
  const repeated: { readonly path: YamlPath; readonly first: number; readonly second: number }[] = [];
  visit(document, {
    Map(_key, map, ancestors) {
      const firsts = new Map<string, number>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        const name = keyText(key);
        const [offset, first] = [key.range?.[0] ?? 0, firsts.get(name)];
        if (first === undefined) firsts.set(name, offset);
        else repeated.push({ path: [...pathOf([...ancestors, map]), name], first, second: offset });
      }
    },
  });
  return repeated;
}

/** The path of the last of these nodes, each of which holds the next one. */
function pathOf(nodes: readonly unknown[]): YamlPath {
  return nodes.flatMap((node, depth): PropertyKey[] => {
    if (isPair(node)) return isScalar(node.key) ? [keyText(node.key)] : [];
    return isSeq(node) && depth < nodes.length - 1 ? [node.items.indexOf(nodes[depth + 1])] : [];
  });
}

export function readParsed<T>(parsed: ParsedYaml, schema: z.ZodType<T>): YamlRead<T> {
  const { file, document, syntax, twice, at } = parsed;
  const locate: Locate = (path, what = 'value') => at(offsetOf(document, path, what));
  // A file with a duplicate key can still be checked; after any other syntax error nothing in it is certain.
  if (syntax.length > twice.length) return { problems: syntax, locate };

  let plain: unknown;
  try {
    plain = document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    const isBomb = error instanceof Error && /alias/i.test(error.message);
    let first = 0;
    visit(document, {
      Alias(_key, alias) {
        first = alias.range?.[0] ?? 0;
        return visit.BREAK;
      },
    });
    const said = isBomb ? { message: 'aliases repeat their values too many times' } : SYNTAX.IMPOSSIBLE;
    const problem = { file, ...at(first), code: isBomb ? 'alias-bomb' : 'yaml-syntax', severity: 'error' as const, ...said };
    return { problems: [problem], locate };
  }
  const judged = schema.safeParse(plain ?? {}, { reportInput: true, error: describeMistake });
  if (judged.success && twice.length === 0) return { value: judged.data, problems: [], locate };
  const issues = judged.success ? [] : judged.error.issues;
  const rest = readRest(plain ?? {}, schema);
  const locateRest: Locate = (path, what) => locate(rest?.original(path) ?? path, what);
  const problems = [
    ...syntax,
    ...issues
      .filter((issue) => !isMissingUnderAnotherName(issue, issues, schema))
      .flatMap((issue) => describeIssue(file, issue, locate, schema)),
    // Nothing below a misspelt key has a fix: the key must be renamed first.
    ...(rest?.uncovered ?? []).flatMap((issue) => describeIssue(file, issue, locateRest, schema)).map(bareProblem),
  ];
  if (rest === undefined) return { problems, locate };
  const holes = [...rest.holes, ...twice.map((path): Hole => ({ path, kind: 'part' }))];
  return { problems, locate, rest: { value: rest.value, holes, locate: locateRest } };
}

/** Whether a missing key is present under a misspelt name: `form: [phone]` is reported once, as a misspelt `from`. */
function isMissingUnderAnotherName(issue: z.core.$ZodIssue, issues: readonly z.core.$ZodIssue[], schema: z.ZodType): boolean {
  if (issue.code === 'unrecognized_keys' || issue.input !== undefined) return false;
  const [key, around] = [issue.path.at(-1), issue.path.slice(0, -1)];
  const known = keysAt(schema, around);
  return issues.some(
    (other) =>
      other.code === 'unrecognized_keys' &&
      other.path.length === around.length &&
      other.path.every((step, depth) => step === around[depth]) &&
      other.keys.some((misspelt) => nearestName(misspelt, known) === key),
  );
}

function describeIssue(file: string, issue: z.core.$ZodIssue, locate: Locate, schema: z.ZodType): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const known = keysAt(schema, issue.path);
      const path = [...issue.path, key];
      const shown = maskPath(path);
      // The path of a fix is printed too. If a part of it is masked, that part must be corrected first, so there is no fix.
      const isPlain = (name: string): boolean => isPlainAt(schema, [...issue.path, name]);
      const to = shown.every((step, depth) => step === path[depth]) ? safeRename(key, known, isPlain) : undefined;
      return {
        file,
        ...locate(path, 'key'),
        code: 'unknown-key',
        severity: 'error' as const,
        message: `unknown key \`${String(shown.at(-1))}\`${where(issue.path)}`,
        hint: hintForKey(key, known, issue.path),
        fix: to === undefined ? undefined : { kind: 'rename' as const, path, to },
      };
    });
  }
  // A problem of a key of a record has the place of the key.
  const what = issue.code === 'invalid_key' || issue.code === 'custom' ? 'key' : 'value';
  const message = issue.code === 'invalid_key' ? `unusable key: ${issue.issues[0]?.message ?? issue.message}` : issue.message;
  return [
    {
      file,
      ...locate(issue.path, what),
      code: ruleOfIssue(issue, schema),
      severity: 'error',
      message: `${message}${where(issue.path)}`,
      hint: hintForIssue(issue),
    },
  ];
}

/** The hint for an unknown key: for YAML's merge key, for a section of shared files in a format's file, or the nearest name. */
function hintForKey(key: string, known: readonly string[], path: YamlPath): string | undefined {
  if (key === '<<') return 'merge keys are not read: use `include`, or an alias `*name` for a whole value';
  const isFormatFile = path.length === 0 && known.includes('format');
  if (isFormatFile && keysAt(sharedFileSchema, []).includes(key))
    return `\`${key}\` belongs in a shared file, not in the file of a format`;
  return nearestHint(key, known).hint;
}

/** The rule of an issue. A schema may set the rule for values of a wrong form: `.meta({ rule: 'bad-duration' })`. */
function ruleOfIssue(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  if (issue.code === 'custom') return (issue.params?.['rule'] as string | undefined) ?? 'schema';
  if (issue.code === 'invalid_value') return 'unknown-choice';
  if (issue.code === 'too_small' && issue.origin === 'array') return 'empty-list';
  if (issue.code !== 'invalid_format' && issue.code !== 'invalid_key') return 'schema';
  return ruleAt(schema, issue.path, issue.code === 'invalid_key' ? 'key' : 'value') ?? 'schema';
}

function where(path: YamlPath): string {
  return path.length === 0 ? '' : ` (at ${maskPath(path).map(String).join('.')})`;
}

/** Finds the offset of a path. The library's own search does not fit: a key such as `1` is a number in YAML and a text in the path. */
function offsetOf(document: Document, path: YamlPath, what: 'key' | 'value'): number {
  let node: Node | null = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const [depth, step] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document) ?? null;
    const isLast = depth === path.length - 1;
    if (isMap(node)) {
      const pair = pairOf(node, String(step));
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

/** The pair of a name, which may be one of several names on its line, or the name of a group. */
function pairOf(node: YAMLMap, name: string): Pair | undefined {
  const texts = node.items.map(({ key }) => (isScalar(key) ? keyText(key) : ''));
  const index = texts.indexOf(name);
  const pair = node.items[index === -1 ? texts.findIndex((text) => splitNames(text).includes(name)) : index];
  const groups = pair === undefined ? node.items[texts.indexOf('groups')]?.value : undefined;
  return isMap(groups) ? pairOf(groups, name) : pair;
}
