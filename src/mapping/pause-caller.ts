/** Pauses a key, or ends its pause, in the text of the mapping files: only the entry of the key is edited. */
import { isDeepStrictEqual } from 'node:util';
import { isAlias, isMap, parseDocument, type Document } from 'yaml';
import type { NamedText } from './folder-change';
import { parseYaml } from './read-yaml';

const KEYS = ['callers', 'keys'];

/**
 * `paused` is `true`, the text of the refusals, or `false`. Returns all files. A key without an entry gets one in the file that has
 * the other entries. Throws a plain Error if no file has a section `callers`.
 */
export function pauseCaller(files: readonly NamedText[], fingerprint: string, paused: boolean | string): NamedText[] {
  const documents = files.map(({ text }) => parseDocument(text, { uniqueKeys: false }));
  const hasMap = (path: readonly string[]) => (document: Document) => isMap(document.getIn(path));
  const hasEntry = (document: Document): boolean => isMap(entryOf(document, fingerprint));
  // The entry was removed, or emptied, meanwhile.
  if (paused === false && !documents.some(hasEntry)) return [...files];
  const at = [hasEntry, hasMap(KEYS), hasMap(['callers'])].map((has) => documents.findIndex(has)).find((index) => index >= 0);
  if (at === undefined) throw new Error('No mapping file has a section `callers`: put one into callers.yaml.');
  const document = documents[at]!;
  const before = written(document);
  unshareEntry(document, fingerprint);
  if (paused === false) document.deleteIn([...KEYS, fingerprint, 'paused']);
  else {
    if (!hasMap([...KEYS, fingerprint])(document)) openEntry(document, fingerprint);
    document.setIn([...KEYS, fingerprint, 'paused'], paused);
  }
  const after = written(document);
  const edited = asEdited(files[at]!.text, before, after);
  // If the spacing of the file differs from the library's, the lines may land in the wrong place. The library's text is used then.
  const text = isDeepStrictEqual(read(edited), document.toJS()) ? edited : after;
  return files.map((file, index) => (index === at ? { ...file, text } : file));
}

/** The entry of the key, with an alias resolved. */
function entryOf(document: Document, fingerprint: string): unknown {
  const entry = document.getIn([...KEYS, fingerprint], true);
  return isAlias(entry) ? entry.resolve(document) : entry;
}

/** Gives each key that shares the entry by an alias its own copy, so that the edit does not change other keys. */
function unshareEntry(document: Document, fingerprint: string): void {
  const keys = document.getIn(KEYS);
  const shared = entryOf(document, fingerprint);
  if (!isMap(keys) || !isMap(shared)) return;
  for (const pair of keys.items)
    if (isAlias(pair.value) && pair.value.resolve(document) === shared)
      pair.value = document.createNode(shared.toJS(document), { flow: shared.flow === true });
}

/** Undefined for a text that is no YAML, or has a key twice. */
function read(text: string): unknown {
  const { document, syntax } = parseYaml('', text);
  return syntax.length > 0 ? undefined : document.toJS();
}

// Without a line width the library does not wrap long lines.
const written = (document: Document): string => document.toString({ lineWidth: 0 });

/** Puts the lines that differ between the library's texts before and after the edit into the operator's own text. */
function asEdited(original: string, before: string, after: string): string {
  const [own, old, edited] = [original, before, after].map((text) => text.split('\n')) as [string[], string[], string[]];
  if (own.length !== old.length) return after;
  let first = 0;
  while (first < edited.length && edited[first] === old[first]) first += 1;
  let last = 0;
  const least = Math.min(old.length, edited.length) - first;
  while (last < least && edited.at(-1 - last) === old.at(-1 - last)) last += 1;
  return [...own.slice(0, first), ...edited.slice(first, edited.length - last), ...own.slice(own.length - last)].join('\n');
}

/** Makes an empty entry in block style: `keys: {}` and an empty entry would otherwise keep their new keys on one line. */
function openEntry(document: Document, fingerprint: string): void {
  const keys = document.getIn(KEYS);
  if (!isMap(keys) || keys.items.length === 0) document.setIn(KEYS, document.createNode({}));
  const opened = document.getIn(KEYS);
  if (isMap(opened)) opened.flow = false;
  const entry = document.createNode({});
  document.setIn([...KEYS, fingerprint], entry);
  if (isMap(entry)) entry.flow = false;
}
