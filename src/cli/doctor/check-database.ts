/** Whether the database of the journal has the time that this machine has. */
import type * as Pg from 'pg';
import { mend, well, type Check } from './finding';

/** Beyond it a gateway does not start (docs/operations.md). */
const CLOCK_APART_MS = 5_000;
const CONNECT_MS = 3_000;

export const checkDatabase: Check = async ({ config: { journalUrl }, now }) => {
  if (!/^postgres(?:ql)?:/i.test(journalUrl)) return [];
  // The client takes its time to load: only where it is asked for.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { Client } = require('pg') as typeof Pg;
  const client = new Client({ connectionString: journalUrl, connectionTimeoutMillis: CONNECT_MS });
  try {
    await client.connect();
    const { rows } = await client.query<{ ms: string }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
    const apartMs = now() - Number(rows[0]?.ms);
    if (Math.abs(apartMs) < CLOCK_APART_MS) return [well("The clock agrees with the database's.")];
    return [
      mend(
        `The clock of this machine is ${Math.round(Math.abs(apartMs) / 1_000)} seconds from the database's.`,
        'Gateways on several machines judge by the time which orders were never sent: this one takes no orders.',
        'Let both machines keep their time by NTP (timedatectl set-ntp true).',
      ),
    ];
  } catch {
    // That the journal does not open is said already.
    return [];
  } finally {
    await client.end().catch(() => undefined);
  }
};
