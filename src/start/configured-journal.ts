/** The journal that the settings name: for the gateway, and for the tools that read beside it. */
import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Config } from '../config';
import type { Secret } from '../domain/credentials';
import type { Journal } from '../journal/journal';
import type { JournalEvent } from '../journal/journal-event';
import { journalFolder, openJournal, type OpenJournalOptions } from '../journal/open-journal';

const DAY_MS = 24 * 3_600_000;

export function openConfiguredJournal(
  config: Config,
  onEvent: (event: JournalEvent) => void = () => undefined,
): Promise<Journal> {
  return open(config, { retentionMs: config.journalDays * DAY_MS, onEvent });
}

/**
 * For reading beside a running gateway, or after it: makes no journal where none is, and writes and deletes nothing, for the
 * settings of whoever reads may not be those of the gateway.
 */
export async function openJournalBeside(config: Config): Promise<Journal> {
  const url = config.journalUrl;
  if (url.startsWith('memory:')) throw new Error('JOURNAL_URL is memory:, which only the gateway itself can see.');
  const folder = journalFolder(url, config.dataDir);
  if (folder !== undefined && !existsSync(folder))
    throw new Error(`There is no journal at ${folder}: DATA_DIR or JOURNAL_URL must be those of the gateway.`);
  return open(config, { isReadOnly: true });
}

function open({ journalUrl, journalKey, gatewaySecret, dataDir }: Config, options: OpenJournalOptions): Promise<Journal> {
  const key = journalKey === undefined ? {} : { encryptionKey: journalKey };
  const secretCheck = gatewaySecret === undefined ? {} : { secretCheck: checkOf(gatewaySecret) };
  return openJournal(journalUrl, dataDir, { ...options, ...key, ...secretCheck });
}

/** Tells whether two gateways have the same secret without telling it. */
function checkOf(secret: Secret): string {
  return createHmac('sha256', secret.revealForUseOnly()).update('journal check').digest('hex').slice(0, 32);
}
