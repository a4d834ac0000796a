// Durable orders per second of the PostgreSQL journal: each order is opened and settled, both committed (synchronous_commit on).
//   npm run bench:postgres -- [postgres://user:password@host:port/database] [seconds per level] [gateways]
// Without an address it starts Debian's PostgreSQL in a temporary folder. The database should be one for this alone: it is filled.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { LEVELS, measure } from './journal-load.mjs';

const require = createRequire(import.meta.url);
const { openPostgresJournal } = require('../dist/journal/postgres/postgres-journal.js');

const WARM_UP_MS = 2000;
const NOBODY = 65_534;
const seconds = Number(process.argv[3] ?? 5);
const gateways = Number(process.argv[4] ?? 1);

const owner = '0123456789abcdef0123456789abcdef';

async function measureAt(url, concurrent) {
  const spoolDir = mkdtempSync(join(tmpdir(), 'bench-spool-'));
  const journals = await Promise.all(Array.from({ length: gateways }, () => openPostgresJournal({ url, spoolDir })));
  const run = randomBytes(4).toString('hex');
  const place = (index, nth) => ({
    journal: journals[nth % gateways],
    owner,
    requestId: `${run}-${index.toString(36).padStart(9, '0')}`,
  });
  const { figures } = await measure(place, { concurrent, seconds, warmUpMs: WARM_UP_MS });
  await Promise.all(journals.map((journal) => journal.close()));
  rmSync(spoolDir, { recursive: true });
  return { concurrent, ...figures };
}

/** Debian's PostgreSQL as it is configured by default, in a folder of its own. */
async function startServer() {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql').sort((a, b) => b - a) : [];
  if (versions.length === 0) throw new Error('Give the address of a database, or install PostgreSQL: apt-get install postgresql');
  const bin = join('/usr/lib/postgresql', versions[0], 'bin');
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

const server = process.argv[2]?.startsWith('postgres') ? { url: process.argv[2], end: async () => {} } : await startServer();
try {
  const where = server.url.replace(/^.*@/, '');
  console.log(
    `PostgreSQL journal at ${where}, open + settle committed, ${gateways} gateway(s) in this process, ${availableParallelism()} cores, Node ${process.version}`,
  );
  const rows = [];
  for (const concurrent of LEVELS) rows.push(await measureAt(server.url, concurrent));
  console.table(Object.fromEntries(rows.map(({ concurrent, ...row }) => [concurrent, row])));
} finally {
  await server.end();
}
