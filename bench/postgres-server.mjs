// Debian's PostgreSQL for benchmarks.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const INSTALLED = '/usr/lib/postgresql';
const NOBODY = 65_534;

export const isPostgresInstalled = existsSync(INSTALLED);

/** Debian's default configuration, in a folder of its own. */
export async function startPostgres() {
  const versions = isPostgresInstalled ? readdirSync(INSTALLED).sort((a, b) => b - a) : [];
  if (versions.length === 0) throw new Error('Give the address of a database, or install PostgreSQL: apt-get install postgresql');
  const bin = join(INSTALLED, versions[0], 'bin');
  const folder = mkdtempSync(join(tmpdir(), 'bench-postgres-'));
  const isRoot = process.getuid() === 0;
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const user = { cwd: folder, ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}) };
  const data = join(folder, 'data');
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--locale', 'C'], {
    ...user,
    stdio: 'ignore',
  });
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  const settings = ['-c', `port=${port}`, '-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${folder}`];
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...settings], { ...user, stdio: 'ignore' });
  return {
    url: `postgres://bench@127.0.0.1:${port}/postgres`,
    async end() {
      server.kill('SIGINT');
      await once(server, 'close');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
