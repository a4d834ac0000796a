/** The mapping files as written, merged by section under the names of the language, with the place of everything for problems. */
import type { Fix, Problem } from './problem';
import type { Locate, YamlPath } from './read-yaml';
import { ruleOf, type RuleId } from './rules/rules';
import type { FormatFile, SharedFile } from './language/schema';

type Section<K extends keyof SharedFile> = NonNullable<SharedFile[K]>;

export interface MappingSource {
  readonly formats: ReadonlyMap<string, FormatFile>;
  readonly operations: Readonly<Section<'operations'>>;
  readonly tables: Readonly<Section<'tables'>>;
  readonly blocks: Readonly<Section<'blocks'>>;
  readonly rows: Readonly<Section<'rows'>>;
  readonly families: Readonly<Section<'families'>>;
  /** Set in the source as the scripts of one family meet it (`sourceOfFamily`). */
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
  /** Over the bytes of all files: the same set has the same hash everywhere. */
  readonly hash: string;
}

/** The file of what no file brought. */
export const NOWHERE = '(mappings)';

/** Where a value of the merged source stands: a path such as `operations.buy_airtime.fields.phone` or `formats.b.proof.0`. */
export class Places {
  readonly #origins = new Map<string, { readonly file: string; readonly locate: Locate; readonly drop: number }>();

  /** Says which file brought everything below `prefix`; `drop` leading steps of a path are not in the file. */
  add(prefix: YamlPath, file: string, locate: Locate, drop = 0): void {
    this.#origins.set(key(prefix), { file, locate, drop });
  }

  /** The file that brought exactly this section, if one did. */
  fileOf(prefix: YamlPath): string | undefined {
    return this.#origins.get(key(prefix))?.file;
  }

  /** The same path as it stands in its own file. */
  inFile(path: YamlPath): YamlPath {
    for (let length = path.length; length > 0; length -= 1) {
      const origin = this.#origins.get(key(path.slice(0, length)));
      if (origin !== undefined) return path.slice(origin.drop);
    }
    return path;
  }

  /** `file:line:column`, for sentences about another place than the problem's own. */
  say(path: YamlPath, what?: 'key' | 'value'): string {
    const { file, line, column } = this.find(path, what);
    return `${file}:${line}:${column}`;
  }

  find(path: YamlPath, what: 'key' | 'value' = 'value'): { file: string; line: number; column: number } {
    for (let length = path.length; length > 0; length -= 1) {
      const origin = this.#origins.get(key(path.slice(0, length)));
      if (origin !== undefined) return { file: origin.file, ...origin.locate(path.slice(origin.drop), what) };
    }
    return { file: NOWHERE, line: 1, column: 1 };
  }
}

const key = (path: YamlPath): string => path.map(String).join('\0');

/** A fix at the place of its problem. */
export type FixHere = { readonly kind: 'replace'; readonly to: string } | { readonly kind: 'remove' };

/** Reports one problem at a path of the merged source. How severe it is stands in the table of rules. */
export type Report = (
  path: YamlPath,
  code: RuleId,
  message: string,
  extra?: { readonly hint?: string; readonly at?: 'key' | 'value'; readonly fix?: FixHere },
) => void;

export function createReport(places: Places, problems: Problem[]): Report {
  return (path, code, message, extra = {}) => {
    const place = places.find(path, extra.at);
    const fix: Fix | undefined = extra.fix === undefined ? undefined : { ...extra.fix, path: places.inFile(path) };
    problems.push({
      ...place,
      code,
      severity: ruleOf(code)?.severity ?? 'error',
      message,
      ...(extra.hint === undefined ? {} : { hint: extra.hint }),
      ...(fix === undefined ? {} : { fix }),
    });
  };
}
