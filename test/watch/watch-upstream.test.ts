import { createServer as createPlain } from 'node:http';
import { createServer } from 'node:net';
import type { Clock } from '../../src/domain/clock';
import { createLog } from '../../src/telemetry/log';
import type { CallDone } from '../../src/upstream/http-upstream';
import { watchUpstream, type UpstreamWatch } from '../../src/watch/watch-upstream';
import { listen, type Listening } from '../listen';
import { until } from '../until';

type V1 = (path: string) => { readonly status: number; readonly text: string };
const WELL: V1 = () => ({ status: 401, text: '{"status":"error","message":"Invalid API key"}' });
const PAGE: V1 = () => ({ status: 200, text: '<html>parked</html>' });
const WRONG_PATH: V1 = () => ({ status: 404, text: '<html>not found</html>' });

let lines: Record<string, unknown>[];
let asked: { path: string | undefined; authorization: string | undefined }[];
let up: boolean[];
let troubles: string[];
let timed: unknown[];
let nowMs: number;
let due: { readonly atMs: number; readonly run: () => void } | undefined;
let watching: UpstreamWatch | undefined;
let v1: V1;
let server: Listening | undefined;
let port: number;
beforeEach(async () => {
  lines = [];
  asked = [];
  up = [];
  troubles = [];
  timed = [];
  nowMs = 0;
  due = undefined;
  v1 = WELL;
  await open();
});
afterEach(async () => {
  watching?.stop();
  await close();
});

async function open(at = 0): Promise<void> {
  const opened = createPlain((request, response) => {
    asked.push({ path: request.url, authorization: request.headers.authorization });
    const { status, text } = v1(request.url ?? '');
    response.writeHead(status).end(text);
  });
  server = await listen(opened, at);
  ({ port } = server);
}

async function close(): Promise<void> {
  const closing = server;
  server = undefined;
  await closing?.close();
}

const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
const metrics = {
  upstreamDone: (...call: unknown[]) => void timed.push(call),
  setV1Up: (isUp: boolean) => void up.push(isUp),
  v1Trouble: (kind: string) => void troubles.push(kind),
};
/** A clock that stands still. The test itself runs the work that is due. */
const clock: Clock = {
  now: () => nowMs,
  elapsed: () => nowMs,
  after: (delayMs, run) => {
    const mine = { atMs: nowMs + delayMs, run };
    due = mine;
    return () => {
      if (due === mine) due = undefined;
    };
  },
};

function watch(url = `http://127.0.0.1:${port}/api/v1`, probeSeconds = 30): UpstreamWatch {
  return (watching = watchUpstream(url, { clock, log, metrics, probeSeconds }));
}

/** A probe is over when the next one is planned. */
const probed = (): Promise<void> => until(() => due !== undefined);
/** Waits for the next probe and gives the seconds until it came. */
async function probeAgain(): Promise<number> {
  const { atMs, run } = due!;
  const waitedMs = atMs - nowMs;
  nowMs = atMs;
  due = undefined;
  run();
  await probed();
  return waitedMs / 1_000;
}

const sale = (text: string, httpStatus = 200): CallDone => ({
  method: 'POST',
  path: '/api/v1/airtime',
  fingerprint: 'f',
  requestId: 'r-1',
  outcome: 'unknown',
  durationMs: 20,
  exchanged: { kind: 'answered', httpStatus, text, retryAfter: undefined },
});
const GOOD_SALE = sale('{"status":"success"}');

test('an unreachable v1 is logged once at the start, without the credentials of its address, and again when it answers', async () => {
  await close();
  watch(`http://somebody:hidden-word@127.0.0.1:${port}/api/v1`);
  await probed();
  expect(await probeAgain()).toBe(10);
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'warn',
      event: 'upstream_trouble',
      kind: 'unreachable',
      host: `127.0.0.1:${port}`,
      code: 'ECONNREFUSED',
      detail: expect.stringMatching(/is v1 running/) as string,
    }),
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/hidden-word|somebody/);

  await open(port);
  await probeAgain();
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatchObject({ level: 'info', event: 'upstream_well', kind: 'unreachable', durationMs: 20_000, count: 0 });
  expect(up).toEqual([false, true]);
});

test.each([
  ['a wrong path', WRONG_PATH, /answers 404 for \/api\/v1\/balance/],
  ['a page', PAGE, /a page \(HTML\)/],
])('a v1 that answers with %s is logged at the start', async (_what, behaviour, detail) => {
  v1 = behaviour;
  watch();
  await probed();
  expect(lines).toEqual([expect.objectContaining({ kind: 'not_v1', detail: expect.stringMatching(detail) as string })]);
});

test('a v1 that works is not logged, is probed without a key, and is not probed while it answers sales', async () => {
  const { noteCall } = watch();
  await probed();
  nowMs = 20_000;
  noteCall(GOOD_SALE);
  nowMs = due!.atMs;
  due!.run();
  expect(due!.atMs).toBe(50_000);
  expect(asked).toEqual([{ path: '/api/v1/balance', authorization: undefined }]);
  await probeAgain();
  expect(asked).toHaveLength(2);
  expect({ lines, up }).toEqual({ lines: [], up: [] });
});

test('a v1 that stops while there is no traffic is noticed by probes', async () => {
  watch();
  await probed();
  await close();
  expect([await probeAgain(), await probeAgain(), await probeAgain()]).toEqual([30, 2, 2]);
  expect(lines.map(({ event, kind }) => [event, kind])).toEqual([['upstream_trouble', 'unreachable']]);
  expect(troubles).toEqual(['unreachable', 'unreachable', 'unreachable']);
});

test('a hundred failing sales log one warning, and one line when probes see the end of the trouble', async () => {
  const { noteCall } = watch();
  await probed();
  v1 = PAGE;
  for (let nth = 0; nth < 100; nth += 1) {
    nowMs += 100;
    noteCall(sale('<html>parked</html>'));
  }
  await probeAgain();
  v1 = WELL;
  await probeAgain();
  expect(lines.map(({ event, kind, count, durationMs }) => [event, kind, count, durationMs])).toEqual([
    ['upstream_trouble', 'not_v1', undefined, undefined],
    ['upstream_well', 'not_v1', 100, expect.any(Number)],
  ]);
});

test('a lost answer is followed by an early probe, and nothing is logged if v1 answers the probe', async () => {
  const { noteCall } = watch();
  await probed();
  noteCall({ ...GOOD_SALE, exchanged: { kind: 'failed', isStarted: true, codes: ['ECONNRESET'], detail: 'x' } });
  expect(await probeAgain()).toBe(2);
  expect(lines).toEqual([]);
  nowMs += 10;
  expect(await probeAgain()).toBeGreaterThan(29);
});

test('without probes the calls of scripts show the begin and the end of a trouble', () => {
  const { noteCall } = watch(undefined, 0);
  for (let nth = 0; nth < 3; nth += 1) {
    nowMs += 1_000;
    noteCall(sale('', 503));
  }
  nowMs += 5_000;
  noteCall(GOOD_SALE);
  expect(lines.map(({ event, kind }) => [event, kind])).toEqual([
    ['upstream_trouble', 'failing'],
    ['upstream_well', 'failing'],
  ]);
  expect({ asked, due }).toEqual({ asked: [], due: undefined });
});

test('an https address at which the server has no TLS is logged as unreachable', async () => {
  const plain = createServer((socket) =>
    socket
      .on('error', () => undefined)
      .resume()
      .end('no TLS\r\n'),
  );
  const listening = await listen(plain);
  watch(`https://127.0.0.1:${listening.port}/api/v1`);
  await probed();
  expect(lines).toEqual([expect.objectContaining({ kind: 'unreachable', detail: expect.stringMatching(/TLS/) as string })]);
  await listening.close();
});

test('after a stop v1 is not probed and nothing is logged', async () => {
  await close();
  watch().stop();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect({ lines, due }).toEqual({ lines: [], due: undefined });
});

test('each call is timed by its endpoint and outcome, without the base path of v1', () => {
  const { noteCall } = watch(undefined, 0);
  noteCall(GOOD_SALE);
  noteCall({ ...GOOD_SALE, path: '/api/v1/catalog', outcome: 'unavailable', durationMs: 5 });
  expect(timed).toEqual([
    ['/airtime', 'unknown', 20],
    ['/catalog', 'unavailable', 5],
  ]);
});
