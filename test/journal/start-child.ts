/** Starts processes on a journal's folder: see `journal-child.ts`. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export function startChild(mode: string, dir: string, shell: readonly string[] = []): ChildProcessWithoutNullStreams {
  const command = [process.execPath, '-r', join(__dirname, 'run-typescript.cjs'), join(__dirname, 'journal-child.ts'), mode, dir];
  const [program = '', ...rest] = [...shell, ...command];
  return spawn(program, rest);
}

export async function outputOf(child: ChildProcessWithoutNullStreams): Promise<readonly string[]> {
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(child, 'close');
  // A killed process may leave a part of a line.
  return text.split('\n').slice(0, -1);
}
