/** A key that callers.yaml sends to the sandbox, beside a v1 that counts what reaches it. */
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { systemClock } from '../../src/domain/clock';
import { openLmdbReader } from '../../src/journal/lmdb-journal';
import { isInSandbox } from '../../src/orders/order-money';
import { createForwardClock } from '../faults/timing';
import { freePort } from '../free-port';
import { listen } from '../listen';
import { until } from '../until';
import { type AnswerOfV1, buyAirtime, type House, renameKeys, send, type Told, withHouse } from './house';

const ADA = 'acme_live_ada:4321';
const BOLA = 'acme_live_bola:4321';
const IN_SANDBOX = { title: 'Ada', sandbox: true };

/** A sale to it has no end at v1. */
const OPEN_PHONE = '08031230000';

/** Sells everything, and keeps what it was asked with whose key. */
function countingV1() {
  const calls: (readonly [key: string, path: string])[] = [];
  const receipts = new Map<string, object>();
  let sold = 0;
  const answer = (request: IncomingMessage, url: URL, body: string): AnswerOfV1 => {
    const path = url.pathname.replace('/api/v1', '');
    const key = (request.headers.authorization ?? '').replace('Bearer ', '');
    calls.push([key, path]);
    if (path === '/balance') return { http: 200, body: { status: 'success', data: { wallet_balance: 77_000 } } };
    const receipt = receipts.get(url.searchParams.get('reference') ?? '');
    if (receipt !== undefined) return { http: 200, body: { status: 'success', data: receipt } };
    if (request.method === 'GET') return { http: 404, body: { status: 'error', message: 'Not found' } };
    sold += 1;
    const { request_id: requestId, phone } = JSON.parse(body) as { request_id: string; phone: string };
    const reference = `REAL-${sold}`;
    const pins = [{ pin: '1111-2222', serial: 'S-1' }];
    if (path === '/exam_pin') receipts.set(reference, { reference, status: 'success', type: 'debit', category: 'exam', pins });
    const isOpen = requestId.startsWith('open') || phone === OPEN_PHONE;
    return {
      http: 200,
      body: {
        status: isOpen ? 'pending' : 'success',
        data: { reference, request_id: requestId, balance_before: 1_000, balance_after: 900 },
      },
    };
  };
  return { answer, calls, ofAda: () => calls.filter(([key]) => key === 'acme_live_ada' || key.startsWith('sandbox')) };
}

const AXIOS = { 'user-agent': 'axios/1' };
const sell = (house: House, requestId: string, key = ADA): Promise<Told> =>
  buyAirtime(house, { 'request-id': requestId }, { key, headers: AXIOS });

const say = (house: House, says: object): Promise<void> => renameKeys(house, { acme_live_ada: { patience: '1s', ...says } });

function withAda(says: object, run: (house: House, v1: ReturnType<typeof countingV1>) => Promise<void>): Promise<void> {
  const v1 = countingV1();
  return withHouse({ v1: v1.answer, callers: { acme_live_ada: { patience: '1s', ...says } } }, (house) => {
    expect(house.service.live.problems()).toEqual([]);
    return run(house, v1);
  });
}

test('its purchases and questions reach the sandbox and never v1, those of all others reach v1', () =>
  withAda(IN_SANDBOX, async (house, v1) => {
    const sold = await sell(house, 'play-1');
    expect(sold.body).toMatchObject({ status: 'success' });
    expect(sold.body.reference).not.toMatch(/^REAL/);
    expect((await send(house.url, '/api/transaction/play-1', undefined, { key: ADA })).body).toMatchObject({ status: 'success' });
    expect((await send(house.url, '/api/data_plans', undefined, { key: ADA })).body.length).toBeGreaterThan(3);
    expect((await send(house.url, '/api/user/', undefined, { key: ADA })).body.user.wallet_balance).not.toBe(77_000);
    expect(v1.ofAda()).toEqual([]);
    expect((await sell(house, 'play-1', BOLA)).body).toMatchObject({ status: 'success', reference: 'REAL-1' });
    const lines = house.log();
    expect(lines.find(({ event }) => event === 'caller_in_sandbox')).toMatchObject({ level: 'warn', caller: 'Ada' });
    expect(lines.find(({ event, outcome }) => event === 'request' && outcome === 'succeeded')?.['caller']).toBe('Ada (sandbox)');
  }));

test('a login in the sandbox gives a token of the key itself, which never brings the demo key to v1', () =>
  withAda(IN_SANDBOX, async (house, v1) => {
    const basic = { key: null, headers: { authorization: `Basic ${Buffer.from(ADA).toString('base64')}` } };
    const { AccessToken: token } = (await send(house.url, '/api/user/', undefined, basic)).body as { AccessToken: string };
    expect((await sell(house, 'token-1', token)).body).toMatchObject({ status: 'success' });
    expect(v1.ofAda()).toEqual([]);
    await say(house, { title: 'Ada' });
    expect((await sell(house, 'token-2', token)).body).toMatchObject({ status: 'success', reference: 'REAL-1' });
    expect(new Set(v1.ofAda().map(([key]) => key))).toEqual(new Set(['acme_live_ada']));
  }));

test('an order of the sandbox is none of v1 after the switch back, and is not told as failed', () =>
  withAda(IN_SANDBOX, async (house) => {
    expect((await sell(house, 'play-2')).body).toMatchObject({ status: 'success' });
    await say(house, { title: 'Ada' });
    const asked = await send(house.url, '/api/transaction/play-2', undefined, { key: ADA });
    expect([asked.body.status, asked.body.Status]).toEqual(['pending', 'processing']);
    expect((await sell(house, 'real-1')).body).toMatchObject({ reference: 'REAL-1' });
  }));

test('an order stays one of the sandbox when its key has no entry any more', () =>
  withAda(IN_SANDBOX, async (house) => {
    expect((await sell(house, 'play-4')).body).toMatchObject({ status: 'success' });
    await renameKeys(house, {});
    expect((await sell(house, 'real-3')).body).toMatchObject({ reference: 'REAL-1' });
    const journal = await openLmdbReader({ dir: join(house.dataDir, 'journal') });
    const mapping = house.service.live.current();
    const ids: string[] = [];
    for await (const order of journal.list({ fromMs: 0, untilMs: Infinity, limit: 9 }))
      if (isInSandbox(order, mapping)) ids.push(order.requestId);
    await journal.close();
    expect(ids).toEqual(['play-4']);
  }));

test('an order of v1 is told as it stands there while its key is in the sandbox, and is not sold in play', () =>
  withAda({ title: 'Ada' }, async (house, v1) => {
    expect((await sell(house, 'real-2')).body).toMatchObject({ status: 'success', reference: 'REAL-1' });
    expect((await sell(house, 'open-1')).body.status).toBe('pending');
    await say(house, IN_SANDBOX);
    expect((await sell(house, 'real-2')).body).toMatchObject({ status: 'success', reference: 'REAL-1' });
    expect((await sell(house, 'open-1')).body.status).toBe('pending');
    expect((await sell(house, 'play-3')).body).toMatchObject({ status: 'success' });
    expect(v1.ofAda().filter(([, path]) => path === '/airtime')).toHaveLength(2);
  }));

test('an order of v1 without an id is told as it stands too, also to a key that is paused by then, and is not sold in play', () =>
  withAda({ title: 'Ada' }, async (house, v1) => {
    const sellOpen = () => buyAirtime(house, { mobile_number: OPEN_PHONE }, { key: ADA, headers: AXIOS });
    expect((await sellOpen()).body.status).toBe('pending');
    await say(house, IN_SANDBOX);
    expect((await sellOpen()).body.status).toBe('pending');
    const spelledOtherwise = { mobile_number: `+234${OPEN_PHONE.slice(1)}` };
    expect((await buyAirtime(house, spelledOtherwise, { key: ADA, headers: AXIOS })).body.status).toBe('pending');
    await say(house, { ...IN_SANDBOX, paused: true });
    expect((await sellOpen()).body.status).toBe('pending');
    await say(house, { title: 'Ada' });
    expect((await sellOpen()).body.status).toBe('pending');
    expect(v1.ofAda().filter(([, path]) => path === '/airtime')).toHaveLength(1);
  }));

test('an order of v1 is told as it stands to a repeat that leaves out its id and brings its header only', () =>
  withAda({ title: 'Ada' }, async (house) => {
    const headers = { ...AXIOS, 'x-request-id': 'sending-1' };
    const sellOpen = (id: object) => buyAirtime(house, { mobile_number: OPEN_PHONE, ...id }, { key: ADA, headers });
    expect((await sellOpen({ 'request-id': 'named-1' })).body.status).toBe('pending');
    await say(house, IN_SANDBOX);
    expect((await sellOpen({})).body.status).toBe('pending');
  }));

test('the goods of an order of v1 are read there for its repeat', () =>
  withAda({ title: 'Ada' }, async (house, v1) => {
    const sellExam = (exam: object): Promise<Told> =>
      send(house.url, '/api/epin/', { ...exam, 'request-id': 'exam-1' }, { key: ADA, headers: AXIOS });
    const exam = { exam_name: 'WAEC', quantity: 1 };
    const sold = { status: 'success', reference: 'REAL-1', serial: 'S-1' };
    expect((await sellExam(exam)).body).toMatchObject(sold);
    await say(house, IN_SANDBOX);
    expect((await sellExam(exam)).body).toMatchObject(sold);
    // It brings the id alone, and asks by it.
    expect((await sellExam({})).body).toMatchObject(sold);
    expect(v1.ofAda().filter(([, path]) => path === '/exam_pin')).toHaveLength(1);
  }));

test('v1 judges who hears of its orders, and the sandbox does not', async () => {
  const clock = createForwardClock();
  const key = 'acme_live_iplocked:4321';
  const v1 = countingV1();
  const answer: typeof v1.answer = (request, url, body) =>
    request.headers['x-forwarded-for'] === '9.9.9.9' ? { http: 403, body: { status: 'error' } } : v1.answer(request, url, body);
  const env = { TRUSTED_PROXIES: '127.0.0.1' };
  await withHouse({ v1: answer, callers: { acme_live_iplocked: { title: 'Ada' } }, env, clock }, async (house) => {
    const sellFrom = (address: string): Promise<Told> =>
      buyAirtime(house, { 'request-id': 'real-3' }, { key, headers: { ...AXIOS, 'x-forwarded-for': address } });
    expect((await sellFrom('10.0.0.9')).body).toMatchObject({ status: 'success', reference: 'REAL-1' });
    await renameKeys(house, { acme_live_iplocked: IN_SANDBOX });
    clock.forward(2 * 60_000);
    const stranger = await sellFrom('9.9.9.9');
    expect([stranger.body.status, stranger.text.includes('REAL-1')]).toEqual(['pending', false]);
    expect((await sellFrom('10.0.0.9')).body).toMatchObject({ status: 'success', reference: 'REAL-1' });
  });
});

test('with the sandbox as v1 the key keeps its own account there, and only its orders are apart', async () => {
  await withHouse({ callers: { sandbox_demo: IN_SANDBOX } }, async (house) => {
    expect((await sell(house, 'own-1', 'sandbox_demo:1234')).body).toMatchObject({ status: 'success' });
    expect((await sell(house, 'own-2', 'sandbox_demo:9999')).body).toMatchObject({ status: 'fail' });
  });
});

test('a sandbox whose port another program had at the start opens at the first sale after the port is free', async () => {
  const other = await listen(createServer(), await freePort());
  let aheadMs = 0;
  const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + aheadMs };
  const env = { SANDBOX_PORT: String(other.port) };
  await withHouse({ v1: countingV1().answer, callers: { acme_live_ada: IN_SANDBOX }, env, clock }, async (house) => {
    await until(() => house.log().some(({ event }) => event === 'sandbox_unavailable'));
    await other.close();
    aheadMs = 6_000;
    expect((await sell(house, 'play-1')).body).toMatchObject({ status: 'success' });
  });
});
