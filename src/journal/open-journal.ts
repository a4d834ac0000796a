/** Which store a journal address means. */
import { isAbsolute, join } from 'node:path';
import type { Secret } from '../domain/credentials';
import type { Journal, JournalEvent } from './journal';
import { openLmdbJournal, openLmdbReader } from './lmdb-journal';
import { createMemoryJournal } from './memory-journal';
import type * as Postgres from './postgres/postgres-journal';

export interface OpenJournalOptions {
  /** Nothing is made, written or deleted. */
  readonly isReadOnly?: boolean;
  /** Infinity deletes nothing. */
  readonly retentionMs?: number;
  readonly encryptionKey?: Secret;
  /** Tells whether two gateways make the same fingerprints; only a journal of several machines looks at it. */
  readonly secretCheck?: string;
  readonly onEvent?: (event: JournalEvent) => void;
}

/**
 * `lmdb:` (the folder `journal` of the data folder), `lmdb:/path`, `postgres://…` or `memory:`. Rejects with a sentence about JOURNAL_URL.
 */
export async function openJournal(url: string, dataDir: string, options: OpenJournalOptions = {}): Promise<Journal> {
  const match = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(url);
  const scheme = match?.[1]?.toLowerCase();
  const rest = match?.[2] ?? '';
  if (scheme === 'memory' && rest === '') return createMemoryJournal();
  if (scheme === 'lmdb') {
    const dir = parseDir(rest, dataDir);
    return options.isReadOnly === true ? openLmdbReader({ ...options, dir }) : openLmdbJournal({ ...options, dir });
  }
  if (scheme === 'postgres' || scheme === 'postgresql') return openPostgres(url, dataDir, options);
  // The address itself is not repeated: it may hold a password.
  throw new Error('JOURNAL_URL must be lmdb:, lmdb:/path, postgres://… or memory:.');
}

async function openPostgres(url: string, dataDir: string, options: OpenJournalOptions): Promise<Journal> {
  if (!URL.canParse(url)) throw new Error('JOURNAL_URL must be an address such as postgres://user:password@host:5432/database.');
  const { openPostgresJournal, openPostgresReader } = loadPostgres();
  return options.isReadOnly === true
    ? openPostgresReader({ ...options, url })
    : openPostgresJournal({ ...options, url, spoolDir: join(dataDir, 'spool') });
}

/** Only where it is asked for: the client of PostgreSQL takes its time to load. */
function loadPostgres(): typeof Postgres {
  // The bundler follows nothing but a plain `require`, and Jest no `import()`.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('./postgres/postgres-journal') as typeof Postgres;
}

/** The folder that an `lmdb:` address means; undefined for other stores. */
export function journalFolder(url: string, dataDir: string): string | undefined {
  return /^lmdb:/i.test(url) ? parseDir(url.slice('lmdb:'.length), dataDir) : undefined;
}

/** `lmdb:///path` is read as `lmdb:/path`, as people write addresses both ways; a relative path is refused, not guessed. */
function parseDir(rest: string, dataDir: string): string {
  if (rest === '' || rest === '//') return join(dataDir, 'journal');
  const dir = rest.startsWith('///') ? rest.slice(2) : rest;
  if (!isAbsolute(dir) || dir.startsWith('//'))
    throw new Error('JOURNAL_URL must name an absolute folder, as in lmdb:/var/lib/compat-gateway/journal.');
  return dir;
}
