/** The files in a gateway's data folder belong to its owner alone, whatever the umask is and whatever an earlier build left. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort } from '../free-port';
import { newFolder } from '../new-folder';

const PROGRAM = resolve(__dirname, '..', '..', 'dist', 'cli', 'main.js');
const MAPPINGS = resolve(__dirname, '..', '..', 'mappings');

/** Serves with the embedded sandbox, sells once and stops. Gives the log. */
async function serveOnce(dataDir: string, umask: string, phone: string): Promise<string> {
  const [port, adminPort, sandboxPort] = [await freePort(), await freePort(), await freePort()].map(String);
  const child = spawn('sh', ['-c', `umask ${umask}; exec "$0" "$1" serve`, process.execPath, PROGRAM], {
    cwd: dataDir,
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: dataDir,
      MAPPINGS_DIR: MAPPINGS,
      PORT: port,
      ADMIN_PORT: adminPort,
      SANDBOX_PORT: sandboxPort,
      DRAIN_SECONDS: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const gone = once(child, 'exit');
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  try {
    while (!output.includes('Probes and metrics'))
      await Promise.race([once(child.stdout, 'data'), gone.then(() => Promise.reject(new Error(output)))]);
    const body = JSON.stringify({ network: '1', phone, amount: '100', plan_type: 'VTU', bypass: false });
    const headers = { authorization: 'Token sandbox_demo:1234', 'content-type': 'application/json' };
    expect((await fetch(`http://127.0.0.1:${port}/api/topup/`, { method: 'POST', headers, body })).status).toBe(200);
  } finally {
    child.kill('SIGTERM');
    await gone;
  }
  return output;
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
