// Another version of Node than the one that runs this, for the tests and the benchmark of what we ship:
//   node scripts/find-node.mjs 24        prints the path of a Node 24, fetched from the npm registry the first time
// It is kept in node_modules/.cache, so whatever removes the dependencies removes it too.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, run } from './setup.mjs';

/** The program of this major version: the running one if it is that, else the newest of its kind. */
export function findNode(major) {
  const isRight = (program) =>
    spawnSync(program, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout?.startsWith(`${major}.`) === true;
  if (isRight(process.execPath)) return process.execPath;
  const folder = join(root, 'node_modules', '.cache', `node-${major}`);
  // The package for one machine holds nothing but the program; `node` itself would need an install script.
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const program = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (isRight(program)) return program;
  mkdirSync(folder, { recursive: true });
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder, `${name}@${major}`], {
    quiet: true,
  });
  if (!isRight(program)) throw new Error(`${name}@${major} holds no Node ${major} that runs here.`);
  return program;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(findNode(process.argv[2] ?? ''));
