/** Orders that were refused while the journal could be neither written nor read. */
import { createDoubts, NOT_SENT } from '../../src/journal/doubts';
import { newOrder } from './new-order';

const { owner } = newOrder();

test('each order is found as not sent until it is written, and one that cannot be written is kept for the next time', async () => {
  const written: unknown[] = [];
  let isFull = true;
  let nowMs = 1_000;
  const doubts = createDoubts<string>(
    () => nowMs,
    async ({ requestId }, { outcome, atMs }, standing) => {
      if (isFull && requestId === 'r2') throw new Error('no room');
      written.push([requestId, outcome.kind, atMs, standing]);
    },
  );
  doubts.note(newOrder());
  doubts.note(newOrder({ requestId: 'r2' }), 'perhaps written');
  // A second refusal does not drop the note that the order may have been written.
  doubts.note(newOrder({ requestId: 'r2' }));
  expect(doubts.find({ owner, requestId: 'r2' })).toEqual({
    ...newOrder({ requestId: 'r2' }),
    number: 0,
    attempts: 1,
    outcome: NOT_SENT,
  });
  expect(doubts.find({ owner: 'another', requestId: 'r2' })).toBeUndefined();

  await expect(doubts.resolve()).rejects.toThrow('no room');
  expect(doubts.count).toBe(1);
  [isFull, nowMs] = [false, 9_000];
  await doubts.resolve();
  // Refused as it is written, however long ago it came.
  expect(written).toEqual([
    ['r1', 'not_sent', 1_000, undefined],
    ['r2', 'not_sent', 9_000, 'perhaps written'],
  ]);
  expect([doubts.count, doubts.find({ owner, requestId: 'r2' })]).toEqual([0, undefined]);
});

test('fifty thousand orders of an outage of minutes are written, a thousand at once, and more are not noted', async () => {
  let [underWay, atOnce] = [0, 0];
  const doubts = createDoubts(Date.now, async ({ requestId }) => {
    atOnce = Math.max(atOnce, (underWay += 1));
    await Promise.resolve();
    underWay -= 1;
    if (requestId === 'r7') throw new Error('no room');
  });
  for (let nth = 0; nth < 50_001; nth += 1) doubts.note(newOrder({ requestId: `r${nth}` }));
  expect(doubts.find({ owner, requestId: 'r49999' })).toMatchObject({ outcome: NOT_SENT });
  expect(doubts.find({ owner, requestId: 'r50000' })).toBeUndefined();
  // One that cannot be written holds up none of the others.
  await expect(doubts.resolve()).rejects.toThrow('no room');
  expect([doubts.count, atOnce]).toEqual([1, 1_000]);
});
