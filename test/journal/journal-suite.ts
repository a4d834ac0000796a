/** What every journal store keeps to. One function, one factory: a new store is proven by calling it. */
import type { Journal, OfOwner, UnsettledOptions } from '../../src/journal/journal';
import { kobo } from '../../src/domain/amount';
import { NOT_TOLD, type Order } from '../../src/domain/order';
import type { Outcome } from '../../src/domain/outcome';
import { newOrder, OPENED_AT_MS } from './new-order';

const { owner } = newOrder();
const rejected: Outcome = { kind: 'rejected', httpStatus: 400, message: 'Insufficient balance' };
const succeeded: Outcome = { kind: 'succeeded', reference: 'v1-9', delivery: { charged: kobo(9_800) } };

export async function collect(orders: AsyncIterable<Pick<Order, 'requestId'>>): Promise<string[]> {
  const ids: string[] = [];
  for await (const order of orders) ids.push(order.requestId);
  return ids;
}

export function journalSuite(name: string, makeJournal: () => Promise<Journal>): void {
  describe(name, () => {
    let journal: Journal;
    beforeEach(async () => {
      journal = await makeJournal();
    });
    afterEach(() => journal.close());

    const openAt = (of: string, requestId: string, offset: number) =>
      journal.open(newOrder({ owner: of, requestId, openedAtMs: OPENED_AT_MS + offset }));
    /** Of the order `r1`. */
    const settle = (outcome: Outcome, afterMs = 1, attempt?: number) =>
      journal.settle(owner, 'r1', outcome, OPENED_AT_MS + afterMs, attempt);

    test('a new intent is opened with a number and its first attempt', async () => {
      const opened = await journal.open(newOrder());
      expect(opened).toEqual({
        kind: 'opened',
        order: { ...newOrder(), attempts: 1, number: (OPENED_AT_MS - Date.UTC(2026, 0, 1)) * 1000 },
      });
      expect(await journal.find(owner, 'r1')).toEqual(opened.order);
    });

    test('the same intent again is found, not opened', async () => {
      const first = await journal.open(newOrder());
      expect(await journal.open(newOrder({ openedAtMs: OPENED_AT_MS + 5 }))).toEqual({ kind: 'found', order: first.order });
    });

    test('another intent under the same request id is a conflict and changes nothing', async () => {
      const first = await journal.open(newOrder());
      const second = await journal.open(newOrder({ contentHash: 'hash-2', fields: { phone: '08030000002' } }));
      expect(second).toEqual({ kind: 'conflict', order: first.order });
      expect(await journal.find(owner, 'r1')).toEqual(first.order);
    });

    test('the same words are the same order, also when a changed mapping makes another content of them', async () => {
      await journal.open(newOrder({ contentHash: 'before', wordsHash: 'words' }));
      const again = await journal.open(newOrder({ contentHash: 'after', wordsHash: 'words' }));
      expect(again).toMatchObject({ kind: 'found', order: { contentHash: 'before', wordsHash: 'words' } });
      const other = await journal.open(newOrder({ contentHash: 'after', wordsHash: 'other' }));
      expect(other.kind).toBe('conflict');
    });

    test("the same numbers are the same order, also when the meaning of a caller's own numbers has changed", async () => {
      const own = (plan: number, words: string) =>
        newOrder({
          operation: 'buy_data',
          fields: { phone: '08030000001', plan },
          contentHash: `plan ${plan}`,
          wordsHash: words,
          trail: { mapping: 'm', reason: 'r', spellings: {}, ownNumbers: { plan: 7 } },
        });
      await journal.open(own(57, 'format A'));
      expect(await journal.open(own(58, 'format B'))).toMatchObject({ kind: 'found', order: { contentHash: 'plan 57' } });
      await settle(rejected);
      // Nothing was charged for it: it may be sold as its numbers mean now.
      expect(await journal.open(own(58, 'format B'))).toMatchObject({ kind: 'reopened', order: { contentHash: 'plan 58' } });
    });

    test('a conflict stays a conflict when the first order took no money', async () => {
      await journal.open(newOrder());
      await settle(rejected);
      expect((await journal.open(newOrder({ contentHash: 'hash-2' }))).kind).toBe('conflict');
    });

    test('the same request id of another key is another order', async () => {
      await journal.open(newOrder());
      const other = await journal.open(newOrder({ owner: 'f'.repeat(32), contentHash: 'hash-2' }));
      expect(other.kind).toBe('opened');
      expect(await journal.find('e'.repeat(32), 'r1')).toBeUndefined();
    });

    test.each<Outcome>([rejected, { kind: 'not_sent', reason: 'ECONNREFUSED' }])(
      'an order that took no money ($kind) is opened again by the same intent',
      async (outcome) => {
        const { order } = await journal.open(newOrder());
        await settle(outcome);
        const again = newOrder({ openedAtMs: OPENED_AT_MS + 60_000, echo: { request_id: 'r1' } });
        expect(await journal.open(again)).toEqual({ kind: 'reopened', order: { ...again, number: order.number, attempts: 2 } });
        expect(await journal.find(owner, 'r1')).toEqual({ ...again, number: order.number, attempts: 2 });
        expect(await journal.findByNumber(owner, order.number)).toEqual({ ...again, number: order.number, attempts: 2 });
        expect(await journal.listUnsettled({ limit: 9 })).toHaveLength(1);
        expect(await collect(journal.list({ fromMs: 0, untilMs: OPENED_AT_MS + 1, limit: 9 }))).toEqual([]);
        expect((await journal.open(again)).kind).toBe('found');
      },
    );

    test('a refusal of an earlier attempt says nothing of the one that is under way; what v1 has sold it says of the order', async () => {
      await journal.open(newOrder());
      await settle(rejected, 1, 1);
      const { order } = await journal.open(newOrder({ openedAtMs: OPENED_AT_MS + 2 }));
      expect(await settle(rejected, 3, 1)).toEqual(order);
      expect(await journal.find(owner, 'r1')).toEqual(order);
      expect(await settle(succeeded, 4, 1)).toMatchObject({
        attempts: 2,
        outcome: succeeded,
      });
    });

    test.each<Outcome>([
      succeeded,
      { kind: 'pending', reference: 'v1-9' },
      { kind: 'declined', reference: 'v1-9' },
      { kind: 'unknown', reason: 'reset' },
    ])('an order that may have taken money ($kind) is never opened again', async (outcome) => {
      await journal.open(newOrder());
      const settled = await settle(outcome);
      expect(settled).toMatchObject({ outcome, settledAtMs: OPENED_AT_MS + 1 });
      expect(await journal.open(newOrder())).toEqual({ kind: 'found', order: settled });
    });

    test('of many equal intents at once exactly one is opened', async () => {
      const kinds = (await Promise.all(Array.from({ length: 50 }, () => journal.open(newOrder())))).map((opened) => opened.kind);
      expect(kinds.filter((kind) => kind === 'opened')).toHaveLength(1);
      expect(kinds.filter((kind) => kind === 'found')).toHaveLength(49);
    });

    test('an answer that proves nothing does not overwrite one that does', async () => {
      await journal.open(newOrder());
      const settled = await settle(succeeded);
      expect(await settle({ kind: 'unknown', reason: 'late reset' }, 2)).toEqual(settled);
      expect(await settle(rejected, 3)).toEqual(settled);
      expect(await journal.find(owner, 'r1')).toEqual(settled);
    });

    test('a pending order becomes final and keeps what was told before', async () => {
      await journal.open(newOrder());
      await settle({ kind: 'pending', reference: 'v1-9', delivery: { balanceBefore: kobo(500) } });
      const settled = await settle({ kind: 'succeeded', delivery: { charged: kobo(100) } }, 2);
      expect(settled).toMatchObject({
        settledAtMs: OPENED_AT_MS + 2,
        outcome: { kind: 'succeeded', reference: 'v1-9', delivery: { balanceBefore: 500, charged: 100 } },
      });
      expect(await journal.findByReference(owner, 'v1-9')).toEqual(settled);
    });

    test('goods are never journalled, only that there are some', async () => {
      await journal.open(newOrder());
      const delivery = { charged: kobo(1), token: '1234-5678-9012', pins: [{ pin: '998877665544', serial: 'SN-1002003' }] };
      const message = 'Token 1234 5678 9012, pin 998877665544 for SN-1002003';
      const settled = await settle({ kind: 'succeeded', message, delivery }, 0);
      expect(settled.outcome).toEqual({
        kind: 'succeeded',
        message: 'Token ***, pin *** for ***',
        delivery: { charged: 1, goodsMissing: true },
      });
      expect(await journal.find(owner, 'r1')).toEqual(settled);
    });

    test('a null token is knowledge and stays', async () => {
      await journal.open(newOrder());
      const settled = await settle({ kind: 'succeeded', delivery: { token: null } }, 0);
      expect(settled.outcome).toEqual({ kind: 'succeeded', delivery: { token: null } });
    });

    test('an order that was never opened cannot be settled', async () => {
      await expect(journal.settle(owner, 'nobody', succeeded, OPENED_AT_MS)).rejects.toThrow('no order with this request id');
    });

    test('orders are found by number and reference through their own key only', async () => {
      const { order } = await journal.open(newOrder());
      await settle(succeeded);
      expect((await journal.findByNumber(owner, order.number))?.requestId).toBe('r1');
      expect((await journal.findByReference(owner, 'v1-9'))?.requestId).toBe('r1');
      expect(await journal.findByNumber('f'.repeat(32), order.number)).toBeUndefined();
      expect(await journal.findByReference('f'.repeat(32), 'v1-9')).toBeUndefined();
      expect(await journal.findByNumber(owner, order.number + 1)).toBeUndefined();
      expect(await journal.findByNumber(owner, 1.5)).toBeUndefined();
      expect(await journal.findByReference(owner, 'x'.repeat(5000))).toBeUndefined();
    });

    test('an owner has a reference once v1 has given one to an order of his, and no other owner has', async () => {
      await journal.open(newOrder());
      expect(await journal.hasReference(owner)).toBe(false);
      await settle(rejected);
      expect(await journal.hasReference(owner)).toBe(false);
      await journal.open(newOrder({ requestId: 'r2' }));
      await journal.settle(owner, 'r2', succeeded, OPENED_AT_MS + 2);
      const others = ['0'.repeat(32), 'f'.repeat(32), owner.slice(0, -1), `${owner}0`];
      expect(await Promise.all([owner, ...others].map((one) => journal.hasReference(one)))).toEqual([
        true,
        ...others.map(() => false),
      ]);
    });

    test('a reference stays with the first order that v1 gave it to', async () => {
      await journal.open(newOrder());
      await journal.open(newOrder({ requestId: 'r2' }));
      await settle(succeeded);
      await journal.settle(owner, 'r2', succeeded, OPENED_AT_MS + 2);
      expect((await journal.findByReference(owner, 'v1-9'))?.requestId).toBe('r1');
    });

    test('whatever key it was ordered with, an order is listed by its reference, the first of each key', async () => {
      const owners = [owner, 'f'.repeat(32), 'an-owner-that-is-no-fingerprint', '0'.repeat(32)];
      for (const owner of owners) {
        for (const requestId of ['r1', 'r2']) await journal.open(newOrder({ owner, requestId }));
        if (owner === owners[3]) continue;
        for (const requestId of ['r1', 'r2'])
          await journal.settle(owner, requestId, succeeded, OPENED_AT_MS + Number(requestId.slice(1)));
      }
      const found = await journal.listByReference('v1-9');
      expect(found.map(({ owner, requestId }) => `${owner} ${requestId}`).sort()).toEqual(
        owners
          .slice(0, 3)
          .map((owner) => `${owner} r1`)
          .sort(),
      );
      expect(found).toContainEqual(await journal.find(owners[1]!, 'r1'));
      expect(await journal.listByReference('v1-8')).toEqual([]);
      expect(await journal.listByReference('x'.repeat(5000))).toEqual([]);
    });

    test('numbers of one owner are never the same, also in one millisecond', async () => {
      const orders = await Promise.all(
        Array.from({ length: 1500 }, (_, index) =>
          journal.open(newOrder({ requestId: `r${index}`, openedAtMs: OPENED_AT_MS + (index % 2) })),
        ),
      );
      expect(new Set(orders.map(({ order }) => order.number)).size).toBe(1500);
    });

    test('unsettled orders are listed oldest first, of one owner or of all', async () => {
      const [one, other] = ['a'.repeat(32), 'b'.repeat(32)];
      await openAt(other, 'late', 30);
      await openAt(one, 'early', 10);
      await openAt(one, 'middle', 20);
      await openAt(one, 'done', 5);
      await openAt(one, 'refused', 6);
      await openAt(one, 'refunded', 7);
      await journal.settle(one, 'middle', { kind: 'unknown', reason: 'reset' }, OPENED_AT_MS + 40);
      await journal.settle(other, 'late', { kind: 'pending' }, OPENED_AT_MS + 40);
      await journal.settle(one, 'done', succeeded, OPENED_AT_MS + 40);
      await journal.settle(one, 'refused', rejected, OPENED_AT_MS + 40);
      await journal.settle(one, 'refunded', { kind: 'declined' }, OPENED_AT_MS + 40);
      const ids = async (options: UnsettledOptions) => (await journal.listUnsettled(options)).map((order) => order.requestId);
      expect(await ids({ fromMs: OPENED_AT_MS + 20, limit: 10 })).toEqual(['middle', 'late']);
      expect(await ids({ fromMs: OPENED_AT_MS + 20, limit: 1 })).toEqual(['middle']);
      expect(await ids({ fromMs: OPENED_AT_MS + 31, limit: 10 })).toEqual([]);
      expect(await ids({ limit: 10 })).toEqual(['early', 'middle', 'late']);
      expect(await ids({ limit: 2 })).toEqual(['early', 'middle']);
      expect(await ids({ owner: one, limit: 10 })).toEqual(['early', 'middle']);
      expect(await ids({ owner: other, limit: 10 })).toEqual(['late']);
      expect(await ids({ owner: 'c'.repeat(32), limit: 10 })).toEqual([]);
      expect(await ids({ newestFirst: true, limit: 2 })).toEqual(['late', 'middle']);
      expect(await ids({ newestFirst: true, untilMs: OPENED_AT_MS + 30, limit: 10 })).toEqual(['middle', 'early']);
      expect(await ids({ newestFirst: true, owner: one, limit: 1 })).toEqual(['middle']);
      expect(await ids({ newestFirst: true, owner: one, untilMs: OPENED_AT_MS + 20, limit: 10 })).toEqual(['early']);
      expect(await ids({ fromMs: OPENED_AT_MS + 10, untilMs: OPENED_AT_MS + 30, limit: 10 })).toEqual(['early', 'middle']);
    });

    test('orders that are not told are listed oldest first, of one owner and from a time on, until they are told or begin anew', async () => {
      const [one, other] = ['a'.repeat(32), 'b'.repeat(32)];
      const ids = async (fromMs = 0, owner = one, limit = 10) =>
        (await journal.listUntold({ owner, fromMs, limit })).map((order) => order.requestId);
      await openAt(one, 'late', 30);
      await openAt(one, 'sold', 10);
      await openAt(one, 'refused', 20);
      await openAt(one, 'ordinary', 15);
      await openAt(other, 'of another', 12);
      for (const requestId of ['late', 'sold', 'refused']) await journal.tell(one, requestId, NOT_TOLD);
      await journal.tell(other, 'of another', NOT_TOLD);
      await journal.settle(one, 'sold', succeeded, OPENED_AT_MS + 40);
      await journal.settle(one, 'ordinary', succeeded, OPENED_AT_MS + 40);
      await journal.settle(one, 'refused', rejected, OPENED_AT_MS + 40);
      expect(await ids()).toEqual(['sold', 'refused', 'late']);
      expect(await ids(OPENED_AT_MS + 20)).toEqual(['refused', 'late']);
      expect(await ids(0, one, 2)).toEqual(['sold', 'refused']);
      expect(await ids(0, other)).toEqual(['of another']);
      // They stand in no list of the unsettled for that.
      expect((await journal.listUnsettled({ limit: 10 })).map(({ requestId }) => requestId)).toEqual(['of another', 'late']);
      await journal.tell(one, 'sold', OPENED_AT_MS + 50);
      await openAt(one, 'refused', 60);
      expect(await ids()).toEqual(['late']);
      await journal.tell(one, 'refused', NOT_TOLD);
      expect(await ids()).toEqual(['late', 'refused']);
    });

    test('what a script was told is not written where the order as it is at the write no longer wants it', async () => {
      const { owner, requestId } = newOrder();
      await journal.open(newOrder());
      await journal.tell(owner, requestId, OPENED_AT_MS + 50);
      const isDue = ({ toldAtMs = NOT_TOLD }: Order): boolean => toldAtMs === NOT_TOLD;
      await journal.tell(owner, requestId, NOT_TOLD, isDue);
      expect((await journal.find(owner, requestId))?.toldAtMs).toBe(OPENED_AT_MS + 50);
    });

    test('orders of a span of time are listed oldest first, the end left out', async () => {
      for (const index of [0, 50, 100, 150, 200, 250])
        await journal.open(newOrder({ requestId: `r${index}`, openedAtMs: OPENED_AT_MS + index }));
      expect(await collect(journal.list({ fromMs: OPENED_AT_MS + 50, untilMs: OPENED_AT_MS + 200, limit: 10 }))).toEqual([
        'r50',
        'r100',
        'r150',
      ]);
      expect(await collect(journal.list({ fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER, limit: 2 }))).toEqual(['r0', 'r50']);
    });

    test('a long list is given whole, also while orders are added', async () => {
      await Promise.all(
        Array.from({ length: 700 }, (_, index) =>
          journal.open(newOrder({ requestId: `r${index}`, openedAtMs: OPENED_AT_MS + index })),
        ),
      );
      const ids: string[] = [];
      for await (const order of journal.list({ fromMs: 0, untilMs: OPENED_AT_MS + 700, limit: 650 })) {
        if (ids.length % 100 === 0)
          await journal.open(newOrder({ requestId: `n${ids.length}`, openedAtMs: OPENED_AT_MS + 10_000 }));
        ids.push(order.requestId);
      }
      expect(ids).toEqual(Array.from({ length: 650 }, (_, index) => `r${index}`));
    });

    test('a span of time is listed newest first as well, the same orders, with what is beyond its ends left out', async () => {
      const times = Array.from({ length: 300 }, (_, index) => OPENED_AT_MS + Math.floor(index / 3));
      for (const [index, openedAtMs] of times.entries())
        await journal.open(newOrder({ owner: index % 2 === 0 ? 'a' : 'b', requestId: `r${index}`, openedAtMs }));
      const span = { fromMs: OPENED_AT_MS + 1, untilMs: OPENED_AT_MS + 99, limit: 1_000 };
      const oldestFirst = await collect(journal.list(span));
      expect(oldestFirst).toHaveLength(98 * 3);
      expect(await collect(journal.list({ ...span, newestFirst: true }))).toEqual([...oldestFirst].reverse());
      expect(await collect(journal.list({ ...span, newestFirst: true, limit: 4 }))).toEqual(oldestFirst.slice(-4).reverse());
    });

    test('every key that an order was placed with is an owner, once', async () => {
      expect(await journal.owners()).toEqual([]);
      const owners = ['0'.repeat(32), '0123456789abcdef0123456789abcdef', 'f'.repeat(32), 'a name'];
      for (const owner of owners) for (const requestId of ['r1', 'r2', 'r3']) await journal.open(newOrder({ owner, requestId }));
      expect([...(await journal.owners())].sort()).toEqual([...owners].sort());
    });

    test('orders of one owner are listed by number, from either end, from a time on and page by page', async () => {
      // Another owner's orders stand before and behind, in every order of owners.
      for (const other of ['0'.repeat(32), 'f'.repeat(32)]) await journal.open(newOrder({ owner: other, requestId: 'theirs' }));
      const count = 300;
      for (let index = 0; index < count; index += 1)
        await journal.open(newOrder({ requestId: `r${index}`, openedAtMs: OPENED_AT_MS + index }));
      const ids = (options: Partial<OfOwner>) => collect(journal.listOfOwner({ owner, limit: 1_000, ...options }));
      const all = Array.from({ length: count }, (_, index) => `r${index}`);
      expect(await ids({})).toEqual(all);
      expect(await ids({ newestFirst: true })).toEqual(all.toReversed());
      expect(await ids({ newestFirst: true, limit: 2 })).toEqual(['r299', 'r298']);
      expect(await ids({ limit: 2 })).toEqual(['r0', 'r1']);
      expect(await ids({ fromMs: OPENED_AT_MS + 298 })).toEqual(['r298', 'r299']);
      expect(await ids({ fromMs: OPENED_AT_MS + 298, newestFirst: true })).toEqual(['r299', 'r298']);
      expect(await ids({ fromMs: OPENED_AT_MS + count })).toEqual([]);
      const { number } = (await journal.find(owner, 'r200'))!;
      expect(await ids({ beforeNumber: number, newestFirst: true, limit: 2 })).toEqual(['r199', 'r198']);
      expect(await ids({ owner: 'c'.repeat(32) })).toEqual([]);
      expect(await collect(journal.listOfOwner({ owner: '0'.repeat(32), limit: 9 }))).toEqual(['theirs']);
    });

    test('an order that is opened again keeps its place among those of its owner', async () => {
      await journal.open(newOrder({ requestId: 'first' }));
      await journal.open(newOrder({ requestId: 'second', openedAtMs: OPENED_AT_MS + 1 }));
      await journal.settle(owner, 'first', rejected, OPENED_AT_MS + 2);
      await journal.open(newOrder({ requestId: 'first', openedAtMs: OPENED_AT_MS + 3 }));
      expect(await collect(journal.listOfOwner({ owner, limit: 9 }))).toEqual(['first', 'second']);
      expect(await collect(journal.listOfOwner({ owner, limit: 9, fromMs: OPENED_AT_MS + 1 }))).toEqual(['second']);
    });

    test.each(['', 'x'.repeat(65)])('a request id outside its bounds (%#) is a bug and is said so', async (requestId) => {
      await expect(journal.open(newOrder({ requestId }))).rejects.toThrow(RangeError);
    });

    test('any 64 characters are a request id, and no two are taken for one', async () => {
      const ids = ['\u0000', '\ud800', '\ud801', '\ufffd', '₦'.repeat(64), '😀'.repeat(32), '"', '\\', 'é', 'e\u0301'];
      for (const requestId of ids) expect((await journal.open(newOrder({ requestId }))).kind).toBe('opened');
      for (const requestId of ids) expect((await journal.find(owner, requestId))?.requestId).toBe(requestId);
    });

    test('a closed journal takes nothing and says so to probes', async () => {
      expect(journal.isWritable()).toBe(true);
      await journal.close();
      expect(journal.isWritable()).toBe(false);
      await expect(journal.open(newOrder())).rejects.toMatchObject({ code: 'journal_unavailable' });
      await expect(settle(succeeded, 0)).rejects.toThrow(Error);
    });
  });
}
