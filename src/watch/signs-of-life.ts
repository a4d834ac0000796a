/**
 * Signs of life: the time at which each process was last alive. With an embedded journal each process has a file in the data folder. It touches
 * the file every five seconds, and removes it at a stop in which every order and every reply has ended (decision 0024). In a journal that machines
 * share each process has a row for this, because the machines do not share a folder: the processes that live handle the orders of a process that
 * fell silent, also when its machine never comes back (decision 0051). Its file then only shows that it runs.
 */
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, startAge } from '../domain/clock';
import { startOf } from '../domain/process-start';
import type { Processes } from '../journal/journal';

const FOLDER = 'processes';
/** How long after its last sign a process may have died, unless it stood still for a while. */
export const SIGN_EVERY_MS = 5_000;
/** A process without a sign for so long may have died. */
const SILENT_AFTER_MS = 4 * SIGN_EVERY_MS;
/** A process that is dead for so long counts as silent, also if its clock was ahead. */
export const KNOWN_DEAD_AFTER_MS = 2 * SILENT_AFTER_MS + SIGN_EVERY_MS;
/** The file of a process without a sign for so long is removed. If that process lives and only stood still, it makes its file anew. */
const DEAD_AFTER_MS = 60_000;

/**
 * The last signs of all processes that may have died, in ms since the epoch. A neighbour that signs and runs is left out: it replies to its
 * scripts itself. Without the folder an earlier build, which gave no signs, sold from this data folder: it may have died just now.
 */
export function readSigns(dataDir: string, nowMs: number): readonly number[] {
  const folder = join(dataDir, FOLDER);
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [nowMs];
  const isAtWork = ([name, signMs]: Sign): boolean => signMs > nowMs - SILENT_AFTER_MS && isNeighbourRunning(join(folder, name));
  return listSigns(folder)
    .filter((sign) => !isAtWork(sign))
    .map(([, signMs]) => signMs);
}

/** The signs of the processes that are not known to be dead. */
export async function readLivingSigns(
  dataDir: string,
  nowMs: number,
): Promise<readonly { readonly id: string; readonly signedAtMs: number }[]> {
  return listSigns(join(dataDir, FOLDER)).flatMap(([id, signedAtMs]) =>
    signedAtMs > nowMs - KNOWN_DEAD_AFTER_MS ? [{ id, signedAtMs }] : [],
  );
}

/** Identifies the process of a file, so that another process of the same system can check whether it still runs. */
interface Signer {
  readonly pid: number;
  readonly started: string;
  /** A pid identifies a process within one namespace only (pid_namespaces(7)). */
  readonly namespace: string;
}

function ownSigner(): Signer {
  return { pid: process.pid, started: startOf(process.pid), namespace: readNamespace() };
}

function readNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Also false where it cannot be known: the file of an earlier build, a process in another container, a system without /proc. */
function isNeighbourRunning(file: string): boolean {
  try {
    const { pid, started, namespace } = JSON.parse(readFileSync(file, 'utf8')) as Signer;
    return pid !== process.pid && namespace === readNamespace() && startOf(pid) === started;
  } catch {
    return false;
  }
}

/**
 * Whether this process has signed regularly of late. If it could not sign itself, the silence of others proves nothing: the same journal was away for
 * them, or the same machine stood still. Once this process has signed for as long as silence takes, the others have had the time to sign as well.
 */
function createOwnSigns(clock: Clock) {
  let sinceLast = startAge(clock);
  let sinceGap: () => number = () => Infinity;
  let gapEndMs = 0;
  const missed = (): void => {
    sinceGap = startAge(clock);
    gapEndMs = clock.now();
  };
  return {
    given(): void {
      if (sinceLast() > 2 * SIGN_EVERY_MS) missed();
      sinceLast = startAge(clock);
    },
    /** A sign could not be given. */
    missed,
    areRegular: () => sinceGap() > SILENT_AFTER_MS,
    /** The last time at which no sign could be given, or one was late; ms since the epoch, 0 for none. */
    gapEndMs: () => gapEndMs,
  };
}

/** Tells whether a process that left this sign is silent. A sign from the future, by a clock that was set back or was ahead, is so once it stays the same. */
function createSilence(clock: Clock): (id: string, signMs: number) => boolean {
  const seen = new Map<string, { readonly signMs: number; readonly atMs: number }>();
  return (id, signMs) => {
    const before = seen.get(id);
    if (before?.signMs !== signMs) seen.set(id, { signMs, atMs: clock.elapsed() });
    const unchangedMs = before?.signMs === signMs ? clock.elapsed() - before.atMs : 0;
    return signMs <= clock.now() - SILENT_AFTER_MS || unchangedMs >= 2 * SILENT_AFTER_MS;
  };
}

/** Called when the orders of all processes are marked that were silent at this time (ms by `clock.elapsed()`). */
export type OnAllMarked = (atMs: number) => void;

/** `isClean`: every order and every reply has ended, so no sign is left for a later start to examine. */
type EndSigns = (isClean: boolean) => void;

interface SignParts {
  readonly dataDir: string;
  readonly clock: Clock;
  /** While the journal is not writable no sign is given: what scripts are told meanwhile cannot be written. */
  readonly journal: { isWritable(): boolean };
  /**
   * A neighbour that sells from the same folder fell silent after this sign (ms since the epoch). Until `gapEndMs` this process could not sign either, so that
   * one may have sold behind its last sign as soon as the journal could be written again. Called again until the promise resolves.
   */
  readonly onSilent: (signMs: number, gapEndMs: number) => Promise<void>;
  readonly onAllMarked: OnAllMarked;
  /**
   * Whether another process may sell from the same folder: told before the first request, with each sign, and when a process comes or goes. One
   * that stands still counts for a minute.
   */
  readonly onNeighbours: (hasNeighbours: boolean) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** To be called before the first request, and after the orders of dead processes have been marked. Returns the function that ends the signs. */
export function startSigns({ dataDir, clock, journal, onSilent, onAllMarked, onNeighbours, onTrouble }: SignParts): EndSigns {
  const folder = join(dataDir, FOLDER);
  const own = randomUUID();
  const file = join(folder, own);
  const createFile = (): void => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify(ownSigner()), { mode: 0o600 });
    utimesSync(file, clock.now() / 1_000, clock.now() / 1_000);
  };
  createFile();
  removeDead(folder, clock.now());
  let isOver = false;
  const sign = (): void => {
    const atSeconds = clock.now() / 1_000;
    utimes(file, atSeconds, atSeconds)
      .catch((error: NodeJS.ErrnoException) => error.code === 'ENOENT' && !isOver && createFile())
      .catch(() => undefined);
  };
  const reportNeighbours = (signs: readonly Sign[]): void =>
    onNeighbours(signs.some(([name, signMs]) => name !== own && signMs > clock.now() - DEAD_AFTER_MS));
  const isSilentAfter = createSilence(clock);
  const isSilent = ([name, signMs]: Sign): boolean => isSilentAfter(name, signMs);
  // The start has already marked the orders of processes that were silent before.
  const signsAtStart = listSigns(folder);
  const dealtWith = new Map(signsAtStart.filter(isSilent));
  reportNeighbours(signsAtStart);
  const endWatching = watchComing(folder, () => reportNeighbours(listSigns(folder)));
  const ownSigns = createOwnSigns(clock);
  const onSilentNow = (signMs: number): Promise<void> => onSilent(signMs, ownSigns.gapEndMs());
  const mark = createMarking({ clock, journal, onSilent: onSilentNow, onAllMarked, onTrouble }, dealtWith);
  /** The next start would mark the sales after such a sign once more, when the log of told sales no longer has them. */
  const removeDealtWith = (signs: readonly Sign[]): void =>
    removeDead(
      folder,
      clock.now(),
      signs.filter(([name, signMs]) => dealtWith.get(name) === signMs),
    );
  const beat = (): void => {
    const isWritable = journal.isWritable();
    if (isWritable) {
      ownSigns.given();
      sign();
    } else ownSigns.missed();
    try {
      const signs = listSigns(folder);
      reportNeighbours(signs);
      removeDealtWith(signs);
      if (isWritable && ownSigns.areRegular()) mark(signs.filter((one) => one[0] !== own && isSilent(one)));
    } catch {
      // The disk cannot be read: the next beat looks again.
    }
    cancel = clock.after(SIGN_EVERY_MS, beat);
  };
  let cancel = clock.after(SIGN_EVERY_MS, beat);
  return (isClean) => {
    isOver = true;
    cancel();
    endWatching();
    if (isClean) rmSync(file, { force: true });
  };
}

interface MarkingParts extends Pick<SignParts, 'clock' | 'journal' | 'onAllMarked' | 'onTrouble'> {
  readonly onSilent: (signMs: number) => Promise<void>;
}

/**
 * Has the orders of silent processes marked, once for each sign. `dealtWith` has the signs of those whose orders are marked, or are being marked. What is silent
 * while others are marked waits for the next time.
 */
function createMarking(
  { clock, journal, onSilent, onAllMarked, onTrouble }: MarkingParts,
  dealtWith: Map<string, number>,
): (silent: readonly Sign[]) => void {
  let marking: Promise<unknown> | undefined;
  const markOne = async ([name, signMs]: Sign): Promise<void> => {
    if (dealtWith.get(name) === signMs) return;
    dealtWith.set(name, signMs);
    await onSilent(signMs).catch((error: unknown) => {
      dealtWith.delete(name);
      onTrouble('tell', error);
    });
  };
  return (silent) => {
    const atMs = clock.elapsed();
    const areMarked = (): boolean => journal.isWritable() && silent.every(([name, signMs]) => dealtWith.get(name) === signMs);
    marking ??= Promise.all(silent.map(markOne)).then(() => {
      marking = undefined;
      if (areMarked()) onAllMarked(atMs);
    });
  };
}

/** Calls back when a file comes to the folder or leaves it. Where the system does not tell that, the next sign is soon enough for most. */
function watchComing(folder: string, onChange: () => void): () => void {
  try {
    const watcher = watch(folder, { persistent: false }, (event) => {
      try {
        if (event === 'rename' && existsSync(folder)) onChange();
      } catch {
        // The folder cannot be read: the next beat looks again.
      }
    });
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}

/** The file name of a process, and when the process was last alive (ms since the epoch). */
type Sign = readonly [name: string, signMs: number];

function listSigns(folder: string): readonly Sign[] {
  const names = statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder);
  const signs = names.map((name) => [name, statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs] as const);
  return signs.filter((sign): sign is Sign => sign[1] !== undefined);
}

function removeDead(folder: string, nowMs: number, signs = listSigns(folder)): void {
  for (const [name, signMs] of signs) if (signMs < nowMs - DEAD_AFTER_MS) rmSync(join(folder, name), { force: true });
}

interface SharedSignParts {
  readonly processes: Processes;
  readonly clock: Clock;
  /** While the journal is not writable no sign is given: what scripts are told meanwhile cannot be written. */
  readonly journal: { isWritable(): boolean };
  /** Another process fell silent after this sign (ms since the epoch). Called again until its promise resolves, and once more before its row goes. */
  readonly onDead: (id: string, signMs: number) => Promise<void>;
  readonly onAllMarked: OnAllMarked;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** To be awaited before the first request: first handles the processes that are silent already. Returns the function that ends the signs. */
export async function startSharedSigns({
  processes,
  clock,
  journal,
  onDead,
  onAllMarked,
  onTrouble,
}: SharedSignParts): Promise<(isClean: boolean) => Promise<void>> {
  const isSilentAfter = createSilence(clock);
  const marked = new Map<string, { readonly signMs: number; readonly atMs: number }>();
  const markDead = async (): Promise<void> => {
    const atMs = clock.elapsed();
    for (const { id, signedAtMs } of await processes.list()) {
      if (id === processes.own || !isSilentAfter(id, signedAtMs)) continue;
      const before = marked.get(id);
      const isMarked = before?.signMs === signedAtMs;
      if (isMarked && atMs - before.atMs <= KNOWN_DEAD_AFTER_MS) continue;
      await onDead(id, signedAtMs);
      // Marks that this process keeps because they could not be written are seen by no other one: while the row stands, each marks for itself.
      if (!journal.isWritable()) return;
      // A process that only stood still may sell before its next sign and die. So its row stays for a while, and its orders are marked once more.
      if (!isMarked) marked.set(id, { signMs: signedAtMs, atMs });
      else if (marked.delete(id)) await processes.remove(id, signedAtMs);
    }
    onAllMarked(atMs);
  };
  let isOver = false;
  let beating: Promise<void> = Promise.resolve();
  const ownSigns = createOwnSigns(clock);
  const signAndLook = async (): Promise<void> => {
    if (!journal.isWritable()) return ownSigns.missed();
    ownSigns.given();
    await processes.sign(clock.now()).catch((error: unknown) => {
      ownSigns.missed();
      throw error;
    });
    if (ownSigns.areRegular()) await markDead();
  };
  const beat = async (): Promise<void> => {
    await signAndLook().catch((error: unknown) => onTrouble('tell', error));
    if (!isOver) plan();
  };
  let cancel: () => void = () => undefined;
  const plan = (): void => {
    cancel = clock.after(SIGN_EVERY_MS, () => void (beating = beat()));
  };
  await processes.sign(clock.now());
  await markDead();
  plan();
  return async (isClean) => {
    if (isOver) return;
    isOver = true;
    cancel();
    await beating;
    if (isClean) await processes.remove(processes.own).catch((error: unknown) => onTrouble('tell', error));
  };
}
