/** One rule of a mapping, broken on purpose. */
import type { YamlPath } from '../../mapping/read-yaml';
import type { Edit } from './edit-source';

export interface Mutant {
  /** What was done: `drops the spelling mobile_number`. */
  readonly words: string;
  /** The rule that was broken. */
  readonly path: YamlPath;
  readonly edits: readonly Edit[];
  /** Operations whose requests can tell; undefined when any may. */
  readonly operations: readonly string[] | undefined;
}

export function mutant(words: string, path: YamlPath, value: unknown, operations?: readonly string[]): Mutant {
  return { words, path, edits: [{ path, value }], operations };
}

export function drop(what: string, path: YamlPath, operations?: readonly string[]): Mutant {
  return mutant(`drops ${what}`, path, undefined, operations);
}

/** Every pair of entries with their values exchanged. */
export function swaps(
  what: string,
  path: YamlPath,
  entries: Readonly<Record<string, unknown>>,
  operations?: readonly string[],
): Mutant[] {
  const keys = Object.keys(entries);
  return keys.flatMap((one, index) =>
    keys.slice(index + 1).flatMap((other): Mutant[] =>
      entries[one] === entries[other]
        ? []
        : [
            {
              words: `swaps ${what} ${one} and ${other}`,
              path: [...path, one],
              edits: [
                { path: [...path, one], value: entries[other] },
                { path: [...path, other], value: entries[one] },
              ],
              operations,
            },
          ],
    ),
  );
}
