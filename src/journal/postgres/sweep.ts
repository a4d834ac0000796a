/**
 * Retention: settled orders beyond their age are deleted in the background, some at a time, oldest first, by whichever gateway has
 * taken the turn.
 */
import type { JournalEvent } from '../journal-event';
import type { FieldSeal } from '../lmdb/sealed-fields';
import { isUnsettled } from '../settle-order';
import type { Row, Run } from './database';
import { plainArray } from './literals';
import { keyArrays, parseRow, ROW_COLUMNS, type Standing } from './rows';

const EVERY_MS = 600_000;
const ORDERS_PER_BATCH = 256;
const PAUSE_MS = 100;

export interface SweepOptions {
  readonly read: Run;
  readonly write: Run;
  readonly seal: FieldSeal;
  readonly now: () => number;
  readonly retentionMs: number;
  readonly onEvent: (event: JournalEvent) => void;
}

// By the clock of the database, which all gateways share. Nobody gives a turn back: the next one begins when it is over.
const TAKE_TURN = `UPDATE gateway_journal SET swept_until_ms = (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint + ${EVERY_MS}
  WHERE id = 1 AND swept_until_ms <= (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint RETURNING id`;
const OLDEST = `SELECT ${ROW_COLUMNS} FROM gateway_orders AS o WHERE o.opened_at_ms < $1
  AND (o.opened_at_ms, o.number, o.owner) > ($2, $3, $4::bytea) ORDER BY o.opened_at_ms, o.number, o.owner LIMIT ${ORDERS_PER_BATCH}`;
// Only as they were read: an order that was opened again meanwhile has another version.
const DELETE = `DELETE FROM gateway_orders AS o WHERE (o.owner, o.request_id, o.version) IN
  (SELECT w.owner, w.request_id, w.version FROM unnest($1::bytea[], $2::bytea[], $3::int[]) AS w(owner, request_id, version)) RETURNING o.number`;

/** The first look comes at once. Timers never keep the process alive. */
export function startSweep(options: SweepOptions): { readonly stop: () => Promise<void> } {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const later = (ms: number): void => {
    if (!isStopped) timer = setTimeout(() => void (running = round()), ms).unref();
  };
  const round = async (): Promise<void> => {
    try {
      const orders = (await options.write(TAKE_TURN)).length > 0 ? await sweep(options, () => isStopped) : 0;
      if (orders > 0) options.onEvent({ kind: 'swept', orders });
    } catch (error) {
      if (!isStopped) options.onEvent({ kind: 'sweep_failed', error });
    }
    later(EVERY_MS);
  };
  later(PAUSE_MS);
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

async function sweep({ read, write, seal, now, retentionMs, onEvent }: SweepOptions, isStopped: () => boolean): Promise<number> {
  const untilMs = now() - retentionMs;
  let start: readonly unknown[] = [-1, -1, Buffer.alloc(0)];
  let total = 0;
  while (!isStopped()) {
    const rows = await read(OLDEST, [untilMs, ...start]);
    const old = rows.flatMap((row) => readOrKeep(row, seal, onEvent) ?? []);
    // Money that may have moved is never forgotten, however old.
    const ended = old.filter(({ order }) => !isUnsettled(order));
    if (ended.length > 0) {
      const keys = keyArrays(ended.map(({ order }) => order));
      total += (await write(DELETE, [...keys, plainArray(ended.map(({ version }) => version))])).length;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ORDERS_PER_BATCH) break;
    start = [last['opened_at_ms'], last['number'], last['owner']];
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
  }
  return total;
}

/** What a newer build wrote is not this one's to delete, and keeps no other order from being swept. */
function readOrKeep(row: Row, seal: FieldSeal, onEvent: SweepOptions['onEvent']): Standing | undefined {
  try {
    return parseRow(row, seal);
  } catch (error) {
    onEvent({ kind: 'record_unreadable', error });
    return undefined;
  }
}
