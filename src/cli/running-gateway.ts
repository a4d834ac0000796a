import { request } from 'undici';
import type { Running } from '../admin/read-routers';
import type { Config } from '../config';
import { errorText } from '../domain/shown-words';
import type { SeenShape, Traffic } from '../domain/traffic';
import { formatProblems, type Problem } from '../mapping/problem';
import { checkFiles } from '../mapping/check';
import { hashOf, mergeFiles, readFolder, type MappingFileText } from '../mapping/load';
import type { PlannedSet } from '../operator/plan/make-plan';
import { checkUnlessKnown } from './known-set';

interface AdminAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The time limit of an admin call, long enough for a plan or an apply. */
const ANSWER_MS = 30_000;

/** Calls the admin server of the running gateway at the address of the settings. Throws a sentence if nothing answers there. */
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
      // Every call has its own connection: a plan may compute for longer than the gateway keeps an idle one.
      reset: true,
      headersTimeout: answerMs,
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, body: JSON.parse(text) as AdminAnswer['body'] };
  } catch (error) {
    throw new Error(
      `No gateway answers at ${url} (ADMIN_HOST, ADMIN_PORT): ${errorText(error)}. Is it running, with the settings of this command?`,
      { cause: error },
    );
  }
}

/** The same for a call that must succeed: throws the sentence with which the gateway refuses. */
export async function askAdminOrThrow(...asked: Parameters<typeof askAdmin>): Promise<AdminAnswer['body']> {
  const { status, body } = await askAdmin(...asked);
  if (status !== 200) throw new Error(messageOf(body));
  return body;
}

export async function askRunning(config: Config): Promise<Running> {
  return (await askAdminOrThrow(config, 'GET', '/running')) as unknown as Running;
}

/** The URL of the admin server. A server on all addresses (0.0.0.0 or ::) is called on loopback. */
export function adminUrl({ adminHost, adminPort }: Config): string {
  const host = adminHost === '0.0.0.0' ? '127.0.0.1' : adminHost === '::' ? '::1' : adminHost;
  return `http://${host.includes(':') ? `[${host}]` : host}:${adminPort}`;
}

/** A set for a plan: from a folder, or the set in use by the running gateway. */
export interface ReadSet extends PlannedSet {
  readonly files: readonly MappingFileText[];
}

/** The set of a folder, or its problems if it has errors. Warnings do not prevent a plan. */
export function readSet(folder: string, check = checkFiles): SetOrProblems {
  const read = readFolder(folder);
  return 'problems' in read ? read : checkSet(read.files, check);
}

type SetOrProblems = { readonly set: ReadSet } | { readonly problems: readonly Problem[] };

/** The same for files that are not in a folder. */
export function checkSet(files: readonly MappingFileText[], check = checkFiles): SetOrProblems {
  const { mapping, problems, source = mergeFiles(files).source } = check(files);
  return mapping === undefined || source === undefined
    ? { problems: problems.filter(({ severity }) => severity === 'error') }
    : { set: { files, mapping, source } };
}

/** The hash of the folder's set if it is none of these sets. Undefined too if the folder cannot be read from this machine. */
export function editsBeside(hashes: readonly string[], folder: string): string | undefined {
  const read = readFolder(folder);
  const hash = 'files' in read ? hashOf(read.files) : undefined;
  return hash === undefined || hashes.includes(hash) ? undefined : hash;
}

/** The set in use by the running gateway. Throws a sentence if the gateway does not give it. */
export async function readRunningSet(config: Config): Promise<ReadSet> {
  const { files } = await askAdminOrThrow(config, 'GET', '/mapping/files');
  // The gateway has checked this set already, usually with this same build.
  const checked = checkSet(files as readonly MappingFileText[], (files) => checkUnlessKnown(files, config.dataDir));
  if ('problems' in checked)
    throw new Error(`The running set cannot be read by this version:\n${formatProblems(checked.problems)}`);
  return checked.set;
}

/** The shapes of traffic that the gateway has counted; none if it counts none. */
export async function readShapes(config: Config): Promise<readonly SeenShape[]> {
  const { status, body } = await askAdmin(config, 'GET', '/traffic');
  // An older gateway without this call, or one with TRAFFIC_SHAPES off.
  if (status === 404 || status === 409) return [];
  if (status !== 200) throw new Error(messageOf(body));
  return (body as unknown as Traffic).shapes;
}

/** The sentence in the answer of an admin call. */
export function messageOf(body: Readonly<Record<string, unknown>>): string {
  return typeof body['message'] === 'string' ? body['message'] : 'The gateway gave no reason.';
}
