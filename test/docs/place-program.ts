/** The built program (`npm run build`) as a command, as a reader of the pages has it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export const ROOT = resolve(__dirname, '..', '..');
const SETUP = pathToFileURL(join(ROOT, 'scripts', 'setup.mjs')).href;

let isKnownFresh = false;

/** The file that runs the built program; throws when dist/ is older than src/. */
export function builtProgram(): string {
  const script = `import('${SETUP}').then(({ isBuilt }) => console.log(isBuilt()))`;
  isKnownFresh ||= execFileSync(process.execPath, ['-e', script]).toString() === 'true\n';
  if (!isKnownFresh) throw new Error('dist/ is not what src/ gives: `npm test -- test/docs` builds it first');
  return join(ROOT, 'dist', 'cli', 'main.js');
}

/** Installs the program in a folder. */
export function placeProgram(folder: string): void {
  const main = builtProgram();
  for (const name of ['dist', 'node_modules']) symlinkSync(join(ROOT, name), join(folder, name));
  const program = join(folder, 'bin', 'compat-gateway');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 });
}
