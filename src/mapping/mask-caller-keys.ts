/**
 * Masks API keys that an operator has put below `callers.keys` in place of fingerprints, with or without a PIN. Such a key must not
 * appear in a problem: not in its path, its message or its frame. In the entry of a fingerprint only what looks like a key is masked.
 */
import { isAlias, isMap, isScalar, isSeq, parseDocument, visit, type Document, type Node, type Scalar } from 'yaml';
import { looksLikeKey } from '../domain/credentials';
import { findSecrets } from '../domain/shown-words';
import { nearestName } from './nearest-name';
import { sharedFileSchema } from './language/schema';
import { keysAt } from './language/model';

const FINGERPRINT = /^[0-9a-f]{32}$/;
const MASK = '*****';
const SECTIONS = keysAt(sharedFileSchema, ['callers']);
const WORDS_OF_ENTRY = keysAt(sharedFileSchema, ['callers', 'keys', '']);
const WORDS = new Set(['callers', ...SECTIONS, ...WORDS_OF_ENTRY]);

/** The path as it may be printed. */
export function maskPath(path: readonly PropertyKey[]): PropertyKey[] {
  const [callers, section, entry, word] = path.map(String);
  if (callers !== 'callers' || section === undefined) return [...path];
  const shown = ['callers', isNameOfSection(section) ? section : MASK];
  if (section !== 'keys' || entry === undefined) return [...shown, ...path.slice(2)];
  if (FINGERPRINT.test(entry)) return path.map((part) => (holdsKey(String(part)) ? MASK : part));
  if (word === undefined) return [...shown, MASK];
  return [...shown, MASK, ...(WORDS_OF_ENTRY.includes(word) ? path.slice(3) : [MASK])];
}

/** The text with the same lines and columns. Below `callers`, stars replace everything that may be a key. */
export function maskCallerKeys(text: string): string {
  const document = parseDocument(text, { uniqueKeys: false, strict: false, prettyErrors: false });
  if (document.errors.length > 0) return maskBroken(text);
  const masked: Node[] = [];
  for (const [name, section] of pairsOf(document.contents, document)) {
    const near = nearestName(name.text, ['callers', 'keys']);
    if (near === 'keys') maskKeys(section, document, masked);
    if (near !== 'callers') continue;
    for (const [inner, value] of pairsOf(section, document)) {
      if (!isNameOfSection(inner.text)) masked.push(inner.node);
      if (inner.text !== 'kinds') maskKeys(value, document, masked);
    }
  }
  return masked.reduce((shown, { range }) => (range ? maskRange(shown, range[0], range[1]) : shown), text);
}

/** Lower-case letters only: a misspelt `keys` looks like this, an API key hardly ever does. */
const isNameOfSection = (name: string): boolean => /^[a-z]+$/.test(name);

interface Name {
  readonly text: string;
  readonly node: Node;
}

function pairsOf(node: unknown, document: Document): (readonly [Name, Node | null])[] {
  const map = isAlias(node) ? node.resolve(document) : node;
  if (!isMap(map)) return [];
  return map.items.map((pair) => {
    const key = pair.key as Node;
    return [{ text: isScalar(key) ? String(key.value) : '', node: key }, pair.value as Node | null] as const;
  });
}

/** Collects the nodes to mask in `keys`, also if its value is a list or a single text instead of a map. */
function maskKeys(keys: Node | null, document: Document, masked: Node[]): void {
  if (isScalar(keys) && keys.value !== null) masked.push(keys);
  if (isSeq(keys)) masked.push(...(keys.items as Node[]));
  for (const [name, entry] of pairsOf(keys, document)) {
    if (FINGERPRINT.test(name.text)) {
      const mask = (_: unknown, node: Scalar): void => void (holdsKey(String(node.value)) && masked.push(node));
      visit(isAlias(entry) ? (entry.resolve(document) ?? null) : entry, { Scalar: mask });
      continue;
    }
    masked.push(name.node);
    if (isScalar(entry) || isSeq(entry)) masked.push(entry);
    for (const [word, value] of pairsOf(entry, document))
      if (!WORDS_OF_ENTRY.includes(word.text)) masked.push(word.node, ...(value === null ? [] : [value]));
  }
}

function holdsKey(text: string): boolean {
  return text.split(/[^\w-]+/).some(looksLikeKey) || findSecrets(text).length > 0;
}

/** For a text that is no YAML, in which keys cannot be located: from `callers` to the next section only words of the language stay. */
function maskBroken(text: string): string {
  let isInside = false;
  return text
    .split('\n')
    .map((line) => {
      if (/caller|\bkeys\b/i.test(line)) isInside = true;
      else if (/^[a-z_]+\s*:/.test(line)) isInside = false;
      return isInside ? line.replace(/[\w-]+/g, (word) => (isHarmless(word) ? word : '*'.repeat(word.length))) : line;
    })
    .join('\n');
}

const isHarmless = (word: string): boolean => WORDS.has(word) || FINGERPRINT.test(word);

function maskRange(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(start, end).replace(/[^\r\n]/g, '*') + text.slice(end);
}
