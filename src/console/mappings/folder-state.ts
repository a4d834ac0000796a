/** Compares the mappings folder with the set in use: which files differ, and whether the difference matters. */
import { readFolder, hashOf, type MappingFileText } from '../../mapping/load';
import type { Problem } from '../../mapping/problem';
import { changedFiles } from '../../mapping/set-history';
import type { ConsoleParts } from '../console-parts';
import { inBackground } from '../work/in-background';
import type { Report } from '../work/jobs';

export interface FolderState {
  /** Empty if the folder cannot be read. */
  readonly files: readonly MappingFileText[];
  readonly hash: string | undefined;
  readonly problems: readonly Problem[];
  /** Names of the files that differ from the set in use. */
  readonly edited: readonly string[];
}

export function readFolderState({ live, facts }: Pick<ConsoleParts, 'live' | 'facts'>): FolderState {
  const read = readFolder(facts.mappingsDir);
  if ('problems' in read) return { files: [], hash: undefined, problems: read.problems, edited: [] };
  const hash = hashOf(read.files);
  const isRunning = hash === live.current().hash;
  return {
    ...{ files: read.files, hash },
    problems: isRunning ? [] : live.problems(),
    edited: isRunning ? [] : changedFiles(live.files(), read.files),
  };
}

export const nameOf = ({ file, name = file }: MappingFileText): string => name;

let lastCheck: { readonly hash: string; readonly folder: string; readonly report: Report<'check'> } | undefined;

/** The check of the folder, made once for the same files. */
export async function checkedFolder(folder: string, hash: string | undefined): Promise<Report<'check'>> {
  if (lastCheck !== undefined && lastCheck.hash === hash && lastCheck.folder === folder) return lastCheck.report;
  const report = await inBackground('check', folder);
  if (report.hash !== undefined) lastCheck = { hash: report.hash, folder, report };
  return report;
}
