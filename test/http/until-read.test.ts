import { setTimeout } from 'node:timers/promises';
import { heldUpFor, untilRead } from '../../src/http/until-read';
import { blockEventLoop } from './block-event-loop';

// What is read meanwhile, and its consequences, are tested by `respond`, `app` and `connection`.
test('only a process that was held up shortly before reads on, for two seconds', async () => {
  await untilRead();
  blockEventLoop();
  const heldUpToMs = performance.now();
  await untilRead();
  // A busy machine holds the process up again and again: that takes longer.
  while (untilRead() !== undefined) await setTimeout(20);
  expect(performance.now() - heldUpToMs).toBeGreaterThanOrEqual(2_000);
});

test('for two seconds after the last of several stops, a request that is read may have come since the first', async () => {
  await untilRead();
  const beforeMs = performance.now();
  blockEventLoop(600);
  const readAtMs = performance.now();
  await untilRead();
  expect(readAtMs - heldUpFor(readAtMs)).toBeLessThanOrEqual(beforeMs);
  await setTimeout(1_000);
  blockEventLoop(600);
  await untilRead();
  const againMs = performance.now();
  await setTimeout(1_000);
  const laterMs = performance.now();
  expect(laterMs - heldUpFor(laterMs)).toBeLessThanOrEqual(beforeMs);
  while (performance.now() - againMs < 2_100) await setTimeout(20);
  expect(heldUpFor(performance.now())).toBe(0);
});
