import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../src/domain/clock';
import { Secret } from '../../../src/domain/credentials';
import { NOT_TOLD, type Opened } from '../../../src/domain/order';
import { ATTEMPT_BEGINS, type Outcome } from '../../../src/domain/outcome';
import { type Journal, JournalAway, type JournalEvent } from '../../../src/journal/journal';
import { openJournal } from '../../../src/journal/open-journal';
import {
  openPostgresJournal,
  openPostgresReader,
  type PostgresJournalOptions,
} from '../../../src/journal/postgres/postgres-journal';
import { collect, journalSuite } from '../journal-suite';
import { newOrder, OPENED_AT_MS } from '../new-order';
import { openAddress } from './address';
import { describePostgres, startPostgres } from './start-postgres';
import { newFolder } from '../../new-folder';
import { closedAfterEach, opened } from '../../opened';
import { until } from '../../until';

const REJECTED: Outcome = { kind: 'rejected', httpStatus: 400, message: 'Insufficient balance' };
const SOLD: Outcome = { kind: 'succeeded', reference: 'v1-9' };
const { owner } = newOrder();
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describePostgres('on a real PostgreSQL', () => {
  const server = opened(startPostgres);
  let url: string;
  beforeEach(async () => {
    url = await server.createDatabase();
  });
  const kept = closedAfterEach();

  const open = async (options: Partial<PostgresJournalOptions> = {}): Promise<Journal> =>
    kept(await openPostgresJournal({ url, spoolDir: newFolder(), retentionMs: Infinity, ...options }));
  const sql = (text: string) => server.query(url, text);

  journalSuite('PostgreSQL journal', async () => openPostgresJournal({ url, spoolDir: newFolder() }));

  describe('gateways that share it', () => {
    const kindsOf = (opened: readonly Opened[]) => opened.map(({ kind }) => kind).sort();

    test('open each of many orders once, however they coincide, and see the same order', async () => {
      const [one, other] = [await open(), await open()];
      const ids = Array.from({ length: 300 }, (_, index) => `r${index}`);
      const pairs = await Promise.all(
        ids.map((requestId) => Promise.all([one.open(newOrder({ requestId })), other.open(newOrder({ requestId }))])),
      );
      for (const pair of pairs) {
        expect(kindsOf(pair)).toEqual(['found', 'opened']);
        expect(pair[0].order).toEqual(pair[1].order);
      }
      // In one millisecond, for one owner.
      expect(new Set(pairs.map(([{ order }]) => order.number)).size).toBe(300);
    });

    test('open an order that took no money again once', async () => {
      const [one, other] = [await open(), await open()];
      await one.open(newOrder());
      for (let attempts = 2; attempts < 6; attempts += 1) {
        await one.settle(owner, 'r1', REJECTED, OPENED_AT_MS + attempts);
        const again = await Promise.all([one, other, one, other].map((journal) => journal.open(newOrder())));
        expect(kindsOf(again)).toEqual(['found', 'found', 'found', 'reopened']);
        expect(again.map(({ order }) => order.attempts)).toEqual([attempts, attempts, attempts, attempts]);
      }
    });

    test('add to what the other has written', async () => {
      const [one, other] = [await open(), await open()];
      await one.open(newOrder());
      await other.settle(owner, 'r1', { kind: 'pending', reference: 'v1-9' }, OPENED_AT_MS + 1);
      // What the first one remembers of it is not what the database has.
      const settled = await one.settle(owner, 'r1', { kind: 'succeeded' }, OPENED_AT_MS + 2);
      expect(settled.outcome).toEqual({ kind: 'succeeded', reference: 'v1-9' });
      expect(await other.settle(owner, 'r1', { kind: 'unknown', reason: 'late' }, OPENED_AT_MS + 3)).toEqual(settled);
      expect(await other.find(owner, 'r1')).toEqual(settled);
    });

    test('apply a late "nothing was charged" to the attempt that it was about', async () => {
      const [one, other] = [await open(), await open()];
      await one.open(newOrder());
      await other.settle(owner, 'r1', REJECTED, OPENED_AT_MS + 1);
      await other.open(newOrder());
      // The second attempt is under way at the other gateway and may be charged.
      const standing = await one.settle(owner, 'r1', REJECTED, OPENED_AT_MS + 2);
      expect(standing).toMatchObject({ attempts: 2 });
      expect(standing.outcome).toBeUndefined();
    });

    test('make the tables once when they start together', async () => {
      const all = await Promise.all(Array.from({ length: 6 }, () => open()));
      const opened = await Promise.all(all.map((journal, index) => journal.open(newOrder({ requestId: `r${index % 2}` }))));
      expect(kindsOf(opened)).toEqual(['found', 'found', 'found', 'found', 'opened', 'opened']);
      expect(await sql('SELECT layout, usable_from FROM gateway_journal')).toEqual([{ layout: 4, usable_from: 1 }]);
    });

    test('write an order that is under way again where a standby that lagged has taken over without it', async () => {
      const journal = await open();
      await journal.open(newOrder());
      await journal.open(newOrder({ requestId: 'r2' }));
      await sql('DELETE FROM gateway_orders');
      // Another gateway has taken the id in anew meanwhile.
      await (await open()).open(newOrder({ requestId: 'r2', openedAtMs: OPENED_AT_MS + 5_000 }));
      for (const requestId of ['r1', 'r2']) {
        await journal.settle(owner, requestId, { ...SOLD, reference: requestId }, OPENED_AT_MS + 1);
        expect(await journal.find(owner, requestId)).toMatchObject({ requestId, attempts: 1, outcome: { kind: 'succeeded' } });
      }
      expect(await sql('SELECT count(*) FROM gateway_orders')).toEqual([{ count: '2' }]);
      // One that has ended too: its script may have hung up, and sends the sale again.
      await sql('DELETE FROM gateway_orders');
      await journal.tell(owner, 'r1', NOT_TOLD);
      expect(await journal.find(owner, 'r1')).toMatchObject({
        toldAtMs: NOT_TOLD,
        outcome: { kind: 'succeeded', reference: 'r1' },
      });
      expect((await journal.listUntold({ owner, fromMs: 0, limit: 9 })).map(({ requestId }) => requestId)).toEqual(['r1']);
    });

    test('know the orders that such a standby lacks, whether they have ended or not, and open none of them anew', async () => {
      const journal = await open();
      const PENDING: Outcome = { kind: 'pending', reference: 'v1-pending' };
      for (const [requestId, outcome] of [['sold', SOLD], ['pending', PENDING], ['open'], ['failed', REJECTED]] as const) {
        await journal.open(newOrder({ requestId }));
        if (outcome !== undefined) await journal.settle(owner, requestId, outcome, OPENED_AT_MS + 1);
      }
      const found = () => Promise.all(['sold', 'pending', 'open', 'failed'].map((id) => journal.find(owner, id)));
      const before = await found();
      await sql('DELETE FROM gateway_orders');
      // One that took no money may have been sent again by another gateway.
      expect(await found()).toEqual([...before.slice(0, 3), undefined]);

      for (const requestId of ['sold', 'pending', 'open'])
        expect(await journal.open(newOrder({ requestId, openedAtMs: OPENED_AT_MS + 60_000 }))).toMatchObject({ kind: 'found' });
      expect(await found()).toEqual([...before.slice(0, 3), undefined]);
      expect((await journal.findByReference(owner, 'v1-9'))?.requestId).toBe('sold');
      expect((await journal.findByReference(owner, 'v1-pending'))?.requestId).toBe('pending');
      expect(await journal.open(newOrder({ requestId: 'failed' }))).toMatchObject({ kind: 'opened' });
    });

    test('must have one secret, by which they recognise the orders of a key', async () => {
      await open({ secretCheck: 'a' });
      await open({ secretCheck: 'a' });
      await expect(open({ secretCheck: 'b' })).rejects.toThrow('another GATEWAY_SECRET');
    });

    describe('must sell through one v1, where another would prove that an open order never was', () => {
      const through = (address: string, last?: string) => ({ v1: { url: `https://${address}.example/api/v1`, last } });
      const SOLD_BY_FIRST = 'sold through https://first.example/api/v1, and UPSTREAM_URL is https://other.example/api/v1 now';

      test('until no order is open and none of them runs', async () => {
        const journal = await open(through('first'));
        await journal.open(newOrder());
        await (await open(through('first'))).close();
        await expect(open(through('other'))).rejects.toThrow(SOLD_BY_FIRST);
        await journal.settle(owner, 'r1', SOLD, OPENED_AT_MS + 1);
        await journal.processes!.sign(Date.now());
        await expect(open(through('other'))).rejects.toThrow(SOLD_BY_FIRST);
        await journal.processes!.remove(journal.processes!.own);
        await (await open(through('other'))).open(newOrder({ requestId: 'r2' }));
        await expect(open(through('first'))).rejects.toThrow('are sold through https://other.example');
      });

      test('also where the journal is of a build that did not note it, by the data folder of the gateway that starts first', async () => {
        const journal = await open();
        await journal.open(newOrder());
        await sql('ALTER TABLE gateway_journal DROP COLUMN upstream_check');
        await sql('UPDATE gateway_journal SET layout = 3');
        await expect(open(through('other', through('first').v1.url))).rejects.toThrow(SOLD_BY_FIRST);
        await open(through('first'));
      });

      test('and one that was silent when another was set sells nothing more, and proves nothing', async () => {
        const events: JournalEvent[] = [];
        const journal = await open({ ...through('first'), onEvent: (event) => events.push(event) });
        await journal.open(newOrder());
        await journal.settle(owner, 'r1', REJECTED, OPENED_AT_MS + 1);
        const other = await open(through('other'));
        await other.open(newOrder({ requestId: 'r2' }));
        await journal.processes!.sign(Date.now());
        await journal.processes!.sign(Date.now());
        expect(events).toMatchObject([{ kind: 'write_failed', error: { message: expect.stringContaining('other.example') } }]);
        expect(journal.isWritable()).toBe(false);
        await expect(journal.open(newOrder())).rejects.toMatchObject({ code: 'journal_unavailable' });
        const proof = journal.settle(owner, 'r2', { kind: 'not_sent', reason: 'absent', isProven: true }, OPENED_AT_MS + 2);
        await expect(proof).rejects.toThrow('the orders are of another v1');
        expect((await other.find(owner, 'r2'))?.outcome).toBeUndefined();
      });

      test('and one that was cut off meanwhile finds it out before it sells again', async () => {
        const address = await openAddress(server.port);
        const recovered: boolean[] = [];
        const journal: Journal = await open({
          ...through('first'),
          url: url.replace(`:${server.port}/`, `:${address.port}/`),
          onEvent: ({ kind }) => kind === 'write_recovered' && recovered.push(journal.isWritable()),
        });
        await address.close();
        await expect(journal.open(newOrder())).rejects.toMatchObject({ code: 'journal_unavailable' });
        await open(through('other'));
        await address.listen();
        await until(() => recovered.length > 0);
        expect(recovered).toEqual([false]);
        await journal.close();
        await address.close();
      });
    });

    test('recognise each other by what they wrote last', async () => {
      const [one, other] = [await open(), await open()];
      await one.open(newOrder({ requestId: 'one' }));
      await other.open(newOrder({ requestId: 'other' }));
      const holder = one.processes!.own;
      const ids = async () => (await one.listUnsettled({ limit: 9, holder })).map(({ requestId }) => requestId);
      expect(await ids()).toEqual(['one']);
      await one.settle(owner, 'other', { kind: 'unknown', reason: 'begins', isBeginning: true }, OPENED_AT_MS + 1);
      expect(await ids()).toEqual(['one', 'other']);
      await one.processes!.sign(5);
      await one.processes!.sign(6);
      expect(await other.processes!.list()).toEqual([{ id: holder, signedAtMs: 6 }]);
      await other.processes!.remove(holder);
      expect(await other.processes!.list()).toEqual([]);
    });
  });

  test('restored from a dump it forgets by the statement of the page what took no money, and nothing else', async () => {
    const journal = await open();
    const ends: Readonly<Record<string, Outcome | undefined>> = {
      rejected: REJECTED,
      unsent: { kind: 'not_sent', reason: 'no room' },
      absent: { kind: 'not_sent', reason: 'absent', isProven: true, sought: { tries: 1, lastTriedAtMs: OPENED_AT_MS } },
      sold: { ...SOLD, message: 'kind: rejected' },
      refunded: { kind: 'declined', reference: 'v1-8' },
      pending: { kind: 'pending', reference: 'v1-7' },
      open: undefined,
    };
    for (const [requestId, end] of Object.entries(ends)) {
      await journal.open(newOrder({ requestId }));
      if (end !== undefined) await journal.settle(owner, requestId, end, OPENED_AT_MS + 1);
    }
    const page = await readFile(join(__dirname, '../../../docs/backup.md'), 'utf8');
    await sql(/^DELETE FROM gateway_orders[^;]*;/m.exec(page)![0]);
    const left = await Promise.all(Object.keys(ends).map((requestId) => journal.find(owner, requestId)));
    expect(left.flatMap((order) => order?.requestId ?? [])).toEqual(['absent', 'sold', 'refunded', 'pending', 'open']);
  });

  describe('what it starts on', () => {
    test('tables of a build that had none for what is not told get it, and that build may go on beside', async () => {
      const before = await open();
      await before.open(newOrder());
      await sql('DROP TABLE gateway_untold, gateway_told');
      await sql('UPDATE gateway_journal SET layout = 1');
      const journal = await open();
      await journal.tell(owner, 'r1', NOT_TOLD);
      expect(await journal.listUntold({ owner, fromMs: 0, limit: 9 })).toMatchObject([{ requestId: 'r1' }]);
      await journal.tell(owner, 'r1', OPENED_AT_MS + 1);
      expect(await sql('SELECT * FROM gateway_untold')).toEqual([]);
      expect(await sql('SELECT layout, usable_from FROM gateway_journal')).toEqual([{ layout: 4, usable_from: 1 }]);
    });

    test('a table that its user may not use is reported at the start, not at the first sale', async () => {
      await open();
      await sql("CREATE ROLE seller LOGIN PASSWORD 'seller'");
      await sql('GRANT SELECT, INSERT, UPDATE ON gateway_orders, gateway_journal, gateway_processes TO seller');
      const sold = { url: url.replace(/\/\/[^@]*@/, '//seller:seller@') };
      // Retention would find it out, and the database count as away.
      await expect(open(sold)).rejects.toThrow('permission denied for table gateway_orders');
      await sql('GRANT DELETE ON gateway_orders, gateway_processes TO seller');
      await expect(open(sold)).rejects.toThrow('permission denied for table gateway_untold');
      await sql('GRANT SELECT, INSERT, DELETE ON gateway_untold TO seller');
      await expect(open(sold)).rejects.toThrow('permission denied for table gateway_told');
      await sql('GRANT SELECT, INSERT, UPDATE, DELETE ON gateway_told TO seller');
      const journal = await open(sold);
      await journal.open(newOrder());
      await journal.tell(owner, 'r1', NOT_TOLD);
      expect(journal.isWritable()).toBe(true);
    });

    test.each([
      ['owner, request_id', 'ALTER TABLE gateway_orders DROP CONSTRAINT gateway_orders_pkey'],
      ['owner, number', 'DROP INDEX gateway_orders_number'],
    ])('orders without their key (%s), as from an incomplete restore, are not sold from', async (key, drop) => {
      await open();
      await sql(drop);
      await expect(open()).rejects.toThrow(`gateway_orders has no unique key (${key}): was its dump read in to the end?`);
    });

    test('tables that a newer build has changed beyond this one are refused, others are not', async () => {
      await open();
      await sql('UPDATE gateway_journal SET layout = 7');
      await (await open()).open(newOrder());
      await sql('UPDATE gateway_journal SET usable_from = 5');
      const changed = 'its journal was changed by a newer build (layout 7, this build knows 4); nothing in it was changed.';
      await expect(open()).rejects.toThrow(changed);
      await expect(openPostgresReader({ url })).rejects.toThrow(changed);
    });

    test.each([
      [
        'a wrong password',
        (good: string) => good.replace(/:[^:@]*@/, ':hunter2@'),
        'password authentication failed for user "gateway"',
      ],
      ['no such database', (good: string) => good.replace(/orders_\d+$/, 'elsewhere'), 'database "elsewhere" does not exist'],
      [
        'TLS that the server does not speak',
        (good: string) => `${good}?sslmode=verify-full`,
        'The server does not support SSL connections',
      ],
    ])('%s is reported at once, without the password', async (_what, change, sentence) => {
      const error: Error = await open({ url: change(url) }).then(
        () => Promise.reject(new Error('opened')),
        (reason: Error) => reason,
      );
      expect(error.message).toMatch(/^JOURNAL_URL names a database that cannot be used: /);
      expect(error.message).toContain(sentence);
      expect(JSON.stringify([error.message, error.stack, error.cause, Object.entries(error.cause as object)])).not.toContain(
        'hunter2',
      );
    });

    test('a database that cannot be reached is waited for, but not for ever', async () => {
      const nobody = url.replace(/:\d+\//, ':1/');
      await expect(open({ url: nobody, startMs: 300 })).rejects.toThrow('JOURNAL_URL names a database that cannot be used');
      await expect(openJournal('postgres://gateway:hunter2@[bad/orders', '/nowhere')).rejects.toThrow(
        'JOURNAL_URL must be an address',
      );
    });

    test('a database that confirms orders before they are on its disk is refused, also by a gateway that runs', async () => {
      const events: JournalEvent[] = [];
      const journal = await open({ onEvent: (event) => events.push(event) });
      await sql(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
      await expect(open()).rejects.toThrow('a database that cannot be used: its synchronous_commit is off');
      // Its next connections confirm without a flush. The gateway notices that when it looks for a database that was away.
      const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'compat-gateway'`;
      await sql(`ALTER TABLE gateway_orders RENAME TO gateway_hidden`);
      await expect(journal.open(newOrder())).rejects.toMatchObject({ code: 'journal_unavailable' });
      await sql(`ALTER TABLE gateway_hidden RENAME TO gateway_orders`);
      await sql(end);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(journal.isWritable()).toBe(false);
      expect(events.map(({ kind }) => kind)).not.toContain('write_recovered');
      await sql(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = local`);
      await until(() => journal.isWritable());
      expect((await journal.open(newOrder({ requestId: 'r2' }))).kind).toBe('opened');
    });

    test("a machine whose clock is wrong goes by the database's", async () => {
      const journal = await open({ machine: { ...systemClock, now: () => Date.now() - 60_000 } });
      expect(Math.abs(journal.processes!.now() - Date.now())).toBeLessThan(5_000);
    });

    test('a gateway that does not know the time opens no order, begins no attempt and proves nothing until the database was asked', async () => {
      let sleptMs = 0;
      const journal = await open({ machine: { ...systemClock, now: () => Date.now() + sleptMs } });
      await journal.open(newOrder());
      const absent: Outcome = { kind: 'not_sent', reason: 'absent', isProven: true };
      sleptMs = 600_000;
      // The database is asked at once: what comes in the same moment does not know the answer yet.
      const [opening, beginning, proving] = [
        journal.open(newOrder({ requestId: 'r2' })),
        journal.settle(owner, 'r1', ATTEMPT_BEGINS, 1),
        journal.settle(owner, 'r1', absent, 1),
      ];
      expect(journal.isWritable()).toBe(false);
      await expect(opening).rejects.toMatchObject({ code: 'journal_unavailable' });
      await expect(beginning).rejects.toThrow('time');
      await expect(proving).rejects.toThrow('time');
      // What v1 says stands whenever it was said.
      expect((await journal.settle(owner, 'r1', { kind: 'succeeded', reference: 'v1-1' }, 1)).outcome?.kind).toBe('succeeded');
      while (!journal.isWritable()) await new Promise((resolve) => setTimeout(resolve, 20));
      expect((await journal.open(newOrder({ requestId: 'r2' }))).kind).toBe('opened');
    });

    test('a database that accepts no writes, such as a standby, is no journal', async () => {
      const events: JournalEvent[] = [];
      const journal = await open({ onEvent: (event) => events.push(event) });
      await sql(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`);
      await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'compat-gateway'`);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await expect(journal.open(newOrder())).rejects.toMatchObject({ code: 'journal_unavailable' });
      expect(journal.isWritable()).toBe(false);
      expect(String((events[0] as { error: Error }).error)).toContain('read-only transaction');
      // Told once, so that not every waiting sale says it again.
      await expect(journal.find(owner, 'r9')).rejects.toBeInstanceOf(JournalAway);
    });
  });

  describe('fields that name a person', () => {
    const encryptionKey = new Secret('0123456789abcdef0123456789abcdef');
    const otherKey = new Secret('fedcba9876543210fedcba9876543210');

    test('are sealed with a key, and the journal opens with no other from then on', async () => {
      const plain = await open();
      await plain.open(newOrder({ requestId: 'before' }));
      const journal = await open({ encryptionKey });
      const { order } = await journal.open(newOrder());
      await journal.settle(owner, 'r1', { kind: 'succeeded', message: 'sold to 08030000001' }, OPENED_AT_MS + 1);
      const [row] = await sql(`SELECT encode(record, 'escape') AS record FROM gateway_orders WHERE number = ${order.number}`);
      expect(row!['record']).toContain('$sealed');
      expect(row!['record']).not.toContain('08030000001');
      expect(await journal.find(owner, 'r1')).toMatchObject({
        fields: order.fields,
        outcome: { message: 'sold to 08030000001' },
      });
      expect(await journal.find(owner, 'before')).toMatchObject({ fields: order.fields });

      await expect(open()).rejects.toThrow('the encryption key is absent: JOURNAL_KEY must be');
      await expect(open({ encryptionKey: otherKey })).rejects.toThrow('the encryption key is another one');
      await expect(openPostgresReader({ url })).rejects.toThrow('JOURNAL_KEY');
      // One that still runs without it writes nothing in the clear.
      await expect(plain.open(newOrder({ requestId: 'after' }))).rejects.toMatchObject({ code: 'journal_unavailable' });
      expect(plain.isWritable()).toBe(false);
      expect(await sql('SELECT count(*)::int AS orders FROM gateway_orders')).toEqual([{ orders: 2 }]);
    });
  });

  describe('beside it', () => {
    test('a reader sees what is written and changes nothing', async () => {
      await expect(openPostgresReader({ url })).rejects.toThrow(
        'it holds no journal yet; a gateway that starts on it makes one.',
      );
      expect(await sql(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
      const journal = await open();
      const { order } = await journal.open(newOrder());
      const reader = kept(await openPostgresReader({ url }));
      expect(await reader.find(owner, 'r1')).toEqual(order);
      expect(await reader.listUnsettled({ limit: 9 })).toEqual([order]);
      expect(reader.isWritable()).toBe(false);
      await expect(reader.open(newOrder())).rejects.toMatchObject({ code: 'journal_unavailable' });
      await expect(reader.settle(owner, 'r1', SOLD, OPENED_AT_MS)).rejects.toThrow('reading only');
      await expect(reader.tell(owner, 'r1', OPENED_AT_MS)).rejects.toThrow('reading only');
    });
  });

  describe('retention', () => {
    const sweptOf = (events: readonly JournalEvent[]) =>
      events.flatMap((event) => (event.kind === 'swept' ? [event.orders] : []));

    test('one gateway deletes what ended long ago, and never what may have been charged', async () => {
      const events: JournalEvent[] = [];
      const onEvent = (event: JournalEvent): void => void events.push(event);
      const journal = await open();
      const now = Date.now();
      const sell = async (requestId: string, openedAtMs: number, outcome?: Outcome): Promise<void> => {
        await journal.open(newOrder({ requestId, openedAtMs }));
        if (outcome !== undefined) await journal.settle(owner, requestId, outcome, openedAtMs + 1);
      };
      await Promise.all(Array.from({ length: 600 }, (_, index) => sell(`old-${index}`, now - 100 * DAY_MS, SOLD)));
      await sell('refused', now - 100 * DAY_MS, REJECTED);
      await sell('pending', now - 100 * DAY_MS, { kind: 'pending' });
      await sell('open', now - 100 * DAY_MS);
      await sell('young', now - 80 * DAY_MS, SOLD);
      await sell('late', now - 100 * DAY_MS);
      await journal.settle(owner, 'late', SOLD, now - 80 * DAY_MS);
      for (const requestId of ['old-0', 'young']) await journal.tell(owner, requestId, NOT_TOLD);
      await sql('CREATE TABLE batches (orders int)');
      await sql(
        `CREATE FUNCTION count_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO batches SELECT count(*) FROM gone; RETURN NULL; END $$`,
      );
      await sql(
        'CREATE TRIGGER counting AFTER DELETE ON gateway_orders REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_gone()',
      );
      await Promise.all([
        open({ retentionMs: 90 * DAY_MS, steadyMs: 0, onEvent }),
        open({ retentionMs: 90 * DAY_MS, steadyMs: 0, onEvent }),
      ]);
      while (sweptOf(events).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(sweptOf(events)).toEqual([601]);
      const [batches] = await sql('SELECT sum(orders)::int AS orders, max(orders) AS largest FROM batches');
      expect(batches!['orders']).toBe(601);
      // No statement holds many rows: sales go on beside it.
      expect(batches!['largest']).toBeLessThanOrEqual(256);
      const left = await collect(journal.list({ fromMs: 0, untilMs: now, limit: 9 }));
      expect(left.sort()).toEqual(['late', 'open', 'pending', 'young']);
      expect(await sql('SELECT request_id FROM gateway_untold')).toEqual([{ request_id: Buffer.from('"young"') }]);
    });

    test("a gateway whose clock was set forward deletes nothing of the others' orders", async () => {
      const [now, spoken] = [Date.now(), [] as JournalEvent[]];
      let aheadMs = 0;
      const shared = await open();
      await shared.open(newOrder({ openedAtMs: now }));
      await shared.settle(owner, 'r1', SOLD, now);
      const onEvent = (event: JournalEvent): void => void spoken.push(event);
      await open({
        retentionMs: 90 * DAY_MS,
        steadyMs: 0,
        machine: { ...systemClock, now: () => Date.now() + aheadMs },
        onEvent,
      });
      aheadMs = 100 * DAY_MS;
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(await shared.find(owner, 'r1')).toBeDefined();
      expect(sweptOf(spoken)).toEqual([]);
    });

    test.each<[string, number, number, boolean]>([
      ['is right after it was days ahead', 0, 10 * MINUTE_MS, true],
      ['is set forward each time', 100 * DAY_MS, DAY_MS, false],
      ['is set back each time', 0, -11 * MINUTE_MS, false],
    ])('gateways restarted every ten minutes by a clock of the database that %s', async (_title, firstMs, stepMs, deletes) => {
      const spoken: JournalEvent[] = [];
      await sql('CREATE SCHEMA shown');
      await sql('CREATE TABLE shown.ahead AS SELECT 0::float8 AS ms');
      await sql(
        `CREATE FUNCTION shown.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + ms * interval '1 ms' FROM shown.ahead $$`,
      );
      await sql(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = public, shown, pg_catalog`);
      const live = async (aheadMs: number, opens = false): Promise<void> => {
        await sql(`UPDATE shown.ahead SET ms = ${aheadMs}`);
        const journal = await open({ retentionMs: 90 * DAY_MS, onEvent: (event) => spoken.push(event) });
        if (opens) await journal.open(newOrder({ openedAtMs: Date.now() - 95 * DAY_MS }));
        if (opens) await journal.settle(owner, 'r1', SOLD, Date.now() - 95 * DAY_MS);
        await new Promise((resolve) => setTimeout(resolve, 150));
        await journal.close();
      };
      await live(100 * DAY_MS, true);
      for (let lives = 0; lives < 7; lives += 1) {
        expect(spoken).toEqual([]);
        await live(firstMs + lives * stepMs);
      }
      expect(spoken).toEqual(deletes ? [{ kind: 'swept', orders: 1 }] : []);
    });

    test('what a newer build wrote is left unchanged, and logged', async () => {
      const journal = await open();
      await journal.open(newOrder({ openedAtMs: 1 }));
      await journal.settle(owner, 'r1', SOLD, 2);
      await sql(`UPDATE gateway_orders SET record = set_byte(record, 0, 9)`);
      const told = await new Promise<JournalEvent>(
        (resolve) => void open({ retentionMs: DAY_MS, steadyMs: 0, onEvent: resolve }),
      );
      expect(told).toMatchObject({ kind: 'record_unreadable' });
      expect(await sql('SELECT count(*)::int AS orders FROM gateway_orders')).toEqual([{ orders: 1 }]);
      await expect(journal.find(owner, 'r1')).rejects.toThrow('record of version 9');
      const unreadable: Error[] = [];
      for await (const order of journal.list({
        fromMs: 0,
        untilMs: 9,
        limit: 9,
        onUnreadable: (error) => unreadable.push(error),
      }))
        expect(order).toBeUndefined();
      expect(unreadable).toHaveLength(1);
    });
  });

  test('an order beyond the size of a record is a bug, and its neighbours are not affected', async () => {
    const journal = await open();
    const large = newOrder({ requestId: 'large', fields: { recipients: 'x'.repeat(30_000) } });
    const [one, two] = await Promise.allSettled([journal.open(newOrder()), journal.open(large)]);
    expect(one.status).toBe('fulfilled');
    expect(two).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) });
  });

  test('no token and no card PIN reaches the database', async () => {
    const journal = await open();
    await journal.open(newOrder());
    const delivery = { token: '7777-1111-2222', pins: [{ pin: '55554444333322', serial: 'SERIAL-987654' }] };
    await journal.settle(owner, 'r1', { kind: 'succeeded', message: 'Token 777711112222', delivery }, OPENED_AT_MS);
    const [row] = await sql(`SELECT encode(record, 'escape') AS record FROM gateway_orders`);
    expect(row!['record']).toContain('goodsMissing');
    for (const secret of ['777711112222', '7777-1111-2222', '55554444333322', 'SERIAL-987654'])
      expect(row!['record']).not.toContain(secret);
  });

  test('the spool of a gateway whose database was always there is empty', async () => {
    const spoolDir = newFolder();
    const journal = await open({ spoolDir });
    await journal.open(newOrder());
    await journal.settle(owner, 'r1', SOLD, OPENED_AT_MS);
    expect(await readdir(spoolDir)).toEqual([]);
  });
});
