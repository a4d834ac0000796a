/**
 * Backup and restore of what a gateway must not lose: the journal at one moment, the secret, the history of mappings, and the mapping files. A
 * backup is one folder, made while the gateway sells. A list with the checksum of each file shows whether it is complete. A restore replaces
 * the journal, secret and history of mappings of a data folder; the replaced parts are renamed, never deleted.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { describeConfig, type Config } from '../config';
import { pause, systemClock } from '../domain/clock';
import { startOf } from '../domain/process-start';
import { errorText } from '../domain/shown-words';
import { copyJournalFolder, JOURNAL_FILE, summariseJournal, forgetUncharged } from '../journal/lmdb/backup';
import { journalFolder } from '../journal/open-journal';
import { forgetRefusals } from '../journal/postgres/away';
import { WRITTEN_MS } from '../journal/told-sales';
import { sellerOf } from './configured-stores';
import { makeFolder, namesOfSigns, SIGN_MS, signsOfLife } from './data-folder';
import { checkOf, findGatewaySecret } from './gateway-secret';

const MANIFEST = 'backup.json';
const VERSION = 1;
/** LMDB's table of readers is not copied: it holds for one machine and one moment. */
const LOCK_FILE = 'lock.mdb';
/** The parts of the data folder that are copied beside the journal. Parts that a gateway makes again are left out. */
const KEPT = ['gateway.secret', 'upstream-left', 'patience.json', 'mapping-history', 'spool'];
/** A reply leaves so long after its sale was settled, because v1's receipt is read in between. */
const REPLIED_MS = 10_000;
/** The folder of `watch/told-log`. */
const TOLD = 'told';

const manifestSchema = z.strictObject({
  version: z.int(),
  madeAtMs: z.int(),
  /** Absent when the journal is in PostgreSQL. */
  journal: z.strictObject({ orders: z.int(), open: z.int(), newestMs: z.int().optional() }).optional(),
  /** Shows whether another secret is the same, without revealing it. */
  secretCheck: z.string().optional(),
  /** The settings that are not at their default; secrets are masked. */
  settings: z.record(z.string(), z.string()),
  files: z.record(z.string(), z.strictObject({ bytes: z.int(), sha256: z.string() })),
});

type Manifest = z.infer<typeof manifestSchema>;

/** Makes the folder completely or not at all. Throws an Error with a sentence for the operator. `skipped`: why the notes are not in it. */
export async function makeBackup(config: Config, sources: Readonly<Record<string, string>>, folder: string) {
  if (existsSync(folder)) throw new Error(`${folder} is there already; name a new folder.`);
  if (/^memory:/i.test(config.journalUrl)) throw new Error('JOURNAL_URL is memory:, which only the gateway itself can see.');
  if (!existsSync(config.dataDir)) throw new Error(`There is no data folder at ${config.dataDir} (DATA_DIR).`);
  const around = [config.mappingsDir, ...KEPT.map((name) => join(config.dataDir, name))].find(
    (source) => relative(source, folder).split(sep)[0] !== '..',
  );
  if (around !== undefined) throw new Error(`${folder} lies in ${around}, which is part of the backup; name a folder elsewhere.`);
  const draft = join(dirname(folder), `.${basename(folder)}.${process.pid}`);
  try {
    makeFolder(draft, 0o700);
    // The secret first: without it, no key finds its orders in the journal.
    for (const name of KEPT) await copyInto(join(config.dataDir, name), join(draft, 'data', name));
    await copyInto(config.mappingsDir, join(draft, 'mappings'));
    const skipped = await copyNotes(join(config.dataDir, 'notes'), join(draft, 'data', 'notes'));
    const journal = await copyJournal(config, join(draft, 'data', 'journal'));
    if (journal !== undefined) {
      // After the journal, and not before the replies of what it has as sold have left: a sale that is missing in this list counts as not told.
      await pause(systemClock, signsOfLife(config.dataDir) > 0 ? REPLIED_MS : WRITTEN_MS);
      await copyInto(join(config.dataDir, TOLD), join(draft, 'data', TOLD));
    }
    const secret = findGatewaySecret(config);
    const manifest: Manifest = {
      version: VERSION,
      madeAtMs: Date.now(),
      ...(journal === undefined ? {} : { journal }),
      ...(secret === undefined ? {} : { secretCheck: checkOf(secret) }),
      settings: changedSettings(config, sources),
      files: await sumFiles(draft),
    };
    await writeFile(join(draft, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600, flush: true });
    await syncFolder(draft);
    await rename(draft, folder);
    await syncFolder(dirname(folder));
    return { ...manifest, skipped };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** Reads the list of a backup and checks its files. Throws an Error that names the first file that is missing or changed. */
export async function readBackup(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined);
  if (text === undefined) throw new Error(`${folder} is not a backup: it has no ${MANIFEST}.`);
  const read = manifestSchema.safeParse(parseJson(text));
  if (!read.success || read.data.version !== VERSION)
    throw new Error(`${join(folder, MANIFEST)} cannot be read by this version of the program.`);
  const found = await sumFiles(folder);
  for (const [name, { sha256 }] of Object.entries(read.data.files)) {
    if (found[name] === undefined) throw new Error(`The backup is incomplete: ${name} is missing.`);
    if (found[name].sha256 !== sha256) throw new Error(`The backup is damaged: ${name} is not what was written.`);
  }
  return read.data;
}

async function copyJournal(config: Config, target: string): Promise<Manifest['journal']> {
  const folder = journalFolder(config.journalUrl, config.dataDir);
  if (folder === undefined) return undefined;
  if (!existsSync(folder))
    throw new Error(`There is no journal at ${folder}: DATA_DIR or JOURNAL_URL must be those of the gateway.`);
  await copyLiveFolder(folder, target);
  const { orders = 0, open: opened = 0, newestMs } = (await summariseJournal(target)) ?? {};
  await rm(join(target, LOCK_FILE), { force: true });
  return { orders, open: opened, ...(newestMs === undefined ? {} : { newestMs }) };
}

/** Notes may be lost: where they cannot be copied, the backup is made without them. Returns the reason. */
async function copyNotes(folder: string, target: string): Promise<string | undefined> {
  if (!existsSync(join(folder, JOURNAL_FILE))) return undefined;
  try {
    await copyLiveFolder(folder, target, []);
    return undefined;
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    return errorText(error);
  }
}

async function copyLiveFolder(folder: string, target: string, trees?: readonly string[]): Promise<void> {
  await copyJournalFolder(folder, target, trees);
  await rm(join(target, LOCK_FILE), { force: true });
}

/** Copies a file, or a folder with its contents. Missing files are skipped, also those that disappear meanwhile. */
async function copyInto(from: string, to: string): Promise<void> {
  const stats = await stat(from).catch(() => undefined);
  if (stats === undefined) return;
  if (stats.isDirectory()) {
    await mkdir(to, { recursive: true, mode: 0o700 });
    for (const name of await readdir(from)) await copyInto(join(from, name), join(to, name));
    return;
  }
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await copyFile(from, to).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : Promise.reject(error)));
  await chmod(to, 0o600).catch(() => undefined);
}

function changedSettings(config: Config, sources: Readonly<Record<string, string>>): Record<string, string> {
  const changed = describeConfig(config).filter(({ name }) => (sources[name] ?? 'default') !== 'default');
  return Object.fromEntries(changed.map(({ name, value }) => [name, value]));
}

async function sumFiles(folder: string): Promise<Manifest['files']> {
  const files: Manifest['files'] = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path);
    if (!entry.isFile() || name === MANIFEST) continue;
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    files[name] = { bytes: (await stat(path)).size, sha256: hash.digest('hex') };
  }
  return files;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Deleted by a restore: parts made again from the journal, and the signs of processes that used the replaced journal. */
const DERIVED = ['processes', 'number-index', 'gateway.secret-check'];

/** The reason why this backup may not be restored here; undefined when it may. `isForced` skips reasons that an operator may know better. */
export async function refusesRestore(
  config: Config,
  folder: string,
  { secretCheck, journal }: Manifest,
  isForced: boolean,
): Promise<string | undefined> {
  const hasOwn = existsSync(join(folder, 'data', 'gateway.secret'));
  if (config.gatewaySecret !== undefined && secretCheck !== undefined && checkOf(config.gatewaySecret) !== secretCheck)
    return 'GATEWAY_SECRET is not that of the backup: with it no key would find its orders in the journal.';
  if (config.gatewaySecret === undefined && !hasOwn)
    return 'The backup has no gateway.secret, because GATEWAY_SECRET was set where it was made: set it here as well.';
  const target = journalFolder(config.journalUrl, config.dataDir);
  if (journal !== undefined && target === undefined)
    return 'JOURNAL_URL names no folder, so the journal of the backup would be left out: set JOURNAL_URL as where the backup was made.';
  // Seen here too, because the command may have another ADMIN_PORT than the gateway.
  const running = describeRunning(config);
  if (running !== undefined) return running;
  if (isForced) return undefined;
  const secret = readOwnSecret(config);
  if (secret !== undefined && secretCheck !== undefined && checkOf(secret) !== secretCheck)
    return `${config.dataDir} has a gateway.secret of its own, so other orders are sold from it. --force sets it aside.`;
  if (journal === undefined || target === undefined || !existsSync(target)) return undefined;
  const { newestMs = 0 } = (await summariseJournal(target).catch(() => undefined)) ?? {};
  if (newestMs <= (journal.newestMs ?? 0)) return undefined;
  return `The journal at ${target} has orders that the backup does not have, up to ${new Date(newestMs).toISOString()}. --force sets it aside, and then only v1 knows those orders.`;
}

/** Why nothing may be restored while a gateway runs; undefined where none does. One in another container shows only by its signs of life. */
function describeRunning(config: Config): string | undefined {
  const sellers = sellersOf(config);
  const isAtWork = (dataDir: string) => namesOfSigns(dataDir).some((name) => isRunning(join(dataDir, 'processes', name)));
  const running = sellers.find(isAtWork);
  if (running !== undefined)
    return `A gateway runs with DATA_DIR ${running}. Stop it first: a journal cannot be changed under it.`;
  const sold = sellers.find((dataDir) => signsOfLife(dataDir) > 0);
  return sold && `A gateway sold from ${sold} in the last ${SIGN_MS / 1_000} seconds. Stop it; after a kill wait this long.`;
}

/** The data folders of the gateways that use what a restore replaces: the folder of JOURNAL_URL may be that of a gateway with another DATA_DIR. */
function sellersOf({ dataDir, journalUrl }: Config): readonly string[] {
  const target = journalFolder(journalUrl, dataDir);
  const seller = target !== undefined && existsSync(target) ? sellerOf(target) : undefined;
  return seller === undefined ? [dataDir] : [dataDir, seller];
}

/** Undefined also for a damaged secret, which the restore replaces. */
function readOwnSecret(config: Config): ReturnType<typeof findGatewaySecret> {
  try {
    return findGatewaySecret(config);
  } catch {
    return undefined;
  }
}

/**
 * Restores all parts or none: when one cannot be read, written or opened, no part of the data folder changes. `forgotten` is the number of refused
 * orders that were deleted, because a repeat of one goes to v1; `setAside` has the new paths of the parts that were replaced.
 */
export async function restoreBackup(config: Config, folder: string, { journal }: Manifest) {
  const { dataDir } = config;
  const mark = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const target = journalFolder(config.journalUrl, dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // Each part is first written completely beside its place. The renames that follow need no disk space.
  const parts = readdirSync(join(folder, 'data'))
    .filter((name) => name !== 'journal' && (name !== 'gateway.secret' || config.gatewaySecret === undefined))
    .map((name) => ({ from: join(folder, 'data', name), place: join(dataDir, name) }));
  if (journal !== undefined && target !== undefined) parts.push({ from: join(folder, 'data', 'journal'), place: target });
  const draftOf = (place: string): string => `${place}.restoring-${process.pid}`;
  const asideOf = (place: string): string => `${place}.before-${mark}`;
  const renamed: (readonly [from: string, to: string])[] = [];
  let forgotten = 0;
  try {
    for (const { from, place } of parts) {
      await copyInto(from, draftOf(place));
      if (place === target) forgotten = await forgetUncharged(draftOf(place), config.journalKey);
      if (basename(place) === 'spool') await forgetRefusals(draftOf(place));
      await syncFolder(draftOf(place));
    }
    // Copying takes long. A gateway that a supervisor has started meanwhile would sell into the journal that is set aside now.
    const running = describeRunning(config);
    if (running !== undefined) throw new Error(running);
    const move = async (from: string, to: string): Promise<void> => {
      await rename(from, to);
      renamed.push([from, to]);
    };
    for (const { place } of parts) {
      if (existsSync(place)) await move(place, asideOf(place));
      await move(draftOf(place), place);
    }
    for (const name of DERIVED) await rm(join(dataDir, name), { recursive: true, force: true });
  } catch (error) {
    // A folder on which a disk is mounted cannot be renamed.
    for (const [from, to] of renamed.reverse()) await rename(to, from);
    throw error;
  } finally {
    for (const { place } of parts) await rm(draftOf(place), { recursive: true, force: true });
  }
  await syncFolder(dataDir);
  if (target !== undefined) await syncFolder(dirname(target));
  return { forgotten, setAside: parts.map(({ place }) => asideOf(place)).filter((aside) => existsSync(aside)) };
}

/** Whether the process of a file of signs (`watch/signs-of-life`) still runs. False where it cannot be known, as in another container. */
function isRunning(file: string): boolean {
  try {
    const { pid, started } = JSON.parse(readFileSync(file, 'utf8')) as { readonly pid: number; readonly started: string };
    return startOf(pid) === started;
  } catch {
    return false;
  }
}
