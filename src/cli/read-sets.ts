/** The two sets of a plan: a folder, and what the running gateway has in use. */
import type { Config } from '../config';
import type { SeenShape, Traffic } from '../domain/traffic';
import type { PlannedSet } from '../operator/plan/make-plan';
import { checkFiles } from '../mapping/check';
import { hashOf, mergeFiles, readFolder, type MappingFileText } from '../mapping/load';
import { formatProblems } from '../mapping/by-cause';
import type { Problem } from '../mapping/problem';
import { askAdmin } from './ask-admin';

export interface ReadSet extends PlannedSet {
  readonly files: readonly MappingFileText[];
}

/** The folder's set; or why it cannot be used. Warnings keep nobody from planning. */
export function readSet(folder: string): { readonly set: ReadSet } | { readonly problems: readonly Problem[] } {
  const read = readFolder(folder);
  return 'problems' in read ? read : checkSet(read.files);
}

function checkSet(files: readonly MappingFileText[]): { readonly set: ReadSet } | { readonly problems: readonly Problem[] } {
  const { mapping, problems } = checkFiles(files);
  const { source } = mergeFiles(files);
  return mapping === undefined || source === undefined
    ? { problems: problems.filter(({ severity }) => severity === 'error') }
    : { set: { files, mapping, source } };
}

/** True when the folder holds another set than these. A folder that cannot be read from here says nothing. */
export function hasEditsBeside(hashes: readonly string[], folder: string): boolean {
  const read = readFolder(folder);
  return 'files' in read && !hashes.includes(hashOf(read.files));
}

/** What the gateway has in use. Throws a sentence when it cannot be had. */
export async function readRunningSet(config: Config): Promise<ReadSet> {
  const { status, body } = await askAdmin(config, 'GET', '/mapping/files');
  if (status !== 200) throw new Error(sentenceOf(body));
  const checked = checkSet(body['files'] as readonly MappingFileText[]);
  if ('problems' in checked)
    throw new Error(`The running set cannot be read by this version:\n${formatProblems(checked.problems)}`);
  return checked.set;
}

/** What the gateway remembers of its traffic; undefined when it remembers none. */
export async function readShapes(config: Config): Promise<readonly SeenShape[] | undefined> {
  const { status, body } = await askAdmin(config, 'GET', '/traffic');
  // A gateway that does not have it, or has it switched off.
  if (status === 404 || status === 409) return undefined;
  if (status !== 200) throw new Error(sentenceOf(body));
  return (body as unknown as Traffic).shapes;
}

function sentenceOf(body: Readonly<Record<string, unknown>>): string {
  return typeof body['message'] === 'string' ? body['message'] : 'The gateway did not understand.';
}
