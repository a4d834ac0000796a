/** A breakage is one mistake of a person in a set of mapping files; the sets that can be broken are here too. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mergeFiles, type MappingFileText } from '../../../src/mapping/load';
import type { Edit } from '../../../src/operator/mutant/mutant';
import type { MappingSource } from '../../../src/mapping/source';
import { MAPPINGS } from '../mapping-set';

export interface Breakage {
  /** The set of `SETS` that is broken. */
  readonly set: SetName;
  readonly kind: string;
  /** The mistake, for people. */
  readonly words: string;
  /** Whether it costs money, as opposed to a sale or a text. */
  readonly isMoney: boolean;
  /** What must notice it: `check` refuses the set, or `plan` names it as a money change. */
  readonly caught: 'check' | 'plan';
  readonly edit: TextEdit | readonly Edit[];
}

export interface TextEdit {
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

const OWN = join(__dirname, 'own');

function read(folder: string, below = ''): [string, string][] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry): [string, string][] => {
    const name = join(below, entry.name);
    if (entry.isDirectory()) return entry.name === 'cases' ? [] : read(folder, name);
    return [[name, readFileSync(join(folder, name), 'utf8')]];
  });
}

/** The shipped set; and the shipped set with a format that an operator wrote, without cases. */
const SETS = {
  shipped: read(MAPPINGS),
  own: [...read(MAPPINGS), ...read(OWN)],
} as const satisfies Readonly<Record<string, readonly (readonly [string, string])[]>>;

export type SetName = keyof typeof SETS;
export const SET_NAMES = Object.keys(SETS) as SetName[];

export function filesOf(set: SetName): MappingFileText[] {
  return SETS[set].map(([file, text]) => ({ file, text }));
}

const sources = new Map<SetName, MappingSource>();

export function sourceOf(set: SetName): MappingSource {
  const source = sources.get(set) ?? mergeFiles(filesOf(set)).source!;
  sources.set(set, source);
  return source;
}

/** The files with the mistake. Throws when nothing has changed. */
export function breakText(set: SetName, { file, find, put }: TextEdit): MappingFileText[] {
  const files = filesOf(set);
  const before = files.find((one) => one.file === file)?.text;
  if (before?.includes(find) !== true || find === put) throw new Error(`nothing to break in ${set}/${file}: ${find}`);
  // A function, because `$` has a meaning in a replacement text.
  return files.map((one) => (one.file === file ? { file, text: before.replace(find, () => put) } : one));
}
