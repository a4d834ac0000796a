/** Checks what is on this machine: Node, open files and the time zone, the mapping files, and the data that must survive. */
import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type * as Pg from 'pg';
import type { Running } from '../../admin/read-routers';
import { errorText } from '../../domain/shown-words';
import { isDatabaseUrl } from '../../start/config-values';
import { openJournalBeside } from '../../start/configured-stores';
import { prepareDataFolder } from '../../start/data-folder';
import { describeSecretChange, findGatewaySecret } from '../../start/gateway-secret';
import { probeFolder } from '../../journal/lmdb/lasting-root';
import { journalFolder } from '../../journal/open-journal';
import { mend, note, well, type Check, type Finding } from './finding';
import { readOpenFilesLimit } from '../../start/descriptors';
import { formatProblem } from '../../mapping/problem';
import { routesBehindV1 } from '../../start/listening';
import { checkFolderUnlessKnown } from '../known-set';

const NODE_MIN: readonly [number, number] = [20, 19];
const NODE_KEPT = 22;
const FILES_MIN = 1_024;
const FILES_GOOD = 16_384;

export const checkMachine: Check = ({ config: { timeZone }, found, now }) => {
  // A unit or a container gives the gateway another Node and another limit than this command has.
  const { node, openFilesMax = readOpenFilesLimit() }: Pick<Running, 'node' | 'openFilesMax'> =
    found.kind === 'running' ? found.running : { node: process.version };
  return [
    judgeNode(node.slice(1)),
    judgeOpenFiles(openFilesMax),
    well(`Times are told in ${timeZone}: ${new Date(now()).toLocaleString('en-GB', { timeZone })}.`),
  ];
};

export function judgeNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1]))
    return mend(`Node is ${version}.`, 'This program is not tested on that version.', 'Install Node 24.');
  if (major < NODE_KEPT)
    return note(`Node is ${version}.`, 'Node 20 gets no more fixes upstream.', 'Install Node 24, as the image has.');
  return well(`Node is ${version}.`);
}

export function judgeOpenFiles(limit: number): Finding {
  const what = `The limit of open files is ${limit}.`;
  const why = 'Each script that waits and each call to v1 is an open file; beyond the limit connections are refused.';
  const todo = 'Raise the limit: LimitNOFILE=65536 in the systemd unit, --ulimit nofile=65536 for docker.';
  if (limit < FILES_MIN) return mend(what, why, todo);
  return limit < FILES_GOOD
    ? note(what, why, todo)
    : well(limit === Number.MAX_SAFE_INTEGER ? 'Open files are not limited.' : what);
}

const SHOWN_MAX = 3;

export const checkMappings: Check = ({ config, found }) => {
  const { mapping, problems } = checkFolderUnlessKnown(config.mappingsDir, config.dataDir);
  const errors = problems.filter(({ severity }) => severity === 'error');
  const shown = (given: typeof problems): string => given.slice(0, SHOWN_MAX).map(formatProblem).join('; ');
  if (mapping === undefined)
    return mend(
      `The mapping files in ${config.mappingsDir} cannot be used: ${shown(errors)}.`,
      'A running gateway keeps its last good set; a gateway that has none cannot start.',
      '`compat-gateway check` tells everything, `compat-gateway rollback` goes back.',
    );
  const hidden = routesBehindV1(mapping, config.v1Path);
  if (hidden !== undefined) return mend(hidden, 'The gateway does not use such a set.', 'Change V1_PATH, or the routes.');
  const used = found.kind === 'running' ? /^compat_mapping_info\{hash="(\w+)"\} 1/m.exec(found.metrics)?.[1] : undefined;
  return [
    problems.length === 0
      ? well(`The mapping files have no problems (${mapping.hash}).`)
      : note(
          `The mapping files have ${problems.length} warnings: ${shown(problems)}.`,
          'Each warning may cost a sale.',
          '`compat-gateway check` shows how to correct them.',
        ),
    ...(used === undefined || used === mapping.hash
      ? []
      : [
          note(
            `The gateway uses another set (${used}).`,
            'The mappings in the files are not in use.',
            '`compat-gateway plan`, then `apply` or `reload`.',
          ),
        ]),
  ];
};

/** File system types of statfs(2). A type that is not listed counts as a disk. */
const FILE_SYSTEMS: Readonly<Record<number, readonly [name: string, level: 'lost' | 'shared']>> = {
  0x01021994: ['tmpfs, in memory', 'lost'],
  0x858458f6: ['ramfs, in memory', 'lost'],
  0x794c7630: ['overlay, a container’s own layer', 'lost'],
  0x6969: ['NFS', 'shared'],
  0xff534d42: ['CIFS', 'shared'],
  0xfe534d42: ['SMB', 'shared'],
  0x01021997: ['9P', 'shared'],
  0x65735546: ['FUSE', 'shared'],
};
const ROOM_MIN_BYTES = 2 ** 30;
const MIB = 2 ** 20;

export const checkDataFolder: Check = async ({ config }) => {
  const { dataDir } = config;
  if (!existsSync(dataDir))
    return note(
      `There is no data folder at ${dataDir} yet.`,
      'The first start makes it.',
      'Check that DATA_DIR is that of the gateway.',
    );
  try {
    const said = prepareDataFolder(config);
    return [
      ...said.map((sentence) => note(`${sentence}.`, 'These files show who bought what.', 'Do what the first sentence says.')),
      ...(await judgeDisk('DATA_DIR', dataDir)),
    ];
  } catch (error) {
    return mend(errorText(error), 'Without it nothing can be written, and nothing is sold.', cureFor(error));
  }
};

const CURES: Readonly<Record<string, string>> = {
  ENOSPC: 'Make room on its disk.',
  EDQUOT: 'Make room, or raise the quota of the user of the gateway.',
  EROFS: 'Repair its disk and mount it for writing, or replace it.',
  EIO: 'Repair or replace its disk.',
};

/** What to do with a folder that takes no file, by the system's error. */
export function cureFor(error: unknown): string {
  const { cause = error } = error as Error;
  return CURES[(cause as NodeJS.ErrnoException).code ?? ''] ?? 'Make the user of the gateway the owner of this folder.';
}

/** `name` begins the sentences. */
async function judgeDisk(name: string, folder: string): Promise<readonly Finding[]> {
  const { type, bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const [kind, fault] = FILE_SYSTEMS[type] ?? [];
  const found: Finding[] = [];
  if (fault === 'lost')
    found.push(
      mend(
        `${name} is on ${kind}.`,
        'A restart loses the journal: then nobody knows which orders were charged.',
        'Mount a disk or a volume there (docker run -v compat-data:/app/data).',
      ),
    );
  if (fault === 'shared')
    found.push(
      mend(
        `${name} is on a network file system (${kind}).`,
        'LMDB needs a local disk: its locks and its memory map do not hold there.',
        'Use a local disk, or PostgreSQL for the journal (JOURNAL_URL).',
      ),
    );
  if (free < ROOM_MIN_BYTES)
    found.push(
      mend(
        `${name} has room for ${Math.floor(free / MIB)} MiB.`,
        'When the disk is full, no order is taken.',
        'Make room, or shorten JOURNAL_DAYS.',
      ),
    );
  return found.length > 0 ? found : [well(`${name} can be written, on a disk with ${Math.floor(free / 2 ** 30)} GiB free.`)];
}

export const checkJournal: Check = async ({ config }) => {
  const folder = journalFolder(config.journalUrl, config.dataDir);
  if (/^memory:/i.test(config.journalUrl))
    return mend(
      'The journal is in memory (JOURNAL_URL).',
      'A restart forgets every order.',
      'Leave JOURNAL_URL unset, or set lmdb:/path.',
    );
  if (folder !== undefined && !existsSync(folder)) return [];
  try {
    // A start does the same; the journal is opened only for reading here.
    if (folder !== undefined) await probeFolder(folder);
  } catch (error) {
    const what = `The journal folder ${folder} cannot be written: ${errorText(error)}`;
    return mend(what, 'The gateway does not start with this journal.', cureFor(error));
  }
  try {
    const journal = await openJournalBeside(config);
    await journal.listUnsettled({ limit: 1 });
    await journal.close();
  } catch (error) {
    return mend(
      `The journal does not open: ${errorText(error)}`,
      'The gateway does not start with this journal, and its orders cannot be read.',
      folder === undefined
        ? 'Correct what the first sentence names. If the database is away, bring it back or let its standby take over, and do not restart the gateway.'
        : 'Correct what the first sentence names, or put a backup in place with `compat-gateway restore`.',
    );
  }
  const bytes = folder === undefined ? undefined : statSync(join(folder, 'data.mdb'), { throwIfNoEntry: false })?.size;
  const hasOwnDisk = folder !== undefined && statSync(folder).dev !== statSync(config.dataDir, { throwIfNoEntry: false })?.dev;
  return [
    well(bytes === undefined ? 'The journal opens.' : `The journal opens; its file has ${Math.ceil(bytes / MIB)} MiB.`),
    ...(hasOwnDisk ? await judgeDisk(`The folder ${folder} of JOURNAL_URL`, folder) : []),
  ];
};

export const checkSecrets: Check = ({ config }) => {
  const found: Finding[] = [];
  if (existsSync(config.dataDir)) {
    try {
      const secret = findGatewaySecret(config);
      const place = config.gatewaySecret === undefined ? 'gateway.secret in DATA_DIR' : 'GATEWAY_SECRET';
      const journal = journalFolder(config.journalUrl, config.dataDir);
      const change = secret === undefined ? undefined : describeSecretChange(secret, config.dataDir, journal);
      if (change !== undefined)
        found.push(mend(change, 'No gateway starts with this secret.', 'Do what the first sentence says.'));
      if (secret !== undefined)
        found.push(
          note(
            `The gateway's secret is ${place}.`,
            'Without the secret no key finds its orders in the journal.',
            config.gatewaySecret === undefined
              ? 'Keep a copy elsewhere: `compat-gateway backup` takes it along.'
              : 'Keep a copy elsewhere: no backup holds it.',
          ),
        );
    } catch (error) {
      found.push(mend(errorText(error), 'Without the secret no order is found again.', 'Restore the file from a backup.'));
    }
  }
  if (config.journalKey === undefined)
    found.push(
      note(
        'JOURNAL_KEY is not set.',
        'Phone, meter and smartcard numbers are readable in the journal and in backups.',
        'Set JOURNAL_KEY before the first order if your rules demand encryption: see "JOURNAL_KEY" in docs/operations.md.',
      ),
    );
  return found;
};

/** A clock that NTP keeps differs by less. */
const CLOCK_APART_MS = 5_000;
const CONNECT_MS = 3_000;

export const checkDatabase: Check = async ({ config: { journalUrl }, now }) => {
  if (!isDatabaseUrl(journalUrl)) return [];
  // The client takes its time to load: only where it is asked for.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { Client } = require('pg') as typeof Pg;
  const client = new Client({ connectionString: journalUrl, connectionTimeoutMillis: CONNECT_MS });
  try {
    await client.connect();
    const { rows } = await client.query<{ ms: string }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
    const apartMs = now() - Number(rows[0]?.ms);
    if (Math.abs(apartMs) < CLOCK_APART_MS) return well("The clock agrees with the database's.");
    return mend(
      `The clock of this machine is ${Math.round(Math.abs(apartMs) / 1_000)} seconds from the database's.`,
      "Orders go by the database's time; log lines, files and certificates go by this machine's.",
      'Let both machines keep their time by NTP (timedatectl set-ntp true).',
    );
  } catch {
    // The check of the journal reports this already.
    return [];
  } finally {
    await client.end().catch(() => undefined);
  }
};
