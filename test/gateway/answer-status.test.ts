/** Status queries for an order that another attempt is changing, on a clock that stands still. */
import { pause } from '../../src/domain/clock';
import type { Outcome } from '../../src/domain/outcome';
import type { Served } from '../../src/gateway/gateway';
import type { Upstream } from '../../src/upstream/upstream';
import type { PriceList, PriceLists } from '../../src/price-lists/price-lists';
import { readCatalog } from '../../src/price-lists/price-lists';
import type { Visitors } from '../../src/upstream/visitors';
import { createVisitors } from '../../src/upstream/visitors';
import type { Mapping } from '../../src/mapping/mapping';
import { shippedMapping } from '../mapping/mapping-set';
import { dataPlan } from '../price-lists/data-plan';
import { legacyRequest } from './legacy-request';
import { AIRTIME, JOURNAL_AWAY, openWalkHouse, PHP, selling, type WalkHouseOptions } from './walk-house';

const REJECTED: Outcome = { kind: 'rejected', httpStatus: 400, message: 'Insufficient balance.' };
const SUCCESS: Outcome = { kind: 'succeeded', reference: 'V1' };
const UNKNOWN: Outcome = { kind: 'unknown', reason: 'HTTP 502' };
const pending = (reference: string): Outcome => ({ kind: 'pending', reference });
const SALE = { ...AIRTIME, 'request-id': 'r-1' };
const statusOf = ({ reply }: Served): string => (reply.body as { status: string }).status;

test('an order that v1 does not have either is told as not known, and is no failure', async () => {
  const { gateway, clock } = openWalkHouse({ find: () => ({ kind: 'refused', httpStatus: 404, body: {} }) });
  const asked = gateway.handle(legacyRequest({ method: 'GET', path: '/api/transaction/r-1', headers: PHP }));
  await clock.advance(9_000);
  expect(await asked).toMatchObject({ reply: { status: 202 }, refusal: { code: 'order_unknown' } });
});

const AWAY: WalkHouseOptions = { away: JOURNAL_AWAY };
const STALLED: WalkHouseOptions = { wrapJournal: () => ({ open: () => new Promise<never>(() => undefined) }) };
const QUESTION = { method: 'GET', path: '/api/transaction/r-1' };
const BROKEN = { body: { ...SALE, amount: 'abc' } };
test.each([
  ['the journal is away for a sale, its status', AWAY, QUESTION],
  ['the journal is away for a sale, its repeat, which is refused,', AWAY, BROKEN],
  ['a disk does not write a sale, its status', STALLED, QUESTION],
  ['a disk does not write a sale, its repeat, which is refused,', STALLED, BROKEN],
])('while %s is pending within seconds', async (_title, options, asked) => {
  const { gateway, clock } = openWalkHouse(options);
  void gateway.handle(legacyRequest({ body: SALE, headers: PHP }));
  await clock.advance(1_000);
  let heard: Served | undefined;
  void gateway.handle(legacyRequest({ ...asked, headers: PHP })).then((served) => (heard = served));
  await clock.advance(3_500);
  expect(heard && statusOf(heard)).toBe('pending');
});

test.each([
  ['only an id is pending', { reference: 'V1' }, undefined],
  ['nothing is refused', {}, 'journal_unavailable'],
])('while the journal is away, a purchase with %s, also for a script that sells what is pending', async (_title, body, code) => {
  const { gateway, clock } = openWalkHouse({ ...AWAY, mapping: selling(shippedMapping()) });
  const asked = gateway.handle(legacyRequest({ body, headers: PHP }));
  await clock.advance(5_000);
  expect((await asked).refusal?.code).toBe(code);
});

test('an order whose end cannot be written for seconds is pending', async () => {
  let isStalled = false;
  const { gateway, clock } = openWalkHouse({
    answers: [{ outcome: pending('V1') }],
    find: () =>
      isStalled
        ? { kind: 'found', body: { status: 'success', data: { reference: 'V1', status: 'success' } } }
        : { kind: 'unavailable', reason: 'HTTP 502' },
    wrapJournal: (journal) => ({
      settle: async (...of) => (isStalled ? new Promise<never>(() => undefined) : journal.settle(...of)),
    }),
  });
  const sold = gateway.handle(legacyRequest({ body: SALE, headers: PHP }));
  await clock.advance(600_000);
  expect(statusOf(await sold)).toBe('pending');
  isStalled = true;
  const asked = gateway.handle(legacyRequest({ method: 'GET', path: '/api/transaction/r-1', headers: PHP }));
  await clock.advance(5_000);
  expect(statusOf(await asked)).toBe('pending');
});

test('a repeat at an address that the operator removed is pending while the end of its order cannot be written', async () => {
  const before = openWalkHouse({
    answers: [{ outcome: pending('V1') }],
    find: () => ({ kind: 'unavailable', reason: 'HTTP 502' }),
  });
  const { clock } = before;
  void before.gateway.handle(legacyRequest({ body: SALE, headers: PHP }));
  await clock.advance(1_000);
  const mapping: Mapping = { ...shippedMapping(), hash: 'next', matchRoute: () => ({ kind: 'unknown_path' }) };
  const troubles: unknown[] = [];
  const { gateway } = openWalkHouse({
    beside: before,
    mapping,
    find: ({ path }) => ({
      kind: 'found',
      body: { status: 'success', data: path === '/receipt' ? { reference: 'V1', status: 'success' } : {} },
    }),
    wrapJournal: () => ({ settle: () => Promise.reject(new Error('connection reset')) }),
    parts: { onTrouble: (_what, error) => troubles.push(error) },
  });
  const repeated = gateway.handle(legacyRequest({ body: SALE, headers: PHP }));
  await clock.advance(5_000);
  expect(statusOf(await repeated)).toBe('pending');
  expect(troubles).toContainEqual(new Error('connection reset'));
});

test('a refused order that is sold while v1 judges the asking key is not told as failed', async () => {
  const seller = openWalkHouse({ answers: [{ outcome: REJECTED }, { outcome: SUCCESS }] });
  const { clock, gateway, upstream } = seller;
  const buy = async (): Promise<string> => {
    const served = gateway.handle(legacyRequest({ body: SALE, headers: PHP }));
    await clock.advance(1_000);
    return statusOf(await served);
  };
  expect(await buy()).toBe('fail');
  // Sent by another process, which has no recent judgement of the key.
  const visitors: Visitors = {
    ...createVisitors({ upstream, clock: () => clock.elapsed() }),
    isFresh: () => false,
    isKnown: () => true,
    ask: () => pause(clock, 3_000),
  };
  const asker = openWalkHouse({ beside: seller, parts: { visitors } });
  const asked = asker.gateway.handle(legacyRequest({ method: 'GET', path: '/api/transaction/r-1', headers: PHP }));
  await clock.advance(500);
  expect(await buy()).toBe('success');
  await clock.advance(5_000);
  expect(statusOf(await asked)).toBe('success');
});

test('a status query gets its reply in time, however slowly v1 gives the other orders of its key', async () => {
  const seller = openWalkHouse({
    answers: [...Array.from({ length: 20 }, (_, nth) => ({ outcome: pending(`V${nth}`) })), { outcome: UNKNOWN }],
  });
  const { clock, journal } = seller;
  for (let nth = 0; nth <= 20; nth += 1) {
    const body = { ...SALE, amount: String(100 + nth), 'request-id': `r-${nth}` };
    const sold = seller.gateway.handle(legacyRequest({ body, headers: PHP }));
    await clock.advance(600_000);
    expect(statusOf(await sold)).toBe('pending');
  }
  const slow: Upstream = {
    ...seller.upstream,
    async find(call, { timeoutMs }) {
      if (call.path === '/balance') return { kind: 'found', body: { status: 'success', data: { wallet_balance: 1 } } };
      await pause(clock, timeoutMs);
      return { kind: 'unavailable', reason: 'no complete answer' };
    },
  };
  const asker = openWalkHouse({ beside: seller, parts: { upstream: slow } });
  const asked = asker.gateway.handle(legacyRequest({ method: 'GET', path: '/api/transaction/r-20', headers: PHP }));
  let isAnswered = false;
  void asked.then(() => (isAnswered = true));
  await clock.advance(15_000);
  expect(isAnswered).toBe(true);
  expect(statusOf(await asked)).toBe('pending');
  expect(await journal.listUnsettled({ limit: 50, onUnreadable: () => undefined })).toHaveLength(21);
});

test.each([
  [3, 3],
  // The journal keeps the beginning of so long a list.
  [300, null],
])('a message to %i numbers is told with the count %p when it is asked for', async (count, told) => {
  const house = openWalkHouse({ answers: [{ outcome: SUCCESS }], find: () => ({ kind: 'unavailable', reason: 'HTTP 502' }) });
  const number = Array.from({ length: count }, (_, nth) => `0803${String(1_000_000 + nth)}`).join(',');
  const body = { sender: 'Shop', number, message: 'Ready.', 'request-id': 'r-1' };
  const sold = house.gateway.handle(legacyRequest({ path: '/api/bulksms/', body, headers: PHP }));
  await house.clock.advance(20_000);
  expect((await sold).reply.body).toMatchObject({ status: 'success', total_number: count, numbers: number });
  const asked = house.gateway.handle(legacyRequest({ method: 'GET', path: '/api/transaction/r-1', headers: PHP }));
  await house.clock.advance(60_000);
  const numbers = told === null ? null : number;
  expect((await asked).reply.body).toMatchObject({ status: 'success', total_number: told, total_correct_number: told, numbers });
});

test.each([
  ['recharge_card', 'pending'],
  ['recharge', 'pending'],
  ['recharge', 'success', '08031234567'],
  ['exam_pin', 'pending'],
  ['data_card', 'pending'],
  // Sold for a phone, without a PIN.
  ['airtime', 'success'],
  ['airtime_recharge', 'success'],
  ['data', 'success'],
  [null, 'success'],
])('a receipt of %s without PINs, of an order that only v1 knows, is told as %s', async (category, word, phone = '') => {
  const data = { reference: 'V1', status: 'success', category, phone, pins: [], token: 'N/A' };
  const { gateway } = openWalkHouse({ find: () => ({ kind: 'found', body: { status: 'success', data } }) });
  expect(statusOf(await gateway.handle(legacyRequest({ method: 'GET', path: '/api/transaction/V1', headers: PHP })))).toBe(word);
});

test('a question about an order names the network and the plan that were bought, also while the price list is not in memory', async () => {
  const seller = openWalkHouse({ answers: [{ outcome: SUCCESS }] });
  const { clock } = seller;
  const body = { network: '1', mobile_number: '08120000001', plan: '7', Ported_number: 'true', 'request-id': 'r-1' };
  const sold = seller.gateway.handle(legacyRequest({ path: '/api/data/', body, headers: PHP }));
  await clock.advance(20_000);
  expect(statusOf(await sold)).toBe('success');
  const list = readCatalog({ data: { data_plans: [dataPlan(7, { network: 'AIRTEL' })], cable_plans: [], discos: [] } })!;
  let kept: PriceList | undefined;
  const priceLists: PriceLists = {
    get: async () => list,
    show: async () => list,
    peek: () => kept,
    warm: () => pause(clock, 100).then(() => void (kept = list)),
  };
  const restarted = openWalkHouse({
    beside: seller,
    find: () => ({ kind: 'unavailable', reason: 'HTTP 502' }),
    parts: { priceLists },
  });
  const asked = restarted.gateway.handle(legacyRequest({ method: 'GET', path: '/api/transaction/r-1', headers: PHP }));
  await clock.advance(20_000);
  expect((await asked).reply.body).toMatchObject({ status: 'success', plan_name: '1GB', plan_network: 'AIRTEL' });
});

test('a row of the history has the words of the end that the journal knows', async () => {
  const row = (reference: string, status: string) => ({ id: 1, transaction_ref: reference, category: 'airtime', status });
  // A refund that is listed under the reference of its order, and a replica that lags.
  const transactions = [row('V2', 'success'), row('V1', 'pending'), row('V3', 'success'), row('V9', 'failed')];
  // Refunds of an order that is still open here, and money that was paid in.
  const credits = [
    ...[row('V3', 'success'), row('V8', 'success')].map((one) => ({ ...one, type: 'credit' })),
    { ...row('V3', 'success'), category: 'airtime_refund' },
  ];
  const house = openWalkHouse({
    answers: [{ outcome: SUCCESS }, { outcome: { kind: 'declined', reference: 'V2' } }, { outcome: pending('V3') }],
    find: ({ path }) => {
      if (path === '/transactions')
        return {
          kind: 'found',
          body: { status: 'success', data: { transactions: [...transactions, ...credits], total: 7, page: 1 } },
        };
      return { kind: 'unavailable', reason: 'HTTP 502' };
    },
  });
  for (const nth of [1, 2, 3]) {
    const body = { ...SALE, amount: String(100 * nth), 'request-id': `r-${nth}` };
    const sold = house.gateway.handle(legacyRequest({ body, headers: PHP }));
    await house.clock.advance(300_000);
    await sold;
  }
  const asked = house.gateway.handle(legacyRequest({ method: 'GET', path: '/api/transactions', headers: PHP }));
  await house.clock.advance(60_000);
  const rows = ((await asked).reply.body as unknown as { data: Record<string, string>[] }).data;
  expect(rows.map((one) => [one['request_id'], one['status'], one['Status']])).toEqual([
    ['r-2', 'fail', 'failed'],
    ['r-1', 'success', 'successful'],
    ['r-3', 'success', 'successful'],
    [null, 'fail', 'failed'],
    ['r-3', 'pending', 'processing'],
    [null, 'success', 'successful'],
    ['r-3', 'pending', 'processing'],
  ]);
});

test('a question at an address with 50,000 slashes before its end, which nothing serves, is refused at once', async () => {
  const path = `/api/zzz/${'a'.repeat(50_000)}${'/'.repeat(50_000)}x`;
  const beganMs = performance.now();
  const { refusal } = await openWalkHouse().gateway.handle(legacyRequest({ method: 'GET', path, headers: PHP }));
  expect(refusal?.code).toBe('unknown_path');
  expect(performance.now() - beganMs).toBeLessThan(1_000);
});
