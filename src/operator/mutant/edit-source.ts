/** A copy of a mapping source with one thing changed, by the paths that places have. What is not on the path is shared. */
import type { YamlPath } from '../../mapping/read-yaml';
import type { MappingSource } from '../../mapping/source';

export interface Edit {
  readonly path: YamlPath;
  /** Undefined takes it out; a removed item closes the gap in its list. */
  readonly value: unknown;
}

/** Sections whose name in the files is not their name in the source. */
const SECTIONS: Readonly<Record<string, keyof MappingSource>> = {
  other_numberings: 'otherNumberings',
  request_id: 'requestId',
  request_id_headers: 'requestIdHeaders',
};

export function editSource(source: MappingSource, edits: readonly Edit[]): MappingSource {
  return edits.reduce(editOnce, source);
}

function editOnce(source: MappingSource, { path, value }: Edit): MappingSource {
  const [section, ...rest] = path.map(String) as [string, ...string[]];
  if (section === 'formats') {
    const [format, ...inside] = rest as [string, ...string[]];
    const changed = put(source.formats.get(format), inside, value);
    return { ...source, formats: new Map([...source.formats, [format, changed as never]]) };
  }
  const name = SECTIONS[section] ?? (section as keyof MappingSource);
  return { ...source, [name]: put(source[name], rest, value) };
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
  const entries = Object.entries((node ?? {}) as Record<string, unknown>);
  const changed = put((node as Record<string, unknown> | undefined)?.[step], rest, value);
  const isNew = !entries.some(([key]) => key === step);
  const edited = entries.flatMap(([key, part]) => (key !== step ? [[key, part]] : changed === undefined ? [] : [[key, changed]]));
  return Object.fromEntries(isNew && changed !== undefined ? [...edited, [step, changed]] : edited);
}
