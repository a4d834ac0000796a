/** A set of mapping files that was checked by this very program before, at a build or an earlier start: only compiled, not checked again. */
import { checkFiles, type CheckedMapping } from './check';
import { compileMapping } from './compile';
import { findValue, keepValue, type KeptValues } from './kept-value';
import { hashOf, type MappingFileText } from './load';
import type { Mapping } from './mapping';
import type { Problem } from './problem';
import { createReport, Places, type MappingSource } from './source';

const NAME = 'mappings';

/** A full check, unless one has found the same files sound. */
export function checkOnce(kept: KeptValues, files: readonly MappingFileText[]): CheckedMapping {
  const texts = files.map(({ file, name = file, text }) => [name, text]);
  const mapping = compileKept(findValue(kept, NAME, texts) as KeptSource | undefined, hashOf(files));
  if (mapping !== undefined) return { mapping, problems: [] };
  const checked = checkFiles(files);
  if (checked.source !== undefined) keepValue(kept, NAME, texts, { ...checked.source, places: undefined });
  return checked;
}

type KeptSource = Omit<MappingSource, 'places'>;

function compileKept(source: KeptSource | undefined, hash: string): Mapping | undefined {
  if (source?.hash !== hash) return undefined;
  const problems: Problem[] = [];
  // Places are for the sentences of a check.
  const places = new Places();
  const mapping = compileMapping({ ...source, places }, createReport(places, problems));
  return problems.some(({ severity }) => severity === 'error') ? undefined : mapping;
}
