import { openPostgresJournal } from '../../../src/journal/postgres/postgres-journal';
import { journalSuite } from '../journal-suite';
import { makeFolder, removeFolders } from '../temporary-folder';
import { describePostgres, startPostgres, type PostgresServer } from './start-postgres';

afterAll(removeFolders);

describePostgres('on a real PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.end());

  journalSuite('PostgreSQL journal', async () =>
    openPostgresJournal({ url: await server.createDatabase(), spoolDir: await makeFolder() }),
  );
});
