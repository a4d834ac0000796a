import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../../src/domain/outcome';
import type { Journal } from '../../src/journal/journal';
import { openConfiguredJournal, openJournalBeside } from '../../src/start/configured-stores';
import { configFor } from '../flows/house';
import { newOrder } from '../journal/new-order';
import { describePostgres, startPostgres } from '../journal/postgres/start-postgres';
import { opened } from '../opened';
import { newFolder } from '../new-folder';

let dataDir: string;
beforeEach(() => (dataDir = newFolder()));

const OLD_MS = Date.now() - 20 * 24 * 3_600_000;
/** Longer than the first round of retention takes to begin. */
const SWEEP_MS = 400;

async function fillOld(): Promise<void> {
  const journal = await openConfiguredJournal(configFor(dataDir));
  const order = newOrder({ openedAtMs: OLD_MS });
  await journal.open(order);
  await journal.settle(order.owner, order.requestId, { kind: 'succeeded', reference: 'v1-1' }, OLD_MS);
  await journal.close();
}
const { owner, requestId } = newOrder();

test('the gateway deletes orders older than JOURNAL_DAYS and reports their number', async () => {
  await fillOld();
  const events: unknown[] = [];
  const journal = await openConfiguredJournal(configFor(dataDir, { JOURNAL_DAYS: '10' }), (event) => events.push(event));
  while (events.length === 0) await sleep(10);
  expect(await journal.find(owner, requestId)).toBeUndefined();
  expect(events).toEqual([{ kind: 'swept', orders: 1 }]);
  await journal.close();
});

test('a reader of the journal deletes nothing, whatever its own JOURNAL_DAYS is', async () => {
  await fillOld();
  const journal = await openJournalBeside(configFor(dataDir, { JOURNAL_DAYS: '10' }));
  await sleep(SWEEP_MS);
  expect(await journal.find(owner, requestId)).toMatchObject({ requestId });
  await journal.close();
});

test('a reader creates no journal, neither in DATA_DIR nor at JOURNAL_URL', async () => {
  const elsewhere = join(dataDir, 'elsewhere');
  await expect(openJournalBeside(configFor(dataDir))).rejects.toThrow(`There is no journal at ${join(dataDir, 'journal')}`);
  await expect(openJournalBeside(configFor(dataDir, { JOURNAL_URL: `lmdb:${elsewhere}` }))).rejects.toThrow(
    `There is no journal at ${elsewhere}`,
  );
  expect([existsSync(elsewhere), existsSync(join(dataDir, 'journal'))]).toEqual([false, false]);
});

test.each(['memory:', 'MEMORY:'])('a reader of a journal in memory, %s, is refused', async (url) => {
  await expect(openJournalBeside(configFor(dataDir, { JOURNAL_URL: url }))).rejects.toThrow('only the gateway itself');
});

const KEY = { JOURNAL_KEY: 'k'.repeat(64) };

test('an encrypted journal is read only with its JOURNAL_KEY', async () => {
  const journal = await openConfiguredJournal(configFor(dataDir, KEY));
  await journal.open(newOrder());
  await journal.close();
  await expect(openJournalBeside(configFor(dataDir))).rejects.toThrow('is encrypted, and the encryption key is absent');
  const reader = await openJournalBeside(configFor(dataDir, KEY));
  expect(await reader.find(owner, requestId)).toMatchObject(newOrder());
  await reader.close();
});

describePostgres('a gateway that comes back to LMDB from PostgreSQL', () => {
  const server = opened(startPostgres);

  test('has forgotten the orders that took no money: meanwhile they may have been sold under their ids', async () => {
    const [lmdb, postgres] = [{}, { JOURNAL_URL: await server.createDatabase(), GATEWAY_SECRET: 's'.repeat(32) }];
    const use = async (env: Record<string, string>, work: (journal: Journal) => Promise<unknown>): Promise<void> => {
      const journal = await openConfiguredJournal(configFor(dataDir, env));
      await work(journal);
      await journal.close();
    };
    const outcomes: Readonly<Record<string, Outcome>> = {
      sold: { kind: 'succeeded', reference: 'v1-1' },
      rejected: { kind: 'rejected', httpStatus: 400 },
      absent: { kind: 'not_sent', reason: 'v1 does not have this order', isProven: true },
    };
    const known = async (journal: Journal): Promise<readonly string[]> => {
      const found = await Promise.all(Object.keys(outcomes).map((id) => journal.find(owner, id)));
      return found.flatMap((order) => order?.requestId ?? []);
    };
    await use(lmdb, async (journal) => {
      for (const [id, outcome] of Object.entries(outcomes)) {
        await journal.open(newOrder({ requestId: id, openedAtMs: OLD_MS }));
        await journal.settle(owner, id, outcome, OLD_MS);
      }
    });
    await use(lmdb, async (journal) => expect(await known(journal)).toEqual(['sold', 'rejected', 'absent']));
    await use(postgres, async (journal) => expect(await known(journal)).toEqual([]));
    await use(lmdb, async (journal) => expect(await known(journal)).toEqual(['sold']));
  });
});
