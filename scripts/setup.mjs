// Brings a fresh checkout to a state that can run, and does nothing when it already is. Node's own modules only:
// this runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const hashOf = (files) => {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
};

const filesBelow = (folder) =>
  readdirSync(join(root, folder))
    // What Node keeps of compiled files is no source.
    .filter((name) => !name.startsWith('.'))
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(join(root, path)).isDirectory() ? filesBelow(path) : [path];
    });

/** Runs a program in the project folder; the exit code is ours when it fails. */
export function run(command, args, { quiet = false, env = process.env } = {}) {
  const result = spawnSync(command, args, {
    cwd: root,
    env,
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    encoding: 'utf8',
  });
  if (result.error) {
    console.error(`${command}: ${result.error.message}`);
    process.exit(1);
  }
  if (result.status !== 0) {
    if (quiet) process.stderr.write(`${result.stdout}${result.stderr}`);
    process.exit(result.status ?? 1);
  }
}

/** Runs a program beside others; gives how it ended and what it printed. */
export async function start(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  return { code, output };
}

/** The path of a program that a dependency brings, run by this very Node. */
export const tool = (path) => [process.execPath, join(root, 'node_modules', path)];

function stampMatches(stamp, hash) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

/** Installs what the lock file names, unless exactly that is installed. */
export function install() {
  const hash = `${hashOf(['package.json', 'package-lock.json'])} ${process.platform} ${process.arch}`;
  const stamp = join(root, 'node_modules', '.compat-gateway-stamp');
  if (stampMatches(stamp, hash)) return;
  console.log('Installing dependencies (once)…');
  // devDependencies are needed to build, whatever NODE_ENV says.
  // The lock file says exactly which packages: a warm cache need not be asked whether it is fresh.
  run('npm', ['ci', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], { quiet: true });
  writeFileSync(stamp, hash);
}

const STAMP = join(root, 'dist', '.stamp');
const hashOfSources = () => hashOf(['package-lock.json', 'tsconfig.json', 'scripts/build.mjs', ...filesBelow('src')]);

/** Whether dist/ is what src/ gives. */
export const isBuilt = () => stampMatches(STAMP, hashOfSources());

/** Compiles src/ to dist/, unless dist/ is what src/ gives. Types are the business of `npm run check`: a start does not wait for it. */
export function build() {
  const hash = hashOfSources();
  if (stampMatches(STAMP, hash)) return;
  console.log('Building…');
  run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(STAMP, hash);
}

const SECONDS = join(root, 'node_modules', '.cache', 'compat-gateway', 'seconds.json');

/** What commands took when they last passed in this checkout, for `npm run house`. */
export const readSeconds = () => (existsSync(SECONDS) ? JSON.parse(readFileSync(SECONDS, 'utf8')) : {});

export function keepSeconds(command, seconds) {
  mkdirSync(dirname(SECONDS), { recursive: true });
  const at = new Date().toISOString().slice(0, 16).replace('T', ' ');
  writeFileSync(SECONDS, JSON.stringify({ ...readSeconds(), [command]: { seconds: Math.round(seconds), at } }));
}
