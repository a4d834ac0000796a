// How long an operator waits: every search and page of the console, on a journal with a million orders of two hundred keys, and what an open console takes from
// the sales. ORDERS=100000 takes fewer.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { measurePages } from './console-pages.mjs';
import { quantile } from './gateway-report.mjs';

const require = createRequire(import.meta.url);
const load = (path) => require(`../dist/${path}.js`);
const { openLmdbJournal } = load('journal/lmdb-journal');
const { openNumberIndex } = load('orders/number-index');
const { JournalFollower } = load('orders/follow-journal');
const { findOrders } = load('orders/find-orders');
const { createMemoryNotesStore } = load('orders/notes-store');
const { createKeyring } = load('gateway/read/keyring');
const { Secret } = load('domain/credentials');
const { systemClock } = load('domain/clock');
const { checkFolder } = load('mapping/check');

const ORDERS = Number(process.env.ORDERS ?? 1_000_000);
const OWNERS = 200;
const ROUNDS = 40;
const MONTH_MS = 30 * 86_400_000;
const END_MS = Date.now();

const dataDir = mkdtempSync(join(tmpdir(), 'bench-console-'));
const { mapping } = checkFolder('mappings');
const secret = 's'.repeat(40);
const keyring = createKeyring(new Secret(secret));
const owners = Array.from({ length: OWNERS }, (_, nth) => keyring.fingerprint(new Secret(`sandbox_${nth}`)));
const ownerOf = (nth) => owners[(nth * 7) % OWNERS];
const phoneOf = (nth) => `0803${String((nth * 7_919) % 300_000).padStart(7, '0')}`;

async function fill(journal) {
  let next = 0;
  const loop = async () => {
    while (next < ORDERS) {
      const nth = next++;
      const openedAtMs = Math.floor(END_MS - MONTH_MS + (nth / ORDERS) * MONTH_MS);
      const [owner, requestId] = [ownerOf(nth), `order-${nth}`];
      const fields = { phone: phoneOf(nth), network: 'MTN', amount: 10_000, ported: false };
      await journal.open({
        owner,
        requestId,
        operation: 'buy_airtime',
        format: 'b',
        fields,
        echo: {},
        contentHash: requestId,
        openedAtMs,
      });
      if (nth % 5_000 === 1) continue;
      const reference = `TXN${100_000_000_000 + nth}`;
      const delivery = { charged: 9_800 };
      const outcome = nth % 1_000 === 0 ? { kind: 'declined', reference } : { kind: 'succeeded', reference, delivery };
      await journal.settle(owner, requestId, outcome, openedAtMs + 900);
    }
  };
  await Promise.all(Array.from({ length: 1_000 }, loop));
}

async function timed(name, work) {
  const startedAt = performance.now();
  const result = await work();
  console.log(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return result;
}

async function measure(name, queryOf, parts) {
  const times = [];
  let rows = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const nth = Math.floor((ORDERS / ROUNDS) * round) + 17;
    const startedAt = performance.now();
    rows += (await findOrders(queryOf(Math.min(nth, ORDERS - 1)), parts)).rows.length;
    times.push(performance.now() - startedAt);
  }
  return {
    search: name,
    'median ms': +quantile(times, 0.5).toFixed(1),
    'p99 ms': +quantile(times, 0.99).toFixed(1),
    'rows a page': +(rows / ROUNDS).toFixed(1),
  };
}

try {
  const journal = await openLmdbJournal({ dir: join(dataDir, 'journal'), retentionMs: Infinity });
  await timed(`${ORDERS} orders written`, () => fill(journal));
  const index = await openNumberIndex({ dir: join(dataDir, 'number-index'), keyring });
  const follower = new JournalFollower({
    journal,
    index,
    mapping: () => mapping,
    keyring,
    clock: systemClock,
    onTrouble: console.error,
  });
  await timed('indexed by number, without its pauses', () => follower.catchUp());
  await follower.stop();
  const parts = { journal, index, notes: createMemoryNotesStore(), keyring, mapping, now: Date.now };
  const atMs = (nth) => END_MS - MONTH_MS + (nth / ORDERS) * MONTH_MS;
  console.table([
    await measure('the latest', () => ({}), parts),
    await measure('phone number', (nth) => ({ number: `+234${phoneOf(nth).slice(1)}` }), parts),
    await measure('phone number that nobody has', (nth) => ({ number: `0907${String(nth).padStart(7, '0')}` }), parts),
    await measure('request id', (nth) => ({ requestId: `order-${nth}` }), parts),
    await measure('v1 reference', (nth) => ({ reference: `TXN${100_000_000_000 + nth}` }), parts),
    await measure('caller', (nth) => ({ caller: ownerOf(nth) }), parts),
    await measure('caller, declined', (nth) => ({ caller: ownerOf(nth), outcome: 'declined' }), parts),
    await measure('an hour', (nth) => ({ fromMs: atMs(nth), untilMs: atMs(nth) + 3_600_000 }), parts),
    await measure('open', () => ({ outcome: 'open' }), parts),
    await measure('declined', () => ({ outcome: 'declined' }), parts),
    await measure('an operation that nobody bought', () => ({ operation: 'buy_exam' }), parts),
  ]);
  await index.close();
  await journal.close();
  await measurePages({ dataDir, secret, owners, phone: phoneOf(ORDERS >> 1), requestId: `order-${ORDERS >> 1}` });
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
