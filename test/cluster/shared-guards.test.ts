import { createSharedGuards, type SharedGuards } from '../../src/cluster/shared-guards';
import { systemClock } from '../../src/domain/clock';
import type { PinTurn } from '../../src/cluster/channel';

const FINGERPRINT = 'f'.repeat(32);
const ask = (guards: SharedGuards, pin: string, worker: number): Promise<PinTurn> =>
  guards.pinTurn({ fingerprint: FINGERPRINT, pin, timeoutMs: 400 }, worker);
const WRONG = 'Invalid transaction PIN';
const isOpen = async (turn: Promise<unknown>): Promise<boolean> =>
  (await Promise.race([turn.then(() => false), new Promise((resolve) => setTimeout(resolve, 50, true))])) === true;

/** Takes a turn and reports that v1 called the PIN wrong. */
async function tryWrong(guards: SharedGuards, pin: string, worker: number): Promise<PinTurn> {
  const turn = await ask(guards, pin, worker);
  if ('turn' in turn) guards.pinDone({ turn: turn.turn, verdict: { fingerprint: FINGERPRINT, pin, refusal: WRONG } });
  return turn;
}

test('two wrong PINs are tried, at any workers, and a third is refused with the reason', async () => {
  const guards = createSharedGuards(systemClock);
  expect(await tryWrong(guards, 'a', 1)).toHaveProperty('turn');
  expect(await tryWrong(guards, 'b', 2)).toHaveProperty('turn');
  expect(await tryWrong(guards, 'c', 1)).toEqual({ refusal: expect.stringContaining('one more would lock your account') });
  expect(await tryWrong(guards, 'a', 2)).toEqual({ refusal: expect.stringContaining(WRONG) });
});

test('a PIN that may be wrong waits for the one being tried, and is tried when that worker has died', async () => {
  const guards = createSharedGuards(systemClock);
  await ask(guards, 'a', 1);
  const second = ask(guards, 'b', 2);
  expect(await isOpen(second)).toBe(true);
  guards.forget(1);
  expect(await second).toHaveProperty('turn');
});

test('a PIN that v1 accepted needs no turn any more', async () => {
  const guards = createSharedGuards(systemClock);
  const first = await ask(guards, 'a', 1);
  expect('turn' in first && first.turn).toBeTruthy();
  if ('turn' in first) guards.pinDone({ turn: first.turn, verdict: { fingerprint: FINGERPRINT, pin: 'a' } });
  expect(await ask(guards, 'a', 1)).toHaveProperty('turn');
  expect(await ask(guards, 'a', 2)).toHaveProperty('turn');
});

test('sales of one content take turns, and each gets the orders kept before it', async () => {
  const guards = createSharedGuards(systemClock);
  const first = await guards.repeatTurn('content', 1);
  const second = guards.repeatTurn('content', 2);
  expect(await isOpen(second)).toBe(true);
  expect((await guards.repeatTurn('another', 2)).kept).toEqual([]);
  guards.repeatKept({ content: 'content', kept: { requestId: 'r1', agoMs: 0 }, windowMs: 1_000 });
  guards.repeatDone(first.turn);
  const { kept } = await second;
  expect(kept.map(({ requestId }) => requestId)).toEqual(['r1']);
  // Each worker has its own clock, which cannot be set.
  expect(kept[0]!.agoMs).toBeLessThan(10_000);
});

test('the turn of a worker that died while waiting is over at once when it comes', async () => {
  const guards = createSharedGuards(systemClock);
  const first = await guards.repeatTurn('content', 1);
  void guards.repeatTurn('content', 2);
  const third = guards.repeatTurn('content', 3);
  const pin = await ask(guards, 'a', 1);
  void ask(guards, 'b', 2);
  guards.forget(2);
  guards.repeatDone(first.turn);
  expect(await isOpen(third)).toBe(false);
  if ('turn' in pin) guards.pinDone({ turn: pin.turn, verdict: undefined });
  expect(await isOpen(ask(guards, 'c', 3))).toBe(false);
  // A worker that gets the same number later takes turns like any other.
  const fourth = guards.repeatTurn('content', 2);
  guards.repeatDone((await third).turn);
  expect(await fourth).toHaveProperty('turn');
});

test('wrong keys of one network are counted over all workers, and an accepted key is let in', async () => {
  const guards = createSharedGuards(systemClock);
  const address = '203.0.113.5';
  let refused = 0;
  for (let index = 0; index < 30; index += 1) {
    const visit = { fingerprint: String(index).padStart(32, '0'), address };
    if ((await guards.keyEnter(visit)) !== undefined) refused += 1;
    else guards.keyVerdict({ ...visit, verdict: 'wrong' });
  }
  expect(refused).toBeGreaterThanOrEqual(10);
  guards.keyVerdict({ fingerprint: FINGERPRINT, address, verdict: 'accepted' });
  expect(await guards.keyEnter({ fingerprint: FINGERPRINT, address })).toBeUndefined();
});
