/** Clients by name in one lane; `log` has which began and which were refused. */
import fc from 'fast-check';
import { createFairTurns, type FairTurnsOptions } from '../../src/upstream/fair-turns';

function house({ places = 4, ...options }: Partial<Omit<FairTurnsOptions, 'places'>> & { readonly places?: number } = {}) {
  const turns = createFairTurns({ places: () => places, share: 1, lineMax: 2, waitingMax: 100, ...options });
  const lane = turns.openLane(() => places, true);
  const log: string[] = [];
  const leaves: (() => void)[] = [];
  const enter = (client: string, to = lane): (() => void) => {
    let leave = (): void => undefined;
    const begin = (): void => {
      log.push(client);
      leave = () => turns.giveBack(client, to);
    };
    if (turns.take(client, to)) begin();
    else {
      const leaveLine = turns.wait(client, to, begin);
      if (leaveLine === undefined) log.push(`${client} refused`);
      else leave = leaveLine;
    }
    const once = (): void => {
      const last = leave;
      leave = () => undefined;
      last();
    };
    leaves.push(once);
    return once;
  };
  return { log, enter, turns, lane, leaveAll: () => leaves.forEach((leave) => leave()) };
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

  test('one client takes half of the places, however many lanes it comes through', () => {
    const { log, enter, turns, lane } = house();
    const other = turns.openLane(() => 4, true);
    for (const to of [lane, other, other, lane]) enter('a', to);
    expect(log).toEqual(['a', 'a']);
    enter('b', other);
    expect(log).toEqual(['a', 'a', 'b']);
  });

  test('who leaves a line twice, or after its turn has come, leaves it once', () => {
    const { turns, lane } = house({ places: 1, lineMax: 9 });
    turns.take('x', lane);
    const [served, left] = [0, 1, 2].map(() => turns.wait('a', lane, () => undefined)!);
    left!();
    left!();
    expect(turns.waiting).toBe(2);
    turns.giveBack('x', lane);
    served!();
    expect([turns.waiting, turns.inUse]).toEqual([1, 1]);
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
    const { log, enter } = house({ places: 2, lineMax: 9 });
    const first = [enter('x'), enter('y')];
    for (const client of ['a', 'a', 'a', 'b', 'c']) enter(client);
    first.forEach((leave) => leave());
    expect(log).toEqual(['x', 'y', 'a', 'b']);
  });

  test('round and round: a, b, c and only then a again', () => {
    const { log, enter } = house({ places: 1, lineMax: 9 });
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

  test('a line is as long as its bound, and all lines together as theirs', () => {
    const { log, enter, turns, lane } = house({ places: 1, lineMax: 2, waitingMax: 3 });
    for (const client of ['x', 'a', 'a', 'a', 'b', 'c']) enter(client);
    expect(log).toEqual(['x', 'a refused', 'c refused']);
    expect([turns.waiting, turns.inUse]).toEqual([3, 1]);
    expect(turns.hasRoom('b', lane)).toBe(false);
  });

  test('a share of three leaves a quarter to whoever comes next, again and again', () => {
    const { log, enter } = house({ places: 64, share: 3, lineMax: 99 });
    for (const client of ['a', 'b', 'c']) for (let at = 0; at < 64; at++) enter(client);
    expect(['a', 'b', 'c'].map((client) => log.filter((one) => one === client).length)).toEqual([48, 12, 3]);
  });

  test('a lane that is full keeps nobody out of another, and has its line looked at again when it grows', () => {
    let most = 1;
    const { log, enter, turns } = house({ places: 8 });
    const slow = turns.openLane(() => most, true);
    const first = enter('a', slow);
    for (const client of ['b', 'c']) enter(client, slow);
    enter('d');
    expect(log).toEqual(['a', 'd']);
    first();
    expect(log).toEqual(['a', 'd', 'b']);
    most = 2;
    turns.serve();
    expect(log).toEqual(['a', 'd', 'b', 'c']);
  });

  test('urgent lanes have three turns of four while both wait', () => {
    const { log, enter, turns } = house({ places: 1, lineMax: 99 });
    const patient = turns.openLane(() => 1, false);
    const leaves = [enter('first')];
    for (let at = 0; at < 8; at++) leaves.push(enter(`urgent ${at}`));
    for (let at = 0; at < 3; at++) leaves.push(enter(`patient ${at}`, patient));
    const leaveOf = new Map(
      ['first', ...Array.from({ length: 8 }, (_, at) => `urgent ${at}`), 'patient 0', 'patient 1', 'patient 2'].map(
        (name, at) => [name, leaves[at]!],
      ),
    );
    while (log.length < 12) leaveOf.get(log.at(-1)!)!();
    expect(log.slice(1).map((name) => name.split(' ')[0])).toEqual([
      'urgent',
      'urgent',
      'urgent',
      'patient',
      'urgent',
      'urgent',
      'urgent',
      'patient',
      'urgent',
      'urgent',
      'patient',
    ]);
  });

  test('who has a bound of its own waits at it, and others do not', () => {
    const { log, enter } = house({ places: 64, mostOf: (client) => (client === 'a' ? 2 : 64) });
    const first = enter('a');
    for (const client of ['a', 'a', 'b', 'b', 'b']) enter(client);
    expect(log).toEqual(['a', 'a', 'b', 'b', 'b']);
    first();
    expect(log.at(-1)).toBe('a');
  });

  test('who comes stays behind those of its line that wait already', () => {
    let places = 1;
    const turns = createFairTurns({ places: () => places, share: 9, lineMax: 9, waitingMax: 9 });
    const lane = turns.openLane(() => places, true);
    turns.take('a', lane);
    const began: string[] = [];
    turns.wait('a', lane, () => began.push('waiting'));
    places = 9;
    expect(turns.take('a', lane)).toBe(false);
    turns.serve();
    expect(began).toEqual(['waiting']);
    expect(turns.take('a', lane)).toBe(true);
  });

  test('the age of a line is that of its first', () => {
    let nowMs = 0;
    const { enter, turns, lane } = house({ places: 1, now: () => nowMs });
    const leave = enter('x');
    enter('a');
    nowMs = 700;
    enter('a');
    nowMs = 1_000;
    expect([turns.oldestWaitMs('a', lane), turns.oldestWaitMs('b', lane)]).toEqual([1_000, 0]);
    leave();
    expect(turns.oldestWaitMs('a', lane)).toBe(300);
  });

  test('whatever comes and goes: never more than the places, and none is lost', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(5), fc.boolean(), fc.nat(50))), (steps) => {
        const { log, enter, leaveAll } = house({ places: 3, lineMax: 50 });
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
