/**
 * Runs the built program as operators do, in half the time that its sources need to start: a process of its own, in a folder of
 * its own, with only the settings given.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { builtProgram } from '../docs/place-program';
import { MAPPINGS } from '../mapping/mapping-set';

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
  return spawn(process.execPath, [builtProgram(), ...args], {
    cwd,
    env: { PATH: process.env['PATH'], DATA_DIR: join(cwd, 'data'), MAPPINGS_DIR: MAPPINGS, ...env },
  });
}

/** Resolves when the process has ended. */
export async function runCommand(args: readonly string[], options: CommandOptions): Promise<Ran> {
  const child = startCommand(args, options);
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  child.stdin.on('error', () => undefined).end(options.input ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...written };
}
