/**
 * Openings of many intents in one statement. The database's own keys decide: of all gateways that bring the same id at once, exactly one
 * has written the row, and the others read it.
 */
import { createLru } from '../../domain/lru';
import type { NewOrder, Opened } from '../../domain/order';
import type { NotSent } from '../../domain/outcome';
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
  REWRITE,
  rewriteArrays,
  type HeldOrders,
  type Standing,
} from './rows';

/** With an outcome the order is there as one that has ended so, unless its id is known already. */
export interface Opening {
  readonly intent: NewOrder;
  readonly outcome?: NotSent;
}

export type OpenJob = Job<Opening, Opened>;

export interface OpenParts {
  readonly run: Run;
  readonly seal: FieldSeal;
  readonly keyMark: KeyMark;
  readonly held: HeldOrders;
  /** This process. */
  readonly holder: string;
  /** Nobody knows whether this was written; whoever asked for it was refused. */
  readonly onDoubt: (standing: Standing) => void;
}

/** Two that pick the same number, or the same order, in turns: each round ends at least one of them. */
const ROUNDS_MAX = 50;
const SPREAD = 900;
/** Numbers that this process has given lately: times may come in any order. */
const NUMBERS_KEPT = 10_000;

/** With the columns of `insertArrays`. */
export const INSERT = `INSERT INTO gateway_orders (owner, request_id, number, opened_at_ms, version, holder, is_unsettled, record)
  SELECT w.owner, w.request_id, w.number, w.opened_at_ms, 1, $6::text, w.is_unsettled, w.record
  FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[], $5::bytea[], $8::boolean[])
    AS w(owner, request_id, number, opened_at_ms, record, is_unsettled)
  WHERE ${keyCondition('$7')}
  ON CONFLICT DO NOTHING RETURNING owner, request_id`;

/** Gives what answers a batch of openings. */
export function createOpenings(parts: OpenParts): (jobs: readonly OpenJob[]) => Promise<void> {
  const takeNumber = createOrderNumbers();
  const given = createLru<number, true>(NUMBERS_KEPT);
  /** Moves the numbers of this process away from those of another that sells for the same owner in the same milliseconds. */
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
      const rest = await insertNew(left, parts, takeFreeNumber);
      const { again, isNumberTaken } = await meetExisting(rest, parts);
      if (isNumberTaken) {
        await parts.keyMark.check();
        offset = 1 + Math.floor(Math.random() * SPREAD);
      }
      left = again;
    }
  };
}

/** Writes those whose id is new. Gives the others, and those that stand twice in this batch. */
async function insertNew(
  jobs: readonly OpenJob[],
  parts: OpenParts,
  takeNumber: (openedAtMs: number) => number,
): Promise<readonly OpenJob[]> {
  const { seal, holder } = parts;
  const firsts = new Map<string, Planned>();
  const rest: OpenJob[] = [];
  for (const job of jobs) {
    const { intent, outcome } = job.asked;
    if (firsts.has(keyText(intent))) {
      rest.push(job);
      continue;
    }
    try {
      const opened = decideOpening(undefined, intent, () => takeNumber(intent.openedAtMs)).order;
      const order = outcome === undefined ? opened : settleOrder(opened, outcome, intent.openedAtMs);
      const first = encodeOpening(intent, seal);
      const record = order === opened ? first : encodeOrder(order, first, seal);
      firsts.set(keyText(intent), { job, standing: { order, version: 1, holder, record } });
    } catch (error) {
      job.reject(error);
    }
  }
  // In the order of their keys, so that two gateways with the same ids wait for each other and not in a circle.
  const sorted = [...firsts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, first]) => first);
  const values = insertArrays(
    sorted.map(({ standing }) => standing),
    parts,
  );
  return [...rest, ...(await write('opened', firsts, parts, INSERT, values))];
}

export function insertArrays(standings: readonly Standing[], { seal, holder }: Pick<OpenParts, 'seal' | 'holder'>) {
  const orders = standings.map(({ order }) => order);
  return [
    ...keyArrays(orders),
    plainArray(orders.map(({ number }) => number)),
    plainArray(orders.map(({ openedAtMs }) => openedAtMs)),
    byteaArray(standings.map(({ record }) => record)),
    holder,
    seal.keyCheck ?? null,
    plainArray(orders.map(isUnsettled)),
  ];
}

/** An order as it would stand once it is written: as new, or over the version before it. */
interface Planned {
  readonly job: OpenJob;
  readonly standing: Standing;
}

/** Decides by what the database has. Gives those that must try again, because another was faster or their number was taken. */
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

/** Answers what changes nothing. Gives the order as it would be written over the version that was read, if it is to be opened again. */
function decide(job: OpenJob, row: Row, parts: OpenParts): Planned | undefined {
  const { intent, outcome } = job.asked;
  try {
    const before = parseRow(row, parts.seal);
    const opened = decideOpening(before.order, intent, () => before.order.number);
    if (opened.kind === 'reopened' && outcome === undefined) {
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

/** Answers those whose key the statement gives back. Gives the others. */
async function write(
  kind: 'opened' | 'reopened',
  planned: ReadonlyMap<string, Planned>,
  { run, held, onDoubt }: OpenParts,
  text: string,
  values: readonly unknown[],
): Promise<readonly OpenJob[]> {
  const rows = await run(text, values).catch((error: unknown) => {
    for (const { standing } of planned.values()) onDoubt(standing);
    throw error;
  });
  const written = new Set(rows.map(textOfRow));
  const others: OpenJob[] = [];
  for (const [key, { job, standing }] of planned) {
    if (!written.has(key)) {
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
