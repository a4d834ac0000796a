/** The files in a gateway's data folder belong to its owner alone, whatever the umask is and whatever an earlier build left. */
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { prepareGateway } from '../crash/gateway-process';
import { buyAirtime } from '../flows/house';
import { newFolder } from '../new-folder';

/** Serves with the embedded sandbox, sells once and stops. Gives the log. */
async function serveOnce(dataDir: string, umask: string, phone: string): Promise<string> {
  const env = { SANDBOX_PORT: '0', LOG_LEVEL: 'info' };
  const gateway = await prepareGateway({ dataDir, upstreamUrl: 'sandbox', before: `umask ${umask}`, env });
  expect([await gateway.start(), gateway.complaints()]).toEqual([true, '']);
  expect((await buyAirtime(gateway, { mobile_number: phone })).status).toBe(200);
  await gateway.end('SIGTERM');
  return gateway.output();
}

/** Everything below the folder that users other than its owner may access. */
function modes(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${name} ${(statSync(join(folder, name)).mode & 0o777).toString(8)}`)
    .filter((line) => !line.endsWith('00'));
}

test.each(['000', '022'])('with umask %s', async (umask) => {
  const dataDir = newFolder();
  expect(await serveOnce(dataDir, umask, '08031230101')).not.toContain('data_folder');
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
  expect(files).toEqual(
    expect.arrayContaining([
      'gateway.secret',
      'journal/data.mdb',
      'traffic/shapes.jsonl',
      'sandbox/sandbox.lmdb-lock',
      'processes',
    ]),
  );
  expect(modes(dataDir)).toEqual([]);

  chmodSync(dataDir, 0o755);
  for (const name of files) chmodSync(join(dataDir, name), statSync(join(dataDir, name)).isDirectory() ? 0o755 : 0o644);
  const log = await serveOnce(dataDir, umask, '08031230102');
  expect(log).toContain(`DATA_DIR is ${dataDir}, which other users may enter (755): chmod 700 ${dataDir}`);
  expect(log).toContain(`${join(dataDir, 'gateway.secret')} was readable by other users (644); now it is not`);
  expect(modes(dataDir)).toEqual([]);
  expect((statSync(dataDir).mode & 0o777).toString(8)).toBe('755');
});
