/** Runs a command line inside this process, because a start for each of a hundred commands would take most of the time. */
import { runProgram } from '../../src/cli/program';
import type { Ran } from './run-command';

export async function runHere(...words: readonly string[]): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    jest.spyOn(process[stream], 'write').mockImplementation((text) => {
      written[stream] += String(text);
      return true;
    }),
  );
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await runProgram(words);
    return { code: Number(process.exitCode), ...written };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}

/** Settings for commands that run inside this process: set before each test of a file and removed after it. */
export function withSettings(settings: () => Readonly<Record<string, string>>): void {
  let before: Readonly<Record<string, string | undefined>> = {};
  beforeEach(() => {
    before = { ...process.env };
    Object.assign(process.env, settings());
  });
  afterEach(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  });
}
