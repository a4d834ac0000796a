/**
 * Which sales each process has told lately, so that its death makes no open question of them: in its data folder, or in a journal that machines
 * share, because a folder is lost with its machine. Written many at a time, and never flushed in the folder: the page cache outlives the process,
 * and what is lost with the machine counts as not told. (Decision 0024.)
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { appendFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../domain/clock';
import type { Order } from '../domain/order';
import type { ToldStore } from '../journal/journal';
import { closeToOthers } from '../journal/lmdb/environment';

const FOLDER = 'told';
/** What is told meanwhile is written together. */
const GATHER_MS = 20;
/** While the store takes nothing: what is beyond it counts as not told. */
const WAITING_MAX = 10_000;
const AGAIN_MS = 1_000;
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

export function openToldLog(store: ToldStore, clock: Clock): ToldLog {
  let waiting: string[] = [];
  let writing: Promise<void> | undefined;
  let isClosing = false;
  const pause = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));
  const writeSoon = async (): Promise<void> => {
    await pause(GATHER_MS);
    const lines = waiting;
    waiting = [];
    const isWritten = await store.append(lines.join(''), clock.now()).then(
      () => true,
      () => false,
    );
    if (!isWritten && !isClosing) {
      waiting = [...lines, ...waiting].slice(0, WAITING_MAX);
      await pause(AGAIN_MS);
    }
    writing = waiting.length > 0 ? writeSoon() : undefined;
  };
  return {
    note(sale) {
      if (waiting.length >= WAITING_MAX) return;
      waiting.push(lineOf(sale));
      writing ??= writeSoon();
    },
    async close() {
      isClosing = true;
      while (writing !== undefined) await writing;
    },
  };
}

/** The sales that are known to have been told, among them all that were told from `fromMs` on. Rejects when the store cannot be read. */
export async function readTold(store: ToldStore, fromMs: number): Promise<(sale: Sale) => boolean> {
  const told = new Set((await store.read(fromMs)).flatMap(linesOf));
  return (sale) => told.has(lineOf(sale).trimEnd());
}

/** The last line may be cut short, where its process died. */
function linesOf(text: string): readonly string[] {
  return text.split('\n').slice(0, -1);
}

function lineOf({ owner, number }: Sale): string {
  return `${owner} ${number}\n`;
}

/** In files of the data folder. */
export function toldFiles(dataDir: string, clock: Pick<Clock, 'elapsed'>): ToldStore {
  const folder = join(dataDir, FOLDER);
  const name = randomUUID();
  let minute = -1;
  const removeOld = async (beforeMs: number): Promise<void> => {
    for (const file of (await readdir(folder)).filter((one) => !one.startsWith(name)).map((one) => join(folder, one)))
      if ((await stat(file)).mtimeMs < beforeMs) await rm(file, { force: true });
  };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  closeToOthers(readdirSync(folder).map((one) => join(folder, one)));
  return {
    async append(lines, atMs) {
      const now = Math.floor(clock.elapsed() / FILE_MS);
      const [put, isFirst] = [now === minute ? appendFile : writeFile, minute < 0];
      minute = now;
      await put(join(folder, `${name}.${now % FILES}`), lines, { mode: 0o600 });
      // Not as it begins to sell: those that start beside it still read what all before them had told.
      if (put === writeFile && !isFirst) await removeOld(atMs - KEPT_MS);
    },
    async read() {
      const names = existsSync(folder) ? await readdir(folder) : [];
      // What cannot be read tells nothing.
      return Promise.all(names.map((one) => readFile(join(folder, one), 'utf8').catch(() => '')));
    },
  };
}
