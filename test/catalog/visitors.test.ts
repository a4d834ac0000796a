import { Secret } from '../../src/domain/credentials';
import { createVisitors } from '../../src/catalog/visitors';

const visit = (key: string, clientAddress: string) => ({
  credentials: { apiKey: new Secret(key), fingerprint: `print-of-${key}` },
  clientAddress,
});
const here = visit('k1', '192.0.2.1');

function harness() {
  const time = { ms: 1_000_000 };
  return { time, visitors: createVisitors({ freshMs: 60_000, staleMs: 600_000, clock: () => time.ms }) };
}

test('a key is known at the address where v1 accepted it, and there alone', () => {
  const { visitors } = harness();
  visitors.accept(here);
  expect([visitors.isFresh(here), visitors.isKnown(here)]).toEqual([true, true]);
  for (const other of [visit('k1', '192.0.2.2'), visit('k2', '192.0.2.1')])
    expect([visitors.isFresh(other), visitors.isKnown(other)]).toEqual([false, false]);
});

test('it is fresh for a while, then known for a while, then forgotten', () => {
  const { time, visitors } = harness();
  visitors.accept(here);
  time.ms += 60_000;
  expect([visitors.isFresh(here), visitors.isKnown(here)]).toEqual([false, true]);
  time.ms += 600_000;
  expect(visitors.isKnown(here)).toBe(false);
});

test('a refusal forgets it, pauses it and is counted for the key', () => {
  const { time, visitors } = harness();
  visitors.accept(here);
  const before = visitors.refusalsOf(visit('k1', '192.0.2.2'));
  visitors.refuse(here, 2_000);
  expect([visitors.isKnown(here), visitors.isPaused(here)]).toEqual([false, true]);
  expect(visitors.refusalsOf(visit('k1', '192.0.2.2'))).not.toBe(before);
  expect(visitors.refusalsOf(visit('k2', '192.0.2.1'))).toBe(before);
  time.ms += 2_000;
  expect(visitors.isPaused(here)).toBe(false);
});

test('a pause leaves it known, and an answer ends the pause', () => {
  const { visitors } = harness();
  visitors.accept(here);
  visitors.pause(here, 2_000);
  expect([visitors.isKnown(here), visitors.isPaused(here)]).toEqual([true, true]);
  visitors.accept(here);
  expect(visitors.isPaused(here)).toBe(false);
});
