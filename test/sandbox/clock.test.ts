import fc from 'fast-check';
import { createRealClock, createVirtualClock } from '../../src/sandbox/clock';

describe('the clock', () => {
  test('fires due timers in order of time, each at its own time', () => {
    const clock = createVirtualClock(0);
    const fired: string[] = [];
    for (const [name, delay] of [
      ['c', 30],
      ['a', 10],
      ['b', 10],
      ['d', 31],
    ] as const) {
      clock.setTimer(delay, () => fired.push(`${name}@${clock.now()}`));
    }
    clock.advance(30);
    expect(fired).toEqual(['a@10', 'b@10', 'c@30']);
    expect(clock.now()).toBe(30);
  });

  test('fires a timer set by another timer when both are due in one advance', () => {
    const clock = createVirtualClock(0);
    const fired: number[] = [];
    const again = () => {
      fired.push(clock.now());
      clock.setTimer(10, again);
    };
    clock.setTimer(10, again);
    clock.advance(35);
    expect(fired).toEqual([10, 20, 30]);
  });

  test('never fires a cancelled timer, and accepts a second or late cancel', () => {
    const clock = createVirtualClock(0);
    let fired = 0;
    const cancelFirst = clock.setTimer(10, () => (fired += 1));
    const cancelSecond = clock.setTimer(20, () => (fired += 1));
    cancelSecond();
    cancelSecond();
    clock.advance(100);
    cancelFirst();
    clock.setTimer(10, () => (fired += 1));
    clock.advance(100);
    expect(fired).toBe(2);
  });

  test('fires timers with any delays in order of time', () => {
    const delays = fc.array(fc.nat(1_000), { maxLength: 60 });
    fc.assert(
      fc.property(delays, (list) => {
        const clock = createVirtualClock(0);
        const fired: number[] = [];
        for (const delay of list) clock.setTimer(delay, () => fired.push(delay));
        clock.advance(1_000);
        expect(fired).toEqual([...list].sort((a, b) => a - b));
      }),
    );
  });

  test('of the machine runs in real time and can be advanced', async () => {
    const clock = createRealClock();
    const before = clock.now();
    let fired = 0;
    clock.setTimer(3_600_000, () => (fired += 1));
    clock.advance(3_600_000);
    expect(fired).toBe(1);
    expect(clock.now() - before).toBeGreaterThanOrEqual(3_600_000);
    await new Promise<void>((resolve) => {
      // A timer of the clock is unref'ed, so another one holds the process here.
      const hold = setTimeout(() => undefined, 5_000);
      clock.setTimer(5, () => {
        clearTimeout(hold);
        resolve();
      });
    });
  });
});
