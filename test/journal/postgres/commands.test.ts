// What an operator types beside gateways on PostgreSQL, and what a start says of a database that it cannot use.
import { createDays, dayAt, dayText, USUAL_TIME_ZONE } from '../../../src/domain/day';
import { openPostgresJournal } from '../../../src/journal/postgres/postgres-journal';
import { runCommand } from '../../cli/run-command';
import { buyAtV1 } from '../../faults/purchase';
import { send, withHouse } from '../../flows/house';
import { newOrder } from '../new-order';
import { describePostgres, startPostgres } from './start-postgres';
import { newFolder } from '../../new-folder';
import { opened } from '../../opened';

const GATEWAY_SECRET = '0123456789abcdef'.repeat(2);

async function type(words: readonly string[], env: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = await runCommand(words, { cwd: newFolder(), env: { GATEWAY_SECRET, ...env } });
  return { code, output: stdout + stderr };
}

describePostgres('commands beside a journal in PostgreSQL', () => {
  const server = opened(startPostgres);

  test('orders are listed, shown and reported from any machine', async () => {
    const url = await server.createDatabase();
    const journal = await openPostgresJournal({ url, spoolDir: newFolder() });
    await journal.open(newOrder({ openedAtMs: Date.now() }));
    await journal.settle(newOrder().owner, 'r1', { kind: 'succeeded', reference: 'v1-9' }, Date.now());
    await journal.open(newOrder({ requestId: 'r2', openedAtMs: Date.now() }));
    await journal.close();
    const env = { JOURNAL_URL: url };
    const list = await type(['orders', 'list'], env);
    expect(list).toMatchObject({ code: 0, output: expect.stringMatching(/succeeded[^]*r1/) });
    expect(list.output).toContain('r2');
    expect(await type(['orders', 'show', 'r1'], env)).toMatchObject({ code: 0, output: expect.stringContaining('v1-9') });
    // By a number in another spelling too, though no index of it stands on this machine.
    const byNumber = await type(['orders', 'find', '+234 803 000 0001'], env);
    expect(byNumber).toMatchObject({ code: 0, output: expect.stringMatching(/0803•••0001[^]*v1-9/) });
    expect(byNumber.output).toContain('2 rows.');
    expect((await type(['orders', 'find', '--reference', 'v1-9'], env)).output).toContain('1 row.');
    expect((await type(['orders', 'find', '08039999999'], env)).code).toBe(1);
    expect((await type(['orders', 'report'], env)).output).toContain('1 order without a final outcome');
    const shown = (await type(['config'], env)).output;
    expect(shown).toContain(`postgres://[secret]@127.0.0.1:${server.port}/`);
    expect(shown).not.toContain(new URL(url).password);
  });

  test('a day is held against v1: its own sale agrees, and one past the gateway stands in the report', async () => {
    const [cwd, url] = [newFolder(), await server.createDatabase()];
    const settings = { JOURNAL_URL: url, GATEWAY_SECRET };
    await withHouse({ dataDir: cwd, env: settings }, async (house) => {
      const sale = { network: '1', mobile_number: '08031234567', amount: '100', bypass: true, 'request-id': 'r1' };
      expect((await send(house.url, '/api/topup/', sale)).body.Status).toBe('successful');
      const day = dayText(dayAt(Date.now(), createDays()), USUAL_TIME_ZONE);
      const env = { ...settings, DATA_DIR: cwd, ADMIN_PORT: new URL(house.service.adminUrl).port };
      const reconcile = () => runCommand(['orders', 'reconcile', '--day', day], { cwd, env, input: 'sandbox_demo\n' });
      expect(await reconcile()).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^All agree: [^]*\nJournal {2}1 order;/),
      });
      const fields = { network: 'MTN', phone: '08035551234', amount: 200, ported: true };
      await buyAtV1(house.service.upstreamUrl, 'sandbox_demo', fields);
      expect(await reconcile()).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^1 thing to look at: [^]*\nat v1 only /),
      });
    });
  });

  test('a database without a journal, and a start with a wrong password, are said in one line without the password', async () => {
    const url = await server.createDatabase();
    const env = { JOURNAL_URL: url };
    expect(await type(['orders', 'list'], env)).toEqual({
      code: 1,
      output:
        'JOURNAL_URL names a database that cannot be used: it holds no journal yet; a gateway that starts on it makes one.\n',
    });
    const wrong = {
      ...env,
      JOURNAL_URL: url.replace(/:[^:@]*@/, ':hunter2@'),
      UPSTREAM_URL: 'http://127.0.0.1:1',
      PORT: '0',
      ADMIN_PORT: '0',
    };
    const { code, output } = await type(['serve'], wrong);
    expect(code).toBe(1);
    expect(output).toContain('cannot be used: PostgreSQL: password authentication failed for user "gateway".');
    expect(output).not.toContain('hunter2');
  });
});
