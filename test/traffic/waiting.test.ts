import { createWaiting } from '../../src/traffic/waiting';

test('equal things are counted once, and their body is made once', () => {
  const waiting = createWaiting();
  let made = 0;
  for (let index = 0; index < 5; index += 1)
    waiting.count('shape', 'k', 'same', index, () => ({ made: (made += 1) }), index < 2 ? 'missing_field' : undefined);
  expect(waiting.tallies()).toEqual([
    { kind: 'shape', owner: 'k', body: '{"made":1}', count: 5, firstSeenMs: 0, lastSeenMs: 4, refusals: { missing_field: 2 } },
  ]);
});

test('one owner waits with at most a hundred things of a kind, all with a thousand; the rest is counted as forgotten', () => {
  const waiting = createWaiting();
  for (let index = 0; index < 150; index += 1) waiting.count('shape', 'noisy', `${index}`, 1, () => ({ index }));
  waiting.count('address', 'noisy', '0', 1, () => ({}));
  expect([waiting.tallies().length, waiting.forgotten()]).toEqual([101, 50]);
  for (let index = 0; index < 5_000; index += 1) waiting.count('shape', `o${index}`, '', 1, () => ({ index }));
  expect([waiting.tallies().length, waiting.forgotten()]).toEqual([1_000, 50 + 5_000 - 899]);
});

test('what could not be written is taken along, as far as there is room', () => {
  const first = createWaiting();
  for (let index = 0; index < 90; index += 1) first.count('shape', 'k', `${index}`, 1, () => ({ index }));
  const second = createWaiting();
  for (let index = 0; index < 30; index += 1) second.count('shape', 'k', `${index}`, 2, () => ({ index }));
  second.take(first);
  expect([second.tallies().length, second.forgotten()]).toEqual([100, 20]);
  expect(createWaiting().isEmpty()).toBe(true);
  expect(second.isEmpty()).toBe(false);
});
