// Backups of a data folder without a running gateway, and the faults that a restore must detect. Backups during sales: test/crash/backup.test.ts.
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Config } from '../../src/config';
import { systemClock } from '../../src/domain/clock';
import { NOT_TOLD } from '../../src/domain/order';
import type { Outcome } from '../../src/domain/outcome';
import { startOf } from '../../src/domain/process-start';
import { openByteFolder } from '../../src/journal/lmdb/environment';
import { openLmdbJournal, openLmdbReader } from '../../src/journal/lmdb-journal';
import { createSpool, replaySpool } from '../../src/journal/postgres/away';
import { createFieldSeal } from '../../src/journal/record';
import { makeBackup, readBackup, refusesRestore, restoreBackup } from '../../src/start/backup';
import { openConfiguredJournal } from '../../src/start/configured-stores';
import { readGatewaySecret } from '../../src/start/gateway-secret';
import { markUntold } from '../../src/watch/mark-untold';
import { readSigns } from '../../src/watch/signs-of-life';
import { openToldLog, toldFiles } from '../../src/watch/told-log';
import { configFor, MAPPINGS } from '../flows/house';
import { newOrder } from '../journal/new-order';
import { newFolder } from '../new-folder';
import { copyMappings } from '../mapping/mapping-set';

const KEY = 'ab'.repeat(32);
const OWNER = 'f'.repeat(32);
const OUTCOMES: Readonly<Record<string, Outcome | undefined>> = {
  sold: { kind: 'succeeded', reference: 'R1' },
  rejected: { kind: 'rejected', httpStatus: 400, message: 'Insufficient balance' },
  unsent: { kind: 'not_sent', reason: 'refused' },
  absent: { kind: 'not_sent', reason: 'v1 does not have this order', isProven: true },
  open: undefined,
};

let folder: string;
let backup: string;
beforeEach(() => {
  folder = newFolder();
  backup = join(folder, 'backup');
});

const configOf = (name: string, env: Record<string, string> = {}): Config =>
  configFor(join(folder, name), { JOURNAL_KEY: KEY, ...env });

async function sell(config: Config, names: readonly string[], atMs = 1_000): Promise<void> {
  mkdirSync(config.dataDir, { recursive: true });
  readGatewaySecret(config);
  mkdirSync(join(config.dataDir, 'mapping-history'), { recursive: true });
  writeFileSync(join(config.dataDir, 'mapping-history', 'uses.json'), '{}');
  const journal = await openLmdbJournal({
    dir: join(config.dataDir, 'journal'),
    encryptionKey: config.journalKey!,
    retentionMs: Infinity,
  });
  for (const requestId of names) {
    await journal.open(newOrder({ owner: OWNER, requestId, contentHash: requestId, openedAtMs: atMs }));
    const outcome = OUTCOMES[requestId];
    if (outcome !== undefined) await journal.settle(OWNER, requestId, outcome, atMs + 1);
    if (outcome?.kind === 'succeeded') await journal.tell(OWNER, requestId, NOT_TOLD);
  }
  await journal.close();
}

async function backUpOneSale(env: Record<string, string> = {}) {
  const here = configOf('here', env);
  await sell(here, ['sold']);
  return { here, manifest: await makeBackup(here, {}, backup) };
}

async function kindsIn(config: Config): Promise<Record<string, string>> {
  const journal = await openLmdbReader({ dir: join(config.dataDir, 'journal'), encryptionKey: config.journalKey! });
  const kinds: Record<string, string> = {};
  for (const name of Object.keys(OUTCOMES)) {
    const order = await journal.find(OWNER, name);
    kinds[name] = order === undefined ? 'forgotten' : (order.outcome?.kind ?? 'open');
  }
  await journal.close();
  return kinds;
}

test('a restore keeps all orders that may have cost money and forgets rejected and unsent ones', async () => {
  const [here, there] = [configOf('here'), configOf('there')];
  await sell(here, Object.keys(OUTCOMES));
  const notes = openByteFolder(join(here.dataDir, 'notes'), 2 ** 20);
  await notes.put(Buffer.from('refused'), Buffer.from('why'));
  const manifest = await makeBackup(here, { JOURNAL_KEY: 'environment' }, backup);
  await notes.close();
  expect(manifest.journal).toEqual({ orders: 5, open: 1, newestMs: 1_000 });
  expect(manifest.settings).toEqual({ JOURNAL_KEY: '[secret]' });
  expect(await refusesRestore(there, backup, await readBackup(backup), false)).toBeUndefined();
  expect(await restoreBackup(there, backup, manifest)).toEqual({ forgotten: 2, setAside: [] });
  expect(await kindsIn(there)).toEqual({
    ...{ sold: 'succeeded', rejected: 'forgotten', unsent: 'forgotten', absent: 'not_sent', open: 'open' },
  });
  for (const name of ['gateway.secret', 'mapping-history/uses.json'])
    expect(readFileSync(join(there.dataDir, name), 'utf8')).toBe(readFileSync(join(here.dataDir, name), 'utf8'));
  expect(readdirSync(join(backup, 'mappings')).sort()).toEqual(readdirSync(MAPPINGS).sort());
  const restored = openByteFolder(join(there.dataDir, 'notes'), 2 ** 20, true);
  expect(restored.get(Buffer.from('refused'))?.toString()).toBe('why');
  await restored.close();
  // The manifest contains no secret, such as the key of the journal.
  expect(readFileSync(join(backup, 'backup.json'), 'utf8')).not.toContain(KEY);
});

test('after a restore, only sales whose script had not heard of them by the backup count as not told', async () => {
  const [here, there] = [configOf('here'), configOf('there')];
  await sell(here, []);
  const openSold = ({ dataDir, journalKey }: Config) =>
    openLmdbJournal({ dir: join(dataDir, 'journal'), encryptionKey: journalKey!, retentionMs: Infinity });
  const journal = await openSold(here);
  const told = openToldLog(toldFiles(here.dataDir, systemClock), systemClock);
  for (const requestId of ['heard', 'cut off']) {
    await journal.open(newOrder({ owner: OWNER, requestId, contentHash: requestId, openedAtMs: Date.now() }));
    await journal.settle(OWNER, requestId, OUTCOMES['sold']!, Date.now());
  }
  // Its reply has just left.
  told.note((await journal.find(OWNER, 'heard'))!);
  const manifest = await makeBackup(here, {}, backup);
  await journal.close();
  await restoreBackup(there, backup, manifest);
  const restored = await openSold(there);
  await markUntold(restored, readSigns(there.dataDir, Date.now()), { toldSales: toldFiles(there.dataDir, systemClock) });
  expect((await restored.find(OWNER, 'heard'))?.toldAtMs).toBeUndefined();
  expect((await restored.find(OWNER, 'cut off'))?.toldAtMs).toBe(NOT_TOLD);
  await restored.close();
});

test('an incomplete or altered backup is refused with the name of the faulty file', async () => {
  await backUpOneSale();
  const copy = join(folder, 'copy');
  const broken = async (name: string, breakIt: (path: string) => void): Promise<void> => {
    cpSync(backup, copy, { recursive: true });
    breakIt(join(copy, name));
    await expect(readBackup(copy)).rejects.toThrow(name);
    rmSync(copy, { recursive: true });
  };
  await broken('data/journal/data.mdb', (path) => appendFileSync(path, 'x'));
  await broken('data/gateway.secret', (path) => rmSync(path));
  await broken('backup.json', (path) => rmSync(path));
  await broken('backup.json', (path) => writeFileSync(path, '{"version": 2}'));
  await broken('backup.json', (path) => writeFileSync(path, 'not JSON'));
  await expect(readBackup(backup)).resolves.toMatchObject({ version: 1 });
});

test('a backup inside a folder that it copies is refused', async () => {
  const mappings = copyMappings(join(folder, 'mappings'));
  const here = configOf('here', { MAPPINGS_DIR: mappings });
  await sell(here, ['sold']);
  const before = readdirSync(mappings);
  for (const place of [join(mappings, 'backup'), join(mappings, 'cases', 'backup'), join(here.dataDir, 'mapping-history', 'b')])
    await expect(makeBackup(here, {}, place)).rejects.toThrow(/lies in .*; name a folder elsewhere\.$/);
  expect(readdirSync(mappings)).toEqual(before);
  await makeBackup(here, {}, join(here.dataDir, 'backup'));
});

test('a refused backup writes nothing, and a backup never replaces an existing folder', async () => {
  await expect(makeBackup(configOf('nowhere'), {}, backup)).rejects.toThrow('There is no data folder');
  mkdirSync(join(folder, 'empty'));
  await expect(makeBackup(configOf('empty'), {}, backup)).rejects.toThrow('There is no journal');
  expect(readdirSync(folder)).toEqual(['empty']);
  await expect(makeBackup(configOf('empty', { JOURNAL_URL: 'memory:' }), {}, backup)).rejects.toThrow('JOURNAL_URL is memory:');
  mkdirSync(backup);
  await expect(makeBackup(configOf('empty'), {}, backup)).rejects.toThrow('is there already');
});

// Node's mkdir with `recursive` never returns for this path.
(existsSync('/proc/self') ? test : test.skip)('a backup where the system makes no folders ends with an error', async () => {
  const here = configOf('here');
  await sell(here, []);
  await expect(makeBackup(here, {}, '/proc/compat-gateway/backup')).rejects.toThrow('ENOENT');
});

test('notes that cannot be copied are left out of the backup, which says so', async () => {
  const here = configOf('here');
  await sell(here, ['sold']);
  mkdirSync(join(here.dataDir, 'notes'));
  writeFileSync(join(here.dataDir, 'notes', 'data.mdb'), 'noise');
  const manifest = await makeBackup(here, {}, backup);
  expect(manifest.skipped).toMatch(/notes holds a data\.mdb that is no LMDB data file/);
  expect(Object.keys((await readBackup(backup)).files)).toContain('data/journal/data.mdb');
  expect(existsSync(join(backup, 'data', 'notes'))).toBe(false);
});

test('a restore replaces a damaged gateway.secret by that of the backup', async () => {
  const { here, manifest } = await backUpOneSale();
  const path = join(here.dataDir, 'gateway.secret');
  const whole = readFileSync(path, 'utf8');
  writeFileSync(path, '');
  expect(await refusesRestore(here, backup, manifest, false)).toBeUndefined();
  const { setAside } = await restoreBackup(here, backup, manifest);
  expect(setAside).toContainEqual(expect.stringMatching(/gateway\.secret\.before-/));
  expect(readFileSync(path, 'utf8')).toBe(whole);
  expect(await kindsIn(here)).toMatchObject({ sold: 'succeeded' });
});

test('a restore that fails halfway changes nothing in the data folder', async () => {
  const { here, manifest } = await backUpOneSale();
  await sell(here, ['open'], 2_000);
  const before = readdirSync(here.dataDir);
  // Stands for any failure of a file, such as a full disk: the last part cannot be copied.
  const socket = createServer().listen(join(backup, 'data', 'zz'));
  await once(socket, 'listening');
  await expect(restoreBackup(here, backup, manifest)).rejects.toThrow();
  socket.close();
  expect(readdirSync(here.dataDir)).toEqual(before);
  expect(await kindsIn(here)).toMatchObject({ sold: 'succeeded', open: 'open' });
});

test('a restore that cannot set one part aside changes nothing in the data folder', async () => {
  const { here, manifest } = await backUpOneSale();
  await sell(here, ['open'], 2_000);
  // Stands for a folder on which a disk is mounted: with the mark of a part that is set aside, this name is too long.
  const last = 'z'.repeat(235);
  for (const place of [join(here.dataDir, last), join(backup, 'data', last)]) writeFileSync(place, '');
  writeFileSync(join(here.dataDir, 'told'), 'heard');
  const before = readdirSync(here.dataDir);
  await expect(restoreBackup(here, backup, manifest)).rejects.toThrow('ENAMETOOLONG');
  expect(readdirSync(here.dataDir)).toEqual(before);
  expect(await kindsIn(here)).toMatchObject({ sold: 'succeeded', open: 'open' });
});

describe('a restore is refused', () => {
  test('over a newer journal, unless it is forced, which sets the newer journal aside', async () => {
    const { here, manifest } = await backUpOneSale();
    await sell(here, ['open'], 2_000);
    expect(await refusesRestore(here, backup, manifest, false)).toMatch(/has orders that the backup does not have/);
    expect(await refusesRestore(here, backup, manifest, true)).toBeUndefined();
    const { setAside } = await restoreBackup(here, backup, manifest);
    expect(setAside.map((path) => path.replace(/\.before-.*/, ''))).toEqual(
      expect.arrayContaining([join(here.dataDir, 'journal'), join(here.dataDir, 'gateway.secret')]),
    );
    expect(setAside.every((path) => existsSync(path))).toBe(true);
    expect(await kindsIn(here)).toMatchObject({ sold: 'succeeded', open: 'forgotten' });
  });

  test('with --force too, within 20 seconds of the last sign of a gateway that sells from the data folder, perhaps in another container', async () => {
    const there = configOf('there');
    const { manifest } = await backUpOneSale();
    mkdirSync(join(there.dataDir, 'processes'), { recursive: true });
    writeFileSync(join(there.dataDir, 'processes', 'one'), '');
    for (const isForced of [false, true])
      expect(await refusesRestore(there, backup, manifest, isForced)).toMatch(/in the last 20 seconds/);
    await expect(restoreBackup(there, backup, manifest)).rejects.toThrow(/in the last 20 seconds/);
    // Long ago, also by a clock that was ahead then.
    for (const signSeconds of [Date.now() / 1_000 + 86_400, 1]) {
      utimesSync(join(there.dataDir, 'processes', 'one'), signSeconds, signSeconds);
      expect(await refusesRestore(there, backup, manifest, false)).toBeUndefined();
    }
    await restoreBackup(there, backup, manifest);
    // The next start treats the folder as one of a gateway that died: untold orders are told again.
    expect(existsSync(join(there.dataDir, 'processes'))).toBe(false);
  });

  test('with --force too, under a gateway that runs, whose journal would be changed under it', async () => {
    const there = configOf('there');
    const { manifest } = await backUpOneSale();
    const sign = join(there.dataDir, 'processes', 'one');
    mkdirSync(join(there.dataDir, 'processes'), { recursive: true });
    writeFileSync(sign, JSON.stringify({ pid: process.pid, started: startOf(process.pid), namespace: '' }));
    // It may have stood still for a while.
    utimesSync(sign, 1, 1);
    expect(await refusesRestore(there, backup, manifest, true)).toMatch(/^A gateway runs with DATA_DIR /);
    // A supervisor may start it again while the parts are copied.
    await expect(restoreBackup(there, backup, manifest)).rejects.toThrow(/^A gateway runs with DATA_DIR /);
    expect(readdirSync(there.dataDir)).toEqual(['processes']);
    writeFileSync(sign, JSON.stringify({ pid: process.pid, started: 'an earlier one', namespace: '' }));
    utimesSync(sign, 1, 1);
    expect(await refusesRestore(there, backup, manifest, true)).toBeUndefined();
  });

  test('with --force too, into the folder of JOURNAL_URL from which a gateway with another DATA_DIR sells', async () => {
    const journalUrl = `lmdb:${join(folder, 'journal')}`;
    const { manifest } = await backUpOneSale();
    const seller = configOf('seller', { JOURNAL_URL: journalUrl });
    mkdirSync(join(seller.dataDir, 'processes'), { recursive: true });
    await (await openConfiguredJournal(seller)).close();
    const sign = join(seller.dataDir, 'processes', 'one');
    writeFileSync(sign, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }));
    const there = configOf('there', { JOURNAL_URL: journalUrl });
    expect(await refusesRestore(there, backup, manifest, true)).toBe(
      `A gateway runs with DATA_DIR ${seller.dataDir}. Stop it first: a journal cannot be changed under it.`,
    );
    rmSync(sign);
    expect(await refusesRestore(there, backup, manifest, true)).toBeUndefined();
  });

  test('over another gateway.secret, and with another GATEWAY_SECRET', async () => {
    const { manifest } = await backUpOneSale();
    const own = configOf('own');
    await sell(own, []);
    expect(await refusesRestore(own, backup, manifest, false)).toMatch(/has a gateway.secret of its own/);
    const set = configOf('set', { GATEWAY_SECRET: 'cd'.repeat(32) });
    expect(await refusesRestore(set, backup, manifest, true)).toMatch(/GATEWAY_SECRET is not that of the backup/);
  });

  test('without the GATEWAY_SECRET setting that the backup was made with', async () => {
    const { manifest } = await backUpOneSale({ GATEWAY_SECRET: 'cd'.repeat(32) });
    expect(await refusesRestore(configOf('there'), backup, manifest, true)).toMatch(/has no gateway.secret/);
    expect(await refusesRestore(configOf('there', { GATEWAY_SECRET: 'cd'.repeat(32) }), backup, manifest, false)).toBeUndefined();
  });

  test.each(['postgres://user:hidden@127.0.0.1/db', 'memory:'])(
    'with --force too, where JOURNAL_URL is %s and the backup has an embedded journal, which would be left out',
    async (journalUrl) => {
      const secret = { GATEWAY_SECRET: 'cd'.repeat(32) };
      const { manifest } = await backUpOneSale(secret);
      const there = configOf('there', { ...secret, JOURNAL_URL: journalUrl });
      const refusal = await refusesRestore(there, backup, manifest, true);
      expect(refusal).toMatch(/^JOURNAL_URL names no folder/);
      expect(refusal).not.toContain('hidden');
    },
  );

  test('with another JOURNAL_KEY, and nothing is changed', async () => {
    const { manifest } = await backUpOneSale();
    const there = configOf('there', { JOURNAL_KEY: 'ef'.repeat(32) });
    await sell(configOf('there'), ['open'], 500);
    const before = readdirSync(there.dataDir);
    await expect(restoreBackup(there, backup, manifest)).rejects.toThrow('JOURNAL_KEY must be the one that its orders have');
    expect(readdirSync(there.dataDir)).toEqual(before);
    expect(await kindsIn(configOf('there'))).toMatchObject({ open: 'open' });
  });
});

test('with the journal in PostgreSQL the backup has everything but the journal', async () => {
  const config = configOf('here', { GATEWAY_SECRET: 'cd'.repeat(32), JOURNAL_URL: 'postgres://user:hidden@127.0.0.1/db' });
  mkdirSync(join(config.dataDir, 'spool'), { recursive: true });
  writeFileSync(join(config.dataDir, 'spool', 'one.words'), '{}\n');
  const manifest = await makeBackup(config, { JOURNAL_URL: 'environment' }, backup);
  expect(manifest.journal).toBeUndefined();
  expect(Object.keys(manifest.files)).toContain('data/spool/one.words');
  expect(readFileSync(join(backup, 'backup.json'), 'utf8')).not.toContain('hidden');
});

test('of what v1 said while PostgreSQL was away, a restore leaves out the refusals: the orders may have been sold since', async () => {
  const postgres = { GATEWAY_SECRET: 'cd'.repeat(32), JOURNAL_URL: 'postgres://user:hidden@127.0.0.1/db' };
  const [here, there] = [configOf('here', postgres), configOf('there', postgres)];
  const seal = createFieldSeal(here.journalKey);
  const spool = createSpool({ dir: join(here.dataDir, 'spool'), seal, onTrouble: (error) => expect(error).toBeUndefined() });
  for (const name of ['rejected', 'sold', 'unsent'])
    await spool.append({ owner: OWNER, requestId: name, attempt: 1, said: { latest: OUTCOMES[name]!, atMs: 1 } });
  await restoreBackup(there, backup, await makeBackup(here, {}, backup));
  const replayed: string[] = [];
  await replaySpool(join(there.dataDir, 'spool'), seal, async ({ requestId }) => void replayed.push(requestId));
  expect(replayed).toEqual(['sold']);
});
