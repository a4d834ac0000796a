import fc from 'fast-check';
import { createFairTurns, type FairTurnsOptions } from '../../src/http/fair-turns';

/** Clients by name; `log` says who began and who was refused. */
function house(options: Partial<FairTurnsOptions> = {}) {
  const turns = createFairTurns({ places: 4, waitingMax: 2, waitMs: 60_000, ...options });
  const log: string[] = [];
  const leaves: (() => void)[] = [];
  const enter = (client: string): (() => void) => {
    const leave = turns.enter(
      client,
      () => log.push(client),
      () => log.push(`${client} refused`),
    );
    leaves.push(leave);
    return leave;
  };
  return { log, enter, leaveAll: () => leaves.forEach((leave) => leave()) };
}

describe('fair turns', () => {
  test('one client takes half of the places, and the next finds one', () => {
    const { log, enter, leaveAll } = house();
    for (let at = 0; at < 4; at++) enter('a');
    expect(log).toEqual(['a', 'a']);
    enter('b');
    expect(log).toEqual(['a', 'a', 'b']);
    leaveAll();
  });

  test('who comes when the line is full is refused, others are not', () => {
    const { log, enter, leaveAll } = house();
    for (let at = 0; at < 5; at++) enter('a');
    expect(log).toEqual(['a', 'a', 'a refused']);
    enter('b');
    expect(log.at(-1)).toBe('b');
    leaveAll();
  });

  test('lines are served in turn, however long one is', () => {
    const { log, enter } = house({ places: 2, waitingMax: 9 });
    const first = [enter('x'), enter('y')];
    for (const client of ['a', 'a', 'a', 'b', 'c']) enter(client);
    first.forEach((leave) => leave());
    expect(log).toEqual(['x', 'y', 'a', 'b']);
  });

  test('round and round: a, b, c and only then a again', () => {
    const { log, enter } = house({ places: 1, waitingMax: 9 });
    const leaves = new Map([['x', [enter('x')]]]);
    for (const client of ['a', 'a', 'a', 'b', 'b', 'c']) leaves.set(client, [...(leaves.get(client) ?? []), enter(client)]);
    while (log.length < 7) leaves.get(log.at(-1)!)!.shift()!();
    expect(log).toEqual(['x', 'a', 'b', 'c', 'a', 'b', 'a']);
  });

  test('who leaves while waiting never begins, and who leaves twice gives back one place', () => {
    const { log, enter } = house({ places: 1 });
    const first = enter('a');
    const second = enter('b');
    second();
    enter('c');
    first();
    first();
    enter('d');
    expect(log).toEqual(['a', 'c']);
  });

  test('who waits too long is refused once, and its leaving gives nothing back', () => {
    jest.useFakeTimers();
    try {
      const { log, enter } = house({ places: 1, waitMs: 1_000 });
      enter('a');
      const late = enter('b');
      jest.advanceTimersByTime(1_001);
      late();
      enter('c');
      expect(log).toEqual(['a', 'b refused']);
    } finally {
      jest.useRealTimers();
    }
  });

  test('whatever comes and goes: never more than the places, and none is lost', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(5), fc.boolean(), fc.nat(50))), (steps) => {
        const { log, enter, leaveAll } = house({ places: 3, waitingMax: 50 });
        const leaves: (() => void)[] = [];
        for (const [client, isComing, index] of steps) {
          if (isComing) leaves.push(enter(String(client)));
          else leaves[index % Math.max(1, leaves.length)]?.();
        }
        leaveAll();
        const before = log.length;
        for (const client of ['p', 'q', 'r', 's']) enter(client);
        expect(log.slice(before)).toEqual(['p', 'q', 'r']);
      }),
    );
  });
});
