/** The merged source: all mapping files as written, merged by section, with the place of each part for problems. */
import type { Problem } from './problem';
import type { Locate, YamlPath } from './read-yaml';
import { RULES, type RuleId } from './rules/rules';
import type { FormatFile, SharedFile } from './language/schema';

type Section<K extends keyof SharedFile> = NonNullable<SharedFile[K]>;

export interface MappingSource {
  readonly formats: ReadonlyMap<string, FormatFile>;
  readonly operations: Readonly<Section<'operations'>>;
  readonly tables: Readonly<Section<'tables'>>;
  readonly blocks: Readonly<Section<'blocks'>>;
  readonly rows: Readonly<Section<'rows'>>;
  readonly families: Readonly<Section<'families'>>;
  /** Set in the source of one family, which `sourceOfFamily` makes. */
  readonly family?: string;
  readonly other_numberings: Section<'other_numberings'>;
  readonly request_id: readonly string[];
  readonly request_id_headers: readonly string[];
  readonly words: Section<'words'>;
  readonly texts: Readonly<Section<'texts'>>;
  readonly callers: {
    readonly kinds: NonNullable<Section<'callers'>['kinds']>;
    readonly keys: NonNullable<Section<'callers'>['keys']>;
  };
  readonly timing: Section<'timing'>;
  readonly lookup_key: Section<'lookup_key'>;
  readonly places: Places;
  /** The hash over the names and texts of all files (`hashOf`). */
  readonly hash: string;
}

type Below<T, Step> = T extends ReadonlyMap<string, infer Item> | readonly (infer Item)[]
  ? Item
  : T[Step extends '*' ? keyof T : Step & keyof T];
type ValueAt<T, Pattern> = Pattern extends `${infer Step}.${infer Rest}`
  ? ValueAt<NonNullable<Below<T, Step>>, Rest>
  : NonNullable<Below<T, Pattern>>;
type NamesOf<Pattern> = Pattern extends `${infer Step}.${infer Rest}`
  ? [...NamesOf<Step>, ...NamesOf<Rest>]
  : Pattern extends '*'
    ? [string]
    : [];

/** A part of the source. `names` are the names, or places in a list, that stand for the stars of its pattern. */
interface Part<Pattern> {
  readonly value: ValueAt<MappingSource, Pattern>;
  readonly path: YamlPath;
  readonly names: NamesOf<Pattern>;
}

/** Every part of a pattern such as `operations.*.fields.*.from`, in the order of the files. */
export function partsAt<Pattern extends string>(source: Pick<MappingSource, 'operations'>, pattern: Pattern): Part<Pattern>[] {
  let parts: { value: unknown; path: YamlPath; names: string[] }[] = [{ value: source, path: [], names: [] }];
  for (const step of pattern.split('.'))
    parts = parts.flatMap(({ value, path, names }) =>
      entriesAt(value, step).flatMap(([key, part]) =>
        part === undefined ? [] : [{ value: part, path: [...path, key], names: step === '*' ? [...names, String(key)] : names }],
      ),
    );
  return parts as unknown as Part<Pattern>[];
}

function entriesAt(value: unknown, step: string): (readonly [PropertyKey, unknown])[] {
  if (step !== '*') return [[step, (value as Readonly<Record<string, unknown>>)[step]]];
  if (value instanceof Map) return [...(value as ReadonlyMap<string, unknown>)];
  return Array.isArray(value) ? [...value.entries()] : Object.entries(value as object);
}

/** Makes a value from a source once, and keeps it as long as the source is used. */
export function oncePerSource<Value extends object>(make: (source: MappingSource) => Value): (source: MappingSource) => Value {
  const made = new WeakMap<MappingSource, Value>();
  return (source) => {
    const value = made.get(source) ?? make(source);
    made.set(source, value);
    return value;
  };
}

/** In place of a file name, for a part that no file contains. */
export const NOWHERE = '(mappings)';

/** Where a part is written; `own` is its path in the file. */
type Origin = { readonly file: string; readonly locate: Locate; readonly own: YamlPath };

/** The files and lines of a merged source, by paths such as `operations.buy_airtime.fields.phone` or `formats.b.proof.0`. */
export class Places {
  readonly #origins = new Map<string, Origin>();

  /** Registers the file that contains everything below `prefix`, and the path of the prefix in that file. */
  add(prefix: YamlPath, file: string, locate: Locate, own: YamlPath = prefix): void {
    this.#origins.set(key(prefix), { file, locate, own });
  }

  /** The file that was registered for exactly this prefix, if any. */
  fileOf(prefix: YamlPath): string | undefined {
    return this.#origins.get(key(prefix))?.file;
  }

  /** Gives a part the place of another one. */
  addAt(path: YamlPath, other: YamlPath): void {
    this.#origins.set(key(path), this.#originOf(other)!);
  }

  /** The same path within its own file. */
  inFile(path: YamlPath): YamlPath {
    return this.#originOf(path)?.own ?? path;
  }

  /** `file:line:column`, for sentences about another place than the problem's own. */
  say(path: YamlPath, what?: 'key' | 'value'): string {
    const { file, line, column } = this.find(path, what);
    return `${file}:${line}:${column}`;
  }

  find(path: YamlPath, what: 'key' | 'value' = 'value'): { file: string; line: number; column: number } {
    const { file, locate, own } = this.#originOf(path) ?? { file: NOWHERE, locate: () => ({ line: 1, column: 1 }), own: [] };
    return { file, ...locate(own, what) };
  }

  #originOf(path: YamlPath): Origin | undefined {
    for (let length = path.length; length > 0; length -= 1) {
      const origin = this.#origins.get(key(path.slice(0, length)));
      if (origin !== undefined) return { ...origin, own: [...origin.own, ...path.slice(length)] };
    }
    return undefined;
  }
}

const key = (path: YamlPath): string => path.map(String).join('\0');

/** A fix without its path, which is that of the problem. */
type FixHere = { readonly kind: 'replace'; readonly to: string } | { readonly kind: 'remove' };

/** Reports one problem at a path of the merged source. The table of rules has its severity, and its place unless `at` is set. */
export type Report = (
  path: YamlPath,
  code: RuleId,
  message: string,
  extra?: { readonly hint?: string | undefined; readonly at?: 'key' | 'value'; readonly fix?: FixHere | undefined },
) => void;

export function createReport(places: Places, problems: Problem[]): Report {
  return (path, code, message, { hint, at = RULES[code].at, fix } = {}) => {
    problems.push({
      ...places.find(path, at),
      code,
      severity: RULES[code].severity,
      message,
      hint,
      fix: fix && { ...fix, path: places.inFile(path) },
    });
  };
}
