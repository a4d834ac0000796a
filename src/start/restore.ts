/**
 * Puts a backup in the place of a data folder's journal, secret and history of mappings. What stood there is set aside, never deleted.
 */
import { existsSync, statSync, readdirSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../config';
import { forgetUncharged, summariseJournal } from '../journal/lmdb/backup';
import { journalFolder } from '../journal/open-journal';
import { copyInto, syncFolder, type Manifest } from './backup';
import { checkOf } from './configured-stores';
import { findGatewaySecret } from './gateway-secret';

export interface Restored {
  /** Orders that took no money, and that v1 is asked about when they come again. */
  readonly forgotten: number;
  /** What stood in the way and was set aside. */
  readonly setAside: readonly string[];
}

/** A process that sells gives a sign every five seconds (`watch/signs-of-life`). */
const SIGN_MS = 20_000;
/** What is made anew from the journal, or tells of processes that sold from the one before. */
const DERIVED = ['processes', 'number-index'];

/** Why this backup may not be put here; undefined when it may. `isForced` is for what an operator may know better. */
export async function refusesRestore(
  config: Config,
  folder: string,
  { secretCheck, journal }: Manifest,
  isForced: boolean,
): Promise<string | undefined> {
  const secret = findGatewaySecret(config);
  const hasOwn = existsSync(join(folder, 'data', 'gateway.secret'));
  if (config.gatewaySecret !== undefined && secretCheck !== undefined && checkOf(config.gatewaySecret) !== secretCheck)
    return 'GATEWAY_SECRET is another one than that of the backup: with it the orders of the journal would belong to nobody.';
  if (config.gatewaySecret === undefined && !hasOwn)
    return 'The backup has no gateway.secret, because GATEWAY_SECRET was set where it was made: set it here as well.';
  if (isForced) return undefined;
  if (secret !== undefined && secretCheck !== undefined && checkOf(secret) !== secretCheck)
    return `${config.dataDir} has a gateway.secret of its own, so other orders are sold from it. --force sets it aside.`;
  const signs = signsOfLife(config.dataDir);
  if (signs > 0)
    return `A gateway sold from ${config.dataDir} in the last ${SIGN_MS / 1_000} seconds. Stop it; after a kill wait as long, or use --force.`;
  const target = journalFolder(config.journalUrl, config.dataDir);
  if (journal === undefined || target === undefined || !existsSync(target)) return undefined;
  const { newestMs = 0 } = (await summariseJournal(target).catch(() => undefined)) ?? {};
  if (newestMs <= (journal.newestMs ?? 0)) return undefined;
  return `The journal at ${target} has orders that the backup does not have, up to ${new Date(newestMs).toISOString()}. --force sets it aside, and those orders are known to v1 alone then.`;
}

export async function restoreBackup(config: Config, folder: string, { journal }: Manifest): Promise<Restored> {
  const { dataDir } = config;
  const mark = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const setAside: string[] = [];
  const target = journalFolder(config.journalUrl, dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  let forgotten = 0;
  if (journal !== undefined && target !== undefined) {
    // Beside its place, so that a journal which cannot be opened here changes nothing.
    const draft = `${target}.restoring-${process.pid}`;
    try {
      await copyInto(join(folder, 'data', 'journal'), draft);
      forgotten = await forgetUncharged(draft, config.journalKey);
      await syncFolder(draft);
      setAside.push(...(await moveAside(target, mark)));
      await rename(draft, target);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
    await syncFolder(dirname(target));
  }
  for (const name of DERIVED) await rm(join(dataDir, name), { recursive: true, force: true });
  for (const name of readdirSync(join(folder, 'data'))) {
    if (name === 'journal' || (name === 'gateway.secret' && config.gatewaySecret !== undefined)) continue;
    setAside.push(...(await moveAside(join(dataDir, name), mark)));
    await copyInto(join(folder, 'data', name), join(dataDir, name));
  }
  await syncFolder(dataDir);
  return { forgotten, setAside };
}

async function moveAside(path: string, mark: string): Promise<readonly string[]> {
  if (!existsSync(path)) return [];
  const aside = `${path}.before-${mark}`;
  await rename(path, aside);
  return [aside];
}

function signsOfLife(dataDir: string): number {
  const folder = join(dataDir, 'processes');
  if (!existsSync(folder)) return 0;
  const isFresh = (name: string): boolean =>
    (statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0) > Date.now() - SIGN_MS;
  return readdirSync(folder).filter(isFresh).length;
}
