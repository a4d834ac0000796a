import { setTimeout } from 'node:timers/promises';
import { untilRead } from '../../src/http/until-read';
import { blockEventLoop } from './block-event-loop';

// What is read meanwhile, and its consequences, are tested by `respond`, `app` and `connection`.
test('only a process that was held up shortly before reads on', async () => {
  await untilRead();
  await setTimeout(2_200);
  expect(untilRead()).toBeUndefined();
  blockEventLoop();
  await untilRead();
  await setTimeout(200);
  expect(untilRead()).toBeDefined();
});
