/** A copy of a mapping source with one thing changed, by the paths that places have. What is not on the path is shared. */
import type { YamlPath } from '../../mapping/read-yaml';
import type { MappingSource } from '../../mapping/source';

export interface Edit {
  readonly path: YamlPath;
  /** Undefined takes it out; a removed item closes the gap in its list. */
  readonly value: unknown;
}

export function editSource(source: MappingSource, edits: readonly Edit[]): MappingSource {
  return edits.reduce(editOnce, source);
}

function editOnce(source: MappingSource, { path, value }: Edit): MappingSource {
  return put(source, path.map(String), value) as MappingSource;
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
