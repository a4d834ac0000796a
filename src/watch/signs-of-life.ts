/**
 * When each process was last alive: a file a process in the data folder, touched every five seconds and removed by a stop in which every
 * order and every reply came to its end (decision 0024); in a journal that machines share a row for each, because the others do not see the
 * folder, and whoever lives deals with those that went silent, also when their machine is gone for good (decision 0051).
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, startAge } from '../domain/clock';
import { startOf } from '../domain/process-start';
import type { Processes } from '../journal/journal';

const FOLDER = 'processes';
/** What a process did since its last sign is at most so old, unless it was held up. */
export const SIGN_EVERY_MS = 5_000;
/** Whoever gave no sign for so long may have died. */
const SILENT_AFTER_MS = 4 * SIGN_EVERY_MS;
/** At a start the file of whoever gave no sign for so long goes. A neighbour that was only held up makes its file anew. */
const DEAD_AFTER_MS = 60_000;

/**
 * The last signs of all processes that may have died, in ms since the epoch. A folder of a build that gave none tells of one: it may have died
 * now. A neighbour that gives signs and runs tells its scripts itself.
 */
export function readSigns(dataDir: string, nowMs: number): readonly number[] {
  const folder = join(dataDir, FOLDER);
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [nowMs];
  const isAtWork = ([name, signMs]: Sign): boolean => signMs > nowMs - SILENT_AFTER_MS && isNeighbourRunning(join(folder, name));
  return listSigns(folder)
    .filter((sign) => !isAtWork(sign))
    .map(([, signMs]) => signMs);
}

/** Which process a file is of, as a process of the same system can check it. */
interface Signer {
  readonly pid: number;
  readonly started: string;
  /** Process numbers mean something within one namespace only (pid_namespaces(7)). */
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

/** False as well where nobody can say so: of an earlier build, in another container, on a system without /proc. */
function isNeighbourRunning(file: string): boolean {
  try {
    const { pid, started, namespace } = JSON.parse(readFileSync(file, 'utf8')) as Signer;
    return pid !== process.pid && namespace === readNamespace() && startOf(pid) === started;
  } catch {
    return false;
  }
}

/**
 * The silence of others means nothing while this process could give no sign either: a journal that was away, or a machine that stood still, held
 * them up as well. They have had the time to sign again once this one has signed for as long as silence takes.
 */
interface OwnSigns {
  given(): void;
  /** It could not be given. */
  missed(): void;
  areRegular(): boolean;
}

function createOwnSigns(clock: Clock): OwnSigns {
  let sinceLast = startAge(clock);
  let sinceGap: () => number = () => Infinity;
  const missed = (): void => void (sinceGap = startAge(clock));
  return {
    given() {
      if (sinceLast() > 2 * SIGN_EVERY_MS) missed();
      sinceLast = startAge(clock);
    },
    missed,
    areRegular: () => sinceGap() > SILENT_AFTER_MS,
  };
}

/** `isClean` when every order and every reply has come to its end: then nothing stays behind. */
export type EndSigns = (isClean: boolean) => void;

export interface SignParts {
  readonly dataDir: string;
  readonly clock: Clock;
  /** While it takes nothing there is no sign: what was told meanwhile could not be written down. */
  readonly journal: { isWritable(): boolean };
  /** A neighbour that sells from the same folder has gone silent after this sign (ms since the epoch). Told once. */
  readonly onSilent: (signMs: number) => void;
}

/** From before the first request on, when what earlier processes left has been dealt with. Gives what ends it. */
export function giveSigns({ dataDir, clock, journal, onSilent }: SignParts): EndSigns {
  const folder = join(dataDir, FOLDER);
  const own = randomUUID();
  const file = join(folder, own);
  const appear = (): void => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify(ownSigner()), { mode: 0o600 });
    utimesSync(file, clock.now() / 1_000, clock.now() / 1_000);
  };
  appear();
  removeDead(folder, clock.now());
  let isOver = false;
  const sign = (): void => {
    const atSeconds = clock.now() / 1_000;
    utimes(file, atSeconds, atSeconds)
      .catch((error: NodeJS.ErrnoException) => error.code === 'ENOENT' && !isOver && appear())
      .catch(() => undefined);
  };
  const isSilent = ([, signMs]: Sign): boolean => signMs <= clock.now() - SILENT_AFTER_MS;
  // Whoever was silent before this start has been dealt with.
  const dealtWith = new Map(listSigns(folder).filter(isSilent));
  const lookAround = (): void => {
    for (const [name, signMs] of listSigns(folder).filter(isSilent)) {
      if (name === own || dealtWith.get(name) === signMs) continue;
      dealtWith.set(name, signMs);
      onSilent(signMs);
    }
  };
  const ownSigns = createOwnSigns(clock);
  const beat = (): void => {
    if (!journal.isWritable()) ownSigns.missed();
    else {
      ownSigns.given();
      sign();
      try {
        if (ownSigns.areRegular()) lookAround();
      } catch {
        // The disk cannot be read: the next beat looks again.
      }
    }
    cancel = clock.after(SIGN_EVERY_MS, beat);
  };
  let cancel = clock.after(SIGN_EVERY_MS, beat);
  return (isClean) => {
    isOver = true;
    cancel();
    if (isClean) rmSync(file, { force: true });
  };
}

/** The name of a process's file, and when it was last alive. */
type Sign = readonly [name: string, signMs: number];

function listSigns(folder: string): readonly Sign[] {
  const names = statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder);
  const signs = names.map((name) => [name, statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs] as const);
  return signs.filter((sign): sign is Sign => sign[1] !== undefined);
}

function removeDead(folder: string, nowMs: number): void {
  for (const [name, signMs] of listSigns(folder)) if (signMs < nowMs - DEAD_AFTER_MS) rmSync(join(folder, name), { force: true });
}

export interface SharedSignParts {
  readonly processes: Processes;
  readonly clock: Clock;
  /** While it takes nothing there is no sign: what was told meanwhile could not be written down. */
  readonly journal: { isWritable(): boolean };
  /** Another process has gone silent after this sign (ms since the epoch). Told again until the promise resolves. */
  readonly onDead: (id: string, signMs: number) => Promise<void>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** From before the first request on, when what silent processes left has been dealt with. Gives what ends it. */
export async function giveSharedSigns({
  processes,
  clock,
  journal,
  onDead,
  onTrouble,
}: SharedSignParts): Promise<(isClean: boolean) => Promise<void>> {
  const lookAround = async (): Promise<void> => {
    for (const { id, signedAtMs } of await processes.list()) {
      if (id === processes.own || signedAtMs > clock.now() - SILENT_AFTER_MS) continue;
      await onDead(id, signedAtMs);
      // One that was only held up signs again, and has a row again.
      await processes.remove(id);
    }
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
    if (ownSigns.areRegular()) await lookAround();
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
  await lookAround();
  plan();
  return async (isClean) => {
    if (isOver) return;
    isOver = true;
    cancel();
    await beating;
    if (isClean) await processes.remove(processes.own).catch((error: unknown) => onTrouble('tell', error));
  };
}
