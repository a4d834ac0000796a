import type { Outcome } from '../../src/domain/outcome';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { listenToSettled } from '../../src/watch/listen-to-settled';
import { newOrder, OPENED_AT_MS } from '../journal/new-order';

const SOLD: Outcome = { kind: 'succeeded', reference: 'v1' };
const { owner, requestId } = newOrder();

test('each hearer gets the settled order, and a hearer that throws changes nothing', async () => {
  const inner = createMemoryJournal();
  const troubles: unknown[] = [];
  const heard: unknown[] = [];
  const broken = (): never => {
    throw new Error('a bug');
  };
  const journal = listenToSettled(
    inner,
    [broken, (order, atMs) => void heard.push([order, atMs])],
    (error) => void troubles.push(error),
  );
  await journal.open(newOrder());
  const settled = await journal.settle(owner, requestId, SOLD, OPENED_AT_MS + 1);
  expect(settled.outcome).toEqual(SOLD);
  expect(await inner.find(owner, requestId)).toEqual(settled);
  expect(heard).toEqual([[settled, OPENED_AT_MS + 1]]);
  expect(troubles).toEqual([new Error('a bug')]);
});

test('the number of the attempt is passed on to the journal', async () => {
  const inner = createMemoryJournal();
  const asked: unknown[] = [];
  const settle: typeof inner.settle = (...said) => {
    asked.push(said);
    return inner.settle(...said);
  };
  const journal = listenToSettled({ ...inner, settle }, [], () => undefined);
  await journal.open(newOrder());
  await journal.settle(owner, requestId, SOLD, OPENED_AT_MS + 1, 7);
  expect(asked).toEqual([[owner, requestId, SOLD, OPENED_AT_MS + 1, 7]]);
});
