/**
 * Which sales each process of this data folder has told lately, so that its death makes no open question of them. Appended many at a time and
 * never flushed: the page cache outlives the process, and what is lost with the machine counts as not told. (Decision 0024.)
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { appendFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../domain/clock';
import type { Order } from '../domain/order';
import { closeToOthers } from '../journal/lmdb/environment';

const FOLDER = 'told';
/** What is told meanwhile is written together. */
const GATHER_MS = 20;
/** While the disk takes nothing: what is beyond it counts as not told. */
const WAITING_MAX = 10_000;
/** Each process writes a ring of files: what it told in the last two minutes is always there. */
const FILE_MS = 60_000;
const FILES = 3;
/** Of a process that has ended: whoever marks what it left untold has done so by then. */
const KEPT_MS = 15 * 60_000;

type Sale = Pick<Order, 'owner' | 'number'>;

export interface ToldLog {
  /** The whole reply has left. */
  note(sale: Sale): void;
  /** Writes what waits. */
  close(): Promise<void>;
}

export function openToldLog(dataDir: string, clock: Clock): ToldLog {
  const folder = join(dataDir, FOLDER);
  const name = randomUUID();
  let waiting: string[] = [];
  let writing: Promise<void> | undefined;
  let minute = -1;
  const removeOld = async (beforeMs: number): Promise<void> => {
    for (const file of (await readdir(folder)).filter((one) => !one.startsWith(name)).map((one) => join(folder, one)))
      if ((await stat(file)).mtimeMs < beforeMs) await rm(file, { force: true });
  };
  const write = async (): Promise<void> => {
    const text = waiting.join('');
    waiting = [];
    const now = Math.floor(clock.elapsed() / FILE_MS);
    const [put, isFirst] = [now === minute ? appendFile : writeFile, minute < 0];
    minute = now;
    await put(join(folder, `${name}.${now % FILES}`), text, { mode: 0o600 }).catch(() => undefined);
    // Not as it begins to sell: those that start beside it still read what all before them had told.
    if (put === writeFile && !isFirst) await removeOld(clock.now() - KEPT_MS).catch(() => undefined);
  };
  const writeSoon = async (): Promise<void> => {
    await new Promise<void>((resolve) => clock.after(GATHER_MS, resolve));
    await write();
    writing = undefined;
    if (waiting.length > 0) writing = writeSoon();
  };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  closeToOthers(readdirSync(folder).map((one) => join(folder, one)));
  return {
    note(sale) {
      if (waiting.length >= WAITING_MAX) return;
      waiting.push(lineOf(sale));
      writing ??= writeSoon();
    },
    async close() {
      while (writing !== undefined) await writing;
    },
  };
}

/** The sales that processes of this folder are known to have told. */
export function readTold(dataDir: string): (sale: Sale) => boolean {
  const folder = join(dataDir, FOLDER);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  // The last line may be cut short, where its process died.
  const told = new Set(names.flatMap((name) => read(join(folder, name)).split('\n').slice(0, -1)));
  return (sale) => told.has(lineOf(sale).trimEnd());
}

/** What cannot be read tells nothing. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function lineOf({ owner, number }: Sale): string {
  return `${owner} ${number}\n`;
}
