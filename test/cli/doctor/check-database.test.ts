import { checkDatabase } from '../../../src/cli/doctor/check-database';
import { configFor } from '../../flows/house';
import { describePostgres, startPostgres, type PostgresServer } from '../../journal/postgres/start-postgres';

const look = async (journalUrl: string, apartMs = 0): Promise<string[]> => {
  const config = configFor('/nowhere', { JOURNAL_URL: journalUrl, GATEWAY_SECRET: '0123456789abcdef'.repeat(2) });
  const now = (): number => Date.now() + apartMs;
  const findings = await checkDatabase({ config, found: { kind: 'none' }, key: undefined, mapping: undefined, now });
  return findings.map(({ level, what }) => `${level}: ${what}`);
};

test('there is nothing to compare without a database, or while it is away', async () => {
  expect(await look('lmdb:')).toEqual([]);
  expect(await look('postgres://user:hidden@127.0.0.1:1/db')).toEqual([]);
});

describePostgres('the clock of a database', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.end());

  test('is held against that of this machine', async () => {
    const url = await server.createDatabase();
    expect(await look(url)).toEqual(["well: The clock agrees with the database's."]);
    expect(await look(url, 60_000)).toEqual([
      expect.stringMatching(/^mend: The clock of this machine is \d+ seconds from the database's/),
    ]);
  });
});
