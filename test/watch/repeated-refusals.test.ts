import type { Served } from '../../src/gateway/gateway';
import { GatewayError, type ErrorCode } from '../../src/domain/errors';
import { COUNTED_MAX, createRepeatedRefusals, WINDOW_MS } from '../../src/watch/repeated-refusals';

/** v1 has accepted the keys ada and bob. */
function createMemory() {
  let nowMs = 1_000_000;
  const memory = createRepeatedRefusals({ elapsed: () => nowMs });
  for (const fingerprint of ['ada', 'bob']) memory.noteServed(served({ fingerprint }));
  return { memory, pass: (ms: number) => void (nowMs += ms) };
}

type Facts = Parameters<ReturnType<typeof createRepeatedRefusals>['noteServed']>[0];
const served = (changes: Partial<Served>): Facts => ({
  fingerprint: 'ada',
  kind: 'purchase',
  refusal: undefined,
  outcome: 'succeeded',
  repeat: undefined,
  order: { requestId: 'r1' },
  reply: { status: 200, body: {} },
  ...changes,
});
const refused = (code: ErrorCode, fingerprint = 'ada'): Facts =>
  served({ fingerprint, outcome: 'refused', refusal: new GatewayError(code) });
const times = (count: number, run: () => void): void => {
  for (let nth = 0; nth < count; nth += 1) run();
};

test('equal refusals of one key are counted within the window, separately for each key and code', () => {
  const { memory, pass } = createMemory();
  times(6, () => memory.noteServed(refused('invalid_field')));
  times(4, () => memory.noteServed(refused('invalid_field', 'bob')));
  times(5, () => memory.noteServed(refused('missing_field')));
  expect(memory.loops()).toEqual([
    { fingerprint: 'ada', code: 'invalid_field', count: 6 },
    { fingerprint: 'ada', code: 'missing_field', count: 5 },
  ]);
  pass(WINDOW_MS + 1);
  expect(memory.loops()).toEqual([]);
});

test('rejections of v1 and repeats of a sale count, but not successes or refusals for reasons of the gateway', () => {
  const { memory } = createMemory();
  times(2 * COUNTED_MAX, () => {
    memory.noteServed(served({ outcome: 'rejected', reply: { status: 401, body: {} } }));
    memory.noteServed(served({ repeat: 'replayed' }));
    memory.noteServed(served({}));
    memory.noteServed(served({ outcome: 'declined' }));
    memory.noteServed(served({ kind: 'status', outcome: 'rejected' }));
    memory.noteServed(refused('overloaded'));
    memory.noteServed(refused('internal'));
    memory.noteServed(served({ ...refused('invalid_field'), fingerprint: undefined }));
  });
  expect(memory.loops()).toEqual([
    { fingerprint: 'ada', code: 'repeat', sale: 'r1', count: COUNTED_MAX },
    { fingerprint: 'ada', code: 'v1_401', count: COUNTED_MAX },
  ]);
});

test('many sales that are each sent twice do not count as a loop', () => {
  const { memory } = createMemory();
  for (let nth = 0; nth < 200; nth += 1) memory.noteServed(served({ repeat: 'joined', order: { requestId: `r${nth}` } }));
  expect(memory.loops()).toEqual([]);
});

test('only purchases that v1 rejects for lack of money count as such', () => {
  const { memory } = createMemory();
  const answered = (httpStatus: number, text: string) =>
    ({ fingerprint: 'ada', requestId: 'r1', exchanged: { kind: 'answered', httpStatus, text, retryAfter: undefined } }) as const;
  const poor = '{"status":"error","message":"Insufficient balance. Please top up your wallet."}';
  memory.noteCall(answered(400, poor));
  memory.noteCall(answered(400, '{"status":"error","message":"invalid transaction PIN"}'));
  memory.noteCall(answered(200, poor));
  // A question has no request id.
  memory.noteCall({ fingerprint: 'ada', exchanged: answered(400, poor).exchanged });
  memory.noteCall({ ...answered(400, poor), exchanged: { kind: 'failed', isStarted: true, codes: ['X'], detail: poor } });
  expect(memory.withoutMoney()).toEqual([{ fingerprint: 'ada', count: 1 }]);
  expect(memory.loops()).toEqual([]);
});

test('20,000 invented keys in a loop leave at most 100 in memory, and hide no key that v1 has accepted', () => {
  const { memory } = createMemory();
  times(5, () => memory.noteServed(refused('invalid_field')));
  for (let nth = 0; nth < 20_000; nth += 1) times(5, () => memory.noteServed(refused('invalid_field', `key-${nth}`)));
  const [first, ...others] = memory.loops();
  expect(first).toEqual({ fingerprint: 'ada', code: 'invalid_field', count: 5 });
  expect(others).toHaveLength(100);
  expect(others.every(({ isStranger }) => isStranger)).toBe(true);
});
