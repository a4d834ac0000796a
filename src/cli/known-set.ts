/** The mappings of a command that uses them and does not judge them: what this very build has checked before is not checked again. */
import type { Config } from '../config';
import { checkFiles, checkFolder, type CheckedMapping } from '../mapping/check';
import { findChecked } from '../mapping/checked-set';
import type { MappingFileText } from '../mapping/load';
import type { Mapping } from '../mapping/mapping';
import { formatProblems } from '../mapping/problem';
import { keptValues } from '../start/one-file';

/** Nothing is written: a command that reads leaves no file behind. Without a data folder only the shipped set may be known. */
export function checkUnlessKnown(files: readonly MappingFileText[], dataDir: string | undefined): CheckedMapping {
  const kept = keptValues(dataDir);
  return (kept === undefined ? undefined : findChecked(kept, files)) ?? checkFiles(files);
}

export function checkFolderUnlessKnown(folder: string, dataDir: string | undefined): CheckedMapping {
  return checkFolder(folder, (files) => checkUnlessKnown(files, dataDir));
}

/** Throws what is wrong with the folder of the settings. */
export function loadMapping({ mappingsDir, dataDir }: Config): Mapping {
  const { mapping, problems } = checkFolderUnlessKnown(mappingsDir, dataDir);
  if (mapping === undefined) throw new Error(formatProblems(problems));
  return mapping;
}
