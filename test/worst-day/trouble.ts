/** Parts of the gateway's surroundings that a test can take away and give back. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess } from '../end-process';
import type { Chance } from '../chance';

export interface Trouble {
  readonly name: string;
  /** The ways to take the part away, grouped by kind; the ways of one kind are similar. */
  readonly ways: readonly (readonly string[])[];
  take(way: string): Promise<void>;
  /** Resolves when the part is there again; at once when it was never taken. */
  giveBack(): Promise<void>;
}

const WELL_MS = [150, 900] as const;
const AWAY_MS = [300, 1_300] as const;

/** Takes the part away and gives it back this many times. Every kind of way is used before any is used again; logs each step through `tell`. */
export async function takeAtRandom(trouble: Trouble, times: number, chance: Chance, tell: (what: string) => void): Promise<void> {
  let kinds: (readonly string[])[] = [];
  for (let nth = 0; nth < times; nth += 1) {
    await sleep(chance.between(...WELL_MS));
    if (kinds.length === 0) kinds = [...trouble.ways];
    const kind = chance.pick(kinds);
    kinds = kinds.filter((other) => other !== kind);
    const way = chance.pick(kind);
    tell(`${trouble.name} ${way}`);
    await trouble.take(way);
    await sleep(chance.between(...AWAY_MS));
    await trouble.giveBack();
    tell(`${trouble.name} back`);
  }
}

/** The pipe into which a gateway writes its log, and the program that reads it, which can be stalled or killed. */
export interface LogPipe extends Trouble {
  /** A descriptor for the gateway; close it here once the gateway has it. */
  openWriter(): number;
  /** Everything that the reader has read. */
  text(): string;
  close(): Promise<void>;
}

export function openLogPipe(folder: string): LogPipe {
  const [pipe, file] = [join(folder, 'log-pipe'), join(folder, 'log')];
  execFileSync('mkfifo', [pipe]);
  let reader: ChildProcess | undefined;
  const startReader = (): void => {
    const into = openSync(file, 'a');
    reader = spawn('cat', [pipe], { stdio: ['ignore', into, 'ignore'] });
    closeSync(into);
  };
  const endReader = (): Promise<void> => endProcess(reader, 'SIGKILL');
  return {
    name: 'the log',
    ways: [['stalled'], ['closed']],
    openWriter() {
      startReader();
      // Waits until the reader has opened the pipe too.
      return openSync(pipe, 'w');
    },
    async take(way) {
      if (way === 'stalled') reader!.kill('SIGSTOP');
      else await endReader();
    },
    async giveBack() {
      if (reader!.signalCode === null) reader!.kill('SIGCONT');
      else startReader();
    },
    text: () => readFileSync(file, 'utf8'),
    close: endReader,
  };
}
