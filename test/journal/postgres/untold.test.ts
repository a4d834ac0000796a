// Whose orders a gateway that died may have told nobody, where each has a data folder of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgresJournal } from '../../../src/journal/postgres/postgres-journal';
import { NOT_TOLD } from '../../../src/domain/order';
import { markUntold, watchUntold } from '../../../src/watch/mark-untold';
import { openToldLog } from '../../../src/watch/told-log';
import { createVirtualClock } from '../../domain/virtual-clock';
import { newOrder, OPENED_AT_MS } from '../new-order';
import { describePostgres, startPostgres } from './start-postgres';
import { newFolder } from '../../new-folder';
import { closedAfterEach, opened } from '../../opened';
import { until } from '../../until';

const SECOND = 1_000;
const { owner } = newOrder();

describePostgres('two gateways with folders of their own on one PostgreSQL', () => {
  const server = opened(startPostgres);
  let url: string;
  beforeEach(async () => {
    url = await server.createDatabase();
  });
  const kept = closedAfterEach();
  const open = async () => kept(await openPostgresJournal({ url, spoolDir: newFolder(), retentionMs: Infinity }));

  test('the living gateway marks what the dead one may not have told, and nothing of its own', async () => {
    const [lives, dies] = [await open(), await open()];
    const now = Date.now();
    const sell = async (journal: typeof lives, requestId: string, isSold: boolean, atMs = now): Promise<void> => {
      await journal.open(newOrder({ requestId, openedAtMs: atMs }));
      if (isSold) await journal.settle(owner, requestId, { kind: 'succeeded', reference: requestId }, atMs);
    };
    await dies.processes!.sign(now);
    // Its further signs do not reach the database, as half of its statements.
    await sell(dies, 'since its sign', true, now + 25 * SECOND);
    await sell(dies, 'its open', false);
    await sell(dies, 'its last', true);
    await sell(dies, 'it told', true);
    const clock = createVirtualClock(now);
    const log = openToldLog(dies.processes!.toldSales, clock);
    log.note((await dies.find(owner, 'it told'))!);
    await clock.advance(SECOND);
    await log.close();
    await sell(lives, 'my open', false);
    await sell(lives, 'my last', true);
    // The living one takes an attempt over that the other had begun.
    await sell(dies, 'taken over', false);
    await lives.settle(owner, 'taken over', { kind: 'unknown', reason: 'begins', isBeginning: true }, now);
    // It has found by v1's history, or by a status question, how others ended.
    await sell(dies, 'found since', false);
    await lives.settle(owner, 'found since', { kind: 'pending', reference: 'found' }, now);
    await lives.settle(owner, 'found since', { kind: 'succeeded', reference: 'found' }, now);
    await sell(dies, 'asked since', false);
    await lives.settle(owner, 'asked since', { kind: 'succeeded', reference: 'asked' }, now, 1);
    const marked: number[] = [];
    const { endSigns } = await watchUntold({
      dataDir: newFolder(),
      journal: lives,
      toldSales: lives.processes!.toldSales,
      clock: createVirtualClock(now + 30 * SECOND),
      onMarked: (count) => marked.push(count),
      onNeighbours: (hasNeighbours) => expect(hasNeighbours).toBe(true),
      onTrouble: (_what, error) => expect(error).toBeUndefined(),
    });
    const ids = [
      'its open',
      'its last',
      'since its sign',
      'found since',
      'it told',
      'my open',
      'my last',
      'taken over',
      'asked since',
    ];
    const told = await Promise.all(ids.map(async (requestId) => (await lives.find(owner, requestId))?.toldAtMs));
    expect(told).toEqual([0, 0, 0, 0, undefined, undefined, undefined, undefined, undefined]);
    expect(marked).toEqual([4]);
    await endSigns(true);
    // Of the dead one a sign is left, for it may only have stood still.
    expect((await lives.processes!.list()).map(({ id }) => id)).toEqual([dies.processes!.own]);
  });

  test.each(['STATEMENT', 'ROW'])(
    'an order that one gateway marks while the other writes slowly that it was told stays in the list of untold orders (each %s waits)',
    async (each) => {
      const [tells, marks] = [await open(), await open()];
      await tells.open(newOrder());
      await tells.settle(owner, 'r1', { kind: 'succeeded', reference: 'v1-1' }, OPENED_AT_MS + 1);
      await tells.tell(owner, 'r1', NOT_TOLD);
      await server.query(
        url,
        `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN OLD; END $$;
        CREATE TRIGGER wait BEFORE DELETE ON gateway_untold FOR EACH ${each} EXECUTE FUNCTION wait()`,
      );
      const telling = tells.tell(owner, 'r1', OPENED_AT_MS + 2);
      await until(async () => (await marks.find(owner, 'r1'))?.toldAtMs === OPENED_AT_MS + 2);
      await Promise.all([telling, marks.tell(owner, 'r1', NOT_TOLD)]);
      expect(await marks.listUntold({ owner, fromMs: 0, limit: 9 })).toMatchObject([{ requestId: 'r1' }]);
      await tells.tell(owner, 'r1', OPENED_AT_MS + 3);
      expect(await server.query(url, 'SELECT * FROM gateway_untold')).toEqual([]);
    },
  );

  test('what a third gateway sells, or marks and tells, between the listing and the mark is left to it', async () => {
    const [marks, sells, dies] = [await open(), await open(), await open()];
    const now = Date.now();
    const sold = { kind: 'succeeded', reference: 'sold' } as const;
    for (const requestId of ['open', 'its last', 'left']) await dies.open(newOrder({ requestId, openedAtMs: now }));
    await dies.settle(owner, 'its last', { ...sold, reference: 'last' }, now);
    const read = async (): Promise<readonly string[]> => {
      await sells.settle(owner, 'open', { kind: 'unknown', reason: 'begins', isBeginning: true }, now);
      await sells.settle(owner, 'open', sold, now, 1);
      await sells.tell(owner, 'its last', NOT_TOLD);
      await sells.tell(owner, 'its last', now);
      return [];
    };
    const toldSales = { ...marks.processes!.toldSales, read };
    expect(await markUntold(marks, [now], { holder: dies.processes!.own, toldSales })).toBe(1);
    const ids = ['open', 'its last', 'left'];
    const toldAt = await Promise.all(ids.map(async (requestId) => (await marks.find(owner, requestId))?.toldAtMs));
    expect(toldAt).toEqual([undefined, now, NOT_TOLD]);
  });

  test('what a fleet told before its end is read by the next, and forgotten later', async () => {
    const [ended, begins] = [await open(), await open()];
    await ended.processes!.toldSales.append('one\n', 1_000);
    await ended.processes!.toldSales.append('two\n', 1_000);
    const { toldSales } = begins.processes!;
    const lines = async (fromMs: number) => [...(await toldSales.read(fromMs))].sort();
    await toldSales.append('a day later\n', 86_400_000);
    expect(await lines(1_000)).toEqual(['a day later\n', 'one\ntwo\n']);
    expect(await lines(1_001)).toEqual(['a day later\n']);
    await toldSales.append('and more\n', 86_700_000);
    expect(await lines(0)).toEqual(['a day later\n', 'and more\n']);
    // The clock is put forward by an hour: what was told just before that stays.
    await toldSales.append('in an hour\n', 90_300_000);
    expect(await lines(0)).toEqual(['a day later\n', 'and more\n', 'in an hour\n']);
    await toldSales.append('and more\n', 90_600_000);
    expect(await lines(0)).toEqual(['and more\n', 'in an hour\n']);
  });

  test('a row with a newer sign than the one that was judged stays, and a gateway signs before it uses a database that was away', async () => {
    const [lives, other] = [await open(), await open()];
    const signs = async () => (await other.processes!.list()).map(({ signedAtMs }) => signedAtMs);
    await lives.processes!.sign(1_000);
    const [listed] = await other.processes!.list();
    await lives.processes!.sign(60_000);
    await other.processes!.remove(listed!.id, listed!.signedAtMs);
    expect(await signs()).toEqual([60_000]);
    const loseDatabase = async (): Promise<void> => {
      await server.stop();
      await expect(lives.open(newOrder())).rejects.toMatchObject({ code: 'journal_unavailable' });
      await server.start();
      await until(() => lives.isWritable());
    };
    await other.processes!.remove(listed!.id, 60_000);
    await loseDatabase();
    expect(Math.abs((await signs())[0]! - Date.now())).toBeLessThan(10 * SECOND);
    await lives.processes!.remove(lives.processes!.own);
    await loseDatabase();
    expect(await signs()).toEqual([]);
  });

  test('a database that was away for both makes neither of them dead: told orders stay told', async () => {
    const clock = createVirtualClock(Date.now());
    const begin = async () => {
      const journal = await open();
      const { endSigns } = await watchUntold({
        dataDir: newFolder(),
        ...{ journal, clock, toldSales: journal.processes!.toldSales },
        onMarked: (count) => marked.push(count),
        onNeighbours: () => undefined,
        onTrouble: () => undefined,
      });
      return { journal, endSigns };
    };
    const marked: number[] = [];
    const first = await begin();
    // Two gateways hardly ever give their signs in the same moment.
    await clock.advance(2 * SECOND);
    const gateways = [first, await begin()];
    for (const [nth, { journal }] of gateways.entries()) {
      await journal.open(newOrder({ requestId: `told ${nth}`, openedAtMs: clock.now() }));
      await journal.settle(owner, `told ${nth}`, { kind: 'succeeded', reference: `r${nth}` }, clock.now());
    }
    await server.stop();
    const second = async (): Promise<void> => {
      await clock.advance(SECOND);
      // What it began is answered by a real database.
      await sleep(50);
    };
    for (let seconds = 0; seconds < 30; seconds += 1) await second();
    await server.start();
    while (!gateways.every(({ journal }) => journal.isWritable())) await sleep(50);
    for (let seconds = 0; seconds < 40; seconds += 1) await second();
    expect((await first.journal.listUntold({ owner, fromMs: 0, limit: 10 })).map(({ requestId }) => requestId)).toEqual([]);
    expect(marked).toEqual([]);
    expect(await first.journal.processes!.list()).toHaveLength(2);
    for (const { endSigns } of gateways) await endSigns(true);
  });
});
