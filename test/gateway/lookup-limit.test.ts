import { createLookupLimit } from '../../src/gateway/lookup-limit';
import { createVirtualClock } from '../domain/virtual-clock';

const LIMIT = { calls: 3, windowMs: 60_000 };

test('an address may look up so often in a window and no more, whatever the others do', async () => {
  const clock = createVirtualClock();
  const limit = createLookupLimit(clock);
  for (let call = 0; call < 3; call += 1) limit.take('192.0.2.1', LIMIT);
  expect(() => limit.take('192.0.2.1', LIMIT)).toThrow(expect.objectContaining({ code: 'too_many_lookups', status: 429 }));
  expect(() => limit.take('192.0.2.2', LIMIT)).not.toThrow();
});

test('what is older than the window counts no longer, and a refusal does not count at all', async () => {
  const clock = createVirtualClock();
  const limit = createLookupLimit(clock);
  limit.take('192.0.2.1', LIMIT);
  await clock.advance(30_000);
  limit.take('192.0.2.1', LIMIT);
  limit.take('192.0.2.1', LIMIT);
  expect(() => limit.take('192.0.2.1', LIMIT)).toThrow();
  await clock.advance(30_000);
  expect(() => limit.take('192.0.2.1', LIMIT)).not.toThrow();
  expect(() => limit.take('192.0.2.1', LIMIT)).toThrow(/At most 3 lookups without a key every 60 seconds/);
});
