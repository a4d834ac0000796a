/**
 * What a gateway must not lose, in one folder: the journal as of one moment, the secret, the history of mappings, and the mapping files.
 * Made while the gateway sells. A list with the checksum of each file tells whether it is whole.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { describeConfig, type Config } from '../config';
import { copyJournalFolder, JOURNAL_FILE, summariseJournal, type JournalSummary } from '../journal/lmdb/backup';
import { journalFolder } from '../journal/open-journal';
import { checkOf } from './configured-stores';
import { findGatewaySecret } from './gateway-secret';

const MANIFEST = 'backup.json';
const VERSION = 1;
/** LMDB's table of readers is of one machine and one moment. */
const LOCK_FILE = 'lock.mdb';
/** Of the data folder, beside the journal. What is derived, or is made anew, is left out. */
const KEPT = ['gateway.secret', 'patience.json', 'mapping-history', 'mappings.last-good.json', 'spool'];

const manifestSchema = z.strictObject({
  version: z.int(),
  madeAtMs: z.int(),
  /** Absent where the journal is in PostgreSQL. */
  journal: z.strictObject({ orders: z.int(), open: z.int(), newestMs: z.int().optional() }).optional(),
  /** Tells whether another secret is the same, and not what it is. */
  secretCheck: z.string().optional(),
  /** The settings that are not at their default; secrets are masked. */
  settings: z.record(z.string(), z.string()),
  files: z.record(z.string(), z.strictObject({ bytes: z.int(), sha256: z.string() })),
});

export type Manifest = z.infer<typeof manifestSchema>;

/** Makes the folder, whole or not at all. Throws a sentence. */
export async function makeBackup(config: Config, sources: Readonly<Record<string, string>>, folder: string): Promise<Manifest> {
  if (existsSync(folder)) throw new Error(`${folder} is there already; name a new folder.`);
  if (!existsSync(config.dataDir)) throw new Error(`There is no data folder at ${config.dataDir} (DATA_DIR).`);
  const draft = join(dirname(folder), `.${basename(folder)}.${process.pid}`);
  try {
    await mkdir(draft, { recursive: true, mode: 0o700 });
    // The secret first: without it the orders of the journal belong to nobody.
    for (const name of KEPT) await copyInto(join(config.dataDir, name), join(draft, 'data', name));
    await copyInto(config.mappingsDir, join(draft, 'mappings'));
    const notes = join(config.dataDir, 'notes');
    if (existsSync(join(notes, JOURNAL_FILE))) await copyLiveFolder(notes, join(draft, 'data', 'notes'), []);
    const journal = await copyJournal(config, join(draft, 'data', 'journal'));
    const secret = findGatewaySecret(config);
    const manifest: Manifest = {
      version: VERSION,
      madeAtMs: Date.now(),
      ...(journal === undefined ? {} : { journal }),
      ...(secret === undefined ? {} : { secretCheck: checkOf(secret) }),
      settings: changedSettings(config, sources),
      files: await sumFiles(draft),
    };
    await writeWhole(join(draft, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
    await rename(draft, folder);
    await syncFolder(dirname(folder));
    return manifest;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** The list of a backup whose files are all there and unchanged. Throws a sentence that names the first that is not. */
export async function readBackup(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined);
  if (text === undefined) throw new Error(`${folder} is no backup: it has no ${MANIFEST}.`);
  const read = manifestSchema.safeParse(parseJson(text));
  if (!read.success || read.data.version !== VERSION)
    throw new Error(`${join(folder, MANIFEST)} cannot be read by this version of the program.`);
  const found = await sumFiles(folder);
  for (const [name, { sha256 }] of Object.entries(read.data.files)) {
    if (found[name] === undefined) throw new Error(`The backup is not whole: ${name} is missing.`);
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
  const summary: JournalSummary | undefined = await summariseJournal(target);
  await rm(join(target, LOCK_FILE), { force: true });
  const { orders = 0, open: opened = 0, newestMs } = summary ?? {};
  return { orders, open: opened, ...(newestMs === undefined ? {} : { newestMs }) };
}

async function copyLiveFolder(folder: string, target: string, trees?: readonly string[]): Promise<void> {
  await copyJournalFolder(folder, target, trees);
  await rm(join(target, LOCK_FILE), { force: true });
}

/** A file or a folder with all below it; what is not there is left out, also what goes meanwhile. */
export async function copyInto(from: string, to: string): Promise<void> {
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

async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600, flush: true });
  await syncFolder(dirname(path));
}

export async function syncFolder(folder: string): Promise<void> {
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
