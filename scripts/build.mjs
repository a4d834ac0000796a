// src/ → dist/: file by file, and once more as two single files, of `serve` and of all commands, which load in half the time
// (docs/decisions/0054). Types are the business of `npm run check`.
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './setup.mjs';

/** Files of packages that browsers get, by their names there. */
export const COPIED = {
  'htmx.js': 'htmx.org/dist/htmx.min.js',
  'uplot.js': 'uplot/dist/uPlot.iife.min.js',
  'uplot.css': 'uplot/dist/uPlot.min.css',
};

const ONE_FILE = join(root, 'dist', 'one-file');
const SERVE = join(ONE_FILE, 'serve.js');

/** What the files and the two single files have in common. */
const OUTPUT = {
  absWorkingDir: root,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // The sources stand in src, or nowhere beside the program: places in them are enough.
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
};

export async function buildProgram() {
  await compile();
  // `npx compat-gateway` runs it by its own name.
  chmodSync(join(root, 'dist', 'cli', 'main.js'), 0o755);
  await bundle('src/cli/serve.ts', SERVE);
  // What `serve` of this build has checked, its commands need not check again.
  const hash = createHash('sha256').update(readFileSync(SERVE)).digest('hex');
  await bundle('src/cli/program.ts', join(ONE_FILE, 'cli.js'), { HASH_OF_SERVE: JSON.stringify(hash) });
  copyAssets();
  keepShipped();
}

async function compile() {
  const { build } = await import('esbuild');
  const files = readdirSync(join(root, 'src'), { recursive: true }).filter((name) => name.endsWith('.ts'));
  const entryPoints = files.map((name) => join('src', name));
  await build({ ...OUTPUT, entryPoints, outbase: 'src', outdir: 'dist' });
}

async function bundle(from, outfile, define = {}) {
  const { build } = await import('esbuild');
  await build({
    ...OUTPUT,
    entryPoints: [from],
    outfile,
    define,
    bundle: true,
    // lmdb is native; commander must be the one that reads the command line; the others are loaded by those alone who ask for them, and
    // would only make the file longer that every start reads. (The API of OpenTelemetry is in it, because prom-client asks for that.)
    external: ['lmdb', 'commander', 'pino-pretty', '@opentelemetry/sdk-trace-base', '@opentelemetry/exporter-trace-otlp-http'],
    // All of undici, with `fetch`, WebSocket and caches, would be run at every start.
    alias: { undici: './scripts/undici-client.cjs' },
    legalComments: 'none',
    // A quarter less to read; lines stay short enough for a stack to name a place.
    minifyWhitespace: true,
    lineLimit: 200,
  });
  escapeBeyondAscii(outfile);
}

/**
 * esbuild leaves `₦` as it is in templates and regular expressions. One such character, and V8 holds the whole source in two bytes a character
 * as long as the process lives: 7.4 instead of 3.7 MB.
 */
function escapeBeyondAscii(file) {
  const escaped = readFileSync(file, 'utf8').replace(
    /[^\0-\x7f]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  writeFileSync(file, escaped);
}

/** What the pages of the console refer to, ours and of packages, in one folder: nothing of it is compiled. */
function copyAssets() {
  const folder = join(root, 'dist', 'console-assets');
  cpSync(join(root, 'src', 'console', 'assets'), folder, { recursive: true });
  for (const [name, from] of Object.entries(COPIED)) copyFileSync(join(root, 'node_modules', from), join(folder, name));
}

/** The shipped mappings and the sandbox's files are checked once for this very program: its first start knows them. */
function keepShipped() {
  const load = createRequire(SERVE);
  const kept = load('../start/one-file').keptValues(undefined, SERVE);
  const read = load('../mapping/load').readFolder(join(root, 'mappings'));
  if ('files' in read) load('../mapping/checked-set').checkOnce(kept, read.files);
  if (existsSync(join(root, 'sandbox'))) load('../sandbox/load-config').loadConfig(join(root, 'sandbox'), kept);
  // They hold nothing of anybody, and the program may run as another user than the one that built it.
  for (const name of readdirSync(kept.folders[0])) chmodSync(join(kept.folders[0], name), 0o644);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildProgram();
