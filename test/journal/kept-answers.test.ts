import type { Outcome } from '../../src/domain/outcome';
import { WriteFailure, type Journal } from '../../src/journal/journal';
import { keepAnswers } from '../../src/journal/kept-answers';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { NOT_TOLD, type Order, TOLD_PENDING } from '../../src/domain/order';
import { newOrder } from './new-order';

const SOLD: Outcome = { kind: 'succeeded', reference: 'v1-r1', message: 'sold' };
const { owner } = newOrder();

/** The journal of a process, beside the same orders as the disk has them. */
async function withOpenOrder(ordersMax?: number) {
  const disk = createMemoryJournal();
  let isFull = false;
  const onDisk = <T>(write: () => Promise<T>): Promise<T> =>
    isFull ? Promise.reject(new WriteFailure(new Error('no space left'))) : write();
  const inner: Journal = {
    ...disk,
    open: (intent) => onDisk(() => disk.open(intent)),
    settle: (...settling) => onDisk(() => disk.settle(...settling)),
    tell: (...telling) => onDisk(() => disk.tell(...telling)),
    isWritable: () => !isFull,
  };
  const journal = keepAnswers(inner, ordersMax);
  await journal.open(newOrder());
  return { disk, journal, fill: () => (isFull = true), makeRoom: () => (isFull = false) };
}

/** Resolves after a read that begins now. */
async function later(write: () => Promise<void>): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  await write();
}

describe('answers of v1 while the disk takes nothing', () => {
  test('are given by every way to the order, and written when there is room', async () => {
    const { disk, journal, fill, makeRoom } = await withOpenOrder();
    fill();
    const settled = await journal.settle(owner, 'r1', SOLD, 5_000);
    expect(settled).toMatchObject({ requestId: 'r1', outcome: SOLD, settledAtMs: 5_000 });
    await journal.tell(owner, 'r1', NOT_TOLD);
    const kept = { ...settled, toldAtMs: NOT_TOLD };
    expect(await journal.find(owner, 'r1')).toEqual(kept);
    expect(await journal.findByNumber(owner, settled.number)).toEqual(kept);
    expect(await journal.findByReference(owner, 'v1-r1')).toEqual(kept);
    expect(await journal.findByReference('another', 'v1-r1')).toBeUndefined();
    expect(await journal.listByReference('v1-r1')).toEqual([kept]);
    expect(await journal.listByReference('v1-r2')).toEqual([]);
    expect(await journal.listUnsettled({ limit: 9 })).toEqual([]);
    const span = { fromMs: 0, untilMs: Infinity, limit: 9 };
    for (const list of [journal.list(span), journal.listOfOwner({ owner, ...span })]) {
      const orders: Order[] = [];
      for await (const order of list) orders.push(order);
      expect(orders).toEqual([kept]);
    }
    expect((await disk.find(owner, 'r1'))?.outcome).toBeUndefined();

    expect(await journal.writeKept()).toBe(0);
    makeRoom();
    expect(await journal.writeKept()).toBe(1);
    expect(await disk.find(owner, 'r1')).toEqual(kept);
    expect(journal.keptCount()).toBe(0);
  });

  test('decide with the order whether what a script was told is still due, so that only one script gets its PINs', async () => {
    const { journal, fill, makeRoom } = await withOpenOrder();
    fill();
    await journal.settle(owner, 'r1', SOLD, 5_000);
    const taken = new Set<number>();
    const take = (atMs: number): Promise<void> =>
      journal.tell(owner, 'r1', atMs, ({ toldAtMs = NOT_TOLD }) => {
        const isFree = toldAtMs <= TOLD_PENDING;
        if (isFree) taken.add(atMs);
        return isFree;
      });
    await Promise.all([take(6_000), take(7_000)]);
    await take(8_000);
    expect([[...taken], (await journal.find(owner, 'r1'))?.toldAtMs]).toEqual([[6_000], 6_000]);
    makeRoom();
    await journal.writeKept();
    expect((await journal.find(owner, 'r1'))?.toldAtMs).toBe(6_000);
  });

  test.each(['telling', 'kept'] as const)(
    'are given with an order that was read just before they were written (%s)',
    async (way) => {
      const disk = createMemoryJournal();
      let isFull = false;
      let answer = (): void => undefined;
      const journal = keepAnswers({
        ...disk,
        // As a database whose answer comes after that of a later write.
        find: async (...asked) => {
          const order = await disk.find(...asked);
          await new Promise<void>((resolve) => (answer = resolve));
          return order;
        },
        tell: (...telling) =>
          isFull ? Promise.reject(new WriteFailure(new Error('no space left'))) : later(() => disk.tell(...telling)),
        isWritable: () => !isFull,
      });
      await journal.open(newOrder());
      await journal.settle(owner, 'r1', SOLD, 5_000);
      await journal.tell(owner, 'r1', TOLD_PENDING);
      isFull = way === 'kept';
      const telling = journal.tell(owner, 'r1', NOT_TOLD);
      if (isFull) await telling;
      isFull = false;
      const found = journal.find(owner, 'r1');
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all([telling, journal.writeKept()]);
      const answering = setInterval(() => answer(), 1);
      const order = await found.finally(() => clearInterval(answering));
      expect(order).toMatchObject({ outcome: SOLD, toldAtMs: NOT_TOLD });
    },
  );

  test.each(['while', 'after'] as const)(
    'that a script hung up shows in the order that its repeat finds %s that is written',
    async (when) => {
      const disk = createMemoryJournal();
      let written = (): void => undefined;
      const journal = keepAnswers({
        ...disk,
        tell: async (...telling) => {
          await new Promise<void>((resolve) => (written = resolve));
          await disk.tell(...telling);
        },
        // As a database whose answer comes after that of a later write.
        open: async (intent) => {
          const opened = await disk.open(intent);
          if (when === 'after') written();
          await new Promise((resolve) => setImmediate(resolve));
          return opened;
        },
      });
      await journal.open(newOrder());
      await journal.settle(owner, 'r1', SOLD, 5_000);
      await disk.tell(owner, 'r1', 6_000);
      const noting = journal.tell(owner, 'r1', NOT_TOLD);
      const opened = await journal.open(newOrder());
      expect(opened).toMatchObject({ kind: 'found', order: { outcome: SOLD, toldAtMs: NOT_TOLD } });
      written();
      await noting;
    },
  );

  test('that a script hung up is not noted any more once another script has been told, on disk or while it is written', async () => {
    const { disk, journal, fill, makeRoom } = await withOpenOrder();
    await journal.settle(owner, 'r1', SOLD, 5_000);
    await journal.tell(owner, 'r1', NOT_TOLD);
    const isStillUntold = ({ toldAtMs }: Order): boolean => toldAtMs === NOT_TOLD;
    fill();
    // The write begins before the script is told, and fails after it.
    const noting = journal.tell(owner, 'r1', NOT_TOLD, isStillUntold);
    await disk.tell(owner, 'r1', 6_000);
    expect((await journal.find(owner, 'r1'))?.toldAtMs).toBe(6_000);
    await noting;
    expect(journal.keptCount()).toBe(0);
    await disk.tell(owner, 'r1', NOT_TOLD);
    await journal.tell(owner, 'r1', NOT_TOLD, isStillUntold);
    // Another process tells it while the note is kept.
    await disk.tell(owner, 'r1', 7_000);
    expect((await journal.find(owner, 'r1'))?.toldAtMs).toBe(7_000);
    makeRoom();
    expect(await journal.writeKept()).toBe(1);
    expect((await disk.find(owner, 'r1'))?.toldAtMs).toBe(7_000);
  });

  test('whether what a script was told is due is judged also where its write failed before', async () => {
    const { journal, fill } = await withOpenOrder();
    await journal.settle(owner, 'r1', SOLD, 5_000);
    await journal.tell(owner, 'r1', 6_000);
    fill();
    const judged: boolean[] = [];
    await journal.tell(owner, 'r1', 7_000, ({ toldAtMs = NOT_TOLD }) => {
      judged.push(toldAtMs <= TOLD_PENDING);
      return judged.at(-1)!;
    });
    expect([judged, (await journal.find(owner, 'r1'))?.toldAtMs, journal.keptCount()]).toEqual([[false], 6_000, 0]);
  });

  test("a repeat is decided by v1's answer, never by an open attempt on disk", async () => {
    const { journal, fill, makeRoom } = await withOpenOrder();
    fill();
    await journal.settle(owner, 'r1', SOLD, 5_000);
    await expect(journal.open(newOrder())).rejects.toMatchObject({ code: 'journal_unavailable' });
    makeRoom();
    expect(await journal.open(newOrder())).toMatchObject({ kind: 'found', order: { outcome: SOLD } });
    expect(journal.keptCount()).toBe(0);
  });

  test("follow one another in v1's order", async () => {
    const { disk, journal, fill, makeRoom } = await withOpenOrder();
    fill();
    await journal.settle(owner, 'r1', { kind: 'pending', reference: 'v1-r1' }, 5_000);
    const settled = await journal.settle(owner, 'r1', { kind: 'succeeded', reference: 'v1-r1' }, 6_000);
    expect(settled).toMatchObject({ outcome: { kind: 'succeeded' }, settledAtMs: 6_000 });
    makeRoom();
    // The next write takes the kept answer along.
    await journal.tell(owner, 'r1', 7_000);
    expect(await disk.find(owner, 'r1')).toEqual({ ...settled, toldAtMs: 7_000 });
  });

  test('of one attempt do not apply to the next, which another process has begun before they are written', async () => {
    const { disk, journal, fill, makeRoom } = await withOpenOrder();
    const refused: Outcome = { kind: 'rejected', httpStatus: 400 };
    fill();
    await journal.settle(owner, 'r1', refused, 5_000, 1);
    // A write that was given up because the disk hung, and that succeeded all the same.
    await disk.settle(owner, 'r1', refused, 5_000, 1);
    const { kind, order } = await disk.open(newOrder());
    expect(kind).toBe('reopened');
    expect(await journal.find(owner, 'r1')).toEqual(order);
    makeRoom();
    await journal.writeKept();
    expect(await disk.find(owner, 'r1')).toEqual(order);
  });

  test.each<[string, Outcome]>([
    ['the lease of an attempt', { kind: 'unknown', reason: 'begins', isBeginning: true }],
    ['a proof that v1 never had the order', { kind: 'not_sent', reason: 'absent', isProven: true }],
  ])('%s counts on disk alone', async (_what, outcome) => {
    const { journal, fill } = await withOpenOrder();
    fill();
    await expect(journal.settle(owner, 'r1', outcome, 5_000)).rejects.toThrow(WriteFailure);
    expect(journal.keptCount()).toBe(0);
  });

  test('are kept up to a limit, and then refused as by a disk', async () => {
    const { journal, fill, makeRoom } = await withOpenOrder(1);
    await journal.open(newOrder({ requestId: 'r2' }));
    fill();
    await journal.settle(owner, 'r1', SOLD, 5_000);
    await expect(journal.settle(owner, 'r2', SOLD, 5_000)).rejects.toThrow(WriteFailure);
    makeRoom();
    expect(await journal.writeKept()).toBe(1);
  });

  test('an answer that can never be written does not delay the others', async () => {
    const { journal, fill, makeRoom } = await withOpenOrder();
    fill();
    await expect(journal.settle(owner, 'nobody', SOLD, 5_000)).rejects.toThrow('no order with this request id');
    await journal.settle(owner, 'r1', SOLD, 5_000);
    makeRoom();
    expect(await journal.writeKept()).toBe(2);
    expect(await journal.find(owner, 'r1')).toMatchObject({ outcome: SOLD });
  });
});
