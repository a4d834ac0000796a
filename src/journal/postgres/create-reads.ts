/** The reading half of the journal, on the database that is written: what was written is read. */
import type { Order } from '../../domain/order';
import type { Journal, ListOptions } from '../journal';
import type { FieldSeal } from '../lmdb/sealed-fields';
import { isUnsettled, REFERENCE_CHARACTERS_MAX } from '../settle-order';
import type { Row, Run } from './database';
import { textBytes } from './literals';
import { parseRow, ROW_COLUMNS } from './rows';

const LIST_CHUNK = 256;
const TIME_MAX = 2 ** 48;

const FROM_ORDERS = `SELECT ${ROW_COLUMNS} FROM gateway_orders AS o`;
const BY_ID = `${FROM_ORDERS} WHERE o.owner = $1 AND o.request_id = $2`;
const BY_NUMBER = `${FROM_ORDERS} WHERE o.owner = $1 AND o.number = $2`;
// The first order that v1 gave this reference keeps it.
const BY_REFERENCE = `${FROM_ORDERS} WHERE o.owner = $1 AND o.reference = $2 ORDER BY o.referenced_at_ms, o.number LIMIT 1`;
const HAS_REFERENCE = 'SELECT 1 FROM gateway_orders AS o WHERE o.owner = $1 AND o.reference IS NOT NULL LIMIT 1';
const BY_TIME = 'ORDER BY o.opened_at_ms, o.number, o.owner';
const UNSETTLED = `${FROM_ORDERS} WHERE o.is_unsettled AND ($2::text IS NULL OR o.holder = $2) ${BY_TIME} LIMIT $1`;
const UNSETTLED_OF_OWNER = `${FROM_ORDERS} WHERE o.is_unsettled AND o.owner = $2 AND o.opened_at_ms >= $3 ${BY_TIME} LIMIT $1`;
const IN_SPAN = `${FROM_ORDERS} WHERE o.opened_at_ms >= $1 AND o.opened_at_ms < $2
  AND (o.opened_at_ms, o.number, o.owner) > ($1, $3, $4::bytea) AND ($6::text IS NULL OR o.holder = $6) ${BY_TIME} LIMIT $5`;

export type JournalReads = Pick<Journal, 'find' | 'findByReference' | 'findByNumber' | 'hasReference' | 'listUnsettled' | 'list'>;

export function createReads(run: Run, seal: FieldSeal): JournalReads {
  const one = async (text: string, values: readonly unknown[]): Promise<Order | undefined> => {
    const [row] = await run(text, values);
    return row && parseRow(row, seal).order;
  };
  return {
    find: (owner, requestId) => one(BY_ID, [Buffer.from(owner), textBytes(requestId)]),
    async findByReference(owner, reference) {
      return reference.length > REFERENCE_CHARACTERS_MAX
        ? undefined
        : one(BY_REFERENCE, [Buffer.from(owner), textBytes(reference)]);
    },
    async findByNumber(owner, number) {
      return Number.isSafeInteger(number) && number >= 0 ? one(BY_NUMBER, [Buffer.from(owner), number]) : undefined;
    },
    hasReference: async (owner) => (await run(HAS_REFERENCE, [Buffer.from(owner)])).length > 0,
    async listUnsettled({ owner, fromMs = 0, limit, onUnreadable, holder }) {
      const rows =
        owner === undefined
          ? await run(UNSETTLED, [limit, holder ?? null])
          : await run(UNSETTLED_OF_OWNER, [limit, Buffer.from(owner), timeOf(fromMs)]);
      return readAll(rows, seal, onUnreadable).filter(isUnsettled);
    },
    async *list({ fromMs, untilMs, limit, onUnreadable, holder }) {
      let start: readonly [number, number, Buffer] = [timeOf(fromMs), -1, Buffer.alloc(0)];
      for (let left = limit; left > 0; left -= LIST_CHUNK) {
        const [fromTime, number, owner] = start;
        const rows = await run(IN_SPAN, [fromTime, timeOf(untilMs), number, owner, Math.min(left, LIST_CHUNK), holder ?? null]);
        yield* readAll(rows, seal, onUnreadable);
        const last = rows.at(-1);
        if (last === undefined || rows.length < LIST_CHUNK) return;
        start = [Number(last['opened_at_ms']), Number(last['number']), last['owner'] as Buffer];
      }
    },
  };
}

function readAll(rows: readonly Row[], seal: FieldSeal, onUnreadable: ListOptions['onUnreadable']): readonly Order[] {
  return rows.flatMap((row): readonly Order[] => {
    try {
      return [parseRow(row, seal).order];
    } catch (error) {
      if (onUnreadable === undefined) throw error;
      onUnreadable(error as Error);
      return [];
    }
  });
}

/** The first millisecond that is not before it, as far as orders have times. */
function timeOf(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), TIME_MAX);
}
