import { pause } from '../../src/domain/clock';
import { GatewayError } from '../../src/domain/errors';
import type { JsonObject } from '../../src/domain/json';
import type { Line } from '../../src/domain/legacy';
import type { Order } from '../../src/domain/order';
import type { Outcome } from '../../src/domain/outcome';
import type { Served } from '../../src/gateway/gateway';
import type { GatewayParts } from '../../src/gateway/walk-parts';
import { readCatalog } from '../../src/price-lists/price-lists';
import { WriteFailure, type Journal } from '../../src/journal/journal';
import { settleOrder } from '../../src/journal/order-life';
import { keepAnswers, type KeepingJournal } from '../../src/journal/kept-answers';
import { plainCallerKey } from '../../src/mapping/compile-callers';
import { shippedMapping } from '../mapping/mapping-set';
import { legacyRequest } from './legacy-request';
import { openLine } from './open-line';
import { AIRTIME, AXIOS, JOURNAL_AWAY, openWalkHouse, PHP, selling, type WalkHouse, type WalkHouseOptions } from './walk-house';

const SUCCESS: Outcome = { kind: 'succeeded', reference: 'V1' };
const PENDING: Outcome = { kind: 'pending', reference: 'V1' };
const UNKNOWN: Outcome = { kind: 'unknown', reason: 'HTTP 500' };
const WRONG_PIN: Outcome = { kind: 'rejected', httpStatus: 400, message: 'Invalid transaction PIN.' };
const HOUR_MS = 3_600_000;
const REJECTED: Outcome = { kind: 'rejected', httpStatus: 400, message: 'Insufficient balance.' };

/** A script with a short patience buys airtime; gives the reply as the script reads it. */
async function buy(house: WalkHouse, fields: Readonly<Record<string, string>> = {}, waitMs = 9_000) {
  const served = ask(house, fields);
  await house.clock.advance(waitMs);
  return readReply(await served);
}

/** Sends the same order to two processes at the same instant. */
async function buyAtOnce(first: WalkHouse, second: WalkHouse) {
  const served = Promise.all([ask(first), ask(second)]);
  await first.clock.advance(9_000);
  return (await served).map(readReply);
}

function ask({ gateway }: WalkHouse, fields: Readonly<Record<string, string>> = {}, line?: Line): Promise<Served> {
  const body = { ...AIRTIME, 'request-id': 'r-1', ...fields };
  return gateway.handle(legacyRequest({ body, headers: AXIOS }), line);
}

/** Sends a status query for an order. */
const question = (house: WalkHouse, id = 'r-1'): Promise<Served> =>
  house.gateway.handle(legacyRequest({ method: 'GET', path: `/api/transaction/${id}`, headers: PHP }));

function readReply({ reply, refusal }: Served) {
  return { http: reply.status, code: refusal?.code, ...(reply.body as { status: string; reference?: string }) };
}

/** Lets the pursuit of an unknown order run to its end. */
const giveUp = (house: WalkHouse) => house.clock.advance(120_000);

/** A process that has bought the order with this outcome, and no longer pursues it. */
async function openAfter(outcome: Outcome): Promise<WalkHouse> {
  const house = openWalkHouse({ answers: [{ outcome }] });
  await buy(house);
  await giveUp(house);
  return house;
}

/** Told where the journal cannot be read: most scripts that know "pending" leave such an order open, and none sells it. */
const UNREAD = {
  http: 503,
  status: 'pending',
  Status: 'process',
  code: 'journal_unavailable',
  error: [expect.any(String)],
  id: null,
};

/** A journal that opens an order only after this time. */
const openingAfter =
  (ms: number) =>
  (journal: Journal, clock: WalkHouse['clock']): Partial<Journal> => ({
    open: async (order) => {
      await pause(clock, ms);
      return journal.open(order);
    },
  });

test('a clock that is set forward during a sale removes no balance from the reply', async () => {
  const { clock, ...before } = openWalkHouse();
  let aheadMs = 0;
  const data = { reference: 'V1', status: 'success', phone: '08030000001', balance_before: 500, balance_after: 402 };
  const house = openWalkHouse({
    answers: [{ outcome: SUCCESS, afterMs: 1_000 }],
    find: ({ path }) =>
      path === '/receipt'
        ? { kind: 'found', body: { status: 'success', data } }
        : { kind: 'unavailable', reason: 'not scripted' },
    beside: { clock, ...before },
    parts: { clock: { ...clock, now: () => clock.now() + aheadMs } },
  });
  const served = ask(house);
  await clock.advance(500);
  aheadMs = 60_000;
  await clock.advance(9_000);
  expect((await served).reply.body).toMatchObject({ status: 'success', new_balance: 402 });
});

test('a repeat under its own id counts as one while its sale is under way, while that is pending, and once it is sold', async () => {
  const house = openWalkHouse({ answers: [{ outcome: PENDING, afterMs: 500 }] });
  const repeatsOf = async (...asked: Promise<Served>[]) => {
    await house.clock.advance(9_000);
    return (await Promise.all(asked)).map(({ repeat }) => repeat);
  };
  expect(await repeatsOf(ask(house), ask(house))).toEqual([undefined, 'again']);
  await giveUp(house);
  expect(await repeatsOf(ask(house))).toEqual(['again']);
  await giveUp(house);
  await house.journal.settle(house.owner, 'r-1', SUCCESS, house.clock.now());
  expect(await repeatsOf(ask(house))).toEqual(['replayed']);
  expect(house.upstream.sent).toHaveLength(1);
});

test('a sale counts as no repeat where the journal cannot show whether its id came before', async () => {
  const house = openWalkHouse({ away: JOURNAL_AWAY });
  const served = ask(house);
  await house.clock.advance(9_000);
  expect(await served).toMatchObject({ outcome: 'unknown', repeat: undefined });
});

describe('a repeat while the journal cannot be written', () => {
  const openHouses = async (first: Outcome) =>
    openWalkHouse({ answers: [{ outcome: SUCCESS }], away: ['open'], beside: await openAfter(first) });

  test('is told its own success', async () => {
    const house = await openHouses(SUCCESS);
    expect(await buy(house)).toMatchObject({ http: 200, status: 'success', reference: 'V1' });
    expect(house.upstream.sent).toEqual([]);
  });

  test('is told pending while the order may have been charged', async () => {
    const house = await openHouses(UNKNOWN);
    expect(await buy(house)).toMatchObject({ http: 200, status: 'pending' });
    expect(house.upstream.sent).toEqual([]);
  });

  test('is refused when the order was refused before, because nothing is charged', async () => {
    const house = await openHouses(REJECTED);
    expect(await buy(house)).toMatchObject({ http: 503, status: 'fail', code: 'journal_unavailable' });
  });

  test('is refused when it is another sale', async () => {
    const house = await openHouses(SUCCESS);
    expect(await buy(house, { amount: '200' })).toMatchObject({ http: 409, status: 'fail', code: 'request_id_reused' });
  });
});

test('a repeat that would make another call is not sent while the first one may be charged', async () => {
  const buyCable = async (house: WalkHouse, smartcard: string) => {
    const body = { cable: '1', iuc: smartcard, cable_plan: '501', 'request-id': 'r-1' };
    const served = house.gateway.handle(legacyRequest({ path: '/api/cable/', body, headers: AXIOS }));
    await house.clock.advance(9_000);
    return readReply(await served);
  };
  const before = openWalkHouse({ answers: [{ outcome: UNKNOWN }] });
  expect(await buyCable(before, 'AB123456')).toMatchObject({ status: 'pending' });
  await giveUp(before);
  const house = openWalkHouse({ answers: [{ outcome: SUCCESS }], beside: before });
  expect(await buyCable(house, 'ab123456')).toMatchObject({ status: 'pending' });
  expect(house.upstream.sent).toEqual([]);
});

test('a first order is refused while the journal cannot be written', async () => {
  const house = openWalkHouse({ away: ['open'] });
  expect(await buy(house)).toMatchObject({ http: 503, status: 'fail', code: 'journal_unavailable' });
  expect(house.upstream.sent).toEqual([]);
});

test('a repeat with a PIN that was wrong is told the outcome of the order', async () => {
  const before = openWalkHouse({ answers: [{ outcome: SUCCESS }] });
  await buy(before);
  const house = openWalkHouse({ answers: [{ outcome: WRONG_PIN }], beside: before });
  await buy(house, { 'request-id': 'r-2' });
  expect(await buy(house, { 'request-id': 'r-3' })).toMatchObject({ http: 400, status: 'fail', code: 'wrong_pin' });
  expect(await buy(house)).toMatchObject({ status: 'success', reference: 'V1' });
  expect(house.upstream.sent).toHaveLength(1);
});

test('a repeat with a PIN that was wrong is told the end that the receipt of its order shows', async () => {
  const before = openWalkHouse({ answers: [{ outcome: PENDING }] });
  await buy(before);
  await giveUp(before);
  let status = 'pending';
  const house = openWalkHouse({
    answers: [{ outcome: WRONG_PIN }],
    find: () => ({ kind: 'found', body: { data: { reference: 'V1', status } } }),
    beside: before,
  });
  await buy(house, { 'request-id': 'r-2' });
  status = 'success';
  expect(await buy(house)).toMatchObject({ status: 'success', reference: 'V1' });
  expect(house.upstream.sent).toHaveLength(1);
});

test.each([
  ['a minute', 'too_many_purchases', { purchases: 1 }],
  ['a day', 'daily_limit_reached', { naira: 50 }],
])('a repeat beyond the limit of %s is told the end that the receipt of its order shows', async (_title, code, limit) => {
  const beside = await openAfter(PENDING);
  const mapping = shippedMapping();
  const callerKeys = new Map([[beside.owner, plainCallerKey(beside.owner, { limit })]]);
  let status = 'pending';
  const house = openWalkHouse({
    answers: [{ outcome: SUCCESS }],
    find: () => ({ kind: 'found', body: { data: { reference: 'V1', status } } }),
    mapping: { ...mapping, callerKeys },
    beside,
  });
  await buy(house, { 'request-id': 'r-2' });
  expect(await buy(house, { 'request-id': 'r-3' })).toMatchObject({ status: 'fail', code });
  const sent = house.upstream.sent.length;
  status = 'success';
  expect(await buy(house)).toMatchObject({ status: 'success', reference: 'V1' });
  expect(house.upstream.sent).toHaveLength(sent);
});

describe('while too many wrong keys come from its address', () => {
  const keyGuard: GatewayParts['keyGuard'] = {
    enter: () => Promise.reject(new GatewayError('too_many_wrong_keys', 'Too many.', { retryAfterSeconds: 5 })),
  };
  const openHouses = async (first: Outcome) =>
    openWalkHouse({ answers: [{ outcome: SUCCESS }], beside: await openAfter(first), parts: { keyGuard } });
  const askAfter = async (house: WalkHouse, id: string) => {
    const served = question(house, id);
    await house.clock.advance(60_000);
    return readReply(await served);
  };

  test('a first order is refused and leaves nothing in the journal', async () => {
    const house = openWalkHouse({ parts: { keyGuard } });
    expect(await buy(house)).toMatchObject({ http: 429, status: 'fail', code: 'too_many_wrong_keys' });
    expect(await house.journal.find(house.owner, 'r-1')).toBeUndefined();
    expect(house.upstream.sent).toEqual([]);
  });

  test.each([
    ['sold', SUCCESS, 'success'],
    ['open', UNKNOWN, 'pending'],
  ])('an order that is %s is told as it is, to a repeat and to a status query', async (_title, first, status) => {
    const house = await openHouses(first);
    expect(await buy(house)).toMatchObject({ http: 200, status });
    expect(await askAfter(house, 'r-1')).toMatchObject({ http: 200, status });
    expect(house.upstream.sent).toEqual([]);
  });

  test('a query for an order that only v1 may know is not answered and is no failure', async () => {
    const house = await openHouses(SUCCESS);
    expect(await askAfter(house, 'R-OTHER')).toMatchObject({ http: 202, status: 'pending', code: 'too_many_wrong_keys' });
  });
});

describe('another attempt at an order with an open outcome', () => {
  test('is on disk before it is sent, so that no other process proves the order absent meanwhile', async () => {
    const house = await openAfter(UNKNOWN);
    await house.clock.advance(300_000);
    const triedAgainAtMs = house.clock.now();
    const again = openWalkHouse({ answers: [{ outcome: SUCCESS, afterMs: 60_000 }], beside: house });
    expect(await buy(again)).toMatchObject({ status: 'pending' });
    expect((await house.journal.find(house.owner, 'r-1'))?.settledAtMs).toBe(triedAgainAtMs);
  });

  test('is not made while it cannot be written', async () => {
    const house = await openAfter(UNKNOWN);
    const settle: Journal['settle'] = async () => {
      throw new Error('disk full');
    };
    const again = openWalkHouse({ answers: [{ outcome: SUCCESS }], wrapJournal: () => ({ settle }), beside: house });
    expect(await buy(again)).toMatchObject({ status: 'pending' });
    expect(again.upstream.sent).toEqual([]);
  });

  test('is not made when its script had waited too long by then', async () => {
    const house = await openAfter(UNKNOWN);
    const again = openWalkHouse({ answers: [{ outcome: SUCCESS }], wrapJournal: openingAfter(30_000), beside: house });
    await buy(again, {}, 40_000);
    expect(again.upstream.sent).toEqual([]);
  });

  test('keeps its doubt: an order that v1 then has under its id may still be another one', async () => {
    const house = await openAfter({ ...UNKNOWN, isDoubted: true });
    const again = openWalkHouse({
      answers: [{ outcome: SUCCESS, isDuplicate: true }],
      find: () => ({ kind: 'found', body: { status: 'success', data: { reference: 'V1', status: 'success' } } }),
      beside: house,
    });
    expect(await buy(again)).toMatchObject({ status: 'pending' });
  });
});

describe('a process that is frozen between its lease and its first byte', () => {
  const QUIET_MS = 300_000;
  /** The journal has written the order long before this process gets the result. */
  const frozenAfterOpen = (journal: Journal, clock: WalkHouse['clock']): Partial<Journal> => ({
    open: async (intent) => {
      const opened = await journal.open(intent);
      await pause(clock, QUIET_MS + 1_000);
      return opened;
    },
  });

  test('sends nothing when another process has proven meanwhile that v1 never had the order', async () => {
    const frozen = openWalkHouse({ answers: [{ outcome: SUCCESS }], wrapJournal: frozenAfterOpen });
    const served = ask(frozen);
    await frozen.clock.advance(QUIET_MS);
    const absent: Outcome = { kind: 'not_sent', reason: 'v1 does not have this order', isProven: true };
    await frozen.journal.settle(frozen.owner, 'r-1', absent, frozen.clock.now());
    await frozen.clock.advance(60_000);
    expect(readReply(await served)).toMatchObject({ status: 'fail' });
    expect(frozen.upstream.sent).toEqual([]);
  });

  test('renews its lease before it sends, so that no other process can prove that meanwhile', async () => {
    // An order of any other script is not sent so late.
    const mapping = {
      ...shippedMapping(),
      callerKindOf: () => ({ name: 'x', patienceMs: 20_000, afterPending: 'buy' as const }),
    };
    const frozen = openWalkHouse({ answers: [{ outcome: SUCCESS, afterMs: 500 }], wrapJournal: frozenAfterOpen, mapping });
    const served = ask(frozen);
    await frozen.clock.advance(QUIET_MS + 1_200);
    expect(frozen.upstream.sent).toHaveLength(1);
    expect((await frozen.journal.find(frozen.owner, 'r-1'))?.settledAtMs).toBe(frozen.upstream.sent[0]!.atMs);
    await frozen.clock.advance(5_000);
    expect(readReply(await served)).toMatchObject({ status: 'success' });
  });

  test('sends nothing while the renewed lease cannot be written, and tells pending', async () => {
    const settle = async (): Promise<never> => Promise.reject(new Error('disk full'));
    const wrapJournal: typeof frozenAfterOpen = (journal, clock) => ({ ...frozenAfterOpen(journal, clock), settle });
    const frozen = openWalkHouse({ answers: [{ outcome: SUCCESS }], wrapJournal });
    const served = ask(frozen);
    await frozen.clock.advance(QUIET_MS + 60_000);
    expect(readReply(await served)).toMatchObject({ status: 'pending' });
    expect(frozen.upstream.sent).toEqual([]);
  });
});

test('a repeat that meets the last moment of an attempt elsewhere is told its outcome, and buys nothing', async () => {
  const first = openWalkHouse({ answers: [{ outcome: REJECTED, afterMs: 1_000 }] });
  const slowMark = (journal: Journal, clock: WalkHouse['clock']): Partial<Journal> => ({
    settle: async (...args) => {
      await pause(clock, 2_000);
      return journal.settle(...args);
    },
  });
  const second = openWalkHouse({ answers: [{ outcome: SUCCESS }], wrapJournal: slowMark, beside: first });
  const [one, other] = await buyAtOnce(first, second);
  expect([one, other]).toMatchObject([{ status: 'fail' }, { status: 'fail' }]);
  expect(second.upstream.sent).toEqual([]);
});

describe('two processes, one of which stands still', () => {
  const TOLD = { toldSales: () => ({ append: async () => undefined, read: async () => [] }) };

  test.each([
    ['while the request waits for its turn', openLine(2_000).line],
    ['while the request waits unread', { ...openLine(1).line, heldUpMs: 2_000 }],
  ])('a refusal that was told meanwhile is told to the earlier request too: %s', async (_, line) => {
    const awake = openWalkHouse({ answers: [{ outcome: REJECTED }, { outcome: SUCCESS }] });
    await awake.clock.advance(60_000);
    expect(await buy(awake, {}, 1_000)).toMatchObject({ status: 'fail' });
    const frozen = openWalkHouse({ answers: [{ outcome: SUCCESS }], beside: awake });
    const served = ask(frozen, {}, line);
    await awake.clock.advance(9_000);
    expect(readReply(await served)).toMatchObject({ status: 'fail', message: expect.stringContaining('Insufficient balance') });
    expect(frozen.upstream.sent).toEqual([]);
    expect(await buy(awake)).toMatchObject({ status: 'success' });
  });

  test.each<[string, Outcome, number, isWritten?: boolean]>([
    ['success', SUCCESS, 0],
    ['pending', SUCCESS, 60_000],
    ['fail', REJECTED, 0],
    // The refusal was not written: the later request has found the order open.
    ['success', SUCCESS, 0, false],
  ])(
    'a refusal that it still holds is told only if no later request has begun an attempt: %s',
    async (status, outcome, afterMs, isWritten = true) => {
      // The deadlines of its statements are over then: its database seems to be away, and it knows the order as it left it.
      let left: Order | undefined;
      const frozenAfterSettle = (journal: Journal, clock: WalkHouse['clock']): Partial<Journal> => ({
        settle: async (...args) => {
          const [owner, requestId, latest, atMs] = args;
          const order = (await journal.find(owner, requestId))!;
          const settled = isWritten ? await journal.settle(...args) : settleOrder(order, latest, atMs);
          await pause(clock, 4_000);
          clock.after(200, () => (left = undefined));
          return (left = settled);
        },
        find: async (...key) => left ?? journal.find(...key),
        isWritable: () => left === undefined,
      });
      const frozen = openWalkHouse({ answers: [{ outcome: REJECTED }], wrapJournal: frozenAfterSettle, parts: TOLD });
      const served = ask(frozen);
      await frozen.clock.advance(1_000);
      const awake = openWalkHouse({ answers: [{ outcome, afterMs }], beside: frozen, parts: TOLD });
      const later = ask(awake);
      await frozen.clock.advance(70_000);
      expect(readReply(await served)).toMatchObject({ status });
      expect((await later).reply.body).toMatchObject({ status });
    },
  );
});

test('a refusal that reached the disk late says nothing of the attempt that another process has begun since', async () => {
  let hasHung = false;
  const kept: { journal?: KeepingJournal } = {};
  const hanging = (journal: Journal): Partial<Journal> =>
    (kept.journal = keepAnswers({
      ...journal,
      settle: async (...args) => {
        const order = await journal.settle(...args);
        if (hasHung) return order;
        hasHung = true;
        throw new WriteFailure(new Error('the disk gave no answer'));
      },
    }));
  const first = openWalkHouse({ answers: [{ outcome: REJECTED }], wrapJournal: hanging });
  expect(await buy(first)).toMatchObject({ status: 'fail' });
  const second = openWalkHouse({ answers: [{ outcome: SUCCESS, afterMs: 5_000 }], beside: first });
  const again = ask(second);
  await first.clock.advance(1_000);
  await kept.journal?.writeKept();
  const asked = question(first);
  await first.clock.advance(9_000);
  expect(readReply(await asked)).toMatchObject({ status: 'pending' });
  expect(readReply(await again)).toMatchObject({ status: 'success' });
  const askedLater = question(first);
  await first.clock.advance(9_000);
  expect(readReply(await askedLater)).toMatchObject({ status: 'success' });
});

test('a status query that is faster than the journal waits for the order instead of telling it unknown', async () => {
  const find = () => ({ kind: 'refused', httpStatus: 404, body: {} }) as const;
  const house = openWalkHouse({
    answers: [SUCCESS, { ...SUCCESS, reference: 'V0' }].map((outcome) => ({ outcome, afterMs: 2_000 })),
    wrapJournal: openingAfter(1_000),
    find,
  });
  // Before the first sale of its key the journal is searched, and no process has the order in memory until then.
  await buy(house, { 'request-id': 'r-0' });
  const buying = ask(house);
  await house.clock.advance(500);
  const served = question(house);
  await house.clock.advance(9_000);
  expect(readReply(await buying).status).toBe('success');
  // An unknown order is told as pending as well, but with 202 and without its id.
  expect((await served).reply).toMatchObject({ status: 200, body: { status: 'pending', 'request-id': 'r-1' } });
});

describe('a journal that can be neither written nor read', () => {
  const statusOf = async (house: WalkHouse) => readReply(await question(house));

  test('tells an order with an id of its own as pending, because it may repeat one that was charged', async () => {
    const house = openWalkHouse({ answers: [{ outcome: SUCCESS }], away: ['open', 'find'] });
    const told = await buy(house);
    expect(told).toMatchObject({ http: 200, status: 'pending', 'request-id': 'r-1', id: null, reference: null });
    expect(house.upstream.sent).toEqual([]);
    expect(await statusOf(house)).toMatchObject({ http: 200, status: 'pending' });
  });

  test.each(['/shop/requery/r-1', '/api/airtime?ref=r-1'])(
    'tells a question at %s, which nothing serves, as pending',
    async (address) => {
      const [path, id] = address.split('?ref=');
      const house = openWalkHouse({ away: ['open', 'find'] });
      const query = id === undefined ? {} : { ref: id };
      const served = await house.gateway.handle(legacyRequest({ method: 'GET', path: path!, query, headers: PHP }));
      expect(readReply(served)).toMatchObject({ http: 200, status: 'pending', code: undefined });
    },
  );

  test('refuses as unread a first order of a script that sells what is pending: it would deliver what was not bought', async () => {
    const mapping = selling(shippedMapping());
    const house = openWalkHouse({ answers: [{ outcome: SUCCESS }], away: ['open', 'find'], mapping });
    // A refused order was not sent, so it has no repeat.
    for (const fields of [{}, {}, { network: '99' }]) expect(await buy(house, fields)).toMatchObject(UNREAD);
    house.setAway([]);
    expect(await buy(house, { 'request-id': 'r-2' })).toMatchObject({ status: 'success' });
    house.setAway(['open', 'find']);
    // The same sale in another spelling is the same repeat.
    for (const respelt of [{}, { mobile_number: '+2348030000001' }])
      expect(await buy(house, { 'request-id': 'r-2', ...respelt })).toMatchObject({ status: 'pending' });
  });

  test('refuses as unread an order that another gateway has refused under its id, for a script that sells what is pending', async () => {
    const mapping = selling(shippedMapping());
    const parts = { toldSales: () => ({ append: async () => undefined, read: async () => [] }) };
    const other = openWalkHouse({
      answers: [{ outcome: REJECTED }, { outcome: { ...SUCCESS, reference: 'V2' } }],
      mapping,
      parts,
    });
    const house = openWalkHouse({
      answers: [{ outcome: SUCCESS }, { outcome: { ...SUCCESS, reference: 'V3' } }],
      beside: other,
      mapping,
      parts,
    });
    expect(await buy(other, { 'request-id': 'r-2' })).toMatchObject({ status: 'fail' });
    await house.clock.advance(1_000);
    expect(await buy(house, { 'request-id': 'r-3', amount: '50' })).toMatchObject({ status: 'success' });
    house.setAway(['open', 'find']);
    expect(await buy(house, { 'request-id': 'r-2' })).toMatchObject(UNREAD);
    // The other gateway sends it again.
    house.setAway([]);
    expect(await buy(other, { 'request-id': 'r-2' })).toMatchObject({ status: 'success' });
    expect(await buy(house, { 'request-id': 'r-4', amount: '60' })).toMatchObject({ status: 'success' });
    house.setAway(['open', 'find']);
    expect(await buy(house, { 'request-id': 'r-2' })).toMatchObject({ status: 'pending' });
  });

  test('tells as pending an order that another gateway has refused and sends again, for a script that sells what is pending', async () => {
    const mapping = selling(shippedMapping());
    const parts = { toldSales: () => ({ append: async () => undefined, read: async () => [] }) };
    const sales = ['V1', 'V2'].map((reference) => ({ outcome: { ...SUCCESS, reference } }));
    const other = openWalkHouse({ answers: [{ outcome: REJECTED }, { outcome: SUCCESS, afterMs: 60_000 }], mapping, parts });
    const house = openWalkHouse({ answers: sales, beside: other, mapping, parts });
    expect(await buy(other, { 'request-id': 'r-2' })).toMatchObject({ status: 'fail' });
    expect(await buy(house, { 'request-id': 'r-3', amount: '50' })).toMatchObject({ status: 'success' });
    void ask(other, { 'request-id': 'r-2' });
    expect(await buy(house, { 'request-id': 'r-4', amount: '60' })).toMatchObject({ status: 'success' });
    house.setAway(['open', 'find']);
    expect(await buy(house, { 'request-id': 'r-2' })).toMatchObject({ status: 'pending', code: undefined });
  });

  test('says neither "failed" nor "pending" of an order without an id, which may repeat one of another gateway', async () => {
    const house = openWalkHouse({ away: ['open', 'find'] });
    // The second one waits for the turn of the first.
    for (let nth = 0; nth < 2; nth += 1) expect(await buy(house, { 'request-id': '' })).toMatchObject(UNREAD);
    expect(house.upstream.sent).toEqual([]);
  });
});

describe('an order that v1 says it had already', () => {
  const RECEIPT = { reference: 'V1', status: 'success', phone: '08030000001', amount: 100 };
  const zoned = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

  const DATED = { ...RECEIPT, created_at: zoned(0) };

  test.each<[string, readonly Outcome[], JsonObject, string, told?: { serverAtMs?: number }]>([
    ['is sold where its receipt has the number', [], RECEIPT, 'success'],
    ['is pending where v1 gives the receipt of another reference', [], { ...RECEIPT, reference: 'V2' }, 'pending'],
    [
      'is pending where the receipt has about its price: the id may be that of another sale',
      [],
      { ...RECEIPT, amount: 95 },
      'pending',
    ],
    ['is sold where v1 wrote that receipt just now by its own clock', [], { ...DATED, amount: 95 }, 'success', { serverAtMs: 0 }],
    ['is sold after a lost answer where the receipt has about its price', [UNKNOWN], { ...RECEIPT, amount: 95 }, 'success'],
    ['is no sale of ours where the receipt has another number', [], { ...RECEIPT, phone: '08030000002' }, 'fail'],
    ['is sold after a lost answer where the receipt has no number', [UNKNOWN], { ...RECEIPT, phone: null }, 'success'],
    ['is pending then where the receipt has another price', [UNKNOWN], { ...RECEIPT, phone: null, amount: 500 }, 'pending'],
    ['is no sale of ours where the receipt is days old', [], DATED, 'fail', { serverAtMs: 48 * HOUR_MS }],
    ['is sold where the receipt is of today', [], DATED, 'success', { serverAtMs: 18 * HOUR_MS }],
    ['is sold where v1 does not tell its time', [], DATED, 'success'],
  ])('%s', async (_title, before, data, status, told = {}) => {
    const answers = [...before.map((outcome) => ({ outcome })), { outcome: SUCCESS, isDuplicate: true }];
    const house = openWalkHouse({ answers, find: () => ({ kind: 'found', body: { status: 'success', data }, ...told }) });
    expect(await buy(house)).toMatchObject({ status });
  });

  test.each([
    ['is sold where v1, minutes behind, sold PINs after the opening', 2_000, 'success'],
    ['is pending where v1 sold PINs half a second before the opening', -500, 'pending'],
  ])('%s', async (_title, soldAfterMs, status) => {
    const { clock, ...before } = openWalkHouse();
    const openedAtMs = clock.now();
    const byV1 = (ms: number): number => Math.floor((ms - 300_500) / 1_000) * 1_000;
    const created_at = zoned(byV1(openedAtMs + soldAfterMs));
    const data = { reference: 'V1', status: 'success', category: 'exam', created_at, pins: [{ pin: '1234567890', serial: 's' }] };
    const house = openWalkHouse({
      answers: [{ outcome: SUCCESS, isDuplicate: true, afterMs: 3_000 }],
      find: () => ({ kind: 'found', body: { status: 'success', data }, serverAtMs: byV1(clock.now()) }),
      beside: { clock, ...before },
    });
    const body = { exam_name: 'WAEC', quantity: 1, 'request-id': 'r-1' };
    const served = house.gateway.handle(legacyRequest({ path: '/api/epin/', body, headers: AXIOS }));
    await clock.advance(9_000);
    expect(readReply(await served)).toMatchObject({ status });
  });

  test('is not told as sold where its receipt has another number, and v1 gave that of another reference first', async () => {
    let asked = 0;
    const find: WalkHouseOptions['find'] = () => {
      asked += 1;
      const data = asked === 1 ? { ...RECEIPT, reference: 'V2' } : { ...RECEIPT, phone: '08030000002' };
      return { kind: 'found', body: { status: 'success', data } };
    };
    const house = openWalkHouse({ answers: [{ outcome: SUCCESS, isDuplicate: true }], find });
    expect(await buy(house)).toMatchObject({ status: 'pending' });
    await giveUp(house);
    expect(readReply(await question(house)).status).not.toBe('success');
  });
});

describe('a repeat of an ended order', () => {
  test.each<[string, Outcome, string]>([
    ['a success', SUCCESS, 'success'],
    ['a refund', { kind: 'declined', reference: 'V1', message: 'Refunded' }, 'fail'],
  ])('%s is told from the journal, and not sent to a v1 that may have forgotten the id', async (_title, outcome, word) => {
    const house = openWalkHouse({ answers: [{ outcome }, { outcome: { kind: 'succeeded', reference: 'V2' } }] });
    const first = await buy(house);
    const again = await buy(house);
    expect([first.status, again.status]).toEqual([word, word]);
    expect([again.http, again.reference]).toEqual([first.http, first.reference]);
    expect(house.upstream.sent).toHaveLength(1);
  });

  test('what was rejected is sent again, because v1 kept nothing of it', async () => {
    const house = openWalkHouse({ answers: [{ outcome: REJECTED }, { outcome: SUCCESS }] });
    expect([(await buy(house)).status, (await buy(house)).status]).toEqual(['fail', 'success']);
    expect(house.upstream.sent.map(({ requestId }) => requestId)).toEqual(['r-1', 'r-1']);
  });
});

test('a repeat at another process of a charged order that its provider had not confirmed asks for the receipt and sends nothing', async () => {
  const beside = await openAfter({ kind: 'pending', reference: 'V1' });
  const find = () => ({ kind: 'found', body: { status: 'success', data: { reference: 'V1', status: 'success' } } }) as const;
  const house = openWalkHouse({ answers: [{ outcome: { kind: 'succeeded', reference: 'V2' } }], find, beside });
  expect(await buy(house)).toMatchObject({ status: 'success', reference: 'V1' });
  expect(house.upstream.sent).toEqual([]);
});

test.each([
  ['sends again', 500],
  ['has sold', 20],
])(
  'a refused order that a repeat %s while its reply waits for the price list is told with its new end',
  async (_title, afterMs) => {
    const before = openWalkHouse();
    const priceLists: GatewayParts['priceLists'] = {
      get: async () => undefined,
      show: async () => undefined,
      peek: () => undefined,
      warm: () => pause(before.clock, 200),
    };
    const answers = [{ outcome: REJECTED }, { outcome: SUCCESS, afterMs }];
    const house = openWalkHouse({ answers, beside: before, parts: { priceLists } });
    const body = { network: '1', mobile_number: '08030000001', plan: '1', Ported_number: 'true', 'request-id': 'r-1' };
    const sell = (): Promise<Served> => house.gateway.handle(legacyRequest({ path: '/api/data/', body, headers: AXIOS }));
    const first = sell();
    await house.clock.advance(150);
    const second = sell();
    await house.clock.advance(9_000);
    expect([await first, await second].map((served) => readReply(served).status)).toEqual(['success', 'success']);
    expect(house.upstream.sent).toHaveLength(2);
  },
);

describe('a purchase by a name that waits for the price list', () => {
  const CATALOG = readCatalog({
    data: { data_plans: [], cable_plans: [], discos: [{ disco_id: 1, disco_name: 'Ikeja Electric', charge: '0.00' }] },
  })!;
  /** A script with a patience of ten seconds. */
  const buyAfter = async (listMs: number) => {
    const lists = (clock: WalkHouse['clock']): GatewayParts['priceLists'] => ({
      get: async () => {
        await pause(clock, listMs);
        return CATALOG;
      },
      show: async () => undefined,
      peek: () => CATALOG,
      warm: () => undefined,
    });
    const before = openWalkHouse();
    const house = openWalkHouse({
      answers: [{ outcome: { kind: 'pending', reference: 'V1' } }],
      beside: before,
      parts: { priceLists: lists(before.clock) },
    });
    const body = {
      disco_name: 'ikeja-electric',
      meter_number: '12345678901',
      MeterType: '1',
      amount: '1000',
      'request-id': 'r-1',
    };
    let told: Served | undefined;
    void house.gateway
      .handle(legacyRequest({ path: '/api/billpayment/', body, headers: AXIOS }))
      .then((served) => (told = served));
    await house.clock.advance(9_000);
    return { told: told === undefined ? undefined : readReply(told), sent: house.upstream.sent.length };
  };

  test("gets its reply within its script's patience, which includes that wait", async () => {
    expect(await buyAfter(3_000)).toMatchObject({ told: { http: 200, status: 'pending' }, sent: 1 });
  });

  test('is refused, and nothing is sent, when the wait took more than half of the patience', async () => {
    expect(await buyAfter(5_000)).toMatchObject({ told: { http: 503, status: 'fail', code: 'overloaded' }, sent: 0 });
  });
});

test('of two sendings under one id that came at once, the one that has waited longer is refused where the other was', async () => {
  let crowdedSeconds: number | undefined = 5;
  const house = openWalkHouse({ answers: [{ outcome: SUCCESS }], parts: { crowdedSeconds: () => crowdedSeconds } });
  await house.clock.advance(3_000);
  expect(readReply(await ask(house))).toMatchObject({ http: 503, status: 'fail' });
  crowdedSeconds = undefined;
  // It has waited at the door for two seconds.
  await house.clock.advance(1_000);
  expect(readReply(await ask(house, {}, openLine(2_000).line))).toMatchObject({ http: 503, status: 'fail' });
  expect(house.upstream.sent).toEqual([]);
  expect(await buy(house)).toMatchObject({ status: 'success' });
});

describe('in the first hour of an account', () => {
  const R2 = { 'request-id': 'r-2', mobile_number: '08030000002' };
  /** A process whose v1 confirms a sale now, does not answer the next order, and lists that sale alone. */
  const openAfterSale = async (beside?: WalkHouse): Promise<WalkHouse> => {
    const house: WalkHouse = openWalkHouse({
      ...(beside && { beside }),
      answers: [{ outcome: SUCCESS }, { outcome: UNKNOWN }],
      find: ({ path }) => {
        if (path !== '/transactions') return { kind: 'refused', httpStatus: 404, body: {} };
        const soldAt = new Date(soldAtMs).toISOString().slice(0, 19).replace('T', ' ');
        const transactions = [{ transaction_ref: 'V1', status: 'success', created_at: soldAt }];
        return { kind: 'found', body: { status: 'success', data: { transactions, page: 1, total_pages: 1 } } };
      },
    });
    const soldAtMs = house.clock.now();
    expect(await buy(house)).toMatchObject({ status: 'success' });
    return house;
  };

  test.each([
    ['three minutes after a sale that v1 shows', 'fail', 180_000],
    ['a minute after it', 'pending', 60_000],
  ])('an order that v1 never had, %s, is told as %s', async (_title, word, afterMs) => {
    const house = await openAfterSale();
    await house.clock.advance(afterMs);
    expect(await buy(house, R2)).toMatchObject({ status: 'pending' });
    await house.clock.advance(600_000);
    expect(readReply(await question(house, 'r-2'))).toMatchObject({ status: word });
  });

  test('an order of another process, repeated here while the journal is away, may be older than the sale that v1 shows', async () => {
    const other = openWalkHouse({ answers: [{ outcome: UNKNOWN }] });
    await buy(other, R2);
    await giveUp(other);
    const house = await openAfterSale(other);
    await house.clock.advance(180_000);
    house.setAway(JOURNAL_AWAY);
    // Its script has waited too long already to wait for the journal.
    expect(readReply(await ask(house, R2, openLine(6_000).line))).toMatchObject({ status: 'pending' });
    house.setAway([]);
    await house.clock.advance(600_000);
    expect(readReply(await question(house, 'r-2'))).toMatchObject({ status: 'pending' });
  });
});
