/** Loads the mappings for commands that use them but do not judge them. A set that this same build has checked before is not checked again. */
import type { Config } from '../config';
import { checkFiles, checkFolder, type CheckedMapping } from '../mapping/check';
import { findChecked } from '../mapping/checked-set';
import type { MappingFileText } from '../mapping/load';
import type { Mapping } from '../mapping/mapping';
import { formatProblems } from '../mapping/problem';
import { keptValues } from '../start/one-file';

/** Writes nothing, because a command that reads must leave no file behind. Without a data folder only the shipped set may be known. */
export function checkUnlessKnown(files: readonly MappingFileText[], dataDir: string | undefined): CheckedMapping {
  const kept = keptValues(dataDir);
  return (kept === undefined ? undefined : findChecked(kept, files)) ?? checkFiles(files);
}

export function checkFolderUnlessKnown(folder: string, dataDir: string | undefined): CheckedMapping {
  return checkFolder(folder, (files) => checkUnlessKnown(files, dataDir));
}

/** The mapping of the folder in the settings. Throws the problems of a set with errors. */
export function loadMapping({ mappingsDir, dataDir }: Config): Mapping {
  const { mapping, problems } = checkFolderUnlessKnown(mappingsDir, dataDir);
  if (mapping === undefined) throw new Error(formatProblems(problems));
  return mapping;
}
