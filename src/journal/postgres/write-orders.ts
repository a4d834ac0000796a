/**
 * Writes the answers about many orders in one statement, each over the version that was read; if another process has written meanwhile, the
 * order is read again. Also retention, done by the gateway that has taken the turn.
 */
import { isToldLater, NOT_TOLD, type Order } from '../../domain/order';
import { referenceOf } from '../../domain/outcome';
import { readOrReport, type JournalEvent, keyText, type OrderKey } from '../journal';
import { hasEndedBefore, isUntold, settleOrder, tellOrder } from '../order-life';
import { encodeOrder, type FieldSeal } from '../record';
import { startRetention, SWEEP_EVERY_MS, type Retention } from '../retention';
import type { DatabaseClock } from './admission';
import type { Job } from './batches';
import type { Row, Run } from './database';
import { INSERT, insertArrays } from './open-orders';
import {
  keyArrays,
  keyOfRow,
  parseRow,
  plainArray,
  READ_KEYS,
  REWRITE,
  rewriteArrays,
  ROW_COLUMNS,
  type HeldOrders,
  type Rewrite,
  type VersionedOrder,
} from './rows';

export interface Writing {
  readonly key: OrderKey;
  readonly atMs: number;
  /** Returns the very same order object when nothing changes. */
  readonly change: (order: Order, standing: VersionedOrder) => Order;
  /** True when this process has no attempt of the order: the order keeps its holder, whose script may wait for it. */
  readonly isOfOther?: boolean;
}

/** Resolves with the order after the change; with undefined when no order has this id. */
type WriteJob = Job<Writing, Order | undefined>;

export interface WriteParts {
  readonly run: Run;
  readonly seal: FieldSeal;
  readonly held: HeldOrders;
  readonly holder: string;
}

const ROUNDS_MAX = 50;
const ORDERS_PER_STATEMENT = 256;

/** One order of a batch, with all jobs that change it. */
interface Task {
  readonly key: OrderKey;
  readonly jobs: WriteJob[];
  standing: VersionedOrder | undefined;
  /** True when `standing` was read in this batch; false when it was only remembered. */
  isFresh: boolean;
  /** The order as this process last wrote it. If the database has lost it, it is written once more. */
  readonly remembered: VersionedOrder | undefined;
  isLost: boolean;
}

/** Returns the function that answers a batch of writes. */
export function createWritings(parts: WriteParts): (jobs: readonly WriteJob[]) => Promise<void> {
  return async (jobs) => {
    let left = tasksOf(jobs, parts.held);
    for (let round = 1; left.length > 0; round += 1) {
      if (round > ROUNDS_MAX) throw new Error('the same orders are written over and over by others');
      await readWhereNeeded(left, parts);
      const missing = left.filter(({ standing }) => standing === undefined);
      const lost = missing.filter(({ isLost }) => isLost);
      missing.filter(({ isLost }) => !isLost).forEach((task) => task.jobs.forEach((job) => job.resolve(undefined)));
      left = await rewrite(
        left.filter(({ standing }) => standing !== undefined),
        parts,
      );
      left = [...left, ...(await writeAnew(lost, parts))];
    }
  };
}

function tasksOf(jobs: readonly WriteJob[], held: HeldOrders): readonly Task[] {
  const tasks = new Map<string, Task>();
  for (const job of jobs) {
    const { key } = job.asked;
    const task = tasks.get(keyText(key));
    const remembered = held.find(key);
    if (task === undefined)
      tasks.set(keyText(key), { ...{ key, jobs: [job], remembered, standing: remembered }, isFresh: false, isLost: false });
    else task.jobs.push(job);
  }
  return [...tasks.values()];
}

async function readWhereNeeded(tasks: readonly Task[], { run, seal }: WriteParts): Promise<void> {
  // A change without effect on the remembered order may have an effect on the order in the database.
  const unsure = tasks.filter((task) => !task.isFresh && (task.standing === undefined || apply(task) === undefined));
  if (unsure.length === 0) return;
  const rows = await run(READ_KEYS, keyArrays(unsure.map(({ key }) => key)));
  const byKey = new Map(rows.map((row) => [keyText(keyOfRow(row)), row]));
  for (const task of unsure) {
    const row = byKey.get(keyText(task.key));
    task.isFresh = true;
    try {
      task.standing = row && parseRow(row, seal);
      task.isLost = row === undefined && task.remembered !== undefined;
    } catch (error) {
      task.standing = undefined;
      task.jobs.forEach((job) => job.reject(error));
    }
  }
}

/**
 * Writes lost orders once more. A standby that took over may have been behind: it lacks orders that are under way here, and v1 may have
 * charged them. Only one try: if another order has the number by now, the order stays lost.
 */
async function writeAnew(tasks: readonly Task[], parts: WriteParts): Promise<readonly Task[]> {
  const standings = tasks.map(({ remembered }) => remembered!);
  if (tasks.length > 0) await parts.run(INSERT, insertArrays(standings, parts));
  return tasks.map((task) => ({ ...task, remembered: undefined, isLost: false, isFresh: false }));
}

/**
 * To be called when the database is back: a standby that took over may have been behind. Writes the remembered orders that it lacks, also those that have
 * ended, and the last state of those that it has in an earlier one: the other gateways would not know them.
 */
export async function putBack({ run, held, ...parts }: WriteParts): Promise<void> {
  const standings = held.list();
  for (let start = 0; start < standings.length; start += ORDERS_PER_STATEMENT) {
    const some = standings.slice(start, start + ORDERS_PER_STATEMENT);
    const rows = await run(READ_KEYS, keyArrays(some.map(({ order }) => order)));
    const byKey = new Map(rows.map((row) => [keyText(keyOfRow(row)), row]));
    const lost = some.filter(({ order }) => !byKey.has(keyText(order)));
    const behind = some.flatMap((standing) => lastState(standing, byKey.get(keyText(standing.order)), parts) ?? []);
    const untold = [...lost, ...behind].filter(({ order }) => isUntold(order));
    if (untold.length > 0) await run(NOTE_UNTOLD, untoldArrays(untold));
    if (lost.length > 0) await run(INSERT, insertArrays(lost, parts));
    // This process remembers them in an earlier version, so its next write reads them.
    if (behind.length > 0) await run(REWRITE, rewriteArrays(behind));
  }
}

/** The last state of a remembered order whose row has an earlier one, with what another process may have written into that. */
function lastState(
  standing: VersionedOrder,
  row: Row | undefined,
  { seal, holder }: Pick<WriteParts, 'seal' | 'holder'>,
): Rewrite | undefined {
  if (row === undefined || Number(row['version']) >= standing.version) return undefined;
  const { order: found, version, holder: by } = parseRow(row, seal);
  const { number, attempts } = standing.order;
  if (found.number !== number || found.attempts > attempts) return undefined;
  const theirs = found.attempts === attempts ? found.outcome : undefined;
  const settled = theirs === undefined ? standing.order : settleOrder(standing.order, theirs, found.settledAtMs!);
  // Another process may have told the end since. A telling of this process is that of the earlier state.
  const isToldSince = by !== holder && isToldLater(found) && found.toldAtMs! > (settled.toldAtMs ?? NOT_TOLD);
  const order = isToldSince ? tellOrder(settled, found.toldAtMs!) : settled;
  const record = encodeOrder(order, standing.record, seal);
  return { order, version, nextVersion: standing.version + 1, holder: standing.holder, record };
}

interface Applied {
  readonly order: Order;
  /** The order after each job. */
  readonly each: readonly Order[];
  readonly referencedAtMs: number | undefined;
}

/** Applies all jobs of a task; undefined when they change nothing. */
function apply({ standing, jobs }: Task): Applied | undefined {
  const before = standing!.order;
  let order = before;
  let referencedAtMs: number | undefined;
  const each = jobs.map(({ asked: { change, atMs } }) => {
    const after = change(order, standing!);
    const reference = referenceOf(after.outcome);
    if (reference !== undefined && reference !== referenceOf(order.outcome)) referencedAtMs = atMs;
    order = after;
    return after;
  });
  return order === before ? undefined : { order, each, referencedAtMs };
}

/** Writes the changed orders. Returns the tasks whose order another process has written meanwhile. */
async function rewrite(tasks: readonly Task[], { run, seal, held, holder }: WriteParts): Promise<readonly Task[]> {
  const changes = tasks.flatMap((task) => {
    try {
      const after = apply(task);
      const standing = task.standing!;
      const isOfOther = task.jobs.every(({ asked }) => asked.isOfOther === true);
      if (after !== undefined) {
        const record = encodeOrder(after.order, standing.record, seal);
        return [{ task, ...after, version: standing.version, record, holder: isOfOther ? standing.holder : holder }];
      }
      task.jobs.forEach((job) => job.resolve(standing.order));
      held.note(standing);
    } catch (error) {
      // A record beyond its bounds is a bug. Only its own jobs are rejected, not the rest of the batch.
      task.jobs.forEach((job) => job.reject(error));
    }
    return [];
  });
  if (changes.length === 0) return [];
  // Sorted by key: two gateways with the same orders then cannot deadlock.
  changes.sort((one, other) => (keyText(one.task.key) < keyText(other.task.key) ? -1 : 1));
  // Noted as untold before the order is: an entry without an untold order is only looked up in vain.
  const untold = changes.filter(({ task, order }) => isUntold(order) && !isUntold(task.standing!.order));
  if (untold.length > 0) await run(NOTE_UNTOLD, untoldArrays(untold));
  const rows = await run(REWRITE, rewriteArrays(changes));
  const written = new Set(rows.map((row) => keyText(keyOfRow(row))));
  const told = changes.filter(
    ({ task, order }) => isUntold(task.standing!.order) && !isUntold(order) && written.has(keyText(task.key)),
  );
  // An entry that stays is looked up in vain, until retention deletes it by its age.
  const versions = plainArray(told.map(({ version }) => version + 1));
  if (told.length > 0) await run(FORGET_TOLD, [...untoldArrays(told), versions]).catch(() => undefined);
  // Once more: another gateway, which had told such an order before, may have deleted its entry since it was noted.
  if (untold.length > 0) await run(NOTE_UNTOLD, untoldArrays(untold)).catch(() => undefined);
  const left: Task[] = [];
  for (const { task, order, each, version, holder: by, record } of changes) {
    if (!written.has(keyText(task.key))) {
      left.push({ ...task, standing: undefined, isFresh: false });
      continue;
    }
    held.note({ order, version: version + 1, holder: by, record });
    task.jobs.forEach((job, index) => job.resolve(each[index]));
  }
  return left;
}

const untoldArrays = (changes: readonly { readonly order: Order }[]): readonly string[] => [
  ...keyArrays(changes.map(({ order }) => order)),
  plainArray(changes.map(({ order }) => order.openedAtMs)),
];
const NOTE_UNTOLD = `INSERT INTO gateway_untold (owner, opened_at_ms, request_id)
  SELECT w.owner, w.opened_at_ms, w.request_id FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) AS w(owner, request_id, opened_at_ms)
  ON CONFLICT DO NOTHING`;
// Locks each order, and leaves the entry of one that has been written again: it may be untold anew.
const FORGET_TOLD = `WITH told AS (SELECT w.* FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::int[]) AS w(owner, request_id, opened_at_ms, version)
    JOIN gateway_orders AS o ON o.owner = w.owner AND o.request_id = w.request_id AND o.version = w.version FOR UPDATE OF o)
  DELETE FROM gateway_untold AS u USING told AS w
  WHERE u.owner = w.owner AND u.request_id = w.request_id AND u.opened_at_ms = w.opened_at_ms`;

interface SweepOptions {
  readonly read: Run;
  readonly write: Run;
  readonly seal: FieldSeal;
  readonly clock: Pick<DatabaseClock, 'now' | 'isRight'>;
  readonly retentionMs: number;
  readonly steadyMs: number;
  readonly onEvent: (event: JournalEvent) => void;
}

// By the clock of the database, which a gateway knows but for milliseconds. A turn is never given back: the next one begins when its time is over, or
// when the clock was set back by more than such a time. The clock has run evenly where each turn began soon after the end of the one before; a lone
// gateway may just miss that end, and asks again a round later.
const TAKE_TURN = `UPDATE gateway_journal SET swept_until_ms = $1::bigint + ${SWEEP_EVERY_MS},
    steady_since_ms = CASE WHEN $1::bigint - swept_until_ms BETWEEN 0 AND ${1.5 * SWEEP_EVERY_MS} THEN steady_since_ms ELSE $1::bigint END
  WHERE id = 1 AND $1::bigint - swept_until_ms NOT BETWEEN ${-2 * SWEEP_EVERY_MS} AND -1 RETURNING steady_since_ms`;
const OLDEST = `SELECT ${ROW_COLUMNS} FROM gateway_orders AS o WHERE o.opened_at_ms < $1
  AND (o.opened_at_ms, o.number, o.owner) > ($2, $3, $4::bytea) ORDER BY o.opened_at_ms, o.number, o.owner LIMIT ${ORDERS_PER_STATEMENT}`;
// Deletes only the versions that were read: an order reopened meanwhile has another version.
const DELETE = `DELETE FROM gateway_orders AS o WHERE (o.owner, o.request_id, o.version) IN
  (SELECT w.owner, w.request_id, w.version FROM unnest($1::bytea[], $2::bytea[], $3::int[]) AS w(owner, request_id, version)) RETURNING o.number`;

const FORGET_UNTOLD = 'DELETE FROM gateway_untold WHERE opened_at_ms < $1';

export function startSweep({ read, write, seal, clock, retentionMs, steadyMs, onEvent }: SweepOptions): Retention {
  let untilMs = 0;
  const onUnreadable = (error: Error): void => onEvent({ kind: 'record_unreadable', error });
  return startRetention<readonly unknown[]>({
    onEvent,
    async takeTurn() {
      if (!clock.isRight()) return false;
      const atMs = clock.now();
      untilMs = atMs - retentionMs;
      const [turn] = await write(TAKE_TURN, [atMs]);
      return turn !== undefined && atMs - Number(turn['steady_since_ms']) >= steadyMs;
    },
    async sweepSome(start = [-1, -1, Buffer.alloc(0)]) {
      const rows = await read(OLDEST, [untilMs, ...start]);
      const old = rows.flatMap((row) => readOrReport(() => parseRow(row, seal), onUnreadable) ?? []);
      // An order whose money may have moved is never deleted, however old.
      const ended = old.filter(({ order }) => hasEndedBefore(untilMs, order));
      const keys = [...keyArrays(ended.map(({ order }) => order)), plainArray(ended.map(({ version }) => version))];
      const deleted = ended.length === 0 ? 0 : (await write(DELETE, keys)).length;
      const last = rows.length < ORDERS_PER_STATEMENT ? undefined : rows.at(-1);
      if (last === undefined) await write(FORGET_UNTOLD, [untilMs]);
      return { deleted, next: last && [last['opened_at_ms'], last['number'], last['owner']] };
    },
  });
}
