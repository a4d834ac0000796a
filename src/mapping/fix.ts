/**
 * What `check --fix` does: small edits of the text at the places of the YAML document, so comments and layout stay. Only
 * problems that carry a fix are touched, and what cannot be edited safely is left alone.
 */
import { isMap, isScalar, isSeq, parseDocument, stringify, type Document, type Node } from 'yaml';
import type { MappingFileText } from './load';
import type { Fix, Problem } from './problem';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The files with their safe problems mended; the same object for a file that stays as it is. */
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
    // Two edits of one place: the next round of checking will tell whether the other is still needed.
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

/** The second of two equal items, so there is always one before it. */
function removeItem(items: readonly Node[], index: number, text: string): Edit | undefined {
  const before = items[index - 1]?.range;
  const range = items[index]?.range;
  if (before === null || before === undefined || range === null || range === undefined) return undefined;
  const between = text.slice(before[1], range[0]);
  // A comment between the two items would be lost: a person must decide.
  if (between.includes('#')) return undefined;
  return /^\s*,\s*$|^\s*\n\s*-\s+$/.test(between) ? { start: before[1], end: range[1], text: '' } : undefined;
}

interface Found {
  readonly key: Node | undefined;
  readonly value: Node | undefined;
  /** The list that the value stands in. */
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
