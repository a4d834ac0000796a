/** Named clients in one lane. `log` lists which clients began and which were refused. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { createFairTurns, type FairTurnsOptions } from '../../src/upstream/fair-turns';

function createLane({ places = 4, ...options }: Partial<Omit<FairTurnsOptions, 'places'>> & { readonly places?: number } = {}) {
  const turns = createFairTurns({ places: () => places, share: 1, queueMax: 2, waitingMax: 100, ...options });
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
  test('one client gets half of the places, and the next client gets a place at once', () => {
    const { log, enter } = createLane();
    for (let at = 0; at < 4; at++) enter('a');
    expect(log).toEqual(['a', 'a']);
    enter('b');
    expect(log).toEqual(['a', 'a', 'b']);
  });

  test('one client gets half of all places, also through several lanes', () => {
    const { log, enter, turns, lane } = createLane();
    const other = turns.openLane(() => 4, true);
    for (const to of [lane, other, other, lane]) enter('a', to);
    expect(log).toEqual(['a', 'a']);
    enter('b', other);
    expect(log).toEqual(['a', 'a', 'b']);
  });

  test('leaving a queue twice, or after the turn has come, counts once', () => {
    const { turns, lane } = createLane({ places: 1, queueMax: 9 });
    turns.take('x', lane);
    const [served, left] = [0, 1, 2].map(() => turns.wait('a', lane, () => undefined)!);
    left!();
    left!();
    expect(turns.waiting).toBe(2);
    turns.giveBack('x', lane);
    served!();
    expect([turns.waiting, turns.inUse]).toEqual([1, 1]);
  });

  test('a client whose queue is full is refused, and other clients are not', () => {
    const { log, enter } = createLane();
    for (let at = 0; at < 5; at++) enter('a');
    expect(log).toEqual(['a', 'a', 'a refused']);
    enter('b');
    expect(log.at(-1)).toBe('b');
  });

  test('a waiting client gets no more than its share when another gives a place back', () => {
    const { log, enter } = createLane();
    const [, , , leaveB] = ['a', 'a', 'a', 'b', 'c'].map((client) => enter(client));
    leaveB!();
    expect(log).toEqual(['a', 'a', 'b', 'c']);
    enter('d');
    expect(log.at(-1)).toBe('d');
  });

  test('queues are served in turn, whatever their length', () => {
    const { log, enter } = createLane({ places: 2, queueMax: 9 });
    const first = [enter('x'), enter('y')];
    for (const client of ['a', 'a', 'a', 'b', 'c']) enter(client);
    first.forEach((leave) => leave());
    expect(log).toEqual(['x', 'y', 'a', 'b']);
  });

  test('a client gets its second turn after each waiting client has had one', () => {
    const { log, enter } = createLane({ places: 1, queueMax: 9 });
    const leaves = new Map([['x', [enter('x')]]]);
    for (const client of ['a', 'a', 'a', 'b', 'b', 'c']) leaves.set(client, [...(leaves.get(client) ?? []), enter(client)]);
    while (log.length < 7) leaves.get(log.at(-1)!)!.shift()!();
    expect(log).toEqual(['x', 'a', 'b', 'c', 'a', 'b', 'a']);
  });

  test('a client that leaves its queue never begins, and leaving twice gives back one place', () => {
    const { log, enter } = createLane({ places: 1 });
    const first = enter('a');
    const second = enter('b');
    second();
    enter('c');
    first();
    first();
    enter('d');
    expect(log).toEqual(['a', 'c']);
  });

  test('one queue and all queues together have a limit each', () => {
    const { log, enter, turns, lane } = createLane({ places: 1, queueMax: 2, waitingMax: 3 });
    for (const client of ['x', 'a', 'a', 'a', 'b', 'c']) enter(client);
    expect(log).toEqual(['x', 'a refused', 'c refused']);
    expect([turns.waiting, turns.inUse]).toEqual([3, 1]);
    expect(turns.hasRoom('b', lane)).toBe(false);
  });

  test('with a share of three each new client gets three quarters of the free places', () => {
    const { log, enter } = createLane({ places: 64, share: 3, queueMax: 99 });
    for (const client of ['a', 'b', 'c']) for (let at = 0; at < 64; at++) enter(client);
    expect(['a', 'b', 'c'].map((client) => log.filter((one) => one === client).length)).toEqual([48, 12, 3]);
  });

  test('a full lane does not delay other lanes, and its queue is served when the lane grows', () => {
    let most = 1;
    const { log, enter, turns } = createLane({ places: 8 });
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

  test('urgent lanes get three of four turns while both kinds of lanes have a queue', () => {
    const { log, enter, turns } = createLane({ places: 1, queueMax: 99 });
    const patient = turns.openLane(() => 1, false);
    const leaveOf = new Map([['first', enter('first')]]);
    for (let at = 0; at < 8; at++) leaveOf.set(`urgent ${at}`, enter(`urgent ${at}`));
    for (let at = 0; at < 3; at++) leaveOf.set(`patient ${at}`, enter(`patient ${at}`, patient));
    while (log.length < 12) leaveOf.get(log.at(-1)!)!();
    const [three, two] = ['urgent urgent urgent patient', 'urgent urgent patient'];
    expect(log.slice(1).join(' ').replaceAll(/ \d/g, '')).toBe(`${three} ${three} ${two}`);
  });

  test('a client with a limit of its own waits at that limit, and other clients do not', () => {
    const { log, enter } = createLane({ places: 64, mostOf: (client) => (client === 'a' ? 2 : 64) });
    const first = enter('a');
    for (const client of ['a', 'a', 'b', 'b', 'b']) enter(client);
    expect(log).toEqual(['a', 'a', 'b', 'b', 'b']);
    first();
    expect(log.at(-1)).toBe('a');
  });

  test('a new call of a client does not overtake the calls that wait in the queue of that client', () => {
    let places = 1;
    const turns = createFairTurns({ places: () => places, share: 9, queueMax: 9, waitingMax: 9 });
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

  test('the age of a queue is the waiting time of its first entry', () => {
    let nowMs = 0;
    const { enter, turns, lane } = createLane({ places: 1, now: () => nowMs });
    const leave = enter('x');
    enter('a');
    nowMs = 700;
    enter('a');
    nowMs = 1_000;
    expect([turns.oldestWaitMs('a', lane), turns.oldestWaitMs('b', lane)]).toEqual([1_000, 0]);
    leave();
    expect(turns.oldestWaitMs('a', lane)).toBe(300);
  });

  test('what has left its queue is not held, also by who could still give it up', async () => {
    const { turns, lane, enter } = createLane({ places: 2 });
    const leave = enter('a');
    const start = new WeakRef((): void => undefined);
    const giveUp = turns.wait('a', lane, start.deref()!);
    leave();
    // The value of a `WeakRef` lives until the present turn of the event loop ends.
    await new Promise((resolve) => setImmediate(resolve));
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    expect(start.deref()).toBeUndefined();
    giveUp?.();
  });

  test('no sequence of arrivals and departures exceeds the places or loses one', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(5), fc.boolean(), fc.nat(50))), (steps) => {
        const { log, enter, leaveAll } = createLane({ places: 3, queueMax: 50 });
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
