/** The reads of the journal. They go to the database that is written, not to a replica, so that they see every write. */
import type { Order } from '../../domain/order';
import { readOrReport, type JournalReads, type ListOptions } from '../journal';
import { firstNumberAt, isUnsettled, isUntold, REFERENCE_CHARACTERS_MAX } from '../order-life';
import type { FieldSeal } from '../record';
import type { Row, Run } from './database';
import { byteaArray, parseRow, ROW_COLUMNS, textBytes } from './rows';

const LIST_CHUNK = 256;
const TIME_MAX = 2 ** 48;

const FROM_ORDERS = `SELECT ${ROW_COLUMNS} FROM gateway_orders AS o`;
const BY_ID = `${FROM_ORDERS} WHERE o.owner = $1 AND o.request_id = $2`;
const BY_NUMBER = `${FROM_ORDERS} WHERE o.owner = $1 AND o.number = $2`;
// The first order that v1 gave this reference keeps it.
const BY_REFERENCE = `${FROM_ORDERS} WHERE o.owner = $1 AND o.reference = $2 ORDER BY o.referenced_at_ms, o.number LIMIT 1`;
const BY_REFERENCE_OF_ANY = `${FROM_ORDERS} WHERE o.owner = ANY($1::bytea[]) AND o.reference = $2
  ORDER BY o.owner, o.referenced_at_ms, o.number`;
const HAS_REFERENCE = 'SELECT 1 FROM gateway_orders AS o WHERE o.owner = $1 AND o.reference IS NOT NULL LIMIT 1';
const BY_TIME = 'ORDER BY o.opened_at_ms, o.number, o.owner';
const BY_TIME_BACK = 'ORDER BY o.opened_at_ms DESC, o.number DESC, o.owner DESC';
const UNSETTLED = `${FROM_ORDERS} WHERE o.is_unsettled AND o.opened_at_ms >= $3 AND o.opened_at_ms < $4`;
const OF_HOLDER = '($2::text IS NULL OR o.holder = $2)';
const UNTOLD = `SELECT ${ROW_COLUMNS} FROM gateway_untold AS u JOIN gateway_orders AS o ON o.owner = u.owner AND o.request_id = u.request_id AND o.opened_at_ms = u.opened_at_ms
  WHERE u.owner = $2 AND u.opened_at_ms >= $3 ${BY_TIME} LIMIT $1`;
/** Behind the place ($3 to $5) of the last order that was read, from either end. */
const spanBehind = (behind: '>' | '<'): string => `${FROM_ORDERS} WHERE o.opened_at_ms >= $1 AND o.opened_at_ms < $2
  AND (o.opened_at_ms, o.number, o.owner) ${behind} ($3, $4, $5::bytea) AND ($7::text IS NULL OR o.holder = $7)`;
const IN_SPAN = `${spanBehind('>')} ${BY_TIME} LIMIT $6`;
const IN_SPAN_BACK = `${spanBehind('<')} ${BY_TIME_BACK} LIMIT $6`;
/** Finds each owner after the one before, by the index on numbers: as many look-ups as there are owners. */
const OWNERS = `WITH RECURSIVE found AS (
    (SELECT o.owner FROM gateway_orders AS o ORDER BY o.owner LIMIT 1)
    UNION ALL SELECT (SELECT o.owner FROM gateway_orders AS o WHERE o.owner > found.owner ORDER BY o.owner LIMIT 1) FROM found WHERE found.owner IS NOT NULL
  ) SELECT owner FROM found WHERE owner IS NOT NULL`;

const OF_OWNER = `${FROM_ORDERS} WHERE o.owner = $1 AND o.number >= $2 AND o.number <= $3 ORDER BY o.number`;

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
    listByReference: async (reference) => (await readFirsts(reference, run)).map((row) => parseRow(row, seal).order),
    async findByNumber(owner, number) {
      return Number.isSafeInteger(number) && number >= 0 ? one(BY_NUMBER, [Buffer.from(owner), number]) : undefined;
    },
    hasReference: async (owner) => (await run(HAS_REFERENCE, [Buffer.from(owner)])).length > 0,
    async listUnsettled({ owner, fromMs = 0, untilMs = TIME_MAX, limit, newestFirst, onUnreadable, holder }) {
      const [isOf, of] = owner === undefined ? [OF_HOLDER, holder ?? null] : ['o.owner = $2', Buffer.from(owner)];
      const text = `${UNSETTLED} AND ${isOf} ${newestFirst === true ? BY_TIME_BACK : BY_TIME} LIMIT $1`;
      const rows = await run(text, [limit, of, timeOf(fromMs), timeOf(untilMs)]);
      return readAll(rows, seal, onUnreadable).filter(isUnsettled);
    },
    listUntold: async ({ owner, fromMs, limit, onUnreadable }) =>
      readAll(await run(UNTOLD, [limit, Buffer.from(owner), timeOf(fromMs)]), seal, onUnreadable).filter(isUntold),
    owners: async () => (await run(OWNERS, [])).map((row) => ownerOf(row).toString()),
    async *list({ fromMs, untilMs, limit, onUnreadable, holder, newestFirst = false }) {
      const [text, firstMs, firstNumber] = newestFirst ? [IN_SPAN_BACK, untilMs, 0] : [IN_SPAN, fromMs, -1];
      let place: readonly [number, number, Buffer] = [timeOf(firstMs), firstNumber, Buffer.alloc(0)];
      for (let left = limit; left > 0; left -= LIST_CHUNK) {
        // Oldest first, the time moves on with the place: the index is read from there.
        const fromTime = newestFirst ? timeOf(fromMs) : place[0];
        const rows = await run(text, [fromTime, timeOf(untilMs), ...place, Math.min(left, LIST_CHUNK), holder ?? null]);
        yield* readAll(rows, seal, onUnreadable);
        const last = rows.at(-1);
        if (last === undefined || rows.length < LIST_CHUNK) return;
        place = placeOf(last);
      }
    },
    async *listOfOwner({ owner, fromMs = 0, beforeNumber = Number.MAX_SAFE_INTEGER, newestFirst = false, limit, onUnreadable }) {
      let first = firstNumberAt(fromMs);
      let last = beforeNumber - 1;
      const text = `${OF_OWNER}${newestFirst ? ' DESC' : ''} LIMIT $4`;
      for (let left = limit; left > 0 && first <= last; left -= LIST_CHUNK) {
        const rows = await run(text, [Buffer.from(owner), first, last, Math.min(left, LIST_CHUNK)]);
        yield* readAll(rows, seal, onUnreadable);
        const end = rows.at(-1);
        if (end === undefined || rows.length < LIST_CHUNK) return;
        if (newestFirst) last = Number(end['number']) - 1;
        else first = Number(end['number']) + 1;
      }
    },
  };
}

/** For each owner, the first order that v1 gave this reference. */
async function readFirsts(reference: string, run: Run): Promise<readonly Row[]> {
  if (reference.length > REFERENCE_CHARACTERS_MAX) return [];
  // The owners are named, so that each is looked up in the index on owner and reference.
  const owners = (await run(OWNERS, [])).map(ownerOf);
  const rows = await run(BY_REFERENCE_OF_ANY, [byteaArray(owners), textBytes(reference)]);
  return rows.filter((row, nth) => nth === 0 || !ownerOf(row).equals(ownerOf(rows[nth - 1]!)));
}

function readAll(rows: readonly Row[], seal: FieldSeal, onUnreadable: ListOptions['onUnreadable']): readonly Order[] {
  return rows.flatMap((row) => readOrReport(() => parseRow(row, seal).order, onUnreadable) ?? []);
}

function ownerOf(row: Row): Buffer {
  return row['owner'] as Buffer;
}

function placeOf(row: Row): readonly [number, number, Buffer] {
  return [Number(row['opened_at_ms']), Number(row['number']), ownerOf(row)];
}

/** A time rounded up to whole milliseconds, within the times that orders can have. */
function timeOf(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), TIME_MAX);
}
