import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPostgresJournal } from '../../../src/journal/postgres/postgres-journal';
import { SELF_SIGNED } from '../../upstream/self-signed';
import { newOrder } from '../new-order';
import { describePostgres, startPostgres } from './start-postgres';
import { newFolder } from '../../new-folder';
import { opened } from '../../opened';

describePostgres('a PostgreSQL behind TLS', () => {
  const server = opened(() => startPostgres(SELF_SIGNED));

  test('is trusted by the file of its CA and by nothing else', async () => {
    const [spoolDir, url] = [newFolder(), await server.createDatabase()];
    const ca = join(spoolDir, 'ca.pem');
    await writeFile(ca, SELF_SIGNED.cert);
    const encrypted = `${url}?sslmode=verify-full`;
    await expect(openPostgresJournal({ url: encrypted, spoolDir })).rejects.toThrow(
      'JOURNAL_URL names a database that cannot be used: PostgreSQL: self-signed certificate',
    );
    const journal = await openPostgresJournal({ url: `${encrypted}&sslrootcert=${ca}`, spoolDir });
    expect((await journal.open(newOrder())).kind).toBe('opened');
    const [row] = await server.query(
      url,
      `SELECT bool_and(ssl) AS is_encrypted FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'compat-gateway'`,
    );
    expect(row).toEqual({ is_encrypted: true });
    await journal.close();
  });

  test('a missing CA file is reported without the address', async () => {
    const url = `${await server.createDatabase()}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`;
    const error = await openPostgresJournal({ url, spoolDir: newFolder() }).then(String, String);
    expect(error).toContain('/nowhere/ca.pem');
    expect(error).not.toContain('hunter2');
  });
});
