/** Opens what every `orders` command needs: the journal, beside the running gateway, and the mapping by which orders are read. */
import type { Config } from '../config';
import type { Order } from '../domain/order';
import type { Journal } from '../journal/journal';
import type { Mapping } from '../mapping/mapping';
import { openJournalBeside } from '../start/configured-stores';
import { readConfig } from './process';
import { createTimes, type Times } from '../domain/times';
import { isNamed, readMappingForOrders } from './show-order';

export interface Opened {
  readonly config: Config;
  readonly journal: Journal;
  readonly mapping: Mapping;
  readonly times: Times;
}

export async function withJournal(work: (opened: Opened) => Promise<void>): Promise<void> {
  const { config } = readConfig();
  const mapping = readMappingForOrders(config);
  const journal = await openJournalBeside(config);
  try {
    await work({ config, journal, mapping, times: createTimes(config.timeZone) });
  } finally {
    await journal.close();
  }
}

/** The orders with this id in any of its spellings. Reads the whole journal. */
export async function searchJournal(id: string, journal: Journal): Promise<readonly Order[]> {
  const found: Order[] = [];
  const all = journal.list({ fromMs: 0, untilMs: Infinity, limit: Number.MAX_SAFE_INTEGER, onUnreadable: () => undefined });
  for await (const order of all) if (isNamed(order, id)) found.push(order);
  return found;
}

/** Warns that an order cannot be read. The other orders are still shown, but the operator must know that some are missing. */
export function onUnreadable({ message }: Error): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
