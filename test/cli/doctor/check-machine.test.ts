// Machines that are not fit to keep orders, each a real one.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, CheckInput, Finding } from '../../../src/cli/doctor/finding';
import {
  checkDatabase,
  checkDataFolder,
  checkJournal,
  checkMachine,
  checkMappings,
  checkSecrets,
  cureFor,
  judgeNode,
  judgeOpenFiles,
} from '../../../src/cli/doctor/check-machine';
import { openConfiguredJournal } from '../../../src/start/configured-stores';
import { takeGatewaySecret } from '../../../src/start/gateway-secret';
import { configFor } from '../../flows/house';
import { newOrder } from '../../journal/new-order';
import { describePostgres, startPostgres } from '../../journal/postgres/start-postgres';
import { copyMappings } from '../../mapping/mapping-set';
import { newFolder } from '../../new-folder';
import { opened } from '../../opened';

const KEY = 'ab'.repeat(32);
let folder: string;
beforeEach(() => (folder = newFolder()));

interface Given extends Pick<CheckInput, 'found' | 'now'> {
  readonly dataDir: string;
}

async function look(
  check: Check,
  env: Record<string, string> = {},
  { dataDir = folder, now = Date.now, found = { kind: 'none' } }: Partial<Given> = {},
): Promise<readonly Finding[]> {
  const config = configFor(dataDir, env);
  return [await check({ config, found, key: undefined, mapping: undefined, now })].flat();
}

const brief = (findings: readonly Finding[]): string[] => findings.map(({ level, what }) => `${level}: ${what}`);

async function makeJournal(env: Record<string, string>): Promise<void> {
  const journal = await openConfiguredJournal(configFor(folder, env));
  await journal.open(newOrder());
  await journal.close();
}

test('Node and the limit of open files are those of the gateway that runs', async () => {
  const running = { node: 'v20.19.0', openFilesMax: 256 } as never;
  const found = { kind: 'running', running, readyz: { status: 200, waitingFor: [] }, metrics: '' } as const;
  expect(brief(await look(checkMachine, {}, { found }))).toEqual([
    'note: Node is 20.19.0.',
    'mend: The limit of open files is 256.',
    expect.stringMatching(/^well: Times are told in /),
  ]);
});

test('a good folder is left unchanged', async () => {
  expect(brief(await look(checkDataFolder))).toEqual([
    expect.stringMatching(/^well: DATA_DIR can be written, on a disk with \d+ GiB free/),
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

test('a folder that does not exist yet, and a file in its place', async () => {
  expect(brief(await look(checkDataFolder, {}, { dataDir: join(folder, 'later') }))).toEqual([
    expect.stringMatching(/^note: There is no data folder/),
  ]);
  expect(existsSync(join(folder, 'later'))).toBe(false);
  writeFileSync(join(folder, 'file'), '');
  expect(brief(await look(checkDataFolder, {}, { dataDir: join(folder, 'file') }))).toEqual([
    expect.stringMatching(/^mend: DATA_DIR is .* there is a file in its place/),
  ]);
});

test.each([
  ['ENOSPC', 'Make room on its disk.'],
  ['EDQUOT', 'Make room, or raise the quota of the user of the gateway.'],
  ['EROFS', 'Repair its disk and mount it for writing, or replace it.'],
  ['EIO', 'Repair or replace its disk.'],
  ['EACCES', 'Make the user of the gateway the owner of this folder.'],
])('a folder that takes no file because of %s: %s', (code, cure) =>
  expect(cureFor(Object.assign(new Error('no'), { code }))).toBe(cure),
);

const TMPFS = 0x01021994;
const inMemory = existsSync('/dev/shm') && statfsSync('/dev/shm').type === TMPFS ? test : test.skip;
inMemory('a folder in memory (needs /dev/shm)', async () => {
  const dataDir = mkdtempSync('/dev/shm/doctor-');
  try {
    expect(brief(await look(checkDataFolder, {}, { dataDir }))).toContain('mend: DATA_DIR is on tmpfs, in memory.');
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('a journal that opens, a file that is no journal, and a journal of another key', async () => {
  expect(await look(checkJournal)).toEqual([]);
  await makeJournal({ JOURNAL_KEY: KEY });
  expect(brief(await look(checkJournal, { JOURNAL_KEY: KEY }))).toEqual([
    expect.stringMatching(/^well: The journal opens; its file has \d+ MiB/),
  ]);
  expect(brief(await look(checkJournal, { JOURNAL_KEY: 'cd'.repeat(32) }))).toEqual([
    expect.stringMatching(/^mend: The journal does not open: .*JOURNAL_KEY/),
  ]);
  rmSync(join(folder, 'journal'), { recursive: true });
  mkdirSync(join(folder, 'journal'));
  writeFileSync(join(folder, 'journal', 'data.mdb'), 'x'.repeat(10_000));
  expect(brief(await look(checkJournal))).toEqual([
    expect.stringMatching(/^mend: The journal does not open: .*no LMDB data file/),
  ]);
  expect(brief(await look(checkJournal, { JOURNAL_URL: 'memory:' }))).toEqual(['mend: The journal is in memory (JOURNAL_URL).']);
});

test('a journal in a folder that takes no file, although it can be read', async () => {
  await makeJournal({});
  // Nobody can write a file where there is a folder, whichever user runs this.
  mkdirSync(join(folder, 'journal', `probe.${process.pid}`));
  expect(await look(checkJournal)).toEqual([
    {
      level: 'mend',
      what: expect.stringMatching(/^The journal folder .*journal cannot be written: EISDIR/) as string,
      why: 'The gateway does not start with this journal.',
      todo: 'Make the user of the gateway the owner of this folder.',
    },
  ]);
});

inMemory('a journal on a disk of its own, which is memory (needs /dev/shm)', async () => {
  const place = mkdtempSync('/dev/shm/doctor-');
  try {
    await makeJournal({ JOURNAL_URL: `lmdb:${place}` });
    expect(brief(await look(checkJournal, { JOURNAL_URL: `lmdb:${place}` }))).toEqual([
      expect.stringMatching(/^well: The journal opens/),
      `mend: The folder ${place} of JOURNAL_URL is on tmpfs, in memory.`,
    ]);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});

test('a database that cannot be reached', async () => {
  const env = { JOURNAL_URL: 'postgres://user:hidden@127.0.0.1:1/db', GATEWAY_SECRET: KEY };
  const [finding] = await look(checkJournal, env);
  expect(finding).toMatchObject({ level: 'mend', what: expect.stringMatching(/^The journal does not open: /) as string });
  expect(JSON.stringify(finding)).not.toContain('hidden');
  // A backup is older than what the database has.
  expect(finding?.todo).toMatch(/bring it back or let its standby take over, and do not restart the gateway/);
  expect(finding?.todo).not.toContain('restore');
});

test('a secret in a file, a secret in a setting, and a secret that is cut off', async () => {
  expect(brief(await look(checkSecrets))).toEqual(['note: JOURNAL_KEY is not set.']);
  takeGatewaySecret({ dataDir: folder });
  expect(brief(await look(checkSecrets, { JOURNAL_KEY: KEY }))).toEqual([
    "note: The gateway's secret is gateway.secret in DATA_DIR.",
  ]);
  expect(brief(await look(checkSecrets, { JOURNAL_KEY: KEY, GATEWAY_SECRET: KEY }))).toEqual([
    expect.stringMatching(/^mend: The gateway's secret is not the one with which /),
    "note: The gateway's secret is GATEWAY_SECRET.",
  ]);
  rmSync(join(folder, 'gateway.secret-check'));
  rmSync(join(folder, 'gateway.secret'));
  expect((await look(checkSecrets, { JOURNAL_KEY: KEY, GATEWAY_SECRET: KEY }))[0]).toMatchObject({
    todo: expect.stringMatching(/no backup holds it/) as string,
  });
  writeFileSync(join(folder, 'gateway.secret'), 'short');
  expect(brief(await look(checkSecrets, { JOURNAL_KEY: KEY }))).toEqual([
    expect.stringMatching(/^mend: .*must hold at least 32 characters/),
  ]);
});

const lookAtDatabase = async (journalUrl: string, apartMs = 0): Promise<string[]> =>
  brief(await look(checkDatabase, { JOURNAL_URL: journalUrl, GATEWAY_SECRET: KEY }, { now: () => Date.now() + apartMs }));

test('no clock is compared without a database, or while it is away', async () => {
  expect(await lookAtDatabase('lmdb:')).toEqual([]);
  expect(await lookAtDatabase('postgres://user:hidden@127.0.0.1:1/db')).toEqual([]);
});

describePostgres('the clock of a database', () => {
  const server = opened(startPostgres);

  test('is compared with that of this machine', async () => {
    const url = await server.createDatabase();
    expect(await lookAtDatabase(url)).toEqual(["well: The clock agrees with the database's."]);
    expect(await lookAtDatabase(url, 60_000)).toEqual([
      expect.stringMatching(/^mend: The clock of this machine is \d+ seconds from the database's/),
    ]);
  });
});

describe('the mapping files', () => {
  beforeEach(() => void copyMappings(join(folder, 'mappings')));
  async function lookAtFiles(metrics = '', env: Record<string, string> = {}): Promise<string[]> {
    const config = configFor(folder, { MAPPINGS_DIR: join(folder, 'mappings'), ...env });
    const found = { kind: 'running', running: {} as never, readyz: { status: 200, waitingFor: [] }, metrics } as const;
    return brief([await checkMappings({ config, found, key: undefined, mapping: undefined, now: Date.now })].flat());
  }

  test('without problems, and in use', async () => {
    const [well] = await lookAtFiles();
    const hash = /\((\w{16})\)/.exec(well!)![1]!;
    const inUse = (one: string): Promise<string[]> => lookAtFiles(`compat_mapping_info{hash="${one}"} 1\n`);
    expect(await inUse(hash)).toEqual([`well: The mapping files have no problems (${hash}).`]);
    expect(await inUse('0123456789abcdef')).toEqual([well, 'note: The gateway uses another set (0123456789abcdef).']);
  });

  test('with problems, with the first places', async () => {
    writeFileSync(join(folder, 'mappings', 'request-id.yaml'), 'request_id: [\n');
    expect(await lookAtFiles()).toEqual([
      expect.stringMatching(/^mend: The mapping files in .* cannot be used: .*request-id\.yaml:\d+:\d+/),
    ]);
  });

  test('with addresses of scripts that V1_PATH hides', async () => {
    expect(await lookAtFiles('', { V1_PATH: '/api/topup' })).toEqual([expect.stringMatching(/^mend: V1_PATH is \/api\/topup/)]);
  });
});

test.each([
  ['18.20.4', 'mend'],
  ['20.18.3', 'mend'],
  ['20.19.0', 'note'],
  ['22.11.0', 'well'],
  ['24.11.0', 'well'],
])('Node %s is %s', (version, level) => expect(judgeNode(version).level).toBe(level));

test.each([
  [256, 'mend'],
  [1_024, 'note'],
  [16_384, 'well'],
  [Number.MAX_SAFE_INTEGER, 'well'],
])('%d open files are %s', (limit, level) => expect(judgeOpenFiles(limit).level).toBe(level));
