/** Makes and tests the data folder before anything else is started, and explains a fault once, in a sentence. */
import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config';
import { isDatabaseUrl } from './config-values';

type Settings = Pick<Config, 'dataDir' | 'gatewaySecret' | 'journalUrl'>;

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the disk is mounted read-only',
  ENOTDIR: 'there is a file in its place',
  EEXIST: 'there is a file in its place',
  EISDIR: 'there is a folder in its place',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EIO: 'the disk answers with an error',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
};

/** Enough for a start: the secret, the set of mappings, the first pages of the journal. */
const ROOM_BYTES = 256 * 1024;
const OTHERS = 0o077;
/** Without these nothing is sold: a start tries those that are there and that it uses. The journal tries its own files. */
const NEEDED_FOLDERS = ['mapping-history', 'processes', 'spool', 'told'];
/** Read at each start, and written only when what they tell has changed. */
const NEEDED_FILES = ['gateway.secret', 'gateway.secret-check', 'journal-left', 'upstream-left'];
/** The gateway's own files and folders in it. The stores restrict the rights of their files when they open them. */
const FILES = [
  ...NEEDED_FILES,
  'journal/data-folder',
  'journal/gateway.secret-check',
  'alarms.json',
  'mappings.checked',
  'patience.json',
  'sandbox.checked',
];
const FOLDERS = [...NEEDED_FOLDERS, 'journal', 'notes', 'number-index', 'sandbox', 'traffic'];

/** Throws a plain Error with a sentence that names the setting. Returns warnings for the operator, a sentence each. */
export function prepareDataFolder(config: Settings): readonly string[] {
  const { dataDir: folder } = config;
  explained(`DATA_DIR is ${folder}`, () => {
    // Only for the owner: the contents show who bought what.
    makeFolder(folder, 0o700);
    tryToUse(folder, true);
    tryToWrite(folder);
  });
  for (const name of [...NEEDED_FOLDERS, ...NEEDED_FILES].filter((part) => isUsed(part, config))) {
    const path = join(folder, name);
    explained(`DATA_DIR has ${path}`, () => tryToUse(path, NEEDED_FOLDERS.includes(name)));
  }
  return process.platform === 'win32' ? [] : closeToOthers(folder);
}

function isUsed(part: string, { dataDir, gatewaySecret, journalUrl }: Settings): boolean {
  if (part === 'spool') return isDatabaseUrl(journalUrl);
  // Beside GATEWAY_SECRET it is compared where an earlier build has left no check value.
  if (part === 'gateway.secret') return gatewaySecret === undefined || !existsSync(join(dataDir, 'gateway.secret-check'));
  return true;
}

function explained(what: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new Error(`${what}, which cannot be used: ${REASONS[code] ?? message}.`, { cause: error });
  }
}

/** Throws the system's error where this path exists and is of the other kind, or this user may not use it. */
function tryToUse(path: string, isFolder: boolean): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isDirectory() !== isFolder) throw Object.assign(new Error('wrong kind'), { code: isFolder ? 'ENOTDIR' : 'EISDIR' });
  if (isFolder) return accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  try {
    accessSync(path, constants.R_OK);
  } catch (cause) {
    throw new Error('this user may not read it', { cause });
  }
}

/** Before LMDB maps its files: writing a page of a mapped file on a full disk ends the process without a message. */
function tryToWrite(folder: string): void {
  const probe = join(folder, `probe.${process.pid}`);
  try {
    writeFileSync(probe, Buffer.alloc(ROOM_BYTES, 1), { mode: 0o600, flush: true });
  } finally {
    rmSync(probe, { force: true });
  }
}

function closeToOthers(folder: string): readonly string[] {
  const said: string[] = [];
  const mode = modeOf(folder);
  if ((mode & OTHERS) !== 0)
    said.push(`DATA_DIR is ${folder}, which other users may enter (${shown(mode)}): chmod 700 ${folder}`);
  for (const name of [...FILES, ...FOLDERS]) {
    const path = join(folder, name);
    const before = modeOf(path);
    if ((before & OTHERS) === 0) continue;
    const wanted = FILES.includes(name) ? 0o600 : 0o700;
    try {
      chmodSync(path, wanted);
      said.push(`${path} was readable by other users (${shown(before)}); now it is not`);
    } catch {
      said.push(`${path} is readable by other users (${shown(before)}): chmod ${shown(wanted)} ${path}`);
    }
  }
  return said;
}

/** The permission bits of a path; 0 when it does not exist. */
function modeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
}

function shown(mode: number): string {
  return mode.toString(8);
}

/** Makes a folder and its parents one by one: where the system refuses every folder, Node's own recursive way tries for ever. */
export function makeFolder(folder: string, mode?: number): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** So long after its last sign a process counts as ended; it gives one every five seconds (`watch/signs-of-life`). */
export const SIGN_MS = 20_000;

/** How many processes sold from this data folder of late. */
export function signsOfLife(dataDir: string): number {
  const signMsOf = (name: string): number => statSync(join(dataDir, 'processes', name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // A sign from the future is an old one, of a clock that was ahead: who runs has given another one since that clock was set.
  const isFresh = (name: string): boolean => Math.abs(Date.now() - signMsOf(name)) < SIGN_MS;
  return namesOfSigns(dataDir).filter(isFresh).length;
}

export function namesOfSigns(dataDir: string): readonly string[] {
  const folder = join(dataDir, 'processes');
  return existsSync(folder) ? readdirSync(folder) : [];
}
