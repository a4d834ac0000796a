import { createLookupMemory, type LookedUp } from '../../src/gateway/lookup-memory';
import { createVirtualClock } from '../domain/virtual-clock';

const named = (name: string): LookedUp => ({ finding: { kind: 'found', body: { data: { name } } }, values: {} });

test('what was kept is found as long as it is to be remembered', async () => {
  const clock = createVirtualClock();
  const memory = createLookupMemory(clock);
  memory.keep('a card', named('ADA OBI'));
  await clock.advance(59_999);
  expect(memory.find('a card', 60_000)).toEqual(named('ADA OBI'));
  expect(memory.find('another', 60_000)).toBeUndefined();
  await clock.advance(1);
  expect(memory.find('a card', 60_000)).toBeUndefined();
});

test('neither many answers nor a long one fill the memory', () => {
  const memory = createLookupMemory(createVirtualClock());
  memory.keep('long', named('A'.repeat(5_000)));
  expect(memory.find('long', 60_000)).toBeUndefined();
  for (let card = 0; card < 1_000; card += 1) memory.keep(`card ${card}`, named('B'.repeat(2_000)));
  const kept = Array.from({ length: 1_000 }, (_, card) => memory.find(`card ${card}`, 60_000)).filter((one) => one !== undefined);
  expect(kept.length).toBeGreaterThan(400);
  expect(kept.length).toBeLessThan(500);
});
