/** The program as a reader of the pages has it after a build, made once in a folder of its own: `dist` there is never stale. */
import { transformFileSync } from '@swc/core';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export const ROOT = resolve(__dirname, '..', '..');

export function buildProgram(folder: string): void {
  const sources = join(ROOT, 'src');
  for (const name of readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('.ts'))) {
    const { code } = transformFileSync(join(sources, name), {
      configFile: false,
      swcrc: false,
      jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
      module: { type: 'commonjs' },
    });
    const file = join(folder, 'dist', name.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
  }
  for (const name of ['node_modules', 'sandbox', 'docs', 'package.json']) symlinkSync(join(ROOT, name), join(folder, name));
  const program = join(folder, 'bin', 'compat-gateway');
  mkdirSync(dirname(program));
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(folder, 'dist', 'cli', 'main.js')}' "$@"\n`, {
    mode: 0o755,
  });
}
