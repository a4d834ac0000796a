/** The program as operators run it: a process of its own, in a folder of its own, with no setting but those given. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { MAPPINGS } from '../mapping/mapping-set';

const ROOT = resolve(__dirname, '..', '..');
const PROGRAM = ['-r', join(ROOT, 'test', 'journal', 'run-typescript.cjs'), join(ROOT, 'src', 'cli', 'main.ts')];

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export function startCommand(args: readonly string[], { cwd, env }: CommandOptions): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [...PROGRAM, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], DATA_DIR: join(cwd, 'data'), MAPPINGS_DIR: MAPPINGS, ...env },
  });
}

/** Until it ends. */
export async function runCommand(args: readonly string[], options: CommandOptions): Promise<Ran> {
  const child = startCommand(args, options);
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  child.stdin.on('error', () => undefined).end(options.input ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...written };
}
