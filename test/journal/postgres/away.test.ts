// The database is killed, restarted, or gives no answer, between an order's opening and its end.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../../../src/domain/credentials';
import { NOT_TOLD, type Order, TOLD_PENDING } from '../../../src/domain/order';
import { ATTEMPT_BEGINS, type Outcome } from '../../../src/domain/outcome';
import type { Journal, JournalEvent } from '../../../src/journal/journal';
import { openPostgresJournal, type PostgresJournalOptions } from '../../../src/journal/postgres/postgres-journal';
import { toldLine } from '../../../src/journal/told-sales';
import { markUntold } from '../../../src/watch/mark-untold';
import { newOrder, OPENED_AT_MS } from '../new-order';
import { openAddress } from './address';
import { describePostgres, startPostgres } from './start-postgres';
import { newFolder } from '../../new-folder';
import { closedAfterEach, opened } from '../../opened';
import { until } from '../../until';

const SOLD: Outcome = { kind: 'succeeded', reference: 'v1-9', message: 'sold to 08030000001' };
const REJECTED: Outcome = { kind: 'rejected', httpStatus: 400 };
const FULL_DISK = `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`;
const { owner } = newOrder();
const DAY_MS = 86_400_000;

describePostgres('while PostgreSQL is away', () => {
  const server = opened(startPostgres);
  let url: string;
  let events: JournalEvent[] = [];
  beforeEach(async () => {
    url = await server.createDatabase();
    events = [];
  });
  const kept = closedAfterEach();

  const open = async (options: Partial<PostgresJournalOptions> = {}): Promise<Journal> => {
    const spoolDir = options.spoolDir ?? newFolder();
    const onEvent = (event: JournalEvent): void => void events.push(event);
    return kept(await openPostgresJournal({ url, spoolDir, retentionMs: Infinity, onEvent, ...options }));
  };
  const sql = (text: string) => server.query(url, text);
  const kinds = (): readonly string[] => events.map(({ kind }) => kind);

  test('its successor that was behind gets the orders that it lacks from the gateway that knows them, also in their last state', async () => {
    const [journal, neighbour] = [await open(), await open()];
    const told = async (requestId: string, outcome?: Outcome): Promise<void> => {
      await journal.open(newOrder({ requestId }));
      if (outcome !== undefined) await journal.settle(owner, requestId, outcome, OPENED_AT_MS + 1);
    };
    await told('sold', SOLD);
    await told('untold', { ...SOLD, reference: 'v1-10' });
    await journal.tell(owner, 'untold', NOT_TOLD);
    await told('under way');
    await told('sold later', { kind: 'rejected', httpStatus: 400 });
    await told('hung up', { ...SOLD, reference: 'v1-11' });
    await told('ended elsewhere', { kind: 'unknown', reason: 'HTTP 500' });
    await sql('CREATE TABLE behind AS SELECT * FROM gateway_orders');
    await told('sold later', { ...SOLD, reference: 'v1-12' });
    await journal.tell(owner, 'hung up', NOT_TOLD);
    await journal.settle(owner, 'ended elsewhere', ATTEMPT_BEGINS, OPENED_AT_MS + 1);
    await journal.tell(owner, 'ended elsewhere', TOLD_PENDING);
    const ids = ['sold', 'untold', 'under way', 'sold later', 'hung up'];
    const before = await Promise.all(ids.map((id) => journal.find(owner, id)));
    await sql(`DELETE FROM gateway_orders; DELETE FROM gateway_untold; INSERT INTO gateway_orders SELECT * FROM behind
      WHERE request_id IN ('"sold later"', '"hung up"', '"ended elsewhere"')`);
    await neighbour.settle(owner, 'ended elsewhere', { ...SOLD, reference: 'v1-13' }, OPENED_AT_MS + 2);
    await server.stop();
    // A repeat whose opening fails: later it is noted as not sent where the journal does not have its id.
    await expect(journal.open(newOrder({ requestId: 'under way' }))).rejects.toMatchObject({ code: 'journal_unavailable' });
    journal.doubt!(newOrder({ requestId: 'under way', openedAtMs: OPENED_AT_MS + 9 }));
    await server.start();
    await until(() => journal.isWritable() && neighbour.isWritable());
    await until(async () => (await sql('SELECT * FROM gateway_orders')).length === 6);
    await until(async () => (await neighbour.find(owner, 'hung up'))?.toldAtMs === NOT_TOLD);
    expect(await Promise.all(ids.map((id) => neighbour.find(owner, id)))).toEqual(before);
    const both = { outcome: { kind: 'succeeded', reference: 'v1-13' }, toldAtMs: TOLD_PENDING };
    expect(await neighbour.find(owner, 'ended elsewhere')).toMatchObject(both);
    expect((await neighbour.findByReference(owner, 'v1-9'))?.requestId).toBe('sold');
    expect((await neighbour.listUntold({ owner, fromMs: 0, limit: 9 })).map(({ requestId }) => requestId)).toEqual([
      'untold',
      'hung up',
    ]);
  });

  describe('its successor that was behind gets a sale back whose script had hung up:', () => {
    const TOLD_AT_MS = OPENED_AT_MS + 60_000;
    let journal: Journal;
    let neighbour: Journal;
    beforeEach(async () => {
      [journal, neighbour] = [await open(), await open()];
      await journal.open(newOrder());
      await journal.settle(owner, 'r1', SOLD, OPENED_AT_MS + 1);
    });
    const hangUp = async (): Promise<void> => {
      for (const toldAtMs of [NOT_TOLD, TOLD_PENDING, NOT_TOLD]) await journal.tell(owner, 'r1', toldAtMs);
    };
    const tell = () => neighbour.tell(owner, 'r1', TOLD_AT_MS);
    const fallBehind = async (work: () => Promise<unknown>): Promise<void> => {
      await sql('CREATE TABLE behind AS SELECT * FROM gateway_orders');
      await work();
      await sql('DELETE FROM gateway_orders; INSERT INTO gateway_orders SELECT * FROM behind');
    };
    /** Resolves when the gateway has put back what the database lacked: it writes kept answers after that. */
    const restart = async (marker: string): Promise<void> => {
      await journal.open(newOrder({ requestId: marker }));
      await server.stop();
      await journal.settle(owner, marker, { ...SOLD, reference: marker }, OPENED_AT_MS + 2, 1);
      events = [];
      await server.start();
      await until(() => kinds().includes('answers_written') && neighbour.isWritable());
    };

    test.each<[string, () => Promise<unknown>]>([
      [
        'lost, put back, and told at another gateway since, it stays told',
        async () => {
          await hangUp();
          await sql('DELETE FROM gateway_orders');
          await restart('m1');
          await tell();
        },
      ],
      [
        'lost, put back by a repeat, and told at another gateway since, it stays told',
        async () => {
          await hangUp();
          await sql('DELETE FROM gateway_orders');
          expect((await journal.open(newOrder())).kind).toBe('found');
          await tell();
        },
      ],
      [
        'put back in its last state, and told at another gateway since, it stays told',
        async () => {
          await fallBehind(hangUp);
          await restart('m1');
          expect((await neighbour.find(owner, 'r1'))?.toldAtMs).toBe(NOT_TOLD);
          await tell();
        },
      ],
      [
        'told at another gateway before its last state is put back, it stays told',
        async () => {
          await fallBehind(hangUp);
          await tell();
        },
      ],
    ])('%s', async (_title, work) => {
      await work();
      await restart('last');
      expect((await neighbour.find(owner, 'r1'))?.toldAtMs).toBe(TOLD_AT_MS);
      expect(await neighbour.listUntold({ owner, fromMs: 0, limit: 9 })).toEqual([]);
    });

    test('a telling that this gateway had taken back does not come back', async () => {
      await journal.tell(owner, 'r1', TOLD_AT_MS);
      await fallBehind(() => journal.tell(owner, 'r1', NOT_TOLD));
      await restart('last');
      expect((await neighbour.find(owner, 'r1'))?.toldAtMs).toBe(NOT_TOLD);
    });
  });

  test('it does not get back an order that another gateway ended and retention has deleted since', async () => {
    const [journal, neighbour] = [await open(), await open()];
    const openedAtMs = Date.now() - 2 * DAY_MS;
    await journal.open(newOrder({ openedAtMs }));
    await neighbour.settle(owner, 'r1', SOLD, openedAtMs + 1);
    await open({ retentionMs: DAY_MS, steadyMs: 0 });
    await until(() => kinds().includes('swept'));
    const now = performance.now.bind(performance);
    const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 2 * DAY_MS);
    await server.stop();
    await expect(journal.open(newOrder({ requestId: 'r2' }))).rejects.toMatchObject({ code: 'journal_unavailable' });
    await server.start();
    await until(() => journal.isWritable());
    await journal.open(newOrder({ requestId: 'r3' }));
    expect(await journal.find(owner, 'r1')).toBeUndefined();
    expect(await journal.listUnsettled({ limit: 9 })).toMatchObject([{ requestId: 'r3' }]);
    later.mockRestore();
  });

  test("v1's answer is told, kept on this disk, and written when the database is back", async () => {
    const spoolDir = newFolder();
    const journal = await open({ spoolDir, encryptionKey: new Secret('0123456789abcdef0123456789abcdef') });
    await journal.open(newOrder());
    await server.kill();

    const settled = await journal.settle(owner, 'r1', SOLD, OPENED_AT_MS + 1);
    expect(settled).toMatchObject({ requestId: 'r1', outcome: SOLD, settledAtMs: OPENED_AT_MS + 1 });
    expect(await journal.find(owner, 'r1')).toEqual(settled);
    expect(journal.isWritable()).toBe(false);
    const [name] = await readdir(spoolDir);
    const words = await readFile(join(spoolDir, name!), 'utf8');
    expect(words).toContain('"reference":"v1-9"');
    expect(words).not.toContain('08030000001');

    const begun = performance.now();
    await expect(journal.open(newOrder({ requestId: 'r2' }))).rejects.toMatchObject({ code: 'journal_unavailable' });
    expect(performance.now() - begun).toBeLessThan(1_000);
    journal.doubt?.(newOrder({ requestId: 'r2' }));
    // Forbids another attempt, so it counts in the database alone.
    const absent: Outcome = { kind: 'not_sent', reason: 'absent', isProven: true };
    await expect(journal.settle(owner, 'r1', absent, OPENED_AT_MS + 2)).rejects.toThrow('could not be written');

    const cameAtMs = Date.now() - 100;
    await server.start();
    await until(() => kinds().includes('answers_written'));
    expect(kinds()).toEqual(['write_failed', 'write_recovered', 'answers_written']);
    // A script that was told "pending" of it, because its id might have been known, hears that nothing was sent.
    await until(async () => (await journal.findByNumber(owner, (await journal.find(owner, 'r2'))?.number ?? 0)) !== undefined);
    expect(await journal.find(owner, 'r2')).toMatchObject({ attempts: 1, outcome: { kind: 'not_sent' } });
    // Its twin, which waited for the database at another gateway, must not be sold: a script hears of the refusal.
    expect((await journal.open(newOrder({ requestId: 'r2', cameAtMs }))).kind).toBe('found');
    expect((await journal.open(newOrder({ requestId: 'r2' }))).kind).toBe('reopened');
    expect(journal.isWritable()).toBe(true);
    const other = await open({ encryptionKey: new Secret('0123456789abcdef0123456789abcdef') });
    expect(await other.find(owner, 'r1')).toEqual(settled);
    expect(await journal.open(newOrder())).toEqual({ kind: 'found', order: settled });
    await until(async () => (await readdir(spoolDir)).length === 0);
  });

  test.each([
    ['hung up on', NOT_TOLD],
    ['has heard of', OPENED_AT_MS + 5],
  ])('that a script %s a sale that was written just before is noted when the database is back', async (_title, toldAtMs) => {
    const journal = await open();
    await journal.open(newOrder());
    await journal.settle(owner, 'r1', SOLD, OPENED_AT_MS + 1, 1);
    await server.kill();
    await journal.tell(owner, 'r1', toldAtMs, undefined, 1);
    await server.start();
    await until(() => kinds().includes('answers_written'));
    expect((await journal.find(owner, 'r1'))?.toldAtMs).toBe(toldAtMs);
  });

  test('that nobody heard an end is noted also where it was to be told meanwhile, and its script hung up', async () => {
    const journal = await open();
    await journal.open(newOrder());
    await journal.settle(owner, 'r1', SOLD, OPENED_AT_MS + 1, 1);
    await journal.tell(owner, 'r1', NOT_TOLD, undefined, 1);
    await server.kill();
    for (const [before, toldAtMs] of [
      [NOT_TOLD, OPENED_AT_MS + 5],
      [OPENED_AT_MS + 5, NOT_TOLD],
    ] as const)
      await journal.tell(owner, 'r1', toldAtMs, (now) => now.toldAtMs === before, 1);
    await server.start();
    await until(() => kinds().includes('answers_written'));
    expect((await journal.find(owner, 'r1'))?.toldAtMs).toBe(NOT_TOLD);
  });

  test('answers that a process kept before its death are written by the next start on its folder', async () => {
    const spoolDir = newFolder();
    const journal = await open({ spoolDir });
    await journal.open(newOrder());
    await journal.open(newOrder({ requestId: 'r2' }));
    await server.kill();
    const settled = await journal.settle(owner, 'r1', SOLD, OPENED_AT_MS + 1);
    await journal.settle(owner, 'r2', { kind: 'pending', reference: 'v1-2' }, OPENED_AT_MS + 1);
    await journal.tell(owner, 'r1', 0);
    await journal.close();
    expect(kinds().at(-1)).toBe('answers_unwritten');

    await server.start();
    const next = await open({ spoolDir });
    expect(await next.find(owner, 'r1')).toEqual({ ...settled, toldAtMs: 0 });
    expect(await next.findByReference(owner, 'v1-2')).toMatchObject({ requestId: 'r2', outcome: { kind: 'pending' } });
    expect(await readdir(spoolDir)).toEqual([]);
  });

  test('an answer that a stop cannot write any more, because the database falls silent once more, is written by the next start', async () => {
    const address = await openAddress(server.port);
    const through = new URL(url);
    through.port = String(address.port);
    const spoolDir = newFolder();
    const onEvent = (event: JournalEvent): void => {
      events.push(event);
      if (event.kind === 'write_recovered') server.freeze();
    };
    const journal = await open({ url: through.href, spoolDir, statementMs: 400, onEvent });
    await journal.open(newOrder());
    await address.close();
    await journal.settle(owner, 'r1', SOLD, OPENED_AT_MS + 1, 1);
    await address.listen();
    await journal.close();
    server.thaw();
    await address.close();
    expect(kinds()).toEqual(expect.arrayContaining(['write_recovered', 'answers_unwritten']));
    expect((await (await open({ spoolDir })).find(owner, 'r1'))?.outcome).toEqual(SOLD);
  });

  test('an order that was refused while the database was away is ended as not sent by a stop just after its return', async () => {
    const journal = await open();
    await server.kill();
    await expect(journal.open(newOrder())).rejects.toMatchObject({ code: 'journal_unavailable' });
    journal.doubt!(newOrder());
    await server.start();
    await journal.close();
    expect((await (await open()).find(owner, 'r1'))?.outcome).toMatchObject({ kind: 'not_sent' });
  });

  test.each([
    ['is noted by the next start', undefined, NOT_TOLD],
    ['is not, where another script has heard the end since', OPENED_AT_MS + 9, OPENED_AT_MS + 9],
  ])('that nobody heard an end that was to be told %s', async (_title, toldSince, expected) => {
    const spoolDir = newFolder();
    const [journal, neighbour] = [await open({ spoolDir }), await open()];
    await journal.open(newOrder());
    await journal.settle(owner, 'r1', SOLD, OPENED_AT_MS + 1, 1);
    const takesBackMs = OPENED_AT_MS + 5;
    await journal.tell(owner, 'r1', takesBackMs, undefined, 1);
    await server.kill();
    const isDue = ({ toldAtMs }: Order): boolean => toldAtMs === takesBackMs;
    await journal.tell(owner, 'r1', NOT_TOLD, Object.assign(isDue, { takesBackMs }), 1);
    await journal.close();

    await server.start();
    await until(() => neighbour.isWritable());
    if (toldSince !== undefined) await neighbour.tell(owner, 'r1', toldSince);
    expect((await (await open({ spoolDir })).find(owner, 'r1'))?.toldAtMs).toBe(expected);
  });

  /** What a process does with an order while the database is away, and keeps in its folder; it ends before the database is back. */
  const keepAndEnd = async (work: (journal: Journal) => Promise<unknown>) => {
    const spoolDir = newFolder();
    const journal = await open({ spoolDir });
    await journal.open(newOrder());
    await server.kill();
    await work(journal);
    await journal.close();
    await server.start();
    return { spoolDir, holder: journal.processes!.own };
  };

  test.each([
    ["is still that process's, as its script may not have heard of it", [], 1, NOT_TOLD],
    ['was told before that death is told', [OPENED_AT_MS + 5], 0, OPENED_AT_MS + 5],
    ['was about to be told as its script hung up is not', [OPENED_AT_MS + 5, NOT_TOLD], 1, NOT_TOLD],
  ])('a sale whose end a process kept before its death, and that %s', async (_title, marks, marked, toldAtMs) => {
    const { spoolDir, holder } = await keepAndEnd(async (journal) => {
      await journal.settle(owner, 'r1', SOLD, OPENED_AT_MS + 1, 1);
      for (const mark of marks) await journal.tell(owner, 'r1', mark, undefined, 1);
    });
    const next = await open({ spoolDir });
    const { toldSales } = next.processes!;
    expect(await markUntold(next, [OPENED_AT_MS], { holder, toldSales })).toBe(marked);
    expect(await next.find(owner, 'r1')).toMatchObject({ outcome: SOLD, toldAtMs });
  });

  test('a kept "nothing was charged" does not end an attempt that another gateway began meanwhile', async () => {
    const { spoolDir } = await keepAndEnd((journal) => journal.settle(owner, 'r1', REJECTED, OPENED_AT_MS + 1));
    const other = await open();
    // The other gateway took the open attempt over, heard the same of v1, and a repeat began the second one.
    await other.settle(owner, 'r1', REJECTED, OPENED_AT_MS + 2);
    expect((await other.open(newOrder())).kind).toBe('reopened');
    await open({ spoolDir });
    expect((await other.find(owner, 'r1'))?.outcome).toBeUndefined();
    expect(await readdir(spoolDir)).toEqual([]);
  });

  test.each([
    ['hung up meanwhile is not told anew what that heard at another gateway', NOT_TOLD, true, undefined],
    ['hung up meanwhile is still to be told where no script heard of it', NOT_TOLD, false, NOT_TOLD],
    ['heard "pending" meanwhile is not told anew what that heard at another gateway', TOLD_PENDING, true, undefined],
    ['heard "pending" meanwhile is still to be told where no script heard of its end', TOLD_PENDING, false, TOLD_PENDING],
  ])('a sale whose script %s', async (_title, mark, isHeard, toldAtMs) => {
    const { spoolDir } = await keepAndEnd((journal) => journal.tell(owner, 'r1', mark));
    const other = await open();
    const sold = await other.settle(owner, 'r1', SOLD, OPENED_AT_MS + 1);
    if (isHeard) await other.processes!.toldSales.append(toldLine(sold), OPENED_AT_MS + 2);
    await open({ spoolDir });
    expect((await other.find(owner, 'r1'))?.toldAtMs).toBe(toldAtMs);
  });

  test('a database without answers is given up in time, and an order that was refused then ends as not sent', async () => {
    const journal = await open({ statementMs: 400 });
    await journal.open(newOrder());
    server.freeze();
    const begun = performance.now();
    try {
      const [refused, settled] = await Promise.allSettled([
        journal.open(newOrder({ requestId: 'r2' })),
        journal.settle(owner, 'r1', SOLD, OPENED_AT_MS + 1),
      ]);
      expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'journal_unavailable' } });
      expect(settled).toMatchObject({ status: 'fulfilled', value: { outcome: SOLD } });
      expect(performance.now() - begun).toBeLessThan(5_000);
    } finally {
      server.thaw();
    }
    // The statement that nobody waited for any more was carried out all the same.
    await until(async () => (await journal.find(owner, 'r2').catch(() => undefined))?.outcome !== undefined);
    expect((await journal.find(owner, 'r2'))?.outcome).toMatchObject({ kind: 'not_sent' });
    expect(await journal.open(newOrder({ requestId: 'r2' }))).toMatchObject({ kind: 'reopened', order: { attempts: 2 } });
    expect((await journal.find(owner, 'r1'))?.outcome).toEqual(SOLD);
  });

  test('an attempt that is opened is not ended by the doubt about one before it that was not', async () => {
    let again: ReturnType<Journal['open']> | undefined;
    const onEvent = ({ kind }: JournalEvent): void => {
      if (kind === 'write_recovered') again = journal.open(newOrder({ openedAtMs: OPENED_AT_MS + 3 }));
    };
    const journal = await open({ onEvent });
    const others = Array.from({ length: 20 }, (_, nth) => `other ${nth}`);
    for (const requestId of ['r1', ...others]) await journal.open(newOrder({ requestId }));
    await journal.settle(owner, 'r1', REJECTED, OPENED_AT_MS + 1);
    await sql(FULL_DISK);
    for (const table of ['gateway_orders', 'gateway_journal'])
      await sql(`CREATE TRIGGER full_disk BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION full_disk()`);
    const refused = journal.open(newOrder({ openedAtMs: OPENED_AT_MS + 2 }));
    await expect(refused).rejects.toMatchObject({ code: 'journal_unavailable' });
    // They are written before the doubt.
    for (const requestId of others) await journal.settle(owner, requestId, SOLD, OPENED_AT_MS + 2);
    for (const table of ['gateway_orders', 'gateway_journal']) await sql(`DROP TRIGGER full_disk ON ${table}`);
    await until(() => again !== undefined);
    expect(await again).toMatchObject({ kind: 'reopened', order: { attempts: 2 } });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await journal.find(owner, 'other 19'))?.outcome).toEqual(SOLD);
    expect((await journal.find(owner, 'r1'))?.outcome).toBeUndefined();
  });

  test('a request whose opening failed, and that tries again when the database is back, opens its order', async () => {
    const journal = await open();
    await sql(FULL_DISK);
    await sql('CREATE TRIGGER full_disk BEFORE INSERT ON gateway_orders FOR EACH ROW EXECUTE FUNCTION full_disk()');
    const request = { cameAtMs: Date.now() };
    await expect(journal.open(newOrder(request))).rejects.toMatchObject({ code: 'journal_unavailable' });
    await sql('DROP TRIGGER full_disk ON gateway_orders');
    await until(() => journal.isWritable());
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await journal.open(newOrder({ ...request, openedAtMs: OPENED_AT_MS + 1 }))).toMatchObject({ kind: 'opened' });
    await journal.close();
    expect((await (await open()).find(owner, 'r1'))?.outcome).toBeUndefined();
  });

  test('no more orders wait than the limit allows', async () => {
    const journal = await open({ statementMs: 2_000, waitingMax: 5 });
    await journal.open(newOrder());
    server.freeze();
    const opens = Array.from({ length: 600 }, (_, index) => journal.open(newOrder({ requestId: `w${index}` })));
    const begun = performance.now();
    try {
      // All of them come in one turn: five wait, and the others are told at once.
      const told = await Promise.race(opens.slice(10).map((one) => one.catch((error: unknown) => error)));
      expect(told).toMatchObject({ code: 'journal_unavailable' });
      expect(performance.now() - begun).toBeLessThan(1_000);
    } finally {
      server.thaw();
    }
    const ends = await Promise.allSettled(opens);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  });

  test('a gateway sells from a dump that is restored beside it once the keys of the orders are there', async () => {
    const journal = await open();
    await sql('ALTER TABLE gateway_orders RENAME TO gone');
    await expect(journal.open(newOrder())).rejects.toMatchObject({ code: 'journal_unavailable' });
    // As pg_restore does it: the tables, then what is in them, and the keys at the end.
    await sql('CREATE TABLE gateway_orders AS SELECT * FROM gone');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(kinds()).toEqual(['write_failed']);
    await sql('ALTER TABLE gateway_orders ADD PRIMARY KEY (owner, request_id)');
    await sql('CREATE UNIQUE INDEX ON gateway_orders (owner, number)');
    await until(() => journal.isWritable());
    expect(await journal.open(newOrder())).toMatchObject({ kind: 'opened' });
  });

  test('a database that accepts small writes and no orders is tried less and less often', async () => {
    const journal = await open();
    await sql(FULL_DISK);
    await sql('CREATE TRIGGER full_disk BEFORE INSERT ON gateway_orders FOR EACH ROW EXECUTE FUNCTION full_disk()');
    await expect(journal.open(newOrder())).rejects.toMatchObject({ code: 'journal_unavailable' });
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    // After 0.1 s, 0.2 s, 0.4 s and so on.
    expect(kinds().length).toBeLessThan(16);
    await sql('DROP TRIGGER full_disk ON gateway_orders');
    await until(() => journal.isWritable());
    expect(await journal.open(newOrder())).toMatchObject({ kind: 'opened' });
  });

  test('restarted under load by two gateways, it has every opened order once, and as it was told', async () => {
    const both = [await open(), await open()];
    const told = new Map<string, string>();
    const opened = new Map<string, number>();
    let next = 0;
    let isRunning = true;
    const sell = async (journal: Journal): Promise<void> => {
      while (isRunning) {
        // Each id comes to both gateways.
        const requestId = `k${Math.floor(next++ / 2)}`;
        try {
          const { kind } = await journal.open(newOrder({ requestId, openedAtMs: Date.now() }));
          if (kind !== 'opened' && kind !== 'reopened') continue;
          opened.set(requestId, (opened.get(requestId) ?? 0) + (kind === 'opened' ? 1 : 0));
          const reference = `v1-${requestId}`;
          const { outcome } = await journal.settle(owner, requestId, { kind: 'succeeded', reference }, Date.now());
          told.set(requestId, outcome!.kind);
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      }
    };
    const loops = both.flatMap((journal) => Array.from({ length: 20 }, () => sell(journal)));
    for (const restart of [() => server.stop(), () => server.kill()]) {
      await new Promise((resolve) => setTimeout(resolve, 400));
      await restart();
      await new Promise((resolve) => setTimeout(resolve, 200));
      await server.start();
      await until(() => both.every((journal) => journal.isWritable()));
    }
    await new Promise((resolve) => setTimeout(resolve, 400));
    isRunning = false;
    await Promise.all(loops);
    expect(told.size).toBeGreaterThan(100);
    expect([...opened.values()].filter((count) => count > 1)).toEqual([]);
    const reader = await open();
    await until(async () => {
      const sold = new Set<string>();
      for await (const { requestId, outcome } of reader.list({ fromMs: 0, untilMs: Infinity, limit: Infinity }))
        if (outcome?.kind === 'succeeded') sold.add(requestId);
      return [...told.keys()].every((requestId) => sold.has(requestId));
    });
    // What was refused in a way that left it open is ended: no attempt stands there of which nobody knows.
    await until(async () => (await reader.listUnsettled({ limit: 99 })).length === 0);
  });
});
