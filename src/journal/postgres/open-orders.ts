/**
 * Openings of many intents in one statement. The database's own keys decide: of all gateways that bring the same id at once, exactly one
 * has written the row, and the others read it.
 */
import { LRUCache } from 'lru-cache';
import { GatewayError } from '../../domain/errors';
import type { NewOrder, Opened } from '../../domain/order';
import type { NotSent } from '../../domain/outcome';
import { decideOpening } from '../decide-opening';
import { encodeIntent, encodeOrder } from '../lmdb/record';
import type { FieldSeal } from '../lmdb/sealed-fields';
import { createOrderNumbers } from '../order-number';
import { isUnsettled, settleOrder } from '../settle-order';
import type { Row, Run } from './database';
import type { HeldOrders } from './held-orders';
import { keyCondition, type KeyMark } from './key-mark';
import { byteaArray, plainArray } from './literals';
import { keyArrays, keyOfRow, keyText, parseRow, READ_KEYS, REWRITE, rewriteArrays, type Standing } from './rows';

export interface OpenJob {
  readonly intent: NewOrder;
  readonly encoded: Buffer;
  readonly outcome: NotSent | undefined;
  readonly resolve: (opened: Opened) => void;
  readonly reject: (error: unknown) => void;
  isAnswered: boolean;
}

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

const INSERT = `INSERT INTO gateway_orders (owner, request_id, number, opened_at_ms, version, holder, is_unsettled, record)
  SELECT w.owner, w.request_id, w.number, w.opened_at_ms, 1, $6, w.is_unsettled, w.record
  FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[], $5::bytea[], $8::boolean[])
    AS w(owner, request_id, number, opened_at_ms, record, is_unsettled)
  WHERE ${keyCondition('$7')}
  ON CONFLICT DO NOTHING RETURNING owner, request_id`;

/**
 * `add` takes the job in, or tells that there is no room for it. With an outcome the order is there as one that has ended so, unless its id
 * is known already.
 */
export function runOpening(
  intent: NewOrder,
  seal: FieldSeal,
  add: (job: OpenJob) => boolean,
  outcome?: NotSent,
): Promise<Opened> {
  const encoded = encodeIntent(intent, seal);
  return new Promise((resolve, reject) => {
    const job: OpenJob = { intent, encoded, outcome, resolve, reject, isAnswered: false };
    if (!add(job)) failOpening(job, new Error('too many orders wait for PostgreSQL'));
  });
}

export function failOpening(job: OpenJob, error: unknown): void {
  if (job.isAnswered) return;
  job.isAnswered = true;
  // A record beyond its bounds is a bug and no state of the database.
  job.reject(error instanceof RangeError ? error : new GatewayError('journal_unavailable', undefined, { cause: error }));
}

/** Gives what answers a batch of openings. */
export function createOpenings(parts: OpenParts): (jobs: readonly OpenJob[]) => Promise<void> {
  const takeNumber = createOrderNumbers();
  const given = new LRUCache<number, true>({ max: NUMBERS_KEPT });
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
  const firsts = new Map<string, Reopening>();
  const rest: OpenJob[] = [];
  for (const job of jobs) {
    const { intent, encoded, outcome } = job;
    if (firsts.has(keyText(intent))) {
      rest.push(job);
      continue;
    }
    try {
      const opened = decideOpening(undefined, intent, () => takeNumber(intent.openedAtMs)).order;
      const order = outcome === undefined ? opened : settleOrder(opened, outcome, intent.openedAtMs);
      const standing = { order, version: 1, holder, intent: encoded };
      firsts.set(keyText(intent), { job, standing, record: encodeOrder(order, encoded, seal) });
    } catch (error) {
      failOpening(job, error);
    }
  }
  // In the order of their keys, so that two gateways with the same ids wait for each other and not in a circle.
  const sorted = [...firsts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, first]) => first);
  const orders = sorted.map(({ standing }) => standing.order);
  const values = [
    ...keyArrays(orders),
    plainArray(orders.map(({ number }) => number)),
    plainArray(orders.map(({ openedAtMs }) => openedAtMs)),
    byteaArray(sorted.map(({ record }) => record)),
    holder,
    seal.keyCheck ?? null,
    plainArray(orders.map(isUnsettled)),
  ];
  const standings = sorted.map(({ standing }) => standing);
  const written = new Set((await orDoubt(parts, standings, () => parts.run(INSERT, values))).map(textOfRow));
  for (const [key, { job, standing }] of firsts) {
    if (written.has(key)) answer(job, { kind: 'opened', order: standing.order }, parts, standing);
    else rest.push(job);
  }
  return rest;
}

/** An order as it would stand, written over the version before it. */
interface Reopening {
  readonly job: OpenJob;
  readonly standing: Standing;
  readonly record: Buffer;
}

/** Decides by what the database has. Gives those that must try again, because another was faster or their number was taken. */
async function meetExisting(
  jobs: readonly OpenJob[],
  parts: OpenParts,
): Promise<{ readonly again: readonly OpenJob[]; readonly isNumberTaken: boolean }> {
  if (jobs.length === 0) return { again: [], isNumberTaken: false };
  const rows = new Map(
    (await parts.run(READ_KEYS, keyArrays(jobs.map(({ intent }) => intent)))).map((row) => [textOfRow(row), row]),
  );
  const again: OpenJob[] = [];
  const reopened = new Map<string, Reopening>();
  let isNumberTaken = false;
  for (const job of jobs) {
    const key = keyText(job.intent);
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
  const lost = await reopen(reopened, parts);
  return { again: [...again, ...lost], isNumberTaken };
}

/** Answers what changes nothing. Gives the order as it would be written over the version that was read, if it is to be opened again. */
function decide(job: OpenJob, row: Row, parts: OpenParts): Reopening | undefined {
  try {
    const before = parseRow(row, parts.seal);
    const opened = decideOpening(before.order, job.intent, () => before.order.number);
    if (opened.kind === 'reopened' && job.outcome === undefined) {
      const { order } = opened;
      const standing = { order, version: before.version + 1, holder: parts.holder, intent: job.encoded };
      return { job, standing, record: encodeOrder(order, job.encoded, parts.seal) };
    }
    answer(job, opened, parts);
  } catch (error) {
    failOpening(job, error);
  }
  return undefined;
}

async function reopen(reopened: ReadonlyMap<string, Reopening>, parts: OpenParts): Promise<readonly OpenJob[]> {
  if (reopened.size === 0) return [];
  const all = [...reopened.values()];
  const rewrites = all.map(({ standing, record }) => ({ order: standing.order, version: standing.version - 1, record }));
  const standings = all.map(({ standing }) => standing);
  const values = [...rewriteArrays(rewrites), parts.holder];
  const written = new Set((await orDoubt(parts, standings, () => parts.run(REWRITE, values))).map(textOfRow));
  const lost: OpenJob[] = [];
  for (const [key, { job, standing }] of reopened) {
    if (written.has(key)) answer(job, { kind: 'reopened', order: standing.order }, parts, standing);
    else lost.push(job);
  }
  return lost;
}

function answer(job: OpenJob, opened: Opened, { held }: OpenParts, standing?: Standing): void {
  job.isAnswered = true;
  if (standing !== undefined) held.note(standing);
  job.resolve(opened);
}

async function orDoubt<T>(parts: OpenParts, standings: readonly Standing[], write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    standings.forEach(parts.onDoubt);
    throw error;
  }
}

function textOfRow(row: Row): string {
  return keyText(keyOfRow(row));
}
