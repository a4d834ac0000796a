// src/ → dist/: each file by the TypeScript compiler, and once more all that `serve` needs as one file, which loads in half the time
// (docs/decisions/0054). Arguments go to the compiler: `npm run build -- --noCheck`.
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, run, tool } from './setup.mjs';

export async function buildProgram(args) {
  const [node, tsc] = tool('typescript/bin/tsc');
  run(node, [tsc, '-p', 'tsconfig.build.json', ...args]);
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/serve.ts'],
    outfile: 'dist/one-file/serve.js',
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    // lmdb is native; commander must be the one that reads the command line.
    external: ['lmdb', 'commander'],
    legalComments: 'none',
    sourcemap: true,
    logLevel: 'warning',
  });
  keepShipped();
}

/** The shipped mappings and the sandbox's files are checked once for this very program: its first start knows them. */
function keepShipped() {
  const load = createRequire(join(root, 'dist', 'one-file', 'serve.js'));
  const kept = load('../start/one-file').keptValues(join(root, 'dist', 'one-file'), join(root, 'dist', 'one-file', 'serve.js'));
  const read = load('../mapping/load').readFolder(join(root, 'mappings'));
  if ('files' in read) load('../mapping/checked-set').checkOnce(kept, read.files);
  if (existsSync(join(root, 'sandbox'))) load('../sandbox/load-config').loadConfig(join(root, 'sandbox'), kept);
  // They hold nothing of anybody, and the program may run as another user than the one that built it.
  for (const name of readdirSync(kept.folders[0])) chmodSync(join(kept.folders[0], name), 0o644);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildProgram(process.argv.slice(2));
