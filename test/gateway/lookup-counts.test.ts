import { createLookupCounts } from '../../src/gateway/lookup-counts';
import { createVirtualClock } from '../domain/virtual-clock';

test('what is older than the window counts no longer, and each name counts for itself', async () => {
  const clock = createVirtualClock();
  const counts = createLookupCounts(clock);
  counts.add('a');
  await clock.advance(30_000);
  counts.add('a');
  expect(counts.within('a', 60_000)).toEqual({ count: 2, roomInMs: 30_000 });
  await clock.advance(30_000);
  expect(counts.within('a', 60_000)).toEqual({ count: 1, roomInMs: 30_000 });
  expect(counts.within('b', 60_000)).toEqual({ count: 0, roomInMs: 0 });
});

test('of one name no more are kept than any limit needs', () => {
  const counts = createLookupCounts(createVirtualClock(), 5);
  for (let time = 0; time < 50; time += 1) counts.add('a');
  expect(counts.within('a', 60_000).count).toBe(5);
});
