import { cpSync, existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../src/config';
import type { Outcome } from '../../src/domain/outcome';
import type { Journal } from '../../src/journal/journal';
import { journalFolder } from '../../src/journal/open-journal';
import { openConfiguredJournal, openJournalBeside } from '../../src/start/configured-stores';
import { takeGatewaySecret } from '../../src/start/gateway-secret';
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

const { owner, requestId } = newOrder();
const SOLD: Outcome = { kind: 'succeeded', reference: 'v1-1' };

/** A gateway that starts, does this work with its journal, and stops. */
async function use(config: Config, work?: (journal: Journal) => unknown): Promise<void> {
  const journal = await openConfiguredJournal(config);
  await work?.(journal);
  await journal.close();
}

const sell =
  (outcome: Outcome, openedAtMs = OLD_MS) =>
  async (journal: Journal): Promise<void> => {
    await journal.open(newOrder({ openedAtMs }));
    await journal.settle(owner, requestId, outcome, openedAtMs);
  };

test('the gateway deletes orders older than JOURNAL_DAYS and reports their number', async () => {
  await use(configFor(dataDir), sell(SOLD));
  const events: unknown[] = [];
  const config = configFor(dataDir, { JOURNAL_DAYS: '10' });
  const journal = await openConfiguredJournal(config, (event) => events.push(event), { steadyMs: 0 });
  while (events.length === 0) await sleep(10);
  expect(await journal.find(owner, requestId)).toBeUndefined();
  expect(events).toEqual([{ kind: 'swept', orders: 1 }]);
  await journal.close();
});

test('a reader of the journal deletes nothing, whatever its own JOURNAL_DAYS is', async () => {
  await use(configFor(dataDir), sell(SOLD));
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

test('where a restore died between its renames, no new journal is begun, in which no repeat would find its order', async () => {
  await use(configFor(dataDir), sell(SOLD));
  const journal = join(dataDir, 'journal');
  renameSync(journal, `${journal}.before-20261125T101010Z`);
  mkdirSync(`${journal}.restoring-17`);
  await expect(openConfiguredJournal(configFor(dataDir))).rejects.toThrow(
    /no journal at .*, but journal\.before-20261125T101010Z and journal\.restoring-17 beside it: a restore did not finish\. Run it again/,
  );
  expect(existsSync(journal)).toBe(false);
  renameSync(`${journal}.before-20261125T101010Z`, journal);
  await use(configFor(dataDir), async (kept) => expect(await kept.find(owner, requestId)).toMatchObject({ requestId }));
});

const KEY = { JOURNAL_KEY: 'k'.repeat(64) };

test('an encrypted journal is read only with its JOURNAL_KEY', async () => {
  await use(configFor(dataDir, KEY), (journal) => journal.open(newOrder()));
  await expect(openJournalBeside(configFor(dataDir))).rejects.toThrow('is encrypted, and the encryption key is absent');
  const reader = await openJournalBeside(configFor(dataDir, KEY));
  expect(await reader.find(owner, requestId)).toMatchObject(newOrder());
  await reader.close();
});

describe('a journal in LMDB outside of the data folder', () => {
  const elsewhere = (dir: string, secret: string) =>
    configFor(join(dataDir, dir), { JOURNAL_URL: `lmdb:${join(dataDir, 'shared')}`, GATEWAY_SECRET: secret.repeat(32) });
  const start = async (dir: string, secret: string): Promise<Journal> => {
    mkdirSync(join(dataDir, dir, 'processes'), { recursive: true });
    const config = elsewhere(dir, secret);
    takeGatewaySecret(config, journalFolder(config.journalUrl, config.dataDir));
    const journal = await openConfiguredJournal(config);
    writeFileSync(join(dataDir, dir, 'processes', 'sign'), '');
    return journal;
  };
  const startAndStop = async (dir: string, secret: string): Promise<void> => (await start(dir, secret)).close();

  test('is not sold from with another secret, also where the data folder is a new one', async () => {
    await startAndStop('one', 'a');
    rmSync(join(dataDir, 'one'), { recursive: true });
    await expect(start('two', 'b')).rejects.toThrow(/is not the one with which .*shared was last used/);
    await startAndStop('two', 'a');
  });

  test('is not sold from by gateways with two data folders, which do not see what the other has told', async () => {
    const running = await start('one', 'a');
    await expect(start('two', 'a')).rejects.toThrow(/A gateway with DATA_DIR .*one sells from the journal at .*shared/);
    await startAndStop('one', 'a');
    await running.close();
    utimesSync(join(dataDir, 'one', 'processes', 'sign'), new Date(), new Date(Date.now() - 21_000));
    await startAndStop('two', 'a');
    await expect(start('one', 'a')).rejects.toThrow(/DATA_DIR .*two/);
  });

  test('is another one where its folder was copied', async () => {
    await startAndStop('one', 'a');
    cpSync(join(dataDir, 'shared'), join(dataDir, 'copied'), { recursive: true });
    const config = configFor(join(dataDir, 'two'), { JOURNAL_URL: `lmdb:${join(dataDir, 'copied')}` });
    mkdirSync(config.dataDir);
    await use(config);
  });
});

describe('an open order', () => {
  const sellThrough = (url: string, outcome?: Outcome) =>
    use(configFor(dataDir, { UPSTREAM_URL: url }), outcome && sell(outcome));
  const pending: Outcome = { kind: 'pending', reference: 'v1-1' };
  const [first, second] = ['https://v1.example/api/v1', 'https://other.example/api/v1'];

  test('keeps the gateway from another v1, which would prove that it never was, until the order has ended', async () => {
    await sellThrough(first, pending);
    for (const other of [second, 'sandbox'])
      await expect(sellThrough(other)).rejects.toThrow(/sold through https:\/\/v1\.example\/api\/v1, and UPSTREAM_URL is .* now/);
    await sellThrough(`${first}/`, SOLD);
    await sellThrough(second);
  });

  test('may go to another address of the same v1 where the operator says so by deleting the file', async () => {
    await sellThrough(first, pending);
    rmSync(join(dataDir, 'upstream-left'));
    await sellThrough(second);
  });

  test('of the embedded sandbox keeps its data folder from v1, which would never end the order', async () => {
    await sellThrough('sandbox', pending);
    await expect(sellThrough(first)).rejects.toThrow(/sold through the embedded sandbox, and .* Set a DATA_DIR for v1 alone/);
    await sellThrough('sandbox', SOLD);
    await sellThrough(first);
  });
});

/** Sells into the journal of the data folder, then uses another one, and comes back. */
async function comeBackFrom(another: Record<string, string>): Promise<void> {
  const lmdb = configFor(dataDir);
  const outcomes: Readonly<Record<string, Outcome>> = {
    sold: SOLD,
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
  await use(configFor(dataDir, another), async (journal) => expect(await known(journal)).toEqual([]));
  await use(lmdb, async (journal) => expect(await known(journal)).toEqual(['sold']));
}

const FORGETS = 'has forgotten the orders that took no money: meanwhile they may have been sold under their ids';

test(`a gateway that comes back from another journal in LMDB ${FORGETS}`, () =>
  comeBackFrom({ JOURNAL_URL: `lmdb:${join(dataDir, 'another')}` }));

test.each<[string, number, Outcome]>([
  ['with an open order', OLD_MS, { kind: 'unknown', reason: 'HTTP 500' }],
  ['that sold a minute ago', Date.now() - 60_000, SOLD],
])(
  'a journal %s is not left for another one, also where no file says that it was used last, unless the operator empties that file',
  async (_title, openedAtMs, outcome) => {
    const v1 = { UPSTREAM_URL: 'https://v1.example/api/v1' };
    await use(configFor(dataDir, v1), sell(outcome, openedAtMs));
    const another = configFor(dataDir, { ...v1, JOURNAL_URL: `lmdb:${join(dataDir, 'another')}` });
    for (const file of ['journal-left', 'upstream-left']) {
      await expect(openConfiguredJournal(another)).rejects.toThrow(
        /The journal at .*journal, which was used last, has [01] orders? without/,
      );
      expect(existsSync(join(dataDir, 'another'))).toBe(false);
      // Earlier builds wrote no such file.
      rmSync(join(dataDir, file));
    }
    await expect(openConfiguredJournal(another)).rejects.toThrow(/or write an empty file .*journal-left/);
    writeFileSync(join(dataDir, 'journal-left'), '');
    await use(another);
  },
);

test('a data folder that has another name now forgets nothing', async () => {
  await use(configFor(dataDir), sell({ kind: 'rejected', httpStatus: 400 }));
  const renamed = join(newFolder(), 'renamed');
  cpSync(dataDir, renamed, { recursive: true });
  await use(configFor(renamed), async (journal) =>
    expect(await journal.find(owner, requestId)).toMatchObject({ outcome: { kind: 'rejected' } }),
  );
});

describePostgres('a gateway', () => {
  const server = opened(startPostgres);

  test('does not start with another v1 than that of an open order of another gateway in PostgreSQL', async () => {
    const shared = { JOURNAL_URL: await server.createDatabase(), GATEWAY_SECRET: 's'.repeat(32) };
    const start = (dir: string, url: string, outcome?: Outcome) => {
      mkdirSync(join(dataDir, dir), { recursive: true });
      return use(configFor(join(dataDir, dir), { ...shared, UPSTREAM_URL: url }), outcome && sell(outcome));
    };
    await start('one', 'https://v1.example/api/v1', { kind: 'unknown', reason: 'no answer' });
    await expect(start('two', 'https://other.example/api/v1')).rejects.toThrow('are sold through https://v1.example/api/v1');
    await expect(start('one', 'sandbox')).rejects.toThrow('and UPSTREAM_URL is the embedded sandbox now');
    await start('two', 'https://v1.example/api/v1', SOLD);
    await start('two', 'https://other.example/api/v1');
  });

  test(`that comes back to LMDB from PostgreSQL ${FORGETS}`, async () =>
    comeBackFrom({ JOURNAL_URL: await server.createDatabase(), GATEWAY_SECRET: 's'.repeat(32) }));
});
