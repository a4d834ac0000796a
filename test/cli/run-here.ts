/** A command line inside this process: a start of its own for each of a hundred would take most of the time. */
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
