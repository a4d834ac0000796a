/** The work that takes longer than a purchase may wait. Each job is a function of plain data, so that it can run in its own thread. */
import { basename, resolve } from 'node:path';
import type { SeenShape, Traffic } from '../../domain/traffic';
import { readWrittenRequest } from '../../http/read-written-request';
import { checkFiles, checkFolder } from '../../mapping/check';
import { hashOf, readFolder, type MappingFileText } from '../../mapping/load';
import type { Problem } from '../../mapping/problem';
import type { YamlPath } from '../../mapping/read-yaml';
import type { Places } from '../../mapping/source';
import { loadCases } from '../../operator/case/cases';
import { measureCoverage, type Coverage } from '../../operator/case/coverage';
import { runCases } from '../../operator/case/run-cases';
import { additionsOf, findDrift, type Drift } from '../../operator/drift/find-drift';
import { makePatch, type Addition } from '../../operator/drift/make-patch';
import { makePlan, type Plan, type PlannedSet } from '../../operator/plan/make-plan';

/** A place in a file, for people: `mappings/ids.yaml:12`. */
interface Placed {
  readonly place: string;
}

export interface CheckReport {
  readonly hash: string | undefined;
  readonly isSound: boolean;
  readonly problems: readonly Problem[];
}

export interface PlanInput {
  readonly before: readonly MappingFileText[];
  readonly after: readonly MappingFileText[];
  /** If absent, nothing is replayed. */
  readonly shapes?: readonly SeenShape[] | undefined;
}

/** The problems of the candidate. */
export type PlanReport = { readonly plan: Plan } | { readonly problems: readonly Problem[] };

export interface CoverageReport {
  /** Why no case could be played. */
  readonly problems: readonly Problem[];
  readonly rows: number;
  readonly failed: readonly (Placed & { readonly title: string; readonly differences: readonly string[] })[];
  readonly byKind: Coverage['byKind'];
  readonly shown: number;
  readonly of: number;
  readonly missing: readonly (Placed & { readonly kind: string; readonly words: string })[];
}

export interface DriftInput {
  readonly files: readonly MappingFileText[];
  readonly traffic: Traffic;
  /** The mappings folder; the paths in the patch are relative to the folder above it. */
  readonly folder: string;
}

export interface DriftReport {
  readonly drift: Drift;
  readonly made: readonly PlacedAddition[];
  readonly left: readonly PlacedAddition[];
  readonly diff: string;
}

export interface PlacedAddition extends Placed {
  readonly title: string;
  readonly movesMoney: boolean;
}

export const JOBS = {
  /** The check of the folder, with the same result as `compat-gateway check`. */
  check(folder: string): CheckReport {
    const { mapping, problems } = checkFolder(folder);
    const read = readFolder(folder);
    return { hash: 'files' in read ? hashOf(read.files) : undefined, isSound: mapping !== undefined, problems };
  },

  plan({ before, after, shapes }: PlanInput): PlanReport {
    const candidate = checkSet(after);
    if ('problems' in candidate) return candidate;
    const running = checkSet(before);
    if ('problems' in running) throw new Error('The set that it is compared with cannot be read by this version.');
    return { plan: makePlan(running, candidate, shapes) };
  },

  async coverage(folder: string): Promise<CoverageReport> {
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
        differences: differences.map((one) => `${one.place}: expected ${one.expected}, found ${one.found}`),
      })),
      missing: missing.map(({ kind, words, path }) => ({ kind, words, place: placeOf(path, source.places) })),
    };
  },

  drift({ files, traffic, folder }: DriftInput): DriftReport {
    const { mapping, source } = checkFiles(files);
    if (mapping === undefined || source === undefined) throw new Error('The set in use cannot be read by this version.');
    const drift = findDrift(traffic, mapping, source);
    const { made, left, diff } = makePatch(files, additionsOf(drift), basename(resolve(folder)));
    const placed = ({ path, title, movesMoney }: Addition): PlacedAddition => ({
      ...{ title, movesMoney },
      place: placeOf(path, source.places),
    });
    return { drift, made: made.map(placed), left: left.map(placed), diff };
  },
};

export type Jobs = typeof JOBS;
export type JobName = keyof Jobs;

const NO_COVERAGE = { rows: 0, failed: [], byKind: [], shown: 0, of: 0, missing: [] };

function checkSet(files: readonly MappingFileText[]): PlannedSet | { readonly problems: readonly Problem[] } {
  const { mapping, source, problems } = checkFiles(files);
  return mapping === undefined || source === undefined ? { problems } : { mapping, source };
}

function placeOf(path: YamlPath, places: Places): string {
  const { file, line } = places.find(path);
  return `${file}:${line}`;
}
