import type { NewOrder } from '../../../src/domain/order';
import { createTryMark } from '../../../src/gateway/order/try-mark';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import { createVirtualClock } from '../../domain/virtual-clock';

const INTENT: Omit<NewOrder, 'openedAtMs'> = {
  owner: 'o',
  requestId: 'r-1',
  operation: 'buy_airtime',
  format: 'a',
  fields: {},
  echo: {},
  contentHash: 'c',
};

async function openMark() {
  const clock = createVirtualClock();
  const journal = createMemoryJournal();
  const troubles: string[] = [];
  const mark = createTryMark(60_000, { journal, clock, onTrouble: (what) => void troubles.push(what) });
  const { order } = await journal.open({ ...INTENT, openedAtMs: clock.now() });
  return { clock, journal, mark, order, troubles };
}

test('a mark is good for half of the quiet time, and a renewed one for as long again', async () => {
  const { clock, mark, order } = await openMark();
  await clock.advance(30_000);
  expect(mark.isValid()).toBe(true);
  await clock.advance(1);
  expect(mark.isValid()).toBe(false);
  expect(await mark.renew(order)).toMatchObject({ settledAtMs: clock.now(), outcome: { kind: 'unknown', isBeginning: true } });
  expect(mark.isValid()).toBe(true);
});

test('a renewal is as old as its time on disk, however long it took to be written', async () => {
  const { clock, journal, order } = await openMark();
  const slow: typeof journal.settle = async (...settling) => {
    await clock.advance(20_000);
    return journal.settle(...settling);
  };
  const mark = createTryMark(60_000, { journal: { settle: slow }, clock, onTrouble: () => undefined });
  await mark.renew(order);
  await clock.advance(10_001);
  expect(mark.isValid()).toBe(false);
});

test('a renewal gives the word that was spoken elsewhere, and does not touch it', async () => {
  const { clock, journal, mark, order } = await openMark();
  await journal.settle('o', 'r-1', { kind: 'not_sent', reason: 'absent', isProven: true }, clock.now());
  expect((await mark.renew(order))?.outcome?.kind).toBe('not_sent');
});

test('a renewal that cannot be written is told, and leaves the mark as old as it was', async () => {
  const { clock, mark, order, troubles } = await openMark();
  await clock.advance(40_000);
  expect(await mark.renew({ ...order, requestId: 'nobody' })).toBeUndefined();
  expect([troubles, mark.isValid()]).toEqual([['settle'], false]);
});
