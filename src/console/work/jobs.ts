/** The work that takes longer than a purchase may wait. Each job is a function of plain data, so that it can run in its own thread. */
import { basename, resolve } from 'node:path';
import type { SeenShape, Traffic } from '../../domain/traffic';
import { readWrittenRequest } from '../../http/read-written-request';
import { checkFiles, checkFolder } from '../../mapping/check';
import type { NamedText } from '../../mapping/folder-change';
import { hashOf, readFolder, type MappingFileText } from '../../mapping/load';
import { pauseCaller } from '../../mapping/pause-caller';
import type { Problem } from '../../mapping/problem';
import type { YamlPath } from '../../mapping/read-yaml';
import type { Places } from '../../mapping/source';
import { loadCases } from '../../operator/case/cases';
import { measureCoverage } from '../../operator/case/coverage';
import { describeDifference, runCases } from '../../operator/case/run-cases';
import { additionsOf, findDrift } from '../../operator/drift/find-drift';
import { makePatch, type Addition } from '../../operator/drift/make-patch';
import { makePlan, type Plan, type PlannedSet } from '../../operator/plan/make-plan';

/** Without `shapes` nothing is replayed. */
interface PlanInput {
  readonly before: readonly MappingFileText[];
  readonly after: readonly MappingFileText[];
  readonly shapes?: readonly SeenShape[];
}

/** Paths in the patch are relative to the folder above `folder`, which is that of the mappings. */
interface DriftInput {
  readonly files: readonly MappingFileText[];
  readonly traffic: Traffic;
  readonly folder: string;
}

interface PauseInput {
  readonly files: readonly NamedText[];
  readonly fingerprint: string;
  readonly paused: boolean | string;
}

export const JOBS = {
  /** The check of the folder, with the same result as `compat-gateway check`. */
  check(folder: string) {
    const { mapping, problems } = checkFolder(folder);
    const read = readFolder(folder);
    return { hash: 'files' in read ? hashOf(read.files) : undefined, isSound: mapping !== undefined, problems };
  },

  /** The problems of the candidate if it has errors. */
  plan({ before, after, shapes }: PlanInput): { readonly plan: Plan } | { readonly problems: readonly Problem[] } {
    const candidate = checkSet(after);
    if ('problems' in candidate) return candidate;
    const running = checkSet(before);
    if ('problems' in running) throw new Error('The set that it is compared with cannot be read by this version.');
    return { plan: makePlan(running, candidate, shapes) };
  },

  /** With `problems` no case was played. */
  async coverage(folder: string) {
    const { mapping, source, problems: ofFiles } = checkFolder(folder);
    const { cases, fixtures, problems: ofCases } = loadCases(folder);
    const problems = [...ofFiles, ...ofCases].filter(({ severity }) => severity === 'error');
    if (mapping === undefined || source === undefined || problems.length > 0) return { ...NO_COVERAGE, problems };
    const results = await runCases(cases, { mapping, fixtures, read: readWrittenRequest });
    const { missing, ...measured } = measureCoverage(results, { source, mapping });
    const failed = results.filter(({ differences }) => differences.length > 0);
    return {
      ...measured,
      problems,
      rows: results.length,
      failed: failed.map(({ played, differences }) => ({
        place: `${played.place.file}:${played.place.line}`,
        title: [played.title, played.row].filter((part) => part !== undefined).join(': '),
        differences: differences.map(describeDifference),
      })),
      missing: missing.map(({ kind, words, path }) => ({ kind, words, place: placeOf(path, source.places) })),
    };
  },

  drift({ files, traffic, folder }: DriftInput) {
    const { mapping, source } = checkFiles(files);
    if (mapping === undefined || source === undefined) throw new Error('The set in use cannot be read by this version.');
    const drift = findDrift(traffic, mapping, source);
    const { made, left, diff } = makePatch(files, additionsOf(drift), basename(resolve(folder)));
    const placed = ({ path, title, movesMoney }: Addition) => ({ title, movesMoney, place: placeOf(path, source.places) });
    return { drift, made: made.map(placed), left: left.map(placed), diff };
  },

  /** The files with the edit. Where callers.yaml has thousands of keys, to read and write it takes seconds. */
  pause: ({ files, fingerprint, paused }: PauseInput) => pauseCaller(files, fingerprint, paused),
};

export type Jobs = typeof JOBS;
export type JobName = keyof Jobs;
/** What a job gives. */
export type Report<Name extends JobName> = Awaited<ReturnType<Jobs[Name]>>;

const NO_COVERAGE = { rows: 0, failed: [], byKind: [], shown: 0, of: 0, missing: [] };

function checkSet(files: readonly MappingFileText[]): PlannedSet | { readonly problems: readonly Problem[] } {
  const { mapping, source, problems } = checkFiles(files);
  return mapping === undefined || source === undefined ? { problems } : { mapping, source };
}

/** `mappings/ids.yaml:12` */
function placeOf(path: YamlPath, places: Places): string {
  const { file, line } = places.find(path);
  return `${file}:${line}`;
}
