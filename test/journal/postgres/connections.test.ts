/** A database that gives this gateway fewer connections than it would take, or isolates statements more strictly. */
import type { JournalEvent } from '../../../src/journal/journal';
import { Database } from '../../../src/journal/postgres/database';
import { openPostgresJournal } from '../../../src/journal/postgres/postgres-journal';
import { newOrder, OPENED_AT_MS } from '../new-order';
import { describePostgres, startPostgres } from './start-postgres';
import { newFolder } from '../../new-folder';
import { opened } from '../../opened';

describePostgres('where connections are short', () => {
  const server = opened(startPostgres);

  test('orders wait for the existing connections, and none is refused', async () => {
    const own = await server.createDatabase();
    const url = new URL(own);
    await server.query(own, `CREATE ROLE seller LOGIN PASSWORD 'seller-password' CONNECTION LIMIT 3`);
    await server.query(own, `ALTER DATABASE ${url.pathname.slice(1)} OWNER TO seller`);
    Object.assign(url, { username: 'seller', password: 'seller-password' });
    const events: JournalEvent[] = [];
    const onEvent = (event: JournalEvent): void => void events.push(event);
    const journal = await openPostgresJournal({ url: url.href, spoolDir: newFolder(), onEvent });
    try {
      const sell = async (index: number): Promise<void> => {
        const order = newOrder({ requestId: `r${index}`, openedAtMs: OPENED_AT_MS + index });
        await journal.open(order);
        await journal.find(order.owner, order.requestId);
        await journal.settle(order.owner, order.requestId, { kind: 'succeeded', reference: `v1-${index}` }, OPENED_AT_MS + index);
      };
      for (let round = 0; round < 10; round += 1)
        await Promise.all(Array.from({ length: 50 }, (_, index) => sell(round * 50 + index)));
      expect(events).toEqual([]);
    } finally {
      await journal.close();
    }
  });

  test('a statement that conflicts with another transaction is repeated, also where it only reads', async () => {
    const url = await server.createDatabase();
    await server.query(
      url,
      `CREATE SEQUENCE tries; CREATE FUNCTION third_try() RETURNS bigint LANGUAGE plpgsql AS $$
        BEGIN IF nextval('tries') % 3 <> 0 THEN RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001'; END IF; RETURN 3; END $$`,
    );
    const database = new Database({ url });
    expect(await database.read('SELECT third_try()')).toEqual([{ third_try: '3' }]);
    expect(await database.write('SELECT third_try()')).toEqual([{ third_try: '3' }]);
    expect(database.isThere()).toBe(true);
    await database.close();
  });
});
