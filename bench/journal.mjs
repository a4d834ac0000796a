// Durable orders per second of the LMDB journal: each order is opened and settled, both flushed to disk.
//   npm run bench:journal -- [--seconds 5] [--folder DIR] [--sizes 10000,1000000,5000000]
// Without sizes: a new journal for each number of orders at a time. With sizes: one journal that grows, measured as it holds so many
// orders, 64 at a time; five million take some 12 GB in the folder and a quarter of an hour.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LEVELS, measure, sell } from './journal-load.mjs';

const require = createRequire(import.meta.url);
const { openLmdbJournal } = require('../dist/journal/lmdb-journal.js');

const WARM_UP_MS = 1000;
const KEPT_UP = 64;
const FILLING = 2_000;
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    folder: { type: 'string', default: tmpdir() },
    sizes: { type: 'string', default: '' },
  },
});
const seconds = Number(options.seconds);
const parent = options.folder;
const sizes = options.sizes.split(',').filter((size) => size !== '');
for (const size of sizes) if (!/^[1-9]\d*$/.test(size)) throw new Error(`--sizes: "${size}" is no number of orders.`);

/** The keys of 200 resellers; their orders come in turn, in a shop in random order. */
const owners = Array.from({ length: 200 }, (_, index) => createHash('md5').update(`owner ${index}`).digest('hex'));
/** Ids of scripts are clock times, random texts and counters: spread over the whole tree they cost the most. */
const placeIn = (journal) => (index) => ({
  journal,
  owner: owners[index % owners.length],
  requestId: `REQ-${createHash('md5').update(String(index)).digest('base64url')}`,
});
const measureIn = (journal, from, concurrent) => measure(placeIn(journal), { concurrent, from, seconds, warmUpMs: WARM_UP_MS });

async function inNewJournal(run) {
  const dir = mkdtempSync(join(parent, 'bench-journal-'));
  const journal = await openLmdbJournal({ dir });
  try {
    return await run(journal, () => statSync(join(dir, 'data.mdb')).size);
  } finally {
    await journal.close();
    rmSync(dir, { recursive: true });
  }
}

const measureLevel = (concurrent) =>
  inNewJournal(async (journal, bytes) => {
    const { figures, next: held } = await measureIn(journal, 0, concurrent);
    return { concurrent, ...figures, 'bytes/order': Math.round(bytes() / held) };
  });

const measureGrowth = () =>
  inNewJournal(async (journal, bytes) => {
    const grown = [];
    let held = 0;
    for (const size of sizes.map(Number)) {
      await sell(placeIn(journal), { concurrent: FILLING, from: held, until: size }).ended;
      const measured = await measureIn(journal, Math.max(held, size), KEPT_UP);
      held = measured.next;
      grown.push({ orders: size, ...measured.figures, 'bytes/order': Math.round(bytes() / held) });
      console.log(JSON.stringify(grown.at(-1)));
    }
    const [first] = grown;
    return grown.map((row) => ({ ...row, 'to the first': +(row['cpu µs/order'] / first['cpu µs/order']).toFixed(2) }));
  });

console.log(
  `LMDB journal, open + settle durable, ${availableParallelism()} cores, Node ${process.version}, folder under ${parent}`,
);
if (sizes.length > 0) {
  const grown = await measureGrowth();
  console.table(Object.fromEntries(grown.map(({ orders, ...row }) => [orders, row])));
} else {
  const rows = [];
  for (const concurrent of LEVELS) rows.push(await measureLevel(concurrent));
  console.table(Object.fromEntries(rows.map(({ concurrent, ...row }) => [concurrent, row])));
}
