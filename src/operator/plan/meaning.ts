/** What a mapping says, free of how it is written: a tree in which order counts only where it means something. */
import type { YamlPath } from '../../mapping/read-yaml';

interface Placed {
  /** Of the merged source: what `places.find` takes. */
  readonly path: YamlPath;
  /** The path with `*` for every name: `operations.*.fields.*.from`. */
  readonly pattern: string;
  /** What the stars stand for, in order. */
  readonly names: readonly string[];
}

/** Equal when `canonical` is equal. */
export interface Leaf extends Placed {
  readonly kind: 'leaf';
  readonly canonical: string;
  /** As the operator reads it. */
  readonly shown: string;
  readonly value: unknown;
  /** Of `"*"` in a reply: the fields that it is spread over. Part of its meaning as far as those fields are there. */
  readonly over?: readonly string[];
}

export interface Item {
  readonly path: YamlPath;
  readonly shown: string;
}

/** Items by their canonical text: neither order nor repetition counts. */
export interface SetOfItems extends Placed {
  readonly kind: 'set';
  readonly items: ReadonlyMap<string, Item>;
}

/** Things without a name, of which two may be alike: repetition counts, order does not. */
export interface Bag extends Placed {
  readonly kind: 'bag';
  readonly items: readonly Branch[];
}

export interface Branch extends Placed {
  readonly kind: 'branch';
  readonly entries: ReadonlyMap<string, Meaning>;
}

export type Meaning = Leaf | SetOfItems | Bag | Branch;

/** Kept, because every level above a part asks for its text again. */
const canonicalTexts = new WeakMap<Meaning, string>();

/** The same text for the same meaning, wherever it stands. */
export function canonicalOf(meaning: Meaning): string {
  let text = canonicalTexts.get(meaning);
  if (text === undefined) canonicalTexts.set(meaning, (text = makeCanonical(meaning)));
  return text;
}

function makeCanonical(meaning: Meaning): string {
  switch (meaning.kind) {
    case 'leaf':
      return meaning.canonical;
    case 'set':
      return JSON.stringify([...meaning.items.keys()].sort());
    case 'bag':
      return `[${meaning.items.map(canonicalOf).sort().join()}]`;
    case 'branch':
      return `{${[...meaning.entries]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, part]) => `${JSON.stringify(key)}:${canonicalOf(part)}`)
        .join()}}`;
  }
}

/** In one line, for people; long ones are cut. */
export function showMeaning(meaning: Meaning): string {
  const text = showWhole(meaning);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX - 1)}…` : text;
}

const SHOWN_MAX = 120;

function showWhole(meaning: Meaning): string {
  switch (meaning.kind) {
    case 'leaf':
      return meaning.shown;
    case 'set':
      return `[${[...meaning.items.values()].map(({ shown }) => shown).join(', ')}]`;
    case 'bag':
      return `[${meaning.items.map(showWhole).join(', ')}]`;
    case 'branch':
      return `{ ${[...meaning.entries].map(([key, part]) => `${key}: ${showWhole(part)}`).join(', ')} }`;
  }
}
