/** Answers about many orders in one statement, each against the version that was read; who comes too late reads again. */
import type { Order } from '../../domain/order';
import { referenceOf } from '../../domain/outcome';
import { WriteFailure } from '../lmdb/group-commit';
import { encodeOrder } from '../lmdb/record';
import type { FieldSeal } from '../lmdb/sealed-fields';
import type { Run } from './database';
import type { HeldOrders } from './held-orders';
import { keyArrays, keyOfRow, keyText, parseRow, READ_KEYS, REWRITE, rewriteArrays, type Key, type Standing } from './rows';

export interface WriteJob extends Key {
  /** The very same object when nothing changes. */
  readonly change: (order: Order, standing: Standing) => Order;
  readonly atMs: number;
  readonly resolve: (order: Order | undefined) => void;
  readonly reject: (error: unknown) => void;
  isAnswered: boolean;
}

export interface WriteParts {
  readonly run: Run;
  readonly seal: FieldSeal;
  readonly held: HeldOrders;
  readonly holder: string;
}

const ROUNDS_MAX = 50;

/** Gives the order after the change, undefined when there is none of this id. `add` takes the job in, or tells that there is no room. */
export function runWriting(
  { owner, requestId }: Key,
  atMs: number,
  change: WriteJob['change'],
  add: (job: WriteJob) => boolean,
): Promise<Order | undefined> {
  return new Promise((resolve, reject) => {
    const job: WriteJob = { owner, requestId, change, atMs, resolve, reject, isAnswered: false };
    if (!add(job)) failWriting(job, new WriteFailure(new Error('too many answers wait for PostgreSQL')));
  });
}

export function failWriting(job: WriteJob, error: unknown): void {
  if (job.isAnswered) return;
  job.isAnswered = true;
  job.reject(error);
}

/** One order of a batch, with all that is to be written about it. */
interface Task {
  readonly key: Key;
  readonly jobs: WriteJob[];
  standing: Standing | undefined;
  /** Read in this batch, and not only remembered. */
  isFresh: boolean;
}

/** Gives what answers a batch. */
export function createWritings(parts: WriteParts): (jobs: readonly WriteJob[]) => Promise<void> {
  return async (jobs) => {
    let left = tasksOf(jobs, parts.held);
    for (let round = 1; left.length > 0; round += 1) {
      if (round > ROUNDS_MAX) throw new Error('the same orders are written over and over by others');
      await readWhereNeeded(left, parts);
      const missing = left.filter(({ standing }) => standing === undefined);
      missing.forEach((task) => task.jobs.forEach((job) => answer(job, undefined)));
      left = await rewrite(
        left.filter(({ standing }) => standing !== undefined),
        parts,
      );
    }
  };
}

function tasksOf(jobs: readonly WriteJob[], held: HeldOrders): readonly Task[] {
  const tasks = new Map<string, Task>();
  for (const job of jobs) {
    const key = keyText(job);
    const task = tasks.get(key);
    if (task === undefined) tasks.set(key, { key: job, jobs: [job], standing: held.find(job), isFresh: false });
    else task.jobs.push(job);
  }
  return [...tasks.values()];
}

async function readWhereNeeded(tasks: readonly Task[], { run, seal }: WriteParts): Promise<void> {
  // What changes nothing of an order as it was remembered may change it as it is.
  const unsure = tasks.filter((task) => !task.isFresh && (task.standing === undefined || apply(task) === undefined));
  if (unsure.length === 0) return;
  const rows = await run(READ_KEYS, keyArrays(unsure.map(({ key }) => key)));
  const byKey = new Map(rows.map((row) => [keyText(keyOfRow(row)), row]));
  for (const task of unsure) {
    const row = byKey.get(keyText(task.key));
    task.isFresh = true;
    try {
      task.standing = row && parseRow(row, seal);
    } catch (error) {
      task.standing = undefined;
      task.jobs.forEach((job) => failWriting(job, error));
    }
  }
}

interface Applied {
  readonly order: Order;
  /** After each job. */
  readonly each: readonly Order[];
  readonly referencedAtMs: number | undefined;
}

/** Undefined when the jobs change nothing. */
function apply({ standing, jobs }: Task): Applied | undefined {
  const before = standing!.order;
  let order = before;
  let referencedAtMs: number | undefined;
  const each = jobs.map(({ change, atMs }) => {
    const after = change(order, standing!);
    const reference = referenceOf(after.outcome);
    if (reference !== undefined && reference !== referenceOf(order.outcome)) referencedAtMs = atMs;
    order = after;
    return after;
  });
  return order === before ? undefined : { order, each, referencedAtMs };
}

/** Gives the tasks whose order another process has written meanwhile. */
async function rewrite(tasks: readonly Task[], { run, seal, held, holder }: WriteParts): Promise<readonly Task[]> {
  const changes = tasks.flatMap((task) => {
    try {
      const after = apply(task);
      if (after !== undefined) return [{ task, ...after, record: encodeOrder(after.order, task.standing!.intent, seal) }];
      task.jobs.forEach((job) => answer(job, task.standing!.order));
      held.note(task.standing!);
    } catch (error) {
      // A record beyond its bounds is a bug, and not that of its neighbours.
      task.jobs.forEach((job) => failWriting(job, error));
    }
    return [];
  });
  if (changes.length === 0) return [];
  // In the order of their keys, so that two gateways with the same orders wait for each other and not in a circle.
  changes.sort((one, other) => (keyText(one.task.key) < keyText(other.task.key) ? -1 : 1));
  const rewrites = changes.map((change) => ({ ...change, version: change.task.standing!.version }));
  const rows = await run(REWRITE, [...rewriteArrays(rewrites), holder]);
  const written = new Set(rows.map((row) => keyText(keyOfRow(row))));
  const left: Task[] = [];
  for (const { task, order, each } of changes) {
    if (!written.has(keyText(task.key))) {
      left.push({ ...task, standing: undefined, isFresh: false });
      continue;
    }
    held.note({ ...task.standing!, order, version: task.standing!.version + 1, holder });
    task.jobs.forEach((job, index) => answer(job, each[index]));
  }
  return left;
}

function answer(job: WriteJob, order: Order | undefined): void {
  if (job.isAnswered) return;
  job.isAnswered = true;
  job.resolve(order);
}
