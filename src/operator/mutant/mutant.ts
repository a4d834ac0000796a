/** One rule of a mapping, broken on purpose. */
import type { YamlPath } from '../../mapping/read-yaml';
import type { Place } from '../../mapping/language/model';
import type { Edit } from './edit-source';

export interface Mutant {
  /** What was done, in the words of a plan: `buy_airtime is no longer served at POST /api/topup`. */
  readonly words: string;
  /** The rule that was broken. */
  readonly path: YamlPath;
  readonly edits: readonly Edit[];
  /** Operations whose requests can tell; undefined when any may. */
  readonly operations: readonly string[] | undefined;
}

/** A key, what it is called, and the operations whose requests can tell that it is broken; undefined when any may. */
export interface Broken extends Place {
  readonly says: string;
  readonly operations: readonly string[] | undefined;
}

/** No script sends it and no reply says it. */
export const BROKEN = 'broken on purpose';

export function mutant(words: string, path: YamlPath, value: unknown, operations?: readonly string[]): Mutant {
  return { words, path, edits: [{ path, value }], operations };
}

export function drop(what: string, path: YamlPath, operations?: readonly string[]): Mutant {
  return mutant(`drops ${what}`, path, undefined, operations);
}

/** Every pair of entries with their values exchanged. */
export function swaps(
  called: (key: string) => string,
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
              words: `${called(one)} and ${called(other)} swapped`,
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
