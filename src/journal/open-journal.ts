/** Opens the store that a journal address (JOURNAL_URL) names. */
import { isAbsolute, join } from 'node:path';
import type { Secret } from '../domain/credentials';
import type { Journal, JournalEvent } from './journal';
import { openLmdbJournal, openLmdbReader } from './lmdb-journal';
import { createMemoryJournal } from './memory-journal';
import type { MarkedV1 } from './postgres/admission';
import type * as Postgres from './postgres/postgres-journal';

export interface OpenJournalOptions {
  /** When true, nothing is made, written or deleted. */
  readonly isReadOnly?: boolean;
  /** Infinity deletes nothing. */
  readonly retentionMs?: number;
  /** Nothing is deleted until the clock has run evenly for so long. */
  readonly steadyMs?: number;
  readonly encryptionKey?: Secret;
  /** Equal for two gateways that make the same fingerprints; only a journal of several machines compares it. */
  readonly secretCheck?: string;
  /** The v1 through which is sold, and the one that sold last from this data folder. Only a journal of several machines compares it. */
  readonly v1?: MarkedV1;
  readonly onEvent?: (event: JournalEvent) => void;
}

/**
 * `url` is `lmdb:` (the folder `journal` of the data folder), `lmdb:/path`, `postgres://…` or `memory:`. Rejects with a plain Error about
 * JOURNAL_URL for any other text.
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

/** Loads the PostgreSQL journal only when it is needed: its client takes long to load. */
function loadPostgres(): typeof Postgres {
  // The bundler resolves only a plain `require`, and Jest does not run `import()`.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('./postgres/postgres-journal') as typeof Postgres;
}

/** The folder that an `lmdb:` address means; undefined for other stores. */
export function journalFolder(url: string, dataDir: string): string | undefined {
  return /^lmdb:/i.test(url) ? parseDir(url.slice('lmdb:'.length), dataDir) : undefined;
}

/** The folder of an `lmdb:` address. `lmdb:///path` means `lmdb:/path`: operators write both. Throws for a relative path. */
function parseDir(rest: string, dataDir: string): string {
  if (rest === '' || rest === '//') return join(dataDir, 'journal');
  const dir = rest.startsWith('///') ? rest.slice(2) : rest;
  if (!isAbsolute(dir) || dir.startsWith('//'))
    throw new Error('JOURNAL_URL must name an absolute folder, as in lmdb:/var/lib/compat-gateway/journal.');
  return dir;
}
