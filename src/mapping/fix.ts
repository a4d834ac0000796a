/**
 * Edits files for `check --fix`. The edits are small replacements in the text, so comments and layout stay. Only problems with
 * a fix are edited, and only where the edit is safe.
 */
import { isMap, isScalar, isSeq, parseDocument, stringify, type Document, type Node } from 'yaml';
import type { MappingFileText } from './load';
import type { Fix, Problem } from './problem';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies the fixes of the problems. A file without an edit is returned as the same object. */
export function fixFiles<File extends MappingFileText>(files: readonly File[], problems: readonly Problem[]): File[] {
  return files.map((file) => {
    const fixes = problems.flatMap(({ file: name, fix }) => (name === file.file && fix !== undefined ? [fix] : []));
    const text = fixText(file.text, fixes);
    return text === file.text ? file : { ...file, text };
  });
}

function fixText(text: string, fixes: readonly Fix[]): string {
  if (fixes.some(({ kind }) => kind === 'unmark'))
    return fixText(
      text.replace(/^\uFEFF/, ''),
      fixes.filter(({ kind }) => kind !== 'unmark'),
    );
  if (fixes.length === 0) return text;
  const document = parseDocument(text, { prettyErrors: false });
  const edits = fixes.flatMap((fix) => editOf(fix, text, document) ?? []).sort((a, b) => b.start - a.start);
  let fixed = text;
  let before = Infinity;
  for (const { start, end, text: replacement } of edits) {
    // Of two edits that overlap only one is made: the next check reports the other problem again if it is still there.
    if (end > before) continue;
    fixed = `${fixed.slice(0, start)}${replacement}${fixed.slice(end)}`;
    before = start;
  }
  return fixed;
}

function editOf(fix: Fix, text: string, document: Document): Edit | undefined {
  const found = find(document, fix.path);
  if (found === undefined) return undefined;
  const { key, value, list } = found;
  if (fix.kind === 'rename') return key === undefined ? undefined : replace(key, fix.to);
  if (fix.kind === 'replace') return value === undefined || !isScalar(value) ? undefined : replace(value, fix.to);
  return fix.kind === 'remove' && list !== undefined ? removeItem(list, Number(fix.path.at(-1)), text) : undefined;
}

function replace({ range }: Node, to: string): Edit | undefined {
  if (range === null || range === undefined) return undefined;
  return { start: range[0], end: range[1], text: stringify(to, { lineWidth: 0 }).trimEnd() };
}

/** Removes an item of a list. A fix removes the second of two equal items, so there is always an item before it. */
function removeItem(items: readonly Node[], index: number, text: string): Edit | undefined {
  const before = items[index - 1]?.range;
  const range = items[index]?.range;
  if (before === null || before === undefined || range === null || range === undefined) return undefined;
  const between = text.slice(before[1], range[0]);
  // A comment between the two items would be lost, so this edit is left to a person.
  if (between.includes('#')) return undefined;
  return /^\s*,\s*$|^\s*\n\s*-\s+$/.test(between) ? { start: before[1], end: range[1], text: '' } : undefined;
}

interface Found {
  readonly key: Node | undefined;
  readonly value: Node | undefined;
  /** The list that contains the value. */
  readonly list: readonly Node[] | undefined;
}

function find(document: Document, path: readonly PropertyKey[]): Found | undefined {
  let found: Found = { key: undefined, value: document.contents ?? undefined, list: undefined };
  for (const step of path) {
    const node = found.value;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) return undefined;
      found = { key: pair.key as Node, value: (pair.value as Node | null) ?? undefined, list: undefined };
    } else if (isSeq(node)) {
      const items = node.items as readonly Node[];
      if (items[Number(step)] === undefined) return undefined;
      found = { key: undefined, value: items[Number(step)], list: items };
      // An edit of an alias would also change the other places that use it.
    } else return undefined;
  }
  return found;
}
