/** The journal that the settings name, for the gateway and for the tools that read beside it. */
import type { Config } from './config';
import type { Journal } from './journal/journal';
import type { JournalEvent } from './journal/journal-event';
import { openJournal } from './journal/open-journal';

const DAY_MS = 24 * 3_600_000;

export function openConfiguredJournal(
  config: Config,
  onEvent: (event: JournalEvent) => void = () => undefined,
): Promise<Journal> {
  const { journalUrl, journalKey, journalDays, dataDir } = config;
  return openJournal(journalUrl.revealForUseOnly(), dataDir, {
    retentionMs: journalDays * DAY_MS,
    onEvent,
    ...(journalKey === undefined ? {} : { encryptionKey: journalKey }),
  });
}
