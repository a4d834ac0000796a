/** One rule of a mapping, broken on purpose. */
import type { Place } from '../../mapping/language/model';
import type { YamlPath } from '../../mapping/read-yaml';
import type { MappingSource } from '../../mapping/source';

export interface Mutant {
  /** The change in the words of a plan: `buy_airtime is no longer served at POST /api/topup`. */
  readonly words: string;
  /** The rule that was broken. */
  readonly path: YamlPath;
  readonly edits: readonly Edit[];
  /** Operations whose requests can notice the change; undefined if any may. */
  readonly operations: readonly string[] | undefined;
}

/** A place that is broken; for `operations` see `Mutant`. */
export interface Reach extends Pick<Place, 'path'> {
  readonly operations: readonly string[] | undefined;
}

/** A key of the language at one place, before it is broken. `title` is its name for people. */
export interface BrokenKey extends Reach, Place {
  readonly title: string;
}

/** A text that no script sends and no reply has. */
export const BROKEN_TEXT = 'broken on purpose';

/** What `words` tell, as one edit: `value` takes the place of what is below `steps`; undefined removes it. */
export function breakAt({ path, operations }: Reach, words: string, value: unknown, ...steps: Place['path']): Mutant {
  const broken = [...path, ...steps];
  return { words, path: broken, edits: [{ path: broken, value }], operations };
}

export function dropAt(at: Reach, what: string, ...steps: Place['path']): Mutant {
  return breakAt(at, `drops ${what}`, undefined, ...steps);
}

/** One mutant for each pair of entries, with their values swapped. */
export function swapsAt(
  { path, operations }: Reach,
  called: (key: string) => string,
  entries: Readonly<Record<string, unknown>>,
): Mutant[] {
  const keys = Object.keys(entries);
  const pairs = keys.flatMap((one, index) => keys.slice(index + 1).map((other) => [one, other] as const));
  return pairs
    .filter(([one, other]) => entries[one] !== entries[other])
    .map(([one, other]) => ({
      words: `${called(one)} and ${called(other)} swapped`,
      path: [...path, one],
      edits: [
        { path: [...path, one], value: entries[other] },
        { path: [...path, other], value: entries[one] },
      ],
      operations,
    }));
}

export interface Edit {
  readonly path: YamlPath;
  /** Undefined removes what is at the path. The items behind a removed item move up. */
  readonly value: unknown;
}

/** A copy of a mapping source with the edits applied. Parts outside the edited paths are shared with the original. */
export function editSource(source: MappingSource, edits: readonly Edit[]): MappingSource {
  return edits.reduce((edited, { path, value }) => put(edited, path.map(String), value) as MappingSource, source);
}

function put(node: unknown, path: readonly string[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(node)) {
    const items = [...(node as readonly unknown[])];
    const changed = put(items[Number(step)], rest, value);
    if (changed === undefined) items.splice(Number(step), 1);
    else items[Number(step)] = changed;
    return items;
  }
  if (node instanceof Map) return new Map([...(node as ReadonlyMap<string, unknown>), [step, put(node.get(step), rest, value)]]);
  const entries = Object.entries((node ?? {}) as Record<string, unknown>);
  const changed = put((node as Record<string, unknown> | undefined)?.[step], rest, value);
  const isNew = !entries.some(([key]) => key === step);
  const edited = entries.flatMap(([key, part]) => (key !== step ? [[key, part]] : changed === undefined ? [] : [[key, changed]]));
  return Object.fromEntries(isNew && changed !== undefined ? [...edited, [step, changed]] : edited);
}
