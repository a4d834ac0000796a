/** Skips the check of a set of mapping files that this same build has checked before, at the build or an earlier start. */
import { atOnce, type Steps } from '../domain/steps';
import { checkInSteps, type CheckedMapping } from './check';
import { compileSound } from './compile';
import { findValue, keepValue, type KeptValues } from './kept-value';
import { hashOf, mergeFiles, type MappingFileText } from './load';
import type { Problem } from './problem';
import { Places, type MappingSource } from './source';

const NAME = 'mappings';

/** The result of an earlier check of the same files, without the source; undefined unless such a check has found no errors. */
export function findChecked(kept: KeptValues, files: readonly MappingFileText[]): CheckedMapping | undefined {
  const known = findValue(kept, NAME, textsOf(files)) as KeptCheck | undefined;
  if (known?.source.hash !== hashOf(files)) return undefined;
  const mapping = compileSound({ ...known.source, places: new LatePlaces(files) });
  if (mapping === undefined) return undefined;
  const shown = new Map(files.map(({ file, name = file }) => [name, file]));
  return { mapping, problems: known.warnings.map((one) => ({ ...one, file: shown.get(one.file) ?? one.file })) };
}

const textsOf = (files: readonly MappingFileText[]): unknown => files.map(({ file, name = file, text }) => [name, text]);

/** The kept result if there is one; otherwise checks the files, and keeps the result if there are no errors. */
export function* checkOnceInSteps(kept: KeptValues | undefined, files: readonly MappingFileText[]): Steps<CheckedMapping> {
  const known = kept && findChecked(kept, files);
  if (known !== undefined) return known;
  const checked = yield* checkInSteps(files);
  if (kept !== undefined && checked.source !== undefined) {
    const source = { ...checked.source, places: undefined };
    const names = new Map(files.map(({ file, name = file }) => [file, name]));
    const warnings = checked.problems.map((one) => ({ ...one, file: names.get(one.file) ?? one.file }));
    keepValue(kept, NAME, textsOf(files), { source, warnings } satisfies KeptCheck);
  }
  return checked;
}

export const checkOnce = (kept: KeptValues | undefined, files: readonly MappingFileText[]): CheckedMapping =>
  atOnce(checkOnceInSteps(kept, files));

interface KeptCheck {
  readonly source: Omit<MappingSource, 'places'> & { readonly places: undefined };
  /** With names of files below the folder, because the folder may be elsewhere at the next start. */
  readonly warnings: readonly Problem[];
}

/** Parses the files only at the first question for a place. No sale asks for one. */
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
