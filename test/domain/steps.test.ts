import { atOnce, inTurns, oneByOne, oneByOnePerName, type Steps } from '../../src/domain/steps';

const busyFor = (ms: number): void => {
  for (const until = performance.now() + ms; performance.now() < until;);
};

function* work(done: number[], ms: number): Steps<string> {
  for (let step = 0; step < 4; step += 1) {
    done.push(step);
    busyFor(ms);
    yield;
  }
  return 'made';
}

/** Counts the turns of the event loop until the work is done. */
async function turnsUntil(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  void work.then(() => (isOver = true));
  let turns = 0;
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  return turns;
}

test('steps that are done at once give what they made', () => {
  const done: number[] = [];
  expect(atOnce(work(done, 0))).toBe('made');
  expect(done).toEqual([0, 1, 2, 3]);
});

test('each long step has a turn of the event loop of its own', async () => {
  const done: number[] = [];
  const made = inTurns(work(done, 6));
  expect(done).toEqual([]);
  expect(await turnsUntil(made)).toBeGreaterThanOrEqual(4);
  expect(done).toEqual([0, 1, 2, 3]);
  expect(await made).toBe('made');
});

test('short steps share a turn, so that a thousand of them do not wait for a thousand turns of a busy loop', async () => {
  function* short(): Steps<void> {
    for (let step = 0; step < 1_000; step += 1) yield;
  }
  expect(await turnsUntil(inTurns(short()))).toBeLessThan(100);
});

test('an error of a step is an error of the work', async () => {
  function* failing(): Steps<void> {
    throw new Error('broken');
  }
  await expect(inTurns(failing())).rejects.toThrow('broken');
});

test('one work begins when the one before it has ended, also by an error', async () => {
  const said: string[] = [];
  const inOrder = oneByOne();
  const say = async (name: string): Promise<void> => {
    said.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    said.push(`${name} ends`);
    if (name === 'a') throw new Error('broken');
  };
  const [a, b] = [inOrder(() => say('a')), inOrder(() => say('b'))];
  await expect(a).rejects.toThrow('broken');
  await b;
  expect(said).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

test('works of one name wait for each other, and those of another name do not', async () => {
  const said: string[] = [];
  const inTurn = oneByOnePerName();
  const say = (name: string, nth: number): Promise<void> =>
    inTurn(name, async () => {
      said.push(`${name}${nth} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      said.push(`${name}${nth} ends`);
      if (nth === 1) throw new Error('broken');
    });
  const works = await Promise.allSettled([say('a', 1), say('a', 2), say('b', 2)]);
  expect(works.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(said).toEqual(['a1 begins', 'b2 begins', 'a1 ends', 'a2 begins', 'b2 ends', 'a2 ends']);
});
