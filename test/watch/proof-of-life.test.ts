import { createProofOfLife } from '../../src/watch/proof-of-life';
import { createVirtualClock } from '../domain/virtual-clock';

const SECOND = 1_000;
const START = 1_800_000_000_000;

/** Two other processes, and what this one says after so many seconds of the time at which it began. */
function open() {
  const clock = createVirtualClock(START);
  let signs = [
    { id: 'one', signedAtMs: 5 },
    // By a clock that is far ahead.
    { id: 'other', signedAtMs: 9_000_000_000_000 },
  ];
  let isAway = false;
  const haveAllSigned = createProofOfLife(clock, async () => (isAway ? Promise.reject(new Error('away')) : signs));
  const after = async (seconds: number, sinceMs = START): Promise<boolean> => {
    await clock.advance(seconds * SECOND);
    // The first answer is that of the look before.
    haveAllSigned(sinceMs);
    await clock.advance(0);
    return haveAllSigned(sinceMs);
  };
  const sign = (...ids: readonly string[]): void =>
    void (signs = signs.map((one) => (ids.includes(one.id) ? { ...one, signedAtMs: one.signedAtMs + 1 } : one)));
  return {
    after,
    sign,
    leave: (id: string) => void (signs = signs.filter((one) => one.id !== id)),
    setAway: (now: boolean) => void (isAway = now),
  };
}

test('all have signed once the sign of each has changed since a look that was not earlier', async () => {
  const { after, sign } = open();
  expect(await after(0)).toBe(false);
  sign('one');
  expect(await after(1)).toBe(false);
  sign('other');
  expect(await after(1)).toBe(true);
  // Both may have signed just after the look at 0 s.
  expect(await after(0, START + SECOND)).toBe(false);
  sign('one', 'other');
  expect(await after(1, START + SECOND)).toBe(true);
});

test('a process that has left has not to sign', async () => {
  const { after, sign, leave } = open();
  await after(0);
  sign('one');
  leave('other');
  expect(await after(1)).toBe(true);
});

test('a process that has not signed for three quarters of a minute counts no more', async () => {
  const { after, sign } = open();
  await after(0);
  for (let seconds = 0; seconds < 45; seconds += 5) {
    sign('one');
    expect(await after(5)).toBe(false);
  }
  expect(await after(1)).toBe(true);
});

test('while the signs cannot be read nothing is known', async () => {
  const { after, sign, setAway } = open();
  await after(0);
  sign('one', 'other');
  setAway(true);
  expect(await after(1)).toBe(false);
  setAway(false);
  expect(await after(1)).toBe(true);
});
