// Whose orders a gateway that died may have told nobody, where each has a data folder of its own.
import { openPostgresJournal } from '../../../src/journal/postgres/postgres-journal';
import { watchUntold } from '../../../src/watch/mark-untold';
import { createVirtualClock } from '../../domain/virtual-clock';
import { newOrder } from '../new-order';
import { makeFolder, removeFolders } from '../temporary-folder';
import { describePostgres, startPostgres, type PostgresServer } from './start-postgres';

afterAll(removeFolders);

const SECOND = 1_000;

describePostgres('two gateways with folders of their own on one PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.end());

  test('the one that lives marks what the dead one may have told nobody, and nothing of its own', async () => {
    const url = await server.createDatabase();
    const open = async () => openPostgresJournal({ url, spoolDir: await makeFolder(), retentionMs: Infinity });
    const [lives, dies] = [await open(), await open()];
    const { owner } = newOrder();
    const now = Date.now();
    const sell = async (journal: typeof lives, requestId: string, isSold: boolean): Promise<void> => {
      await journal.open(newOrder({ requestId, openedAtMs: now }));
      if (isSold) await journal.settle(owner, requestId, { kind: 'succeeded', reference: requestId }, now);
    };
    await dies.processes!.sign(now);
    await sell(dies, 'its open', false);
    await sell(dies, 'its last', true);
    await sell(lives, 'my open', false);
    await sell(lives, 'my last', true);
    // The living one takes an attempt over that the other had begun.
    await sell(dies, 'taken over', false);
    await lives.settle(owner, 'taken over', { kind: 'unknown', reason: 'begins', isBeginning: true }, now);
    const marked: number[] = [];
    const endSigns = await watchUntold({
      dataDir: await makeFolder(),
      journal: lives,
      clock: createVirtualClock(now + 30 * SECOND),
      onMarked: (count) => marked.push(count),
      onTrouble: (_what, error) => expect(error).toBeUndefined(),
    });
    const ids = ['its open', 'its last', 'my open', 'my last', 'taken over'];
    const told = await Promise.all(ids.map(async (requestId) => (await lives.find(owner, requestId))?.toldAtMs));
    expect(told).toEqual([0, 0, undefined, undefined, undefined]);
    expect(marked).toEqual([2]);
    await endSigns(true);
    expect(await lives.processes!.list()).toEqual([]);
    await lives.close();
    await dies.close();
  });
});
