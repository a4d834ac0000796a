import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Ends a process with this signal, unless it has ended, and waits until it is gone. */
export async function endProcess(child: ChildProcess | undefined, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}
