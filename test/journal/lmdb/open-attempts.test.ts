import type { Order } from '../../../src/domain/order';
import type { Journal } from '../../../src/journal/journal';
import { openLmdbJournal } from '../../../src/journal/lmdb-journal';
import { OpenAttempts } from '../../../src/journal/lmdb/write-orders';
import { newOrder, OPENED_AT_MS } from '../new-order';
import { newFolder } from '../../new-folder';
import { closedAfterEach } from '../../opened';

const { owner } = newOrder();
const kept = closedAfterEach();
const order = (requestId: string, of = owner): Order => ({ ...newOrder({ requestId, owner: of }), number: 1, attempts: 1 });

describe('open attempts', () => {
  test('an order is given out once', () => {
    const attempts = new OpenAttempts();
    const first = order('r1');
    attempts.keep(first);
    expect(attempts.take(owner, 'r2')).toBeUndefined();
    expect(attempts.take(owner, 'r1')).toBe(first);
    expect(attempts.take(owner, 'r1')).toBeUndefined();
  });

  test('two keys that read the same only when joined are two', () => {
    const attempts = new OpenAttempts();
    attempts.keep(order('bc', 'a'));
    expect(attempts.take('ab', 'c')).toBeUndefined();
  });

  test('beyond the limit the oldest is forgotten; an attempt that is kept again is young again', () => {
    const attempts = new OpenAttempts(2);
    attempts.keep(order('r1'));
    attempts.keep(order('r2'));
    attempts.keep({ ...order('r1'), attempts: 2 });
    attempts.keep(order('r3'));
    expect(attempts.take(owner, 'r2')).toBeUndefined();
    expect(attempts.take(owner, 'r1')?.attempts).toBe(2);
    expect(attempts.take(owner, 'r3')?.attempts).toBe(1);
  });
});

/** Two journals on one folder; each keeps its own attempts, as two processes do. */
async function openTwo(): Promise<readonly [mine: Journal, other: Journal]> {
  const options = { dir: newFolder(), retentionMs: Infinity };
  return [kept(await openLmdbJournal(options)), kept(await openLmdbJournal(options))];
}

describe('an attempt that another process meanwhile', () => {
  const rejected = { kind: 'rejected', httpStatus: 400 } as const;
  const succeeded = { kind: 'succeeded', reference: 'v1-9' } as const;

  test('answered is settled as it is on disk, not as it was kept', async () => {
    const [mine, other] = await openTwo();
    await mine.open(newOrder());
    const answered = await other.settle(owner, 'r1', succeeded, OPENED_AT_MS + 1);
    expect(await mine.settle(owner, 'r1', { kind: 'unknown', reason: 'reset' }, OPENED_AT_MS + 2)).toEqual(answered);
    expect(await mine.settle(owner, 'r1', rejected, OPENED_AT_MS + 3)).toEqual(answered);
    expect(await mine.find(owner, 'r1')).toEqual(answered);
  });

  test.each([0, 60_000])('opened again %d ms later is settled as that attempt', async (laterMs) => {
    const [mine, other] = await openTwo();
    await mine.open(newOrder());
    await other.settle(owner, 'r1', rejected, OPENED_AT_MS + 1);
    const again = newOrder({ openedAtMs: OPENED_AT_MS + laterMs, echo: { ref: 'r1' } });
    expect((await other.open(again)).kind).toBe('reopened');
    const settled = await mine.settle(owner, 'r1', succeeded, OPENED_AT_MS + 70_000);
    expect(settled).toMatchObject({ attempts: 2, echo: { ref: 'r1' }, openedAtMs: again.openedAtMs, outcome: succeeded });
    expect(await other.find(owner, 'r1')).toEqual(settled);
    expect(await other.listUnsettled({ limit: 9 })).toEqual([]);
  });

  test('answered, and this one opened again, is settled by both as one', async () => {
    const [mine, other] = await openTwo();
    await mine.open(newOrder());
    await mine.settle(owner, 'r1', rejected, OPENED_AT_MS + 1);
    await other.open(newOrder());
    // One after the other, because two that write at once in one process wait for each other's lock; two-processes.test.ts lets them race.
    const one = await mine.settle(owner, 'r1', succeeded, OPENED_AT_MS + 2);
    const two = await other.settle(owner, 'r1', succeeded, OPENED_AT_MS + 3);
    expect(one).toMatchObject({ attempts: 2, outcome: succeeded });
    expect(two).toMatchObject({ attempts: 2, outcome: succeeded });
    expect(await mine.findByReference(owner, 'v1-9')).toEqual(two);
  });
});
