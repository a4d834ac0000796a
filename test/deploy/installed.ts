import { spawnSync } from 'node:child_process';

/** The tests of a suite with a program of Debian's, or one that says why there are none. CI and the long tests do not do without. */
export function describeWith(program: string, args: readonly string[], name: string, suite: () => void): void {
  const isDemanded = process.env['CI'] === 'true' || process.env['LONG_TESTS'] === '1';
  if (isDemanded || spawnSync(program, args).status === 0) describe(name, suite);
  else describe.skip(`${name} (not installed: apt-get install ${program})`, suite);
}
