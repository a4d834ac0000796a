/** Makes edited files and a unified diff from additions. An addition that would add a problem to the check is left out. */
import { isDeepStrictEqual } from 'node:util';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import {
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  stringify,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { checkFiles } from '../../mapping/check';
import { mergeFiles, type MappingFileText } from '../../mapping/load';
import type { YamlPath } from '../../mapping/read-yaml';
import type { MappingSource } from '../../mapping/source';

/** One more entry in a list of the mapping. */
export interface Addition {
  /** The place in the merged source. */
  readonly path: YamlPath;
  readonly value: string;
  /** The addition in words: `phone_no is phone in buy_airtime`. */
  readonly title: string;
  readonly movesMoney: boolean;
}

export type Patch = ReturnType<typeof makePatch>;

/** `left` are the additions that no edit could make, or that would add a problem to the check. `root` is the name of the mappings folder. The diff is to be applied from the folder above it, by `patch -p0`. */
export function makePatch(files: readonly MappingFileText[], additions: readonly Addition[], root: string) {
  const known = complaintsAbout(files);
  const isSound = (edited: readonly MappingFileText[]): boolean => [...complaintsAbout(edited)].every((one) => known.has(one));
  // An addition moves no value to another file, so the set is read once for all places.
  const { source } = mergeFiles(files);
  if (source === undefined) return { made: [], left: additions, diff: '' };
  const result = applySound(files, additions, source, isSound);
  const headers = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  const diff = result.files.map(({ file, name = file, text }, index) => {
    const before = files[index]!.text;
    const path = `${root}/${name.replaceAll('\\', '/')}`;
    return text === before ? '' : createTwoFilesPatch(path, path, before, text, undefined, undefined, headers);
  });
  return { made: result.made, left: additions.filter((addition) => !result.made.includes(addition)), diff: diff.join('') };
}

interface Applied {
  readonly files: readonly MappingFileText[];
  readonly made: readonly Addition[];
}

/**
 * Applies the additions without those that are not sound. Each check of the files takes as long as at a start, so the additions are checked
 * together, and in halves if one of them is not sound.
 */
function applySound(
  files: readonly MappingFileText[],
  additions: readonly Addition[],
  source: MappingSource,
  isSound: (files: readonly MappingFileText[]) => boolean,
): Applied {
  const all = applyAll(files, additions, source);
  if (all.made.length === 0 || isSound(all.files)) return all;
  if (additions.length === 1) return { files, made: [] };
  const half = Math.ceil(additions.length / 2);
  const first = applySound(files, additions.slice(0, half), source, isSound);
  const second = applySound(first.files, additions.slice(half), source, isSound);
  return { files: second.files, made: [...first.made, ...second.made] };
}

/** Applies the additions one after the other. An addition that cannot be edited in is left out. */
function applyAll(files: readonly MappingFileText[], additions: readonly Addition[], { places }: MappingSource): Applied {
  let done: Applied = { files, made: [] };
  for (const addition of additions) {
    const { file } = places.find(addition.path);
    const index = done.files.findIndex((one) => one.file === file);
    const target = done.files[index];
    const text = target && appendToList(target.text, places.inFile(addition.path), addition.value);
    if (target === undefined || text === undefined) continue;
    done = { files: done.files.with(index, { ...target, text }), made: [...done.made, addition] };
  }
  return done;
}

/** The problems of the files, without their places: an added line moves the places of others. */
function complaintsAbout(files: readonly MappingFileText[]): ReadonlySet<string> {
  return new Set(checkFiles(files).problems.map(({ file, code, message }) => `${file} ${code} ${message}`));
}

interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** The key after which a new key is inserted, if the map has it. */
const AFTER: Readonly<Record<string, string>> = { ignore: 'fields' };

/**
 * Appends an item to a list in a YAML text and keeps comments and layout. Missing lists and maps on the path are made. Undefined if
 * this cannot be done without another change.
 */
export function appendToList(text: string, path: YamlPath, item: string): string | undefined {
  const document = parseDocument(text, { prettyErrors: false });
  const before: unknown = document.toJS();
  const insertion = insertionFor(document, text, path.map(String), item);
  if (insertion === undefined) return undefined;
  const edited = `${text.slice(0, insertion.at)}${insertion.text}${text.slice(insertion.at)}`;
  const after = parseDocument(edited, { prettyErrors: false });
  if (after.errors.length > 0) return undefined;
  return isDeepStrictEqual(after.toJS(), appended(before, path.map(String), item)) ? edited : undefined;
}

function insertionFor(document: Document, text: string, path: readonly string[], item: string): Insertion | undefined {
  let node: unknown = document.contents;
  for (const [depth, key] of path.entries()) {
    if (!isMap(node)) return undefined;
    const pair = pairOf(node, key);
    if (pair === undefined) return intoMap(node, text, path.slice(depth), item);
    node = pair.value;
  }
  // A list with an anchor is also used at other places.
  return isSeq(node) && node.anchor === undefined ? intoList(node, text, item) : undefined;
}

function intoList(list: YAMLSeq, text: string, item: string): Insertion | undefined {
  const first = (list.items as readonly Node[])[0]?.range;
  const last = (list.items as readonly Node[]).at(-1)?.range;
  if (first === null || first === undefined || last === null || last === undefined) return undefined;
  if (list.flow === true) return { at: last[1], text: `, ${flowScalar(item)}` };
  const dash = text.lastIndexOf('-', first[0] - 1);
  const indent = text.slice(text.lastIndexOf('\n', dash) + 1, dash);
  return { at: endOfLine(text, last[1]), text: `${newLine(text)}${indent}- ${flowScalar(item)}` };
}

function intoMap(map: YAMLMap, text: string, keys: readonly string[], item: string): Insertion | undefined {
  const pairs = map.items as readonly Pair[];
  const before = pairOf(map, AFTER[keys[0]!] ?? '') ?? pairs.at(-1);
  const firstKey = (pairs[0]?.key as Node | undefined)?.range;
  if (before === undefined || firstKey === null || firstKey === undefined) return undefined;
  const end = endOf(before);
  if (end === undefined) return undefined;
  if (map.flow === true) return { at: end, text: `, ${flowOf(keys, item)}` };
  const indent = text.slice(text.lastIndexOf('\n', firstKey[0]) + 1, firstKey[0]);
  if (indent.trim() !== '') return undefined;
  const at = endOfLine(text, end);
  const lines = blockOf(keys, item).map((line) => `${newLine(text)}${indent}${line}`);
  // A new top-level section is separated by an empty line.
  return { at, text: `${indent === '' ? newLine(text) : ''}${lines.join('')}` };
}

/** One line for each level, with the last two levels in one line: `phone: { from: [msisdn] }`. */
function blockOf(keys: readonly string[], item: string): string[] {
  const levels = keys.slice(0, -2).map((key, depth) => `${'  '.repeat(depth)}${key}:`);
  return [...levels, `${'  '.repeat(levels.length)}${flowOf(keys.slice(-2), item)}`];
}

function flowOf([key = '', ...rest]: readonly string[], item: string): string {
  return rest.length === 0 ? `${key}: [${flowScalar(item)}]` : `${key}: { ${flowOf(rest, item)} }`;
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return (map.items as readonly Pair[]).find((pair) => isScalar(pair.key) && String(pair.key.value) === key);
}

/** The end of the last scalar or flow collection in a node: the range of a block also has the comments and empty lines after it. */
function endOf(node: unknown): number | undefined {
  if (isPair(node)) return endOf(node.value) ?? endOf(node.key);
  if ((isMap(node) || isSeq(node)) && node.flow !== true) return endOf(node.items.at(-1));
  return (node as Node | null | undefined)?.range?.[1];
}

/** The end of this line, behind any comment. */
function endOfLine(text: string, from: number): number {
  // A text of several lines (`|`) ends at the beginning of the next.
  const start = text[from - 1] === '\n' ? from - 1 : from;
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end > 0 && text[end - 1] === '\r' ? end - 1 : end;
}

function newLine(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** The item as YAML between brackets. */
function flowScalar(item: string): string {
  return stringify([item], { collectionStyle: 'flow', lineWidth: 0, singleQuote: true })
    .trim()
    .replace(/^\[\s*|\s*\]$/g, '');
}

function appended(node: unknown, [key, ...rest]: readonly string[], item: string): unknown {
  if (key === undefined) return [...((node ?? []) as readonly unknown[]), item];
  const map = (node ?? {}) as Readonly<Record<string, unknown>>;
  return { ...map, [key]: appended(map[key], rest, item) };
}
