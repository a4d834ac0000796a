import { askAgain, createReceiptPace } from '../../../src/gateway/proof/find-receipt';
import type { Finding, V1Call } from '../../../src/upstream/upstream';
import { createVirtualClock } from '../../domain/virtual-clock';
import { CREDENTIALS } from '../scripted-upstream';

const RECEIPT: V1Call = { method: 'GET', path: '/receipt', query: { reference: 'V1' } };
const FOUND: Finding = { kind: 'found', body: { status: 'success' } };
const LOST: Finding = { kind: 'unavailable', reason: 'ECONNRESET' };
const LIMIT: Finding = { kind: 'refused', httpStatus: 429, body: {} };
const NONE: Finding = { kind: 'refused', httpStatus: 404, body: {} };
/** Comes after three seconds. */
const LATE: Finding = { ...FOUND };
const SILENCE = undefined;

/** Asks for up to ten seconds; each question gets the next answer after 100 ms, and the last answer is repeated. */
async function asking(answers: readonly (Finding | undefined)[], call = RECEIPT) {
  const clock = createVirtualClock();
  const startedAt = clock.elapsed();
  const askedAt: number[] = [];
  const find = (_call: V1Call, { timeoutMs }: { readonly timeoutMs: number }): Promise<Finding> => {
    askedAt.push(clock.elapsed() - startedAt);
    const answer = answers[Math.min(askedAt.length, answers.length) - 1];
    const afterMs = answer === SILENCE ? timeoutMs : answer === LATE ? 3_000 : 100;
    return new Promise((resolve) => clock.after(afterMs, () => resolve(answer ?? LOST)));
  };
  let heard: { readonly finding: Finding; readonly afterMs: number } | undefined;
  const context = { credentials: CREDENTIALS, clientAddress: '192.0.2.7', timeoutMs: 10_000 };
  void askAgain({ find }, clock)(call, context).then((finding) => (heard = { finding, afterMs: clock.elapsed() - startedAt }));
  await clock.advance(60_000);
  return { ...heard!, askedAt };
}

test('a question with an answer is asked once', async () => {
  expect(await asking([FOUND])).toEqual({ finding: FOUND, afterMs: 100, askedAt: [0] });
  expect(await asking([NONE])).toEqual({ finding: NONE, afterMs: 100, askedAt: [0] });
});

test('a lost answer is asked for again at once', async () => {
  expect(await asking([LOST, FOUND])).toEqual({ finding: FOUND, afterMs: 400, askedAt: [0, 300] });
});

test('beside a question that hangs another is asked every two seconds', async () => {
  expect(await asking([SILENCE, SILENCE, FOUND])).toEqual({ finding: FOUND, afterMs: 4_100, askedAt: [0, 2_000, 4_000] });
});

test('a v1 that always fails is asked three times, one that always hangs until the time is over', async () => {
  expect(await asking([LOST])).toEqual({ finding: LOST, afterMs: 700, askedAt: [0, 300, 600] });
  const silent = await asking([SILENCE]);
  expect(silent).toMatchObject({ finding: LOST, askedAt: [0, 2_000, 4_000, 6_000, 8_000] });
  expect(silent.afterMs).toBeLessThanOrEqual(10_000);
});

test('where v1 says that it is asked too often, the next question waits longer', async () => {
  expect(await asking([LIMIT, FOUND])).toEqual({ finding: FOUND, afterMs: 2_200, askedAt: [0, 2_100] });
  expect(await asking([{ ...LIMIT, retryAfterSeconds: 30 }])).toMatchObject({ afterMs: 100, askedAt: [0] });
  // The first question may still be answered.
  expect(await asking([LATE, { ...LIMIT, retryAfterSeconds: 30 }])).toMatchObject({ finding: FOUND, afterMs: 3_000 });
});

test('a question that failed just when the time for another ran out is still answered', async () => {
  const clock = createVirtualClock();
  let ticks = 0;
  // Like a real clock, it goes on between two reads.
  const ticking = { ...clock, elapsed: () => clock.elapsed() + (ticks += 0.001) };
  const find = (): Promise<Finding> => new Promise((resolve) => clock.after(100, () => resolve(LOST)));
  for (const timeoutMs of [300.002, 300.003, 300.004, 300.005]) {
    ticks = 0;
    let heard: Finding | undefined;
    const context = { credentials: CREDENTIALS, clientAddress: '192.0.2.7', timeoutMs };
    void askAgain({ find }, ticking)(RECEIPT, context).then((finding) => (heard = finding));
    await clock.advance(60_000);
    expect([timeoutMs, heard]).toEqual([timeoutMs, LOST]);
  }
});

test('a question that is not about orders is asked once, because v1 counts lookups', async () => {
  expect(await asking([LOST, FOUND], { method: 'POST', path: '/verify/meter', body: {} })).toMatchObject({
    finding: LOST,
    askedAt: [0],
  });
});

test('a key reads two hundred receipts a second, however many orders it has, and delays no other key', () => {
  let nowMs = 1_000;
  const pace = createReceiptPace({ elapsed: () => nowMs });
  const waits = Array.from({ length: 10_000 }, () => pace.nextInMs('a'));
  expect(waits.slice(0, 3)).toEqual([0, 5, 10]);
  expect(waits.filter((waitMs) => waitMs < 1_000)).toHaveLength(200);
  expect(pace.nextInMs('b')).toBe(0);
  nowMs += 60_000;
  expect(pace.nextInMs('a')).toBe(0);
  // Two processes that serve together read no more than one does.
  const half = createReceiptPace({ elapsed: () => nowMs }, 2);
  expect([half.nextInMs('a'), half.nextInMs('a'), half.nextInMs('b')]).toEqual([0, 10, 0]);
});
