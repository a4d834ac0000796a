/** A set of mapping files that was checked by this very program before, at a build or an earlier start: only compiled, not checked again. */
import { checkFiles, type CheckedMapping } from './check';
import { compileSound } from './compile';
import { findValue, keepValue, type KeptValues } from './kept-value';
import { hashOf, mergeFiles, type MappingFileText } from './load';
import type { Problem } from './problem';
import { Places, type MappingSource } from './source';

const NAME = 'mappings';

/** What a full check of the same files has found before, without the source; undefined where none is known to have found them sound. */
export function findChecked(kept: KeptValues, files: readonly MappingFileText[]): CheckedMapping | undefined {
  const known = findValue(kept, NAME, textsOf(files)) as KeptCheck | undefined;
  if (known?.source.hash !== hashOf(files)) return undefined;
  const mapping = compileSound({ ...known.source, places: new LatePlaces(files) });
  if (mapping === undefined) return undefined;
  const shown = new Map(files.map(({ file, name = file }) => [name, file]));
  return { mapping, problems: known.warnings.map((one) => ({ ...one, file: shown.get(one.file) ?? one.file })) };
}

const textsOf = (files: readonly MappingFileText[]): unknown => files.map(({ file, name = file, text }) => [name, text]);

/** A full check that is kept, unless one has found the same files sound. */
export function checkOnce(kept: KeptValues, files: readonly MappingFileText[]): CheckedMapping {
  const known = findChecked(kept, files);
  if (known !== undefined) return known;
  const checked = checkFiles(files);
  if (checked.source !== undefined) {
    const source = { ...checked.source, places: undefined };
    const names = new Map(files.map(({ file, name = file }) => [file, name]));
    const warnings = checked.problems.map((one) => ({ ...one, file: names.get(one.file) ?? one.file }));
    keepValue(kept, NAME, textsOf(files), { source, warnings } satisfies KeptCheck);
  }
  return checked;
}

interface KeptCheck {
  readonly source: Omit<MappingSource, 'places'> & { readonly places: undefined };
  /** Each with the name of its file in the set: the folder may stand elsewhere next time. */
  readonly warnings: readonly Problem[];
}

/** The files are parsed again for the first person who asks where a rule stands: no sale does. */
class LatePlaces extends Places {
  readonly #files: readonly MappingFileText[];
  #known: Places | undefined;

  constructor(files: readonly MappingFileText[]) {
    super();
    this.#files = files;
  }

  override find(...asked: Parameters<Places['find']>): ReturnType<Places['find']> {
    this.#known ??= mergeFiles(this.#files).source?.places ?? new Places();
    return this.#known.find(...asked);
  }
}
