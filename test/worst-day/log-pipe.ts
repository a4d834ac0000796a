/** The pipe that a gateway writes its log into, and the program that reads it: stalled, or gone. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Trouble } from './trouble';

export interface LogPipe extends Trouble {
  /** For the gateway to write into; to be closed here once it has it. */
  openWriter(): number;
  /** All that the reader has got. */
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
  const endReader = async (): Promise<void> => {
    if (reader === undefined || reader.exitCode !== null || reader.signalCode !== null) return;
    const gone = once(reader, 'exit');
    reader.kill('SIGKILL');
    await gone;
  };
  return {
    name: 'the log',
    ways: [['stalled'], ['closed']],
    openWriter() {
      startReader();
      // Waits until the reader has it open too.
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
