// The machine of the database is lost without a word: connections to it stay and nothing is answered on them. Its successor has its address.
import type { JournalEvent } from '../../../src/journal/journal';
import { openPostgresJournal } from '../../../src/journal/postgres/postgres-journal';
import { newOrder, OPENED_AT_MS } from '../new-order';
import { openAddress } from './address';
import { describePostgres, startPostgres } from './start-postgres';
import { newFolder } from '../../new-folder';
import { opened } from '../../opened';

describePostgres('a database whose machine is lost', () => {
  const server = opened(startPostgres);

  test('fails the statements that it had been sent, and none that are sent to its successor', async () => {
    const url = new URL(await server.createDatabase());
    const address = await openAddress(server.port);
    url.port = String(address.port);
    const events: JournalEvent[] = [];
    const journal = await openPostgresJournal({
      ...{ url: url.href, spoolDir: newFolder(), statementMs: 1_000, retentionMs: Infinity },
      onEvent: (event) => void events.push(event),
    });
    const { owner } = newOrder();
    let sold = 0;
    const sell = async (): Promise<void> => {
      const [requestId, atMs] = [`r${(sold += 1)}`, OPENED_AT_MS + sold];
      await journal.open(newOrder({ requestId, openedAtMs: atMs }));
      await journal.settle(owner, requestId, { kind: 'succeeded', reference: `v1-${requestId}` }, atMs);
    };
    const askThem = () => Promise.all(['r1', 'r2', 'r3', 'r4'].map((id) => journal.find(owner, id)));
    // All connections that a gateway has under load.
    await Promise.all([...Array.from({ length: 300 }, sell), askThem()]);
    await Promise.all([...Array.from({ length: 300 }, sell), askThem()]);

    address.leave();
    const refused = expect(sell()).rejects.toMatchObject({ code: 'journal_unavailable' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const later = expect(sell()).rejects.toMatchObject({ code: 'journal_unavailable' });
    await refused;
    const lostAt = performance.now();
    while (!journal.isWritable()) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(performance.now() - lostAt).toBeLessThan(900);
    await later;
    const askedAt = performance.now();
    const found = await askThem();
    expect(performance.now() - askedAt).toBeLessThan(900);
    expect(found.map((order) => order?.outcome?.kind)).toEqual(Array.from({ length: 4 }, () => 'succeeded'));
    await Promise.all(Array.from({ length: 300 }, sell));
    expect(events.map(({ kind }) => kind)).toEqual(['write_failed', 'write_recovered']);
    await journal.close();
    await address.close();
  });
});
