/** The gateway processes that share the journal, and the sales that they have told. (Decisions 0024, 0051.) */
import type { Processes } from '../journal';
import { TOLD_KEPT_MS, type ToldStore } from '../told-sales';
import type { DatabaseClock, V1Mark } from './admission';
import type { Run } from './database';

const SIGN = `INSERT INTO gateway_processes (id, signed_at_ms) VALUES ($1, $2)
  ON CONFLICT (id) DO UPDATE SET signed_at_ms = excluded.signed_at_ms`;
/** Told sales that are older than `TOLD_KEPT_MS` are deleted at most so often. */
const TOLD_DELETED_EVERY_MS = 4 * 60_000;

const REMOVE = 'DELETE FROM gateway_processes WHERE id = $1 AND signed_at_ms = COALESCE($2::bigint, signed_at_ms)';

/** `onLook`: asked before a database that was away counts as there again. */
type OwnProcesses = Processes & { readonly onLook: (run: Run) => Promise<void> };

/** The processes on this journal: a row for each that has not stopped cleanly. */
export function createProcesses(
  own: string,
  { now, readAtMs }: Pick<DatabaseClock, 'now' | 'readAtMs'>,
  read: Run,
  write: Run,
  v1Mark: Pick<V1Mark, 'check'>,
): OwnProcesses {
  let isSigning = false;
  return {
    own,
    now,
    readAtMs,
    async sign(atMs) {
      isSigning = true;
      await write(SIGN, [own, Math.round(atMs)]);
      // After the sign: from then on nobody replaces the mark of v1, and whoever did it before is seen.
      await v1Mark.check(read);
    },
    async onLook(run) {
      // The others may have taken this process for dead and removed its row: if it died between its first sale and its next sign, nobody would mark its sales.
      if (isSigning) await run(SIGN, [own, Math.round(now())]);
      await v1Mark.check(run);
    },
    list: async () =>
      (await read('SELECT id, signed_at_ms FROM gateway_processes')).map((row) => ({
        id: row['id'] as string,
        signedAtMs: Number(row['signed_at_ms']),
      })),
    async remove(id, signedAtMs) {
      if (id === own) isSigning = false;
      await write(REMOVE, [id, signedAtMs]);
    },
    toldSales: createTold(own, read, write),
  };
}

const NOTE_TOLD = `INSERT INTO gateway_told (holder, at_ms, lines) VALUES ($1, $2, $3)
  ON CONFLICT (holder, at_ms) DO UPDATE SET lines = gateway_told.lines || excluded.lines`;

function createTold(own: string, read: Run, write: Run): ToldStore {
  let lastMs = -Infinity;
  return {
    async append(lines, atMs) {
      await write(NOTE_TOLD, [own, Math.round(atMs), lines]);
      if (atMs - lastMs < TOLD_DELETED_EVERY_MS) return;
      const beforeMs = lastMs - TOLD_KEPT_MS;
      lastMs = atMs;
      // Not at the first append: after the end of all gateways, the sales that they had told are still to be read. By the time of the append before: if the
      // clock was put forward since, what was told just before that stays.
      if (beforeMs !== -Infinity) await write('DELETE FROM gateway_told WHERE at_ms < $1', [Math.round(beforeMs)]);
    },
    read: async (fromMs) =>
      (await read('SELECT lines FROM gateway_told WHERE at_ms >= $1', [Math.floor(fromMs)])).map((row) => row['lines'] as string),
  };
}
