import { request } from 'undici';
import type { Running } from '../admin/running-router';
import type { Config } from '../config';
import type { SeenShape, Traffic } from '../domain/traffic';
import { formatProblems, type Problem } from '../mapping/problem';
import { checkFiles } from '../mapping/check';
import { hashOf, mergeFiles, readFolder, type MappingFileText } from '../mapping/load';
import type { PlannedSet } from '../operator/plan/make-plan';
import { checkUnlessKnown } from './known-set';

export interface AdminAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A plan or an apply is answered in seconds. */
const ANSWER_MS = 30_000;

/** Asks the running gateway's admin server, where the settings say it stands. Throws a sentence when nobody answers. */
export async function askAdmin(
  config: Config,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  answerMs = ANSWER_MS,
): Promise<AdminAnswer> {
  const url = `${adminUrl(config)}${path}`;
  const token = config.adminToken === undefined ? {} : { authorization: `Bearer ${config.adminToken.revealForUseOnly()}` };
  try {
    const answer = await request(url, {
      method,
      headers: { ...token, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A plan may compute for longer than the gateway keeps a connection.
      reset: true,
      headersTimeout: answerMs,
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, body: JSON.parse(text) as AdminAnswer['body'] };
  } catch (error) {
    throw new Error(
      `No gateway answers at ${url} (ADMIN_HOST, ADMIN_PORT): ${error instanceof Error ? error.message : String(error)}. Is it running, with the settings of this command?`,
      { cause: error },
    );
  }
}

/** The same for what must be had: throws the sentence with which the gateway refuses. */
export async function demandOfAdmin(...asked: Parameters<typeof askAdmin>): Promise<AdminAnswer['body']> {
  const { status, body } = await askAdmin(...asked);
  if (status !== 200) throw new Error(messageOf(body));
  return body;
}

export async function askRunning(config: Config): Promise<Running> {
  return (await demandOfAdmin(config, 'GET', '/running')) as unknown as Running;
}

/** Nobody can call the address that stands for all. */
export function adminUrl({ adminHost, adminPort }: Config): string {
  const host = adminHost === '0.0.0.0' ? '127.0.0.1' : adminHost === '::' ? '::1' : adminHost;
  return `http://${host.includes(':') ? `[${host}]` : host}:${adminPort}`;
}

/** A set of a plan: of a folder, or what the running gateway has in use. */
export interface ReadSet extends PlannedSet {
  readonly files: readonly MappingFileText[];
}

/** The folder's set; or why it cannot be used. Warnings keep nobody from planning. */
export function readSet(folder: string, check = checkFiles): SetOrProblems {
  const read = readFolder(folder);
  return 'problems' in read ? read : checkSet(read.files, check);
}

type SetOrProblems = { readonly set: ReadSet } | { readonly problems: readonly Problem[] };

/** The same for files that stand in no folder. */
export function checkSet(files: readonly MappingFileText[], check = checkFiles): SetOrProblems {
  const { mapping, problems } = check(files);
  const { source } = mergeFiles(files);
  return mapping === undefined || source === undefined
    ? { problems: problems.filter(({ severity }) => severity === 'error') }
    : { set: { files, mapping, source } };
}

/** What the folder holds, when it is another set than these. A folder that cannot be read from here says nothing. */
export function editsBeside(hashes: readonly string[], folder: string): string | undefined {
  const read = readFolder(folder);
  const hash = 'files' in read ? hashOf(read.files) : undefined;
  return hash === undefined || hashes.includes(hash) ? undefined : hash;
}

/** What the gateway has in use. Throws a sentence when it cannot be had. */
export async function readRunningSet(config: Config): Promise<ReadSet> {
  const { files } = await demandOfAdmin(config, 'GET', '/mapping/files');
  // The gateway has checked it, as a rule by this very build.
  const checked = checkSet(files as readonly MappingFileText[], (files) => checkUnlessKnown(files, config.dataDir));
  if ('problems' in checked)
    throw new Error(`The running set cannot be read by this version:\n${formatProblems(checked.problems)}`);
  return checked.set;
}

/** What the gateway remembers of its traffic; undefined when it remembers none. */
export async function readShapes(config: Config): Promise<readonly SeenShape[] | undefined> {
  const { status, body } = await askAdmin(config, 'GET', '/traffic');
  // A gateway that does not have it, or has it switched off.
  if (status === 404 || status === 409) return undefined;
  if (status !== 200) throw new Error(messageOf(body));
  return (body as unknown as Traffic).shapes;
}

/** The sentence that an admin call was answered with. */
export function messageOf(body: Readonly<Record<string, unknown>>): string {
  return typeof body['message'] === 'string' ? body['message'] : 'The gateway did not understand.';
}
