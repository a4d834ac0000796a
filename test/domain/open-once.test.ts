import { openOnce } from '../../src/domain/open-once';
import { createVirtualClock } from './virtual-clock';

test('it is opened once for all calls, and a failed opening is tried again after some seconds', async () => {
  const clock = createVirtualClock();
  let opened = 0;
  const open = openOnce(async () => {
    opened += 1;
    if (opened === 1) throw new Error('not yet');
    return opened;
  }, clock);
  await expect(open()).rejects.toThrow('not yet');
  await expect(open()).rejects.toThrow('not yet');
  await clock.advance(5_000);
  expect(await Promise.all([open(), open()])).toEqual([2, 2]);
  await clock.advance(60_000);
  expect(await open()).toBe(2);
});
