import { openLine } from '../open-line';
import { pause } from '../../../src/domain/clock';
import { kobo } from '../../../src/domain/amount';
import type { Order } from '../../../src/domain/order';
import { ATTEMPT_BEGINS, type Outcome } from '../../../src/domain/outcome';
import type { Identity } from '../../../src/gateway/proof/compare-receipt';
import { Lease, type Pursuit, type PursuitPlan } from '../../../src/gateway/order/pursuit';
import { pursue } from '../../../src/gateway/order/pursue';
import { type Attempt, AttemptLimit, type Trouble } from '../../../src/gateway/order/attempt-limit';
import { createReceiptPace } from '../../../src/gateway/proof/find-receipt';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import type { Journal } from '../../../src/journal/journal';
import type { Finding } from '../../../src/upstream/upstream';
import { createVirtualClock, settlePromises, type VirtualClock } from '../../domain/virtual-clock';
import { newOrder } from '../../journal/new-order';
import { createScriptedUpstream, CREDENTIALS, type ScriptedAnswer, type ScriptedUpstream } from '../scripted-upstream';

const SUCCESS: Outcome = { kind: 'succeeded', reference: 'V1', delivery: { charged: kobo(9_800) } };
const PENDING: Outcome = { kind: 'pending', reference: 'V1' };
const DECLINED: Outcome = { kind: 'declined', reference: 'V1', message: 'Refunded' };
const REJECTED: Outcome = { kind: 'rejected', httpStatus: 402, message: 'Insufficient balance' };
const LIMITED: Outcome = { kind: 'rejected', httpStatus: 429, retryAfterSeconds: 3 };
const NOT_SENT: Outcome = { kind: 'not_sent', reason: 'ECONNREFUSED' };
const UNKNOWN: Outcome = { kind: 'unknown', reason: 'HTTP 500' };

const receipt = (status: string, reference = 'V1'): Finding => ({
  kind: 'found',
  body: { status: 'success', data: { reference, status, phone: '08030000001' } },
});

interface BegunPursuit {
  readonly clock: VirtualClock;
  readonly upstream: ScriptedUpstream;
  readonly journal: Journal;
  readonly pursuit: Pursuit;
  readonly troubles: string[];
  /** The trouble of each attempt. */
  readonly learnt: (Trouble | undefined)[];
  readonly startedAt: number;
  /** The outcome in the journal. */
  stored(): Promise<Outcome | undefined>;
}

interface PursuitOptions {
  readonly answers: readonly (Outcome | ScriptedAnswer)[];
  readonly find?: (nth: number) => Finding;
  readonly plan?: Partial<PursuitPlan>;
  readonly quietMs?: number;
  readonly journal?: (journal: Journal, clock: VirtualClock) => Journal;
  readonly isStopping?: () => boolean;
}

async function beginPursuit(options: PursuitOptions): Promise<BegunPursuit> {
  const { answers, find, plan, quietMs = 300_000, journal: wrapJournal, isStopping = () => false } = options;
  const clock = createVirtualClock();
  const startedAt = clock.now();
  const script = answers.map((answer): ScriptedAnswer => ('outcome' in answer ? answer : { outcome: answer }));
  const upstream = createScriptedUpstream(clock, script, (_call, nth) => find?.(nth) ?? { kind: 'unavailable', reason: 'none' });
  const memory = createMemoryJournal();
  const journal = wrapJournal?.(memory, clock) ?? memory;
  const troubles: string[] = [];
  const onTrouble = (what: string): void => void troubles.push(what);
  const lease = new Lease(quietMs, { journal, clock, onTrouble });
  const learnt: BegunPursuit['learnt'] = [];
  const noting = (attempt: Attempt): Attempt => ({
    learn: (trouble, tookMs) => attempt.learn((learnt.push(trouble), trouble), tookMs),
    release: () => attempt.release(),
  });
  const limit = new AttemptLimit(clock);
  const { order } = await memory.open(newOrder({ owner: CREDENTIALS.fingerprint, requestId: 'r-1', openedAtMs: startedAt }));
  const pursuit = pursue(
    {
      order,
      openingKind: 'opened',
      previous: undefined,
      isBesideAnother: false,
      call: { method: 'POST', path: '/airtime', body: { phone: '08030000001' } },
      credentials: CREDENTIALS,
      clientAddress: '192.0.2.7',
      patienceMs: 40_000,
      reconnectMs: 3_000,
      afterPending: 'look',
      pursueMs: 90_000,
      attemptMs: 60_000,
      readMs: 10_000,
      lease,
      identify: async () => ({ identity: 'same', outcome: SUCCESS }),
      findElsewhere: async () => undefined,
      look: async () => undefined,
      ...plan,
    },
    {
      upstream,
      journal,
      clock,
      random: () => 0.5,
      attempts: { begin: () => noting(limit.begin()), admit: (...turn) => limit.admit(...turn) },
      receipts: createReceiptPace(clock),
      isStopping,
      onTrouble,
    },
  );
  await settlePromises();
  return {
    clock,
    upstream,
    journal,
    pursuit,
    troubles,
    learnt,
    startedAt,
    stored: async () => (await memory.find(order.owner, order.requestId))?.outcome,
  };
}

/** The order that `waitFor` gives, and after how long, while the clock moves. */
async function waitForOrder({ clock, pursuit }: BegunPursuit, patienceMs: number): Promise<{ order: Order; afterMs: number }> {
  const from = clock.now();
  let result: { order: Order; afterMs: number } | undefined;
  void pursuit.waitFor(patienceMs).then((order) => (result = { order, afterMs: clock.now() - from }));
  for (let step = 0; result === undefined && step < 2_000; step += 1) await clock.advance(100);
  return result!;
}

async function toldAfter(it: BegunPursuit, patienceMs: number): Promise<unknown> {
  const { order, afterMs } = await waitForOrder(it, patienceMs);
  return [order.outcome?.kind, afterMs];
}

/** The outcome in the journal when the pursuit has ended, which takes no longer than this. */
async function storedAtEnd(it: BegunPursuit, ms: number): Promise<Outcome | undefined> {
  await it.clock.advance(ms);
  await it.pursuit.ended;
  return it.stored();
}

test.each<[string, Outcome]>([
  ['a success', SUCCESS],
  ['a decline', DECLINED],
  ['a rejection', REJECTED],
])('%s is settled and told at once, after one attempt', async (_title, answer) => {
  const it = await beginPursuit({ answers: [answer] });
  const { order, afterMs } = await waitForOrder(it, 40_000);
  expect([order.outcome, afterMs]).toEqual([answer, 0]);
  expect((await it.stored())?.kind).toBe(answer.kind);
  expect(it.upstream.sent).toHaveLength(1);
  await it.pursuit.ended;
});

test('an unknown outcome is asked about under the same request id, with growing pauses, until v1 gives it', async () => {
  const it = await beginPursuit({
    answers: [UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, { outcome: SUCCESS, isDuplicate: true }],
  });
  const { order } = await waitForOrder(it, 40_000);
  expect(order.outcome).toMatchObject({ kind: 'succeeded', reference: 'V1' });
  expect(new Set(it.upstream.sent.map(({ requestId }) => requestId))).toEqual(new Set(['r-1']));
  expect(new Set(it.upstream.sent.map(({ call }) => JSON.stringify(call))).size).toBe(1);
  const pauses = it.upstream.sent.slice(1).map(({ atMs }, index) => atMs - it.upstream.sent[index]!.atMs);
  expect(pauses).toEqual([150, 300, 600, 1200, 2400, 3750]);
});

test('a script is told pending when its patience ends, and the pursuit goes on to the end', async () => {
  const it = await beginPursuit({ answers: [{ outcome: SUCCESS, afterMs: 12_000 }] });
  expect(await toldAfter(it, 4_000)).toEqual(['unknown', 4_000]);
  await it.clock.advance(8_000);
  expect(it.pursuit.current().outcome?.kind).toBe('succeeded');
  expect((await it.stored())?.kind).toBe('succeeded');
});

test('an outcome that stays unknown is written as unknown at the deadline, never as a failure', async () => {
  const it = await beginPursuit({ answers: [UNKNOWN] });
  expect((await storedAtEnd(it, 130_000))?.kind).toBe('unknown');
  expect(it.upstream.sent.at(-1)!.atMs).toBeLessThanOrEqual(it.startedAt + 130_000);
});

test.each<[string, Outcome]>([
  ['a rejection', REJECTED],
  ['a refused connection', NOT_SENT],
])('%s after an unknown outcome proves nothing: the order stays unknown', async (_title, later) => {
  const it = await beginPursuit({ answers: [UNKNOWN, later] });
  expect((await storedAtEnd(it, 130_000))?.kind).toBe('unknown');
});

test('a v1 that cannot be reached is tried for as long as the mapping says, then nothing was sent', async () => {
  const it = await beginPursuit({ answers: [NOT_SENT] });
  const { order, afterMs } = await waitForOrder(it, 40_000);
  expect(order.outcome).toEqual(NOT_SENT);
  expect(afterMs).toBeLessThanOrEqual(3_000);
  expect(it.upstream.sent.length).toBeGreaterThan(3);
  await it.clock.advance(60_000);
  expect(it.upstream.sent.at(-1)!.atMs).toBeLessThanOrEqual(it.startedAt + 3_000);
  expect((await it.stored())?.kind).toBe('not_sent');
});

test('an unknown outcome after a refused connection is pursued further, not told as not sent', async () => {
  const it = await beginPursuit({ answers: [NOT_SENT, UNKNOWN, { outcome: SUCCESS, isDuplicate: true }] });
  const { order } = await waitForOrder(it, 40_000);
  expect(order.outcome?.kind).toBe('succeeded');
  // The limit of repetitions learns from each.
  expect(it.learnt).toEqual(['unreachable', 'unusable']);
});

test('a rate limit of v1 is waited out within the patience of the script', async () => {
  const it = await beginPursuit({ answers: [LIMITED, SUCCESS] });
  expect(await toldAfter(it, 40_000)).toEqual(['succeeded', 3_000]);
});

test('a rate limit of v1 beyond the patience of the script is told at once', async () => {
  const it = await beginPursuit({ answers: [LIMITED, SUCCESS], plan: { patienceMs: 3_500 } });
  const { order, afterMs } = await waitForOrder(it, 3_500);
  expect([order.outcome, afterMs]).toEqual([LIMITED, 0]);
  await it.clock.advance(60_000);
  expect(it.upstream.sent).toHaveLength(1);
});

test('a sale that v1 refuses as identical is not sent again, also under the HTTP code of a limit', async () => {
  const identical: Outcome = { kind: 'rejected', httpStatus: 429, message: 'Duplicate request detected' };
  const it = await beginPursuit({ answers: [identical, SUCCESS] });
  expect(await toldAfter(it, 40_000)).toEqual(['rejected', 0]);
  await it.clock.advance(60_000);
  expect(it.upstream.sent).toHaveLength(1);
});

test('a rate limit that v1 says is over at once is retried with growing pauses all the same', async () => {
  const it = await beginPursuit({ answers: [{ kind: 'rejected', httpStatus: 429, retryAfterSeconds: 0 }] });
  await it.clock.advance(40_000);
  expect(it.upstream.sent.length).toBeLessThan(20);
});

test('a pending order is held, and its receipt asked for with growing pauses, until it is final', async () => {
  const it = await beginPursuit({ answers: [PENDING], find: (nth) => receipt(nth < 5 ? 'pending' : 'success') });
  const { order, afterMs } = await waitForOrder(it, 40_000);
  expect(order.outcome?.kind).toBe('succeeded');
  const times = it.upstream.asked.map(({ atMs }) => atMs - it.startedAt);
  expect(times.map((time, index) => time - (times[index - 1] ?? 0))).toEqual([375, 750, 1500, 3000, 3750]);
  expect(afterMs).toBeLessThan(10_000);
  expect(it.upstream.asked[0]!.call).toEqual({ method: 'GET', path: '/receipt', query: { reference: 'V1' } });
  expect(it.upstream.sent).toHaveLength(1);
  expect((await it.stored())?.kind).toBe('succeeded');
});

test('v1 is asked about a pending order once more just before the patience ends', async () => {
  const it = await beginPursuit({ answers: [PENDING], find: (nth) => receipt(nth < 5 ? 'pending' : 'success') });
  expect(await toldAfter(it, 9_000)).toEqual(['succeeded', 8_000]);
});

test("for a repeat that joins between two readings the receipt is read before the repeat's own patience ends", async () => {
  let isOver = false;
  const it = await beginPursuit({ answers: [PENDING], find: () => receipt(isOver ? 'success' : 'pending') });
  expect((await waitForOrder(it, 1_500)).order.outcome?.kind).toBe('pending');
  await it.clock.advance(4_500);
  isOver = true;
  expect(await toldAfter(it, 2_000)).toEqual(['succeeded', 1_000]);
});

test('a receipt is read also when less than a second is left', async () => {
  const it = await beginPursuit({ answers: [PENDING], find: (nth) => receipt(nth < 5 ? 'pending' : 'success') });
  await it.clock.advance(6_000);
  expect(await toldAfter(it, 800)).toEqual(['succeeded', 250]);
});

test('a pending order that fails later is a decline', async () => {
  const it = await beginPursuit({ answers: [PENDING], find: (nth) => receipt(nth < 2 ? 'processing' : 'failed') });
  expect((await waitForOrder(it, 40_000)).order.outcome?.kind).toBe('declined');
});

test('a pending order is told as pending when the patience ends, and written as pending meanwhile', async () => {
  const it = await beginPursuit({ answers: [PENDING], find: () => receipt('pending') });
  expect(await toldAfter(it, 4_000)).toEqual(['pending', 4_000]);
  expect((await it.stored())?.kind).toBe('pending');
  await it.clock.advance(200_000);
  await it.pursuit.ended;
  expect(it.upstream.asked.at(-1)!.atMs).toBeLessThanOrEqual(it.startedAt + 130_000);
});

test.each<[string, Finding]>([
  ['a receipt of another order', receipt('success', 'V2')],
  ['a receipt without a status', { kind: 'found', body: { data: { reference: 'V1' } } }],
  ['no receipt', { kind: 'refused', httpStatus: 404, body: {} }],
  ['a v1 that is away', { kind: 'unavailable', reason: 'HTTP 502' }],
])('%s does not change a pending order', async (_title, finding) => {
  const it = await beginPursuit({ answers: [PENDING], find: () => finding });
  expect((await storedAtEnd(it, 130_000))?.kind).toBe('pending');
});

describe('a duplicate of an order that this journal never sent', () => {
  const strange: ScriptedAnswer = { outcome: SUCCESS, isDuplicate: true };

  const REFUSED = { kind: 'rejected', httpStatus: 409 };
  const DOUBTED = { kind: 'unknown', isDoubted: true };
  test.each<[string, PursuitOptions['answers'], Identity, object]>([
    ['this order when its receipt says so', [strange], 'same', { kind: 'succeeded' }],
    ['a rejection when its receipt is another order', [strange], 'other', REFUSED],
    ['so after attempts that were never sent', [NOT_SENT, strange], 'other', REFUSED],
    ['expected after a lost answer when its receipt cannot tell', [UNKNOWN, strange], 'unclear', { kind: 'succeeded' }],
    ['not accepted after a lost answer when its receipt names another phone', [UNKNOWN, strange], 'other', { kind: 'unknown' }],
    ['in doubt after a lost answer when its receipt contradicts the sale', [UNKNOWN, strange], 'contradicted', DOUBTED],
    ['in doubt, however often v1 repeats it', [strange, strange, strange, strange], 'unclear', { kind: 'unknown' }],
  ])('is %s', async (_title, answers, identity, outcome) => {
    const it = await beginPursuit({ answers, plan: { identify: async () => ({ identity, outcome: SUCCESS, isExact: true }) } });
    expect((await waitForOrder(it, 40_000)).order.outcome).toMatchObject(outcome);
    if (outcome === REFUSED) expect(await it.stored()).not.toHaveProperty('reference');
    expect(it.troubles).toEqual([]);
  });

  test('is asked about again after a lost answer while its receipt cannot be read', async () => {
    const seen = ['unread', 'unread', 'same'] as const;
    let looks = 0;
    const it = await beginPursuit({
      answers: [UNKNOWN, strange],
      plan: { identify: async () => ({ identity: seen[looks++]!, outcome: SUCCESS }) },
    });
    expect((await waitForOrder(it, 40_000)).order.outcome).toMatchObject({ kind: 'succeeded' });
    expect(looks).toBe(3);
  });

  test('is this order once another process, which made the sale, has written the outcome', async () => {
    const it = await beginPursuit({ answers: [strange], plan: { identify: async () => ({ identity: 'unclear' }) } });
    await it.journal.settle(CREDENTIALS.fingerprint, 'r-1', SUCCESS, it.clock.now());
    const { order, afterMs } = await waitForOrder(it, 40_000);
    expect(order.outcome).toMatchObject({ kind: 'succeeded', reference: 'V1' });
    expect(afterMs).toBeLessThan(3_000);
    await it.pursuit.ended;
    expect(await it.stored()).toMatchObject({ kind: 'succeeded', reference: 'V1' });
  });

  test('is not told as refused because another process was refused: v1 has an order', async () => {
    const it = await beginPursuit({ answers: [strange], plan: { identify: async () => ({ identity: 'unclear' }) } });
    await it.journal.settle(CREDENTIALS.fingerprint, 'r-1', REJECTED, it.clock.now());
    expect((await waitForOrder(it, 40_000)).order.outcome?.kind).toBe('unknown');
  });
});

test.each<[string, Outcome]>([
  ['a success', SUCCESS],
  ['a rejection', REJECTED],
])('%s that cannot be written is told as unknown, and the error is reported', async (_title, answer) => {
  const it = await beginPursuit({
    answers: [answer],
    journal: (journal) => ({ ...journal, settle: async () => Promise.reject(new Error('disk full')) }),
  });
  expect((await waitForOrder(it, 4_000)).order.outcome?.kind).toBe('unknown');
  expect(it.troubles).toEqual(['settle']);
  await it.pursuit.ended;
});

test('an upstream that throws against its contract leaves the order unknown', async () => {
  const it = await beginPursuit({ answers: [SUCCESS], plan: { identify: async () => Promise.reject(new Error('bug')) } });
  expect((await waitForOrder(it, 4_000)).order.outcome?.kind).toBe('succeeded');
  const broken = await beginPursuit({
    answers: [{ outcome: SUCCESS, isDuplicate: true }],
    plan: { identify: async () => Promise.reject(new Error('bug')) },
  });
  expect((await waitForOrder(broken, 4_000)).order.outcome?.kind).toBe('unknown');
  expect(broken.troubles).toEqual(['pursue']);
});

test('goods are told to the script, though the journal does not keep them', async () => {
  const token: Outcome = { kind: 'succeeded', reference: 'V1', delivery: { token: '12345678901234567890' } };
  const it = await beginPursuit({ answers: [token] });
  expect((await waitForOrder(it, 40_000)).order.outcome).toEqual(token);
  expect(JSON.stringify(await it.stored())).not.toContain('12345678901234567890');
});

test.each<[Outcome, Outcome, string]>([
  [SUCCESS, NOT_SENT, 'succeeded'],
  [SUCCESS, UNKNOWN, 'succeeded'],
  [DECLINED, NOT_SENT, 'declined'],
  [PENDING, REJECTED, 'pending'],
])('a repeat of a known order (%j) that gets %j keeps the known outcome', async (previous, answer, kind) => {
  const it = await beginPursuit({ answers: [answer], plan: { previous }, find: () => receipt('pending') });
  expect((await waitForOrder(it, 4_000)).order.outcome?.kind).toBe(kind);
  // What v1 has charged already is asked about and never sent again.
  if (previous === PENDING) expect(it.upstream.sent).toEqual([]);
});

describe('a gateway that is stopping', () => {
  const stopping = async (
    answers: PursuitOptions['answers'],
    find?: PursuitOptions['find'],
  ): Promise<BegunPursuit & { stop(): void }> => {
    let isStopping = false;
    const it = await beginPursuit({ answers, ...(find === undefined ? {} : { find }), isStopping: () => isStopping });
    return { ...it, stop: () => void (isStopping = true) };
  };

  test('pursues an order for as long as its script waits, because many scripts refund what they are told is pending', async () => {
    const it = await stopping([PENDING], (nth) => receipt(nth < 4 ? 'pending' : 'success'));
    const waiting = waitForOrder(it, 40_000);
    it.stop();
    expect((await waiting).order.outcome?.kind).toBe('succeeded');
    await it.pursuit.ended;
    expect((await it.stored())?.kind).toBe('succeeded');
  });

  test('sends an unknown order again for a waiting script', async () => {
    const it = await stopping([UNKNOWN, SUCCESS]);
    const waiting = waitForOrder(it, 40_000);
    it.stop();
    expect((await waiting).order.outcome?.kind).toBe('succeeded');
  });

  test.each([
    ['pending', PENDING],
    ['unknown', UNKNOWN],
  ] as const)('leaves an order that is %s as it is once no script waits for it', async (kind, answer) => {
    const it = await stopping([answer], () => receipt('pending'));
    expect((await waitForOrder(it, 4_000)).order.outcome?.kind).toBe(kind);
    it.stop();
    expect((await storedAtEnd(it, 5_000))?.kind).toBe(kind);
    const asked = it.upstream.sent.length;
    await it.clock.advance(100_000);
    expect(it.upstream.sent).toHaveLength(asked);
  });

  test('gives waiting scripts the order as it is when time is up, at once, and writes it', async () => {
    const it = await stopping([UNKNOWN]);
    let told: Order | undefined;
    void it.pursuit.waitFor(40_000).then((order) => (told = order));
    await it.clock.advance(1_000);
    it.stop();
    it.pursuit.endWaiting();
    await it.pursuit.ended;
    expect(told?.outcome?.kind).toBe('unknown');
    expect((await it.stored())?.kind).toBe('unknown');
  });
});

test('a pursuit longer than half of the quiet time renews its lease in time', async () => {
  const it = await beginPursuit({ answers: [UNKNOWN], quietMs: 120_000, plan: { afterPending: 'buy' } });
  await it.clock.advance(59_000);
  expect(await it.stored()).toBeUndefined();
  await it.clock.advance(30_000);
  expect(await it.stored()).toMatchObject({ kind: 'unknown', isBeginning: true });
});

test('an order that another process has proven not sent is not tried again', async () => {
  const it = await beginPursuit({ answers: [UNKNOWN, SUCCESS], quietMs: 200 });
  await it.journal.settle(CREDENTIALS.fingerprint, 'r-1', UNKNOWN, it.clock.now());
  await it.journal.settle(CREDENTIALS.fingerprint, 'r-1', { kind: 'not_sent', reason: 'absent', isProven: true }, it.clock.now());
  expect((await waitForOrder(it, 40_000)).order.outcome?.kind).toBe('not_sent');
  expect(it.upstream.sent).toHaveLength(1);
});

test('an order that was proven not sent while the search for another order of its sale took long is not sent', async () => {
  let endSearch!: (found: undefined) => void;
  const findElsewhere = () => new Promise<undefined>((resolve) => (endSearch = resolve));
  const it = await beginPursuit({ answers: [SUCCESS], plan: { afterPending: 'buy', findElsewhere } });
  await it.clock.advance(400_000);
  await it.journal.settle(CREDENTIALS.fingerprint, 'r-1', { kind: 'not_sent', reason: 'absent', isProven: true }, it.clock.now());
  endSearch(undefined);
  expect((await storedAtEnd(it, 1_000))?.kind).toBe('not_sent');
  expect(it.upstream.sent).toEqual([]);
});

test("an order that is not sent because of another one of its sale is told as v1's history shows it", async () => {
  let journal!: Journal;
  const look = () => journal.settle(CREDENTIALS.fingerprint, 'r-1', { kind: 'succeeded', reference: 'V1' }, Date.now());
  const it = await beginPursuit({
    answers: [SUCCESS],
    journal: (stored) => (journal = stored),
    plan: { findElsewhere: async () => UNKNOWN, look },
  });
  expect((await waitForOrder(it, 40_000)).order.outcome).toEqual({ kind: 'succeeded', reference: 'V1' });
  expect(it.upstream.sent).toEqual([]);
});

test('no further attempt is made while its lease cannot be written', async () => {
  const settle = () => Promise.reject(new Error('disk full'));
  const it = await beginPursuit({
    answers: [UNKNOWN, SUCCESS],
    quietMs: 200,
    journal: (journal) => ({ ...journal, settle }),
  });
  expect((await waitForOrder(it, 40_000)).order.outcome?.kind).toBe('unknown');
  expect(it.upstream.sent).toHaveLength(1);
});

test('when another process has written meanwhile that the order is charged, its receipt is asked for', async () => {
  const it = await beginPursuit({ answers: [UNKNOWN], quietMs: 200, find: () => receipt('success') });
  await it.journal.settle(CREDENTIALS.fingerprint, 'r-1', PENDING, it.clock.now());
  expect((await waitForOrder(it, 40_000)).order.outcome).toMatchObject({ kind: 'succeeded', reference: 'V1' });
  expect(it.upstream.sent).toHaveLength(1);
});

test.each<[string, Outcome]>([
  ['was refused', REJECTED],
  ['was never sent', NOT_SENT],
])("an attempt that %s and is told too late leaves what v1's history has proven meanwhile", async (_title, outcome) => {
  const it = await beginPursuit({ answers: [{ outcome, afterMs: 60_000 }], quietMs: 100_000, plan: { reconnectMs: 0 } });
  const absent: Outcome = { kind: 'not_sent', reason: 'absent', isProven: true };
  await it.journal.settle(CREDENTIALS.fingerprint, 'r-1', absent, it.clock.now());
  const { kind } = await it.journal.open({ ...it.pursuit.current(), openedAtMs: it.clock.now() });
  expect(kind).toBe('found');
  expect((await waitForOrder(it, 70_000)).order.outcome).toMatchObject(absent);
  expect(await it.stored()).toMatchObject(absent);
});

test('a lease that takes longer to write than it is valid is not used', async () => {
  const slowly = (journal: Journal, clock: VirtualClock): Journal => ({
    ...journal,
    settle: async (...args) => {
      const order = await journal.settle(...args);
      await pause(clock, 1_000);
      return order;
    },
  });
  const it = await beginPursuit({ answers: [UNKNOWN, SUCCESS], quietMs: 200, journal: slowly });
  expect((await waitForOrder(it, 40_000)).order.outcome?.kind).toBe('unknown');
  expect(it.upstream.sent).toHaveLength(1);
});

test('no attempt is under way longer than the rest of the quiet time', async () => {
  const it = await beginPursuit({ answers: [SUCCESS], quietMs: 60_000, plan: { patienceMs: 120_000 } });
  expect(it.upstream.sent[0]?.timeoutMs).toBe(30_000);
});

describe('an order whose script has been told "pending"', () => {
  const HOUR_MS = 3_600_000;

  test('is not sent again: most scripts have refunded, and asking would be buying', async () => {
    const it = await beginPursuit({ answers: [UNKNOWN], plan: { patienceMs: 20_000, pursueMs: 6 * HOUR_MS } });
    await waitForOrder(it, 20_000);
    await it.clock.advance(HOUR_MS);
    await it.pursuit.ended;
    expect(it.upstream.sent.at(-1)!.atMs - it.startedAt).toBeLessThanOrEqual(19_000);
    expect((await it.stored())?.kind).toBe('unknown');
  });

  test('is not sent again once its script has hung up either', async () => {
    const it = await beginPursuit({ answers: [UNKNOWN, UNKNOWN, UNKNOWN, SUCCESS] });
    const script = openLine();
    const told = it.pursuit.waitFor(40_000, script.line);
    script.end(false);
    expect((await told).outcome?.kind).toBe('unknown');
    await it.clock.advance(60_000);
    expect(it.upstream.sent).toHaveLength(1);
    expect((await it.stored())?.kind).toBe('unknown');
  });

  test('is sent again while a repeat of it waits', async () => {
    const it = await beginPursuit({ answers: [UNKNOWN, UNKNOWN, UNKNOWN, SUCCESS] });
    const script = openLine();
    const first = it.pursuit.waitFor(40_000, script.line);
    const repeat = it.pursuit.waitFor(40_000);
    script.end(false);
    await first;
    await it.clock.advance(10_000);
    expect((await repeat).outcome?.kind).toBe('succeeded');
  });

  test('is not sent for a script that hung up before it was told pending, whatever it does with that', async () => {
    const it = await beginPursuit({ answers: [UNKNOWN], plan: { afterPending: 'buy', pursueMs: 6 * HOUR_MS } });
    const script = openLine();
    const waiting = it.pursuit.waitFor(20_000, script.line);
    await it.clock.advance(5_000);
    script.end(false);
    await waiting;
    const sent = it.upstream.sent.length;
    await it.clock.advance(2 * HOUR_MS);
    expect(it.upstream.sent.length).toBe(sent);
  });

  test('is sent again for a script that hung up, when its repeat was told pending', async () => {
    const it = await beginPursuit({ answers: [UNKNOWN], plan: { afterPending: 'buy', pursueMs: 6 * HOUR_MS } });
    const script = openLine();
    const first = it.pursuit.waitFor(20_000, script.line);
    const repeat = it.pursuit.waitFor(20_000);
    await it.clock.advance(5_000);
    script.end(false);
    await first;
    for (let step = 0; step < 200; step += 1) await it.clock.advance(100);
    await repeat;
    const sent = it.upstream.sent.length;
    await it.clock.advance(2 * HOUR_MS);
    expect(it.upstream.sent.length).toBeGreaterThan(sent + 60);
  });

  test.each([
    ['another request of the same then hangs up', 'buy', 'buy', true],
    ['the request before it came from a script that refunds', 'look', 'buy', false],
  ] as const)(
    'is bought for a script that was told pending and sells that, also where %s',
    async (_title, begun, later, isLeft) => {
      const it = await beginPursuit({ answers: [UNKNOWN], plan: { afterPending: begun, pursueMs: 6 * HOUR_MS } });
      const script = openLine();
      const both = [it.pursuit.waitFor(20_000), it.pursuit.waitFor(25_000, script.line, later)];
      for (let step = 0; step < 220; step += 1) await it.clock.advance(100);
      if (isLeft) script.end(false);
      for (let step = 0; step < 100; step += 1) await it.clock.advance(100);
      await Promise.all(both);
      const sent = it.upstream.sent.length;
      await it.clock.advance(2 * HOUR_MS);
      expect(it.upstream.sent.length).toBeGreaterThan(sent + 60);
      // With less time to leave, no call that must connect first would leave.
      expect(it.upstream.sent.at(-1)).toMatchObject({ leaveWithinMs: 60_000 });
    },
  );

  test('is not bought once only a script that refunds was told pending, and one that would sell has hung up', async () => {
    const it = await beginPursuit({ answers: [UNKNOWN], plan: { afterPending: 'buy', pursueMs: 6 * HOUR_MS } });
    const script = openLine();
    const both = [it.pursuit.waitFor(20_000, script.line), it.pursuit.waitFor(20_000, undefined, 'look')];
    await it.clock.advance(5_000);
    script.end(false);
    for (let step = 0; step < 200; step += 1) await it.clock.advance(100);
    await Promise.all(both);
    const sent = it.upstream.sent.length;
    await it.clock.advance(2 * HOUR_MS);
    expect(it.upstream.sent.length).toBe(sent);
  });

  test('is sent again for hours, at least once a minute, where such scripts keep or sell what is pending', async () => {
    const healthyAt = 2 * HOUR_MS;
    const answers = [...Array<Outcome>(130).fill(UNKNOWN), SUCCESS];
    const it = await beginPursuit({ answers, plan: { afterPending: 'buy', pursueMs: 6 * HOUR_MS } });
    await waitForOrder(it, 20_000);
    expect((await storedAtEnd(it, healthyAt))?.kind).toBe('succeeded');
    const pauses = it.upstream.sent.slice(1).map(({ atMs }, index) => atMs - it.upstream.sent[index]!.atMs);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(60_000);
    expect(new Set(it.upstream.sent.map(({ requestId }) => requestId))).toEqual(new Set(['r-1']));
  });
});

test('while a script waits no attempt takes more than half of the time left, so that a lost answer is asked for again', async () => {
  const it = await beginPursuit({ answers: [UNKNOWN], plan: { patienceMs: 20_000 } });
  expect(it.upstream.sent[0]).toMatchObject({ timeoutMs: 10_000, leaveWithinMs: 10_000 });
});

test('an attempt near the end of the patience may be answered later, but not sent later', async () => {
  const it = await beginPursuit({ answers: [SUCCESS], plan: { patienceMs: 4_000 } });
  expect(it.upstream.sent[0]).toMatchObject({ timeoutMs: 60_000, leaveWithinMs: 3_750 });
});

test("v1's history is read while sending gives no outcome, and an outcome from the history ends the sending", async () => {
  let looks = 0;
  const it = await beginPursuit({
    answers: [UNKNOWN],
    plan: {
      look: async () => {
        looks += 1;
        expect(it.pursuit.isLooking).toBe(true);
        if (looks === 2) await it.journal.settle(CREDENTIALS.fingerprint, 'r-1', SUCCESS, it.clock.now());
      },
    },
  });
  expect((await waitForOrder(it, 40_000)).order.outcome).toMatchObject({ kind: 'succeeded', reference: 'V1' });
  expect(it.upstream.sent).toHaveLength(6);
  expect(it.pursuit.isLooking).toBe(false);
});

test('a pursuit knows the order by its own last mark, and no other process has begun an attempt since', async () => {
  const it = await beginPursuit({ answers: [UNKNOWN], plan: { afterPending: 'buy' } });
  const read = async (): Promise<Order> => (await it.journal.find(CREDENTIALS.fingerprint, 'r-1'))!;
  const opened = await read();
  expect(it.pursuit.isOnlyOf(opened)).toBe(true);
  await it.clock.advance(89_000);
  const renewed = await read();
  expect(renewed.outcome).toMatchObject({ isBeginning: true });
  expect([it.pursuit.isOnlyOf(renewed), it.pursuit.isOnlyOf(opened)]).toEqual([true, false]);
  const begunElsewhere = await it.journal.settle(CREDENTIALS.fingerprint, 'r-1', ATTEMPT_BEGINS, it.clock.now() + 1);
  expect(it.pursuit.isOnlyOf(begunElsewhere)).toBe(false);
});

test('a pursuit beside which another process may be sending the order is never the only one', async () => {
  const it = await beginPursuit({ answers: [UNKNOWN], plan: { isBesideAnother: true } });
  expect(it.pursuit.isOnlyOf((await it.journal.find(CREDENTIALS.fingerprint, 'r-1'))!)).toBe(false);
});

test('a journal and a receipt that cannot be read for a moment cost no answer: v1 is asked again', async () => {
  let [reads, receipts] = [0, 0];
  const it = await beginPursuit({
    answers: [SUCCESS, { outcome: SUCCESS, isDuplicate: true }],
    plan: { identify: async () => ({ identity: (receipts += 1) === 1 ? 'unread' : 'same', outcome: SUCCESS }) },
    journal: (journal) => ({
      ...journal,
      findByReference: (...which) => {
        reads += 1;
        return reads === 1 ? Promise.reject(new Error('the disk')) : journal.findByReference(...which);
      },
    }),
  });
  await it.clock.advance(1_000);
  await it.pursuit.ended;
  expect(it.upstream.sent).toHaveLength(2);
  expect(await it.stored()).toMatchObject({ kind: 'succeeded', reference: 'V1' });
});
