// Durable orders per second of the PostgreSQL journal: each order is opened and settled, both committed (synchronous_commit on).
//   npm run bench:postgres -- [postgres://user:password@host:port/database] [seconds per level] [gateways]
// Without an address it starts Debian's PostgreSQL in a temporary folder. The database should be one for this alone: it is filled.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { LEVELS, measure } from './journal-load.mjs';

const require = createRequire(import.meta.url);
const { openPostgresJournal } = require('../dist/journal/postgres/postgres-journal.js');
const { startPostgres } = require('../test/journal/postgres/start-postgres.ts');

const WARM_UP_MS = 2000;
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

const given = process.argv[2]?.startsWith('postgres') ? process.argv[2] : undefined;
const server = given === undefined ? await startPostgres() : undefined;
try {
  const url = given ?? (await server.createDatabase());
  const where = url.replace(/^.*@/, '');
  console.log(
    `PostgreSQL journal at ${where}, open + settle committed, ${gateways} gateway(s) in this process, ${availableParallelism()} cores, Node ${process.version}`,
  );
  const rows = [];
  for (const concurrent of LEVELS) rows.push(await measureAt(url, concurrent));
  console.table(Object.fromEntries(rows.map(({ concurrent, ...row }) => [concurrent, row])));
} finally {
  await server?.close();
}
