import { createPace, type Pace } from '../../../src/gateway/order/pace';
import { createVirtualClock } from '../../domain/virtual-clock';

const openPace = (): Pace => createPace(createVirtualClock());
const learn = (pace: Pace, times: number, tookMs: number): void => {
  for (let nth = 0; nth < times; nth += 1) pace.learn(undefined, tookMs);
};

test('the limit grows with every answer, up to a bound', () => {
  const pace = openPace();
  const first = pace.limit;
  learn(pace, 10, 50);
  expect(pace.limit).toBe(first + 10);
  learn(pace, 10_000, 50);
  expect(pace.limit).toBe(128);
});

test('the limit shrinks while v1 answers much more slowly than usual, and grows again afterwards', () => {
  const pace = openPace();
  learn(pace, 300, 50);
  const usual = pace.limit;
  learn(pace, 30, 1_000);
  expect(pace.limit).toBeLessThan(usual / 2);
  expect(pace.limit).toBeGreaterThanOrEqual(2);
  learn(pace, 300, 50);
  expect(pace.limit).toBe(usual);
});

test('silence shrinks the limit, an error page does not', () => {
  const pace = openPace();
  const first = pace.limit;
  for (let nth = 0; nth < 5; nth += 1) pace.learn('unusable', 5);
  expect(pace.limit).toBe(first);
  for (let nth = 0; nth < 100; nth += 1) pace.learn('silent', 20_000);
  expect(pace.limit).toBe(2);
});

test('after an outage the limit begins small', () => {
  const pace = openPace();
  learn(pace, 200, 50);
  for (let nth = 0; nth < 20; nth += 1) pace.learn('unreachable', 1);
  expect(pace.nextProbeInMs()).toBe(0);
  pace.probed();
  expect(pace.nextProbeInMs()).toBe(250);
  learn(pace, 1, 50);
  expect(pace.nextProbeInMs()).toBe(0);
  expect(pace.limit).toBe(5);
});
