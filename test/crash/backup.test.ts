/**
 * A gateway is backed up under load, goes on selling, and loses its machine; the backup is restored elsewhere. The restored
 * gateway knows every order from before the backup. Every order is sent again under its id, and none is charged twice.
 */
import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { askStatus, buy, PURCHASES } from '../faults/purchase';
import { openV1OfMany, type V1OfMany } from '../faults/v1-of-many';
import { MAPPINGS } from '../flows/house';
import { prepareGateway, type GatewayProcess } from './gateway-process';
import { newFolder } from '../new-folder';

const PROGRAM = resolve(__dirname, '..', '..', 'dist', 'cli', 'main.js');
const run = promisify(execFile);
const SELLERS = 8;
const AIRTIME = PURCHASES[0]!;

const folder = newFolder();
let v1: V1OfMany;
let gateway: GatewayProcess;
beforeAll(async () => {
  v1 = await openV1OfMany(SELLERS);
});
afterAll(async () => {
  await gateway.end('SIGKILL');
  await v1.close();
});

async function start(name: string): Promise<void> {
  gateway = await prepareGateway({ dataDir: join(folder, name), cwd: folder, upstreamUrl: v1.url });
  expect([await gateway.start(), gateway.complaints()]).toEqual([true, '']);
}

const command = (name: string, ...words: string[]): Promise<{ stdout: string }> =>
  run(process.execPath, [PROGRAM, ...words], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: join(folder, name),
      MAPPINGS_DIR: MAPPINGS,
      ADMIN_PORT: new URL(gateway.adminUrl).port,
    },
  });

test('a backup under load, restored on another machine, has every earlier order and sells none twice', async () => {
  await start('first');
  const sold: string[][] = Array.from({ length: SELLERS }, () => []);
  let isSelling = true;
  const selling = sold.map(async (ids, seller) => {
    while (isSelling) {
      const id = `s${seller}-${ids.length}`;
      expect((await buy(gateway.url, v1.keyOf(seller), AIRTIME, id)).word).toBe('success');
      ids.push(id);
    }
  });
  while (sold.some((ids) => ids.length < 10)) await new Promise((done) => setTimeout(done, 20));
  const before = sold.map((ids) => [...ids]);
  const made = await command('first', 'backup', join(folder, 'backup'));
  expect(made.stdout).toMatch(/The journal has \d+ orders, the newest of /);
  expect(statSync(join(folder, 'backup', 'data', 'gateway.secret')).mode & 0o077).toBe(0);
  const during = sold.map((ids) => ids.length);
  while (sold.some((ids, seller) => ids.length < during[seller]! + 5)) await new Promise((done) => setTimeout(done, 20));
  isSelling = false;
  await Promise.all(selling);

  // The folder is still in use, so nothing is restored into it.
  await expect(command('first', 'restore', join(folder, 'backup'))).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^A gateway runs with DATA_DIR/) as string,
  });
  await gateway.end('SIGKILL');
  await expect(command('first', 'restore', join(folder, 'backup'))).rejects.toMatchObject({
    stderr: expect.stringMatching(/^A gateway sold from .* in the last 20 seconds/) as string,
  });
  const restored = await command('second', 'restore', join(folder, 'backup'));
  expect(restored.stdout).toMatch(/^Restored into .*\n\d+ orders, \d+ without an end/);

  await start('second');
  for (const [seller, ids] of before.entries())
    for (const id of ids) expect((await askStatus(gateway.url, v1.keyOf(seller), id)).word).toBe('success');
  for (const [seller, ids] of sold.entries())
    for (const id of ids) expect((await buy(gateway.url, v1.keyOf(seller), AIRTIME, id)).word).toBe('success');
  expect(v1.countOrders()).toBe(sold.flat().length);
  expect(v1.isBalanced()).toBe(true);
  expect(existsSync(join(folder, 'second', 'journal', 'data.mdb'))).toBe(true);
}, 300_000);
