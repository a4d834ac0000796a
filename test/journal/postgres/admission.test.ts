import { createClockCheck } from '../../../src/journal/postgres/admission';

const APART = 'The clock of this machine and that of PostgreSQL are 60 s apart, more than 5: both must be kept by NTP.';

test('a gateway whose clock was set is found out, which is logged once, and admitted again when the clock is right', async () => {
  let [mine, theirs] = [1_000_000, 1_000_000];
  const told: (string | undefined)[] = [];
  const clock = createClockCheck({
    run: async () => [{ now_ms: String(theirs) }],
    now: () => mine,
    onChange: (complaint) => told.push(complaint?.message),
  });
  await clock.check();
  theirs -= 5_000;
  await clock.check();
  expect(clock.isRight()).toBe(true);
  theirs -= 55_000;
  await expect(clock.check()).rejects.toThrow(APART);
  await expect(clock.check()).rejects.toThrow(APART);
  expect(clock.isRight()).toBe(false);
  mine -= 120_000;
  await expect(clock.check()).rejects.toThrow(APART);
  mine = theirs;
  await clock.check();
  expect(clock.isRight()).toBe(true);
  expect(told).toEqual([APART, undefined]);
  clock.stop();
});

test('the time that the question took is not counted as a difference', async () => {
  let mine = 1_000_000;
  const run = async () => {
    mine += 20_000;
    return [{ now_ms: String(1_010_000) }];
  };
  const clock = createClockCheck({ run, now: () => mine, onChange: (complaint) => expect(complaint).toBeUndefined() });
  await clock.check();
  clock.stop();
});
