/**
 * Opens the orders of many intents in one statement. The unique keys of the database decide: when several gateways open the same id at
 * once, exactly one writes the row, and the others read it.
 */
import { createLru } from '../../domain/lru';
import type { NewOrder, Opened } from '../../domain/order';
import type { Ended } from '../doubts';
import { keyText } from '../journal';
import { createOrderNumbers, decideOpening, isUnsettled, settleOrder } from '../order-life';
import { encodeOpening, encodeOrder, type FieldSeal } from '../record';
import { keyCondition, type KeyMark } from './admission';
import type { Job } from './batches';
import type { Row, Run } from './database';
import {
  byteaArray,
  keyArrays,
  keyOfRow,
  parseRow,
  plainArray,
  READ_KEYS,
  referenceBytes,
  REWRITE,
  rewriteArrays,
  type HeldOrders,
  type VersionedOrder,
} from './rows';

/** One intent to be opened. With `ended` the new order has ended at once; an existing order stays unchanged. */
export interface Opening {
  readonly intent: NewOrder;
  readonly ended?: Ended;
}

type OpenJob = Job<Opening, Opened>;

interface OpenParts {
  readonly run: Run;
  readonly seal: FieldSeal;
  readonly keyMark: KeyMark;
  readonly held: HeldOrders;
  /** The id of this process. */
  readonly holder: string;
  /** Called for an opening that may or may not have been written; its request was refused. */
  readonly onDoubt: (standing: VersionedOrder) => void;
}

/** Most rounds for a batch. Gateways that pick the same number or write the same order repeat; each round finishes at least one of them. */
const ROUNDS_MAX = 50;
const SPREAD = 900;
/** How many of its last numbers this process remembers, because the times of intents may come in any order. */
const NUMBERS_KEPT = 10_000;

/** Its parameters are those of `insertArrays`. */
export const INSERT = `INSERT INTO gateway_orders (owner, request_id, number, opened_at_ms, version, holder, is_unsettled, record, reference, referenced_at_ms)
  SELECT w.owner, w.request_id, w.number, w.opened_at_ms, w.version, $6::text, w.is_unsettled, w.record, w.reference, w.referenced_at_ms
  FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[], $5::bytea[], $8::boolean[], $9::bytea[], $10::bigint[], $11::int[])
    AS w(owner, request_id, number, opened_at_ms, record, is_unsettled, reference, referenced_at_ms, version)
  WHERE ${keyCondition('$7')}
  ON CONFLICT DO NOTHING RETURNING owner, request_id`;

/** Returns the function that answers a batch of openings. */
export function createOpenings(parts: OpenParts): (jobs: readonly OpenJob[]) => Promise<void> {
  const takeNumber = createOrderNumbers();
  const given = createLru<number, true>(NUMBERS_KEPT);
  /** Added to the numbers of this process, so that they differ from those of another that sells for the same owner in the same milliseconds. */
  let offset = 0;
  const takeFreeNumber = (openedAtMs: number): number => {
    const number = takeNumber(openedAtMs, (taken) => given.has(taken + offset)) + offset;
    given.set(number, true);
    return number;
  };

  return async (jobs) => {
    await parts.keyMark.prepare();
    let left = jobs;
    for (let round = 1; left.length > 0; round += 1) {
      if (round > ROUNDS_MAX) throw new Error('the same orders are written over and over by others');
      const rest = await insertNew(left, parts, takeFreeNumber, round === 1);
      const { again, isNumberTaken } = await meetExisting(rest, parts);
      if (isNumberTaken) {
        await parts.keyMark.check();
        offset = 1 + Math.floor(Math.random() * SPREAD);
      }
      left = again;
    }
  };
}

/**
 * Writes the intents whose id is new, and once more the orders that this process remembers, where the database has lost them. Returns the other jobs, and
 * those whose id occurs a second time in this batch.
 */
async function insertNew(
  jobs: readonly OpenJob[],
  parts: OpenParts,
  takeNumber: (openedAtMs: number) => number,
  isFirst: boolean,
): Promise<readonly OpenJob[]> {
  const { seal, holder, held } = parts;
  const firsts = new Map<string, Planned>();
  const rest: OpenJob[] = [];
  for (const job of jobs) {
    const { intent, ended } = job.asked;
    if (firsts.has(keyText(intent))) {
      rest.push(job);
      continue;
    }
    // Only one try: another order may have its number by now.
    const remembered = isFirst ? held.find(intent) : undefined;
    if (remembered !== undefined) {
      firsts.set(keyText(intent), { job, standing: remembered, isRemembered: true });
      continue;
    }
    try {
      const opened = decideOpening(undefined, intent, () => takeNumber(intent.openedAtMs)).order;
      const order = ended === undefined ? opened : settleOrder(opened, ended.outcome, ended.atMs);
      const first = encodeOpening(intent, seal);
      const record = order === opened ? first : encodeOrder(order, first, seal);
      firsts.set(keyText(intent), { job, standing: { order, version: 1, holder, record } });
    } catch (error) {
      job.reject(error);
    }
  }
  // Sorted by key: two gateways with the same ids then cannot deadlock.
  const sorted = [...firsts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, first]) => first);
  const values = insertArrays(
    sorted.map(({ standing }) => standing),
    parts,
  );
  return [...rest, ...(await write('opened', firsts, parts, INSERT, values))];
}

export function insertArrays(standings: readonly VersionedOrder[], { seal, holder }: Pick<OpenParts, 'seal' | 'holder'>) {
  const orders = standings.map(({ order }) => order);
  const references = orders.map(referenceBytes);
  return [
    ...keyArrays(orders),
    plainArray(orders.map(({ number }) => number)),
    plainArray(orders.map(({ openedAtMs }) => openedAtMs)),
    byteaArray(standings.map(({ record }) => record)),
    holder,
    seal.keyCheck ?? null,
    plainArray(orders.map(isUnsettled)),
    byteaArray(references),
    plainArray(orders.map(({ settledAtMs }, index) => (references[index] === undefined ? undefined : settledAtMs))),
    // An order that is put back goes on from its version: by a lower one this and other processes would take its later states for earlier ones.
    plainArray(standings.map(({ version }) => version)),
  ];
}

/** An order as it will be after the write: a new row, or the next version of an existing one. */
interface Planned {
  readonly job: OpenJob;
  readonly standing: VersionedOrder;
  /** The order is that of an earlier opening, to which the job is a repeat. */
  readonly isRemembered?: true;
}

/** Decides by the rows of the database. Returns the jobs that must try again, because another process was faster or their number was taken. */
async function meetExisting(
  jobs: readonly OpenJob[],
  parts: OpenParts,
): Promise<{ readonly again: readonly OpenJob[]; readonly isNumberTaken: boolean }> {
  if (jobs.length === 0) return { again: [], isNumberTaken: false };
  const rows = new Map(
    (await parts.run(READ_KEYS, keyArrays(jobs.map(({ asked }) => asked.intent)))).map((row) => [textOfRow(row), row]),
  );
  const again: OpenJob[] = [];
  const reopened = new Map<string, Planned>();
  let isNumberTaken = false;
  for (const job of jobs) {
    const key = keyText(job.asked.intent);
    const row = rows.get(key);
    if (row === undefined) {
      isNumberTaken = true;
      again.push(job);
      continue;
    }
    const next = decide(job, row, parts);
    if (next === undefined) continue;
    if (reopened.has(key)) again.push(job);
    else reopened.set(key, next);
  }
  const lost = reopened.size === 0 ? [] : await write('reopened', reopened, parts, REWRITE, rewritesOf(reopened));
  return { again: [...again, ...lost], isNumberTaken };
}

/** Answers a job that changes nothing. For an order that must be reopened, returns it as the next version of the row that was read. */
function decide(job: OpenJob, row: Row, parts: OpenParts): Planned | undefined {
  const { intent, ended } = job.asked;
  try {
    const before = parseRow(row, parts.seal);
    const opened = decideOpening(before.order, intent, () => before.order.number);
    if (opened.kind === 'reopened' && ended === undefined) {
      const { order } = opened;
      const record = encodeOrder(order, encodeOpening(intent, parts.seal), parts.seal);
      return { job, standing: { order, version: before.version + 1, holder: parts.holder, record } };
    }
    job.resolve(opened);
  } catch (error) {
    job.reject(error);
  }
  return undefined;
}

function rewritesOf(reopened: ReadonlyMap<string, Planned>): readonly string[] {
  return rewriteArrays([...reopened.values()].map(({ standing }) => ({ ...standing, version: standing.version - 1 })));
}

/** Runs the statement and answers the jobs whose keys it returns. Returns the other jobs. */
async function write(
  kind: 'opened' | 'reopened',
  planned: ReadonlyMap<string, Planned>,
  { run, held, onDoubt }: OpenParts,
  text: string,
  values: readonly unknown[],
): Promise<readonly OpenJob[]> {
  const rows = await run(text, values).catch((error: unknown) => {
    for (const { standing, isRemembered } of planned.values()) if (isRemembered !== true) onDoubt(standing);
    throw error;
  });
  const written = new Set(rows.map(textOfRow));
  const others: OpenJob[] = [];
  for (const [key, { job, standing, isRemembered }] of planned) {
    if (isRemembered === true || !written.has(key)) {
      others.push(job);
      continue;
    }
    held.note(standing);
    job.resolve({ kind, order: standing.order });
  }
  return others;
}

function textOfRow(row: Row): string {
  return keyText(keyOfRow(row));
}
