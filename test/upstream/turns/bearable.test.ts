import { createBearable } from '../../../src/upstream/turns/bearable';

function house() {
  let nowMs = 0;
  const bearable = createBearable({ most: 1_000, least: 8, doublesInMs: 2_000, now: () => nowMs });
  const pass = (ms: number): void => void (nowMs += ms);
  /** Two in a row are more than a tenth of the latest. */
  const complain = (inUse: number, restMs?: number): void => {
    for (let nth = 0; nth < 2; nth++) bearable.learn(true, nowMs, inUse, restMs);
  };
  return { bearable, pass, complain, now: () => nowMs };
}

describe('what can be borne', () => {
  test('is everything until something is said', () => {
    expect(house().bearable.now()).toBe(1_000);
  });

  test('is half of what was under way once complaints are more than a tenth', () => {
    const { bearable, complain } = house();
    complain(300);
    expect(bearable.now()).toBe(150);
  });

  test('is not lowered by one complaint among many answers', () => {
    const { bearable, now } = house();
    for (let nth = 0; nth < 200; nth++) bearable.learn(nth % 40 === 0, now(), 300);
    expect(bearable.now()).toBe(1_000);
  });

  test('is lowered once by what was under way at one time, and again by what began later', () => {
    const { bearable, pass, complain, now } = house();
    pass(10);
    complain(400);
    for (let nth = 0; nth < 50; nth++) bearable.learn(true, 5, 200);
    expect(bearable.now()).toBe(200);
    pass(1);
    bearable.learn(true, now(), 200);
    expect(bearable.now()).toBe(100);
  });

  test('never goes below the least, and doubles with time until it is everything again', () => {
    const { bearable, pass, complain } = house();
    for (let nth = 0; nth < 20; nth++) {
      complain(1);
      pass(1);
    }
    expect(bearable.now()).toBe(8);
    pass(2_000);
    expect(bearable.now()).toBe(16);
    pass(12_000);
    expect(bearable.now()).toBe(1_000);
  });

  test('does not grow while v1 has asked for rest, at most ten seconds', () => {
    const { bearable, pass, complain } = house();
    complain(200, 5_000);
    pass(5_000);
    expect(bearable.now()).toBe(100);
    pass(2_000);
    expect(bearable.now()).toBe(200);
    pass(1);
    complain(200, 3_600_000);
    pass(12_000);
    expect(bearable.now()).toBe(200);
  });
});
