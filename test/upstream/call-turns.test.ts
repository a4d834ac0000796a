/** Calls over real sockets to a v1 that is slow, busy or unreachable. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Secret } from '../../src/domain/credentials';
import { CallTurns, createBearable } from '../../src/upstream/call-turns';
import { createHttpUpstream, type HttpUpstream, type HttpUpstreamOptions } from '../../src/upstream/http-upstream';
import type { Finding, SentOutcome } from '../../src/upstream/upstream';
import { freePort } from '../free-port';
import { type Behaviour, type RawV1, reply, startRawV1 } from './raw-v1';
import { closedAfterEach } from '../opened';

const kept = closedAfterEach();

async function v1(behave: Behaviour, port?: number): Promise<RawV1> {
  return kept(await startRawV1(behave, port === undefined ? {} : { port }));
}

function upstreamAt(baseUrl: string, options: Partial<HttpUpstreamOptions> = {}): HttpUpstream {
  return kept(createHttpUpstream({ baseUrl, connections: 16, ...options }));
}

const SOLD = reply(200, { status: 'success', data: { reference: 'v1-1' } });
const answersAfter =
  (ms: number): Behaviour =>
  (socket) =>
    void setTimeout(() => socket.write(SOLD), ms);

const contextOf = (key: string, more: object = {}) => ({
  credentials: { apiKey: new Secret(key), fingerprint: key },
  clientAddress: '203.0.113.9',
  timeoutMs: 10_000,
  ...more,
});
let orders = 0;
const buy = (upstream: HttpUpstream, key: string, more: object = {}, path = '/airtime'): Promise<SentOutcome> =>
  upstream.send({ method: 'POST', path, body: {} }, `r-${(orders += 1)}`, contextOf(key, more));
const read = (upstream: HttpUpstream, key: string, path: string, more: object = {}): Promise<Finding> =>
  upstream.find({ method: 'GET', path }, contextOf(key, more));
const kindsOf = (sent: readonly SentOutcome[]): Record<string, number> => {
  const kinds: Record<string, number> = {};
  for (const { outcome } of sent) kinds[outcome.kind] = (kinds[outcome.kind] ?? 0) + 1;
  return kinds;
};

describe('calls to a slow v1', () => {
  it('one key with hundreds of calls does not keep another key waiting', async () => {
    const server = await v1(answersAfter(150));
    const upstream = upstreamAt(server.url);
    const crowd = Array.from({ length: 200 }, () => buy(upstream, 'many'));
    expect(upstream.turns).toEqual({ inFlight: 9, waiting: 191, bound: 16 });
    // Meanwhile v1 answers nine calls of the crowd, and a few of the next nine.
    for (const waitingThen of [191 - 18, 191 - 36]) {
      await buy(upstream, 'one');
      expect(upstream.turns.waiting).toBeGreaterThanOrEqual(waitingThen);
    }
    expect(kindsOf(await Promise.all(crowd))).toEqual({ succeeded: 200 });
    expect(upstream.turns).toEqual({ inFlight: 0, waiting: 0, bound: 16 });
  });

  it('keys that wait for one operation are served in turn, however many calls each has', async () => {
    const server = await v1(answersAfter(20));
    const upstream = upstreamAt(server.url, { connections: 1 });
    const ends: string[] = [];
    const calls = ['a', 'a', 'a', 'a', 'b', 'c'].map((key) => buy(upstream, key).then(() => ends.push(key)));
    await Promise.all(calls);
    expect(ends).toEqual(['a', 'a', 'b', 'c', 'a', 'a']);
  });

  it('an operation that v1 does not answer leaves places for other operations', async () => {
    const server = await v1((socket, { head }) => void (head.includes('/electricity') || socket.write(SOLD)));
    const upstream = upstreamAt(server.url);
    const keys = Array.from({ length: 30 }, (_, nth) => `k${nth}`);
    const hanging = keys.map((key) => buy(upstream, key, { timeoutMs: 3_000 }, '/electricity'));
    expect(upstream.turns).toMatchObject({ inFlight: 12, waiting: 18 });
    expect(kindsOf(await Promise.all(keys.map((key) => buy(upstream, key))))).toEqual({ succeeded: 30 });
    expect(upstream.turns.inFlight).toBe(12);
    // Twelve may have bought; of the others no byte was sent.
    expect(kindsOf(await Promise.all(hanging))).toEqual({ unknown: 12, not_sent: 18 });
    expect(server.requests.filter(({ head }) => head.includes('/electricity'))).toHaveLength(12);
  });

  it('purchases are sent before waiting receipts, and receipts still get their turn', async () => {
    const server = await v1(answersAfter(10));
    const upstream = upstreamAt(server.url, { connections: 1 });
    const ends: string[] = [];
    const first = buy(upstream, 'x');
    const reads = ['a', 'b', 'c', 'd'].map((key) => read(upstream, key, '/receipt').then(() => ends.push('receipt')));
    const sales = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => buy(upstream, key).then(() => ends.push('sale')));
    await Promise.all([first, ...reads, ...sales]);
    expect(ends.slice(0, 5)).toEqual(['sale', 'sale', 'sale', 'receipt', 'sale']);
    expect(ends.filter((end) => end === 'receipt')).toHaveLength(4);
  });
});

describe('calls to a v1 that does not answer', () => {
  it('a call that gets no turn in time is not sent, and is not sent later either', async () => {
    const sockets: Socket[] = [];
    const server = await v1((socket) => void sockets.push(socket));
    const upstream = upstreamAt(server.url, { connections: 1 });
    const stuck = buy(upstream, 'a', { timeoutMs: 600 });
    const late = await buy(upstream, 'a', { timeoutMs: 5_000, leaveWithinMs: 200 });
    expect(late.outcome).toMatchObject({ kind: 'not_sent', reason: expect.stringContaining('its turn did not come in time') });
    expect((await stuck).outcome.kind).toBe('unknown');
    const next = buy(upstream, 'a');
    while (sockets.length < 2) await sleep(10);
    sockets[1]!.write(SOLD);
    expect((await next).outcome.kind).toBe('succeeded');
    expect(server.requests).toHaveLength(2);
  });

  it('the waiting time of a call is part of its deadline', async () => {
    const server = await v1(() => undefined);
    const upstream = upstreamAt(server.url, { connections: 1 });
    void buy(upstream, 'a', { timeoutMs: 800 });
    const ended = buy(upstream, 'b', { timeoutMs: 1_200 }).then(() => 'ended');
    expect(await Promise.race([ended, sleep(1_800)])).toBe('ended');
    expect(server.requests).toHaveLength(2);
  });

  it('the waiting time of a call is part of the time in which it may leave', async () => {
    // No handshake ends, so no call leaves.
    const server = await v1(() => undefined);
    const upstream = upstreamAt(server.url.replace('http:', 'https:'), { connections: 1 });
    const first = buy(upstream, 'a', { leaveWithinMs: 1_000 });
    const second = buy(upstream, 'b', { leaveWithinMs: 1_200 }).then(({ outcome }) => outcome.kind);
    expect(await Promise.race([second, sleep(1_700)])).toBe('not_sent');
    expect((await first).outcome.kind).toBe('not_sent');
  });

  it('a call whose script has hung up is not sent when its turn comes', async () => {
    const server = await v1(answersAfter(200));
    const upstream = upstreamAt(server.url, { connections: 1 });
    const first = buy(upstream, 'a');
    const second = await buy(upstream, 'b', { mayLeave: () => false });
    expect(second.outcome.kind).toBe('not_sent');
    await first;
    expect(server.requests).toHaveLength(1);
  });

  it('a full line refuses a call at once as not sent', async () => {
    const fates: string[] = [];
    const server = await v1(() => undefined);
    const upstream = upstreamAt(server.url, { connections: 1, onWaited: (fate) => void fates.push(fate) });
    const first = buy(upstream, 'a');
    const calls = Array.from({ length: 2_000 }, () => buy(upstream, 'a', { timeoutMs: 900 }));
    expect(upstream.crowdedSeconds('/airtime', 'a', 60_000)).toBe(5);
    expect(upstream.crowdedSeconds('/airtime', 'b', 60_000)).toBeUndefined();
    const refused = buy(upstream, 'a', { timeoutMs: 900 });
    expect((await refused).outcome).toMatchObject({ kind: 'not_sent', reason: expect.stringContaining('NO_TURN') });
    expect(upstream.turns.waiting).toBe(2_000);
    const late = await read(upstream, 'a', '/receipt', { timeoutMs: 50 });
    expect(late).toMatchObject({ kind: 'unavailable', retryAfterSeconds: 5 });
    expect(kindsOf(await Promise.all(calls))).toEqual({ not_sent: 2_000 });
    server.resetAll();
    expect((await first).outcome.kind).toBe('unknown');
    expect(server.requests).toHaveLength(1);
    expect(fates.filter((fate) => fate === 'full')).toHaveLength(1);
  });
});

describe('calls to a v1 that answers 503 or 429', () => {
  /** Serves this many calls at a time and answers `status` to more. Calls of /data are served without limit. */
  function bearing(most: number, status: number) {
    let now = 0;
    const seen = { refused: 0 };
    const behave: Behaviour = (socket, { head }) => {
      if (head.includes('/data')) return void setTimeout(() => socket.write(SOLD), 30);
      if (now >= most) {
        seen.refused += 1;
        return void socket.write(reply(status, { status: 'error', message: 'busy' }));
      }
      now += 1;
      setTimeout(() => {
        now -= 1;
        socket.write(SOLD);
      }, 30);
    };
    return { behave, seen };
  }

  it('a 503 lowers the limit of its operation only, and the limit grows back after the last 503', async () => {
    let isBusy = true;
    const server = await v1((socket, { head }) => {
      const isRefused = isBusy && head.includes('/airtime');
      setTimeout(() => socket.write(isRefused ? reply(503, 'busy') : SOLD), 20);
    });
    const upstream = upstreamAt(server.url, { connections: 64 });
    const wave = (path: string) => Promise.all(Array.from({ length: 40 }, (_, nth) => buy(upstream, `k${nth}`, {}, path)));
    await wave('/airtime');
    await wave('/airtime');
    const busy = wave('/airtime');
    expect(upstream.turns.inFlight).toBeLessThanOrEqual(16);
    expect(upstream.turns.waiting).toBeGreaterThanOrEqual(24);
    const other = wave('/data');
    expect(upstream.turns.inFlight).toBeGreaterThanOrEqual(40);
    expect(kindsOf(await other)).toEqual({ succeeded: 40 });
    await busy;
    isBusy = false;
    await sleep(6_500);
    const all = wave('/airtime');
    expect(upstream.turns).toMatchObject({ inFlight: 40, waiting: 0 });
    expect(kindsOf(await all)).toEqual({ succeeded: 40 });
  }, 15_000);

  it('a 429 lowers the limit of its key only', async () => {
    const { behave, seen } = bearing(4, 429);
    const server = await v1(behave);
    const upstream = upstreamAt(server.url, { connections: 64 });
    const sinceMs = performance.now();
    await Promise.all(Array.from({ length: 30 }, () => buy(upstream, 'busy')));
    const refusedFirst = seen.refused;
    // The places of the refused calls stay unused for a moment.
    await sleep(120);
    expect(upstream.turns.inFlight).toBe(0);
    const again = Array.from({ length: 30 }, () => buy(upstream, 'busy'));
    // Half of all thirty, and what time has added since: twice as many after two seconds.
    expect(upstream.turns.inFlight).toBeLessThanOrEqual(15 * 2 ** ((performance.now() - sinceMs) / 2_000));
    const calls = Array.from({ length: 30 }, () => buy(upstream, 'quiet', {}, '/data'));
    expect(upstream.turns.inFlight).toBeGreaterThanOrEqual(30);
    await Promise.all([...again, ...calls]);
    expect(seen.refused - refusedFirst).toBeLessThan(refusedFirst);
  });

  it('failed connections lower the limit of all calls, and the limit soon grows back', async () => {
    const port = await freePort();
    const upstream = upstreamAt(`http://127.0.0.1:${port}/api/v1`, { connections: 64 });
    for (let nth = 0; nth < 3; nth++)
      expect(kindsOf(await Promise.all(Array.from({ length: 20 }, (_, key) => buy(upstream, `k${key}`))))).toEqual({
        not_sent: 20,
      });
    expect(upstream.turns.bound).toBeLessThanOrEqual(16);
    await v1(answersAfter(5), port);
    await sleep(1_700);
    expect(upstream.turns.bound).toBe(64);
    expect(kindsOf(await Promise.all(Array.from({ length: 40 }, (_, key) => buy(upstream, `k${key}`))))).toEqual({
      succeeded: 40,
    });
  });
});

it('a limit that grows while no call ends lets waiting calls begin', async () => {
  let nowMs = 0;
  const turns = new CallTurns({ most: 64, now: () => nowMs });
  kept({ close: () => turns.close() });
  const lane = turns.laneOf('/airtime', true);
  const failure = { kind: 'failed' as const, isStarted: false, codes: ['ECONNREFUSED'], detail: '' };
  for (let nth = 0; nth < 2; nth++) {
    turns.take('x', lane);
    nowMs += 1;
    turns.end('x', lane, { exchanged: failure, begunAtMs: nowMs, retryAfterSeconds: undefined });
  }
  await sleep(120);
  const taken = Array.from({ length: 40 }, (_, nth) => turns.take(`k${nth}`, lane)).filter(Boolean);
  expect(taken).toHaveLength(6);
  const waited = turns.wait('late', lane, 5_000);
  nowMs += 5_000;
  expect(await waited).toBe('taken');
});

it('a line counts as crowded once its first call has waited longer than the given time', async () => {
  let nowMs = 0;
  const turns = new CallTurns({ most: 1, now: () => nowMs });
  kept({ close: () => turns.close() });
  const lane = turns.laneOf('/airtime', true);
  turns.take('a', lane);
  const waited = turns.wait('a', lane, 5_000);
  nowMs = 300;
  expect(turns.crowdedSeconds('a', '/airtime', 300)).toBeUndefined();
  nowMs = 301;
  expect(turns.crowdedSeconds('a', '/airtime', 300)).toBe(5);
  expect(turns.crowdedSeconds('b', '/airtime', 300)).toBeUndefined();
  const failure = { kind: 'failed' as const, isStarted: true, codes: [], detail: '' };
  turns.end('a', lane, { exchanged: failure, begunAtMs: 0, retryAfterSeconds: undefined });
  expect(await waited).toBe('taken');
  expect(turns.crowdedSeconds('a', '/airtime', 0)).toBeUndefined();
});

it('the paths of the mappings make at most 65 lanes', () => {
  const turns = new CallTurns({ most: 8 });
  const lanes = new Set(Array.from({ length: 200 }, (_, nth) => turns.laneOf(`/path-${nth}`, true)));
  expect(lanes.size).toBe(65);
});

function createLimit() {
  let nowMs = 0;
  const bearable = createBearable({ most: 1_000, least: 8, doublesInMs: 2_000, now: () => nowMs });
  const pass = (ms: number): void => void (nowMs += ms);
  /** Two complaints in a row are more than a tenth of the latest answers. */
  const complain = (inUse: number, restMs?: number): void => {
    for (let nth = 0; nth < 2; nth++) bearable.learn(true, nowMs, inUse, restMs);
  };
  return { bearable, pass, complain, now: () => nowMs };
}

describe('the limit of calls', () => {
  test('is the maximum until v1 complains', () => {
    expect(createLimit().bearable.now()).toBe(1_000);
  });

  test('is half of the calls in flight once complaints are more than a tenth of the answers', () => {
    const { bearable, complain } = createLimit();
    complain(300);
    expect(bearable.now()).toBe(150);
  });

  test('is not lowered by one complaint among many answers', () => {
    const { bearable, now } = createLimit();
    for (let nth = 0; nth < 200; nth++) bearable.learn(nth % 40 === 0, now(), 300);
    expect(bearable.now()).toBe(1_000);
  });

  test('is lowered once by all calls of one moment, and again by calls that began later', () => {
    const { bearable, pass, complain, now } = createLimit();
    pass(10);
    complain(400);
    for (let nth = 0; nth < 50; nth++) bearable.learn(true, 5, 200);
    expect(bearable.now()).toBe(200);
    pass(1);
    bearable.learn(true, now(), 200);
    expect(bearable.now()).toBe(100);
  });

  test('never falls below its minimum, and doubles with time up to the maximum', () => {
    const { bearable, pass, complain } = createLimit();
    for (let nth = 0; nth < 20; nth++) {
      complain(1);
      pass(1);
    }
    expect(bearable.now()).toBe(8);
    pass(2_000);
    expect(bearable.now()).toBe(16);
    pass(12_000);
    expect(bearable.now()).toBe(1_000);
  });

  test('does not grow during the pause that v1 asked for, ten seconds at most', () => {
    const { bearable, pass, complain } = createLimit();
    complain(200, 5_000);
    pass(5_000);
    expect(bearable.now()).toBe(100);
    pass(2_000);
    expect(bearable.now()).toBe(200);
    pass(1);
    complain(200, 3_600_000);
    pass(12_000);
    expect(bearable.now()).toBe(200);
  });
});
