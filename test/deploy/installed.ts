import { spawnSync } from 'node:child_process';

/** A suite that needs a program of Debian's; without it, one test that says what is missing. In CI and the long tests the program is required. */
export function describeWith(program: string, args: readonly string[], name: string, suite: () => void): void {
  const isDemanded = process.env['CI'] === 'true' || process.env['LONG_TESTS'] === '1';
  if (isDemanded || spawnSync(program, args).status === 0) describe(name, suite);
  else describe.skip(`${name} (not installed: apt-get install ${program})`, suite);
}
