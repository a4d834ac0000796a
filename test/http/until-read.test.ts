import { setTimeout } from 'node:timers/promises';
import { untilRead } from '../../src/http/until-read';
import { blockEventLoop } from './block-event-loop';

// What is read meanwhile, and its consequences, are tested by `respond`, `app` and `connection`.
test('only a process that was held up shortly before reads on, for two seconds', async () => {
  await untilRead();
  blockEventLoop();
  const heldUpToMs = performance.now();
  // A busy machine holds the process up again and again: that takes longer.
  while (untilRead() !== undefined) await setTimeout(20);
  expect(performance.now() - heldUpToMs).toBeGreaterThanOrEqual(2_000);
});
