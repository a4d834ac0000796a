import { fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { openSandbox } from '../../src/sandbox/sandbox';
import { createVirtualClock } from '../../src/sandbox/clock';
import { openSandboxTarget, sale } from '../conformance/target';
import { newFolder } from '../new-folder';

const folder = newFolder();

describe('a data folder', () => {
  test('keeps wallets, orders, PIN locks, struck moods and due results over a restart', async () => {
    const clock = createVirtualClock();
    const dataDir = `${folder}/all`;
    const before = await openSandboxTarget({ dataDir, clock });
    const { body: sold } = await before.post('/airtime', sale({ request_id: 'sold' }));
    const { body: late } = await before.post('/airtime', sale({ phone: '08031230001' }));
    await before.post('/airtime', sale({ phone: '08031230008', request_id: 'struck' }));
    for (let count = 0; count < 3; count += 1) await before.as('acme_live_demo').post('/airtime', sale({ pin: '9999' }));
    before.sandbox.admin.switchService('cabletv', false);
    const key = before.sandbox.admin.regenerateKey('acme_live_poor');
    await before.close();

    clock.advance(6_000);
    const after = await openSandboxTarget({ dataDir, clock });
    clock.advance(0);
    expect((await after.post('/airtime', sale({ request_id: 'sold' }))).body).toEqual({ ...sold, duplicate: true });
    expect((await after.receipt(late.data.reference)).status).toBe('success');
    expect((await after.post('/airtime', sale({ phone: '08031230008', request_id: 'struck' }))).body.status).toBe('success');
    expect((await after.as('acme_live_demo').post('/airtime', sale())).status).toBe(403);
    expect((await after.post('/cabletv', { plan_id: 11, smartcard: '7012345678', pin: '1234' })).status).toBe(403);
    expect((await after.as('acme_live_poor').get('/balance')).status).toBe(401);
    expect((await after.as(key).get('/balance')).status).toBe(200);
    expect(await after.balance()).toBe(999_706);
    await after.close();
  });

  test('keeps how far its clock was moved', async () => {
    const dataDir = `${folder}/moved`;
    const before = await openSandbox({ dataDir });
    before.admin.advanceClock(86_400_000);
    const movedTo = before.admin.advanceClock(1_000);
    await before.close();
    const after = await openSandbox({ dataDir });
    expect(after.admin.now()).toBeGreaterThanOrEqual(movedTo);
    await after.close();
  });

  test('keeps the duplicate window over a restart', async () => {
    const clock = createVirtualClock();
    const dataDir = `${folder}/window`;
    const before = await openSandboxTarget({ dataDir, clock });
    await before.post('/airtime', sale());
    await before.close();
    clock.advance(4_000);
    const after = await openSandboxTarget({ dataDir, clock });
    expect((await after.post('/airtime', sale())).body.message).toBe('Duplicate request detected');
    await after.close();
  });

  test.each([
    ['empty', () => Buffer.alloc(0), 'holds an empty sandbox.lmdb'],
    ['of another program', () => Buffer.from('xx\n'), 'holds a sandbox.lmdb that is no LMDB data file'],
    ['cut off', (whole: Buffer) => whole.subarray(0, 8_192), 'holds a sandbox.lmdb that is cut off'],
  ])('whose sandbox.lmdb is %s is refused with a message and left unchanged', async (name, damage, sentence) => {
    const dataDir = `${folder}/${name}`;
    const before = await openSandboxTarget({ dataDir });
    for (let sales = 0; sales < 50; sales += 1) await before.post('/airtime', sale({ request_id: `${sales}` }));
    await before.close();
    const file = `${dataDir}/sandbox.lmdb`;
    const damaged = damage(readFileSync(file));
    writeFileSync(file, damaged);
    await expect(openSandbox({ dataDir })).rejects.toThrow(sentence);
    expect(readFileSync(file).equals(damaged)).toBe(true);
  });

  test('is refused to a second sandbox of the same process', async () => {
    const dataDir = `${folder}/taken`;
    const first = await openSandbox({ dataDir });
    await expect(openSandbox({ dataDir })).rejects.toThrow(/in use by process \d+/);
    await first.close();
    await (await openSandbox({ dataDir })).close();
  });

  test('is released by a sandbox that does not open', async () => {
    const dataDir = `${folder}/released`;
    const clock = { ...createVirtualClock(), now: () => raise('no time') };
    await expect(openSandbox({ dataDir, clock })).rejects.toThrow('no time');
    await (await openSandbox({ dataDir })).close();
  });

  test('is taken over from a process that was killed, with every answered order', async () => {
    const dataDir = `${folder}/killed`;
    const references = await sellUntilKilled(dataDir);
    expect(references.length).toBeGreaterThan(0);
    const v1 = await openSandboxTarget({ dataDir });
    for (const reference of references) {
      expect((await v1.as('acme_live_demo').receipt(reference)).status).toBe('success');
    }
    await v1.close();
  });

  test('is refused to a second process while the first runs', async () => {
    const dataDir = `${folder}/two`;
    const child = fork(`${__dirname}/child-sandbox.cjs`, [dataDir, '0'], { silent: true });
    await new Promise((resolve) => child.once('message', resolve));
    await expect(openSandbox({ dataDir })).rejects.toThrow(new RegExp(`in use by process ${child.pid}`));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    await (await openSandbox({ dataDir })).close();
  });
});

function raise(message: string): never {
  throw new Error(message);
}

/** The references that a child process answered over HTTP before it was killed during its sales. */
async function sellUntilKilled(dataDir: string): Promise<string[]> {
  const child = fork(`${__dirname}/child-sandbox.cjs`, [dataDir, '1'], { silent: true });
  const references: string[] = [];
  await new Promise<void>((resolve) => {
    child.on('message', (message) => {
      references.push(message as string);
      if (references.length === 20) child.kill('SIGKILL');
    });
    child.once('exit', () => resolve());
  });
  return references.filter((reference) => reference.startsWith('PPA'));
}
