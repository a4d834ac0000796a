import { setTimeout } from 'node:timers/promises';
import { heldUpFor, untilRead } from '../../src/http/until-read';
import { blockEventLoop } from './block-event-loop';

// What is read meanwhile, and its consequences, are tested by `respond`, `app` and `connection`.
test('only a process that was held up shortly before reads on, for two seconds', async () => {
  await untilRead();
  const beforeMs = performance.now();
  blockEventLoop();
  const heldUpToMs = performance.now();
  await untilRead();
  // A request that is read now may have come when the process was last seen to run.
  expect(heldUpToMs - heldUpFor(heldUpToMs)).toBeLessThanOrEqual(beforeMs);
  // A busy machine holds the process up again and again: that takes longer.
  while (untilRead() !== undefined) await setTimeout(20);
  expect(performance.now() - heldUpToMs).toBeGreaterThanOrEqual(2_000);
  expect(heldUpFor(performance.now())).toBe(0);
});
