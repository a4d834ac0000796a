/**
 * The sales that each process has told lately. When a process dies, the sales in its log are known to be told, and only the others are marked as
 * untold (decision 0024). The log stands in the data folder, or in a journal that machines share, because a folder is lost with its machine.
 * Sales are written many at a time. In the folder they are never flushed: the page cache outlives the process, and a sale whose line is lost with
 * the machine counts as not told.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pause, type Clock } from '../domain/clock';
import type { Order } from '../domain/order';
import { denyOtherUsers } from '../journal/lmdb/environment';
import { toldLine, TOLD_KEPT_MS, type Told, type ToldStore } from '../journal/told-sales';

const FOLDER = 'told';
/** Sales told within this time are written together. */
const GATHER_MS = 20;
/** Most sales that wait while the store cannot be written. Any further sale counts as not told. */
const WAITING_MAX = 10_000;
/** Short, because a neighbour that reads the end of a sale before its line takes it for untold. */
const AGAIN_MS = 100;
/** Each process writes a ring of files, one a minute. */
const FILE_MS = 60_000;
const FILES = TOLD_KEPT_MS / FILE_MS + 1;
/** How much earlier the system may date a file than this process its lines. */
const DATE_MARGIN_MS = 1_000;

/** A process that tells a sale, and writes that so much later, may have been taken for dead in between. */
const LATE_MS = 15_000;

export type ToldLog = ReturnType<typeof openToldLog>;
/** What is kept of a sale until its line is written: nothing that it sold. */
type Sale = Pick<Order, 'owner' | 'number' | 'requestId' | 'attempts'>;

/** `onLate` gets the sales whose success was written so late that another process may have marked them as untold. */
export function openToldLog(
  store: ToldStore,
  clock: Clock,
  { waitingMax = WAITING_MAX, onLate }: { readonly waitingMax?: number; readonly onLate?: (sale: Sale) => void } = {},
) {
  let waiting: { readonly sale: Sale; readonly told: Told; readonly atMs: number }[] = [];
  /** When the newest sale of a failed write, or of those that wait, was told: the clock may be set back before they are written. */
  let toldAtMs = 0;
  let writing: Promise<void> | undefined;
  let isClosing = false;
  const writeSoon = async (): Promise<void> => {
    await pause(clock, GATHER_MS);
    const sales = waiting;
    waiting = [];
    const untilMs = Math.max(toldAtMs, clock.now());
    toldAtMs = 0;
    const lines = sales.map(({ sale, told }) => toldLine(sale, told)).join('');
    const isWritten = await store.append(lines, untilMs).then(
      () => true,
      () => false,
    );
    if (isWritten) {
      for (const { sale, told, atMs } of sales) if (told === 'success' && clock.elapsed() - atMs > LATE_MS) onLate?.(sale);
    } else if (!isClosing) {
      waiting = [...sales, ...waiting].slice(0, waitingMax);
      toldAtMs = Math.max(toldAtMs, untilMs);
      await pause(clock, AGAIN_MS);
    }
    writing = waiting.length > 0 ? writeSoon() : undefined;
  };
  return {
    /** To be called when the whole reply has left. */
    note(
      { owner, number, requestId, attempts, openedAtMs, settledAtMs = 0 }: Sale & Pick<Order, 'openedAtMs' | 'settledAtMs'>,
      told: Told = 'success',
    ): void {
      if (waiting.length >= waitingMax) return;
      waiting.push({ sale: { owner, number, requestId, attempts }, told, atMs: clock.elapsed() });
      // Readers look from the order's times on, which are later than now where the clock was set back since. (The end that a repeat takes is marked a
      // millisecond after the settling.)
      toldAtMs = Math.max(toldAtMs, clock.now(), openedAtMs, settledAtMs + 1);
      writing ??= writeSoon();
    },
    /** Writes the sales that wait. */
    async close(): Promise<void> {
      isClosing = true;
      while (writing !== undefined) await writing;
    },
  };
}

/** In files of the data folder. */
export function toldFiles(dataDir: string, clock: Pick<Clock, 'now' | 'elapsed'>): ToldStore {
  const folder = join(dataDir, FOLDER);
  const name = randomUUID();
  let minute = -1;
  let lastFileMs = 0;
  let dateMs = 0;
  const removeOld = async (beforeMs: number): Promise<void> => {
    for (const file of (await readdir(folder)).filter((one) => !one.startsWith(name)).map((one) => join(folder, one)))
      if ((await stat(file)).mtimeMs < beforeMs) await rm(file, { force: true });
  };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  denyOtherUsers(readdirSync(folder).map((one) => join(folder, one)));
  return {
    async append(lines, atMs) {
      const now = Math.floor(clock.elapsed() / FILE_MS);
      const [put, isFirst] = [now === minute ? appendFile : writeFile, minute < 0];
      minute = now;
      const file = join(folder, `${name}.${now % FILES}`);
      const write = (): Promise<void> => put(file, lines, { mode: 0o600 });
      await write().catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        // Somebody has removed the folder: without it no sale of this process would count as told.
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await write();
      });
      dateMs = put === appendFile ? Math.max(dateMs, atMs) : atMs;
      if (dateMs > clock.now()) await utimes(file, dateMs / 1_000, dateMs / 1_000);
      if (put === appendFile) return;
      // Not with the first write: processes that start at the same time still read the files of all earlier ones. By the time of the file before: if the
      // clock was put forward since, what was told just before that stays; and by now, if it was set back.
      const beforeMs = Math.min(lastFileMs, clock.now()) - TOLD_KEPT_MS;
      lastFileMs = atMs;
      if (!isFirst) await removeOld(beforeMs);
    },
    async read(fromMs) {
      const files = existsSync(folder) ? (await readdir(folder)).map((one) => join(folder, one)) : [];
      const readOne = async (file: string): Promise<string> =>
        (await stat(file)).mtimeMs < fromMs - DATE_MARGIN_MS ? '' : readFile(file, 'utf8');
      // A sale in a file that cannot be read counts as not told.
      return Promise.all(files.map((file) => readOne(file).catch(() => '')));
    },
  };
}
