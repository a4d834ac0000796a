/** One thing that a hand does to a set of mapping files, and the sets that it is done to. */
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
  /** What was done, for people. */
  readonly words: string;
  /** Whether it loses somebody's money, as opposed to a sale or a word. */
  readonly isMoney: boolean;
  /** Who is to notice: `check` refuses the set, or `plan` names it as money when it is taken into use. */
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

/** As shipped; with a format that an operator wrote and has no cases for. */
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

/** The files as the hand left them. Throws when it has changed nothing. */
export function breakText(set: SetName, { file, find, put }: TextEdit): MappingFileText[] {
  const files = filesOf(set);
  const before = files.find((one) => one.file === file)?.text;
  if (before?.includes(find) !== true || find === put) throw new Error(`nothing to break in ${set}/${file}: ${find}`);
  // A function, because `$` of a replacement text means something of its own.
  return files.map((one) => (one.file === file ? { file, text: before.replace(find, () => put) } : one));
}
