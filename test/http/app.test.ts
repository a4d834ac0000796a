import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import request from 'supertest';
import { GatewayError } from '../../src/domain/errors';
import type { LegacyRequest } from '../../src/domain/legacy';
import { createApp } from '../../src/http/app';
import type { AppOptions, PartialRequest, EndedRequest } from '../../src/http/app';
import { DEFAULT_HTTP_LIMITS } from '../../src/http/http-limits';
import { closeServers, openServer } from './open-server';
import { until } from '../until';
import { blockEventLoop } from './block-event-loop';

function house(options: Partial<AppOptions> = {}) {
  const handled: LegacyRequest[] = [];
  const refused: { readonly error: GatewayError; readonly partial: PartialRequest | undefined }[] = [];
  const lines: EndedRequest[] = [];
  const incidents: unknown[] = [];
  const app = createApp({
    handle: async (legacy) => {
      handled.push(legacy);
      return { reply: { status: 200, body: { status: 'success' } } };
    },
    refuse: (error, partial) => {
      refused.push({ error, partial });
      return { status: error.status, body: { status: 'fail', Status: 'failed', error: [error.detail] } };
    },
    passthrough: (incoming, response) => response.end(`v1 ${incoming.method} ${incoming.url}`),
    v1Path: '/api/v1',
    clientAddress: () => '203.0.113.9',
    limits: DEFAULT_HTTP_LIMITS,
    onRequestDone: (line) => lines.push(line),
    incident: (error) => `incident-${incidents.push(error)}`,
    ...options,
  });
  return { app, handled, refused, lines, incidents };
}

const throwing = (error: Error) => (): never => {
  throw error;
};

// The first test of the file: in its process nothing was served yet.
test('the first request may have waited as long as the process stood still', async () => {
  const heldUpMs: (number | undefined)[] = [];
  const { app } = house({
    handle: async (_, { line }) => {
      heldUpMs.push(line.heldUpMs);
      return { reply: { status: 200, body: {} } };
    },
  });
  await new Promise((resolve) => setTimeout(resolve, 60));
  blockEventLoop(600);
  await request(app).post('/api/topup/').type('form').send({ network: 1 });
  expect(heldUpMs).toEqual([expect.any(Number)]);
  expect(heldUpMs[0]).toBeGreaterThan(600);
});

describe('the app', () => {
  test.each([
    ['/api/v1', 'v1 POST /'],
    ['/api/v1/', 'v1 POST /'],
    ['/api/v1/airtime?x=%zz', 'v1 POST /airtime?x=%zz'],
    ['/api/v1?x=1', 'v1 POST /?x=1'],
    ['//api/v1/airtime', 'v1 POST /airtime'],
    ['/api//v1?x=1', 'v1 POST /?x=1'],
  ])('passes %s through with its body unread', async (path, text) => {
    const { app, handled } = house();
    const answer = await request(app).post(path).set('content-type', 'application/json').send('{broken');
    expect([answer.status, answer.text]).toEqual([200, text]);
    expect(handled).toEqual([]);
  });

  test.each(['/API/V1/airtime', '/api/v1x', '/api/topup/', '/'])('treats %s as a compat route', async (path) => {
    const { app, handled } = house();
    await request(app).post(path).type('form').send({ network: 1 });
    expect(handled).toMatchObject([{ method: 'POST', path, body: new Map([['network', '1']]), clientAddress: '203.0.113.9' }]);
  });

  test('holds no step of the router while a request waits for its reply', async () => {
    const { app } = house();
    const seen: unknown[] = [];
    const server = createServer((incoming, response) => {
      app(incoming, response);
      seen.push((incoming as { next?: unknown }).next);
    });
    await request(server).post('/api/topup/').type('form').send({ network: 1 });
    expect(seen).toEqual([undefined]);
  });

  test('answers without an ETag, an X-Powered-By header or a redirect between the slash spellings', async () => {
    const { app } = house();
    for (const path of ['/api/user', '/api/user/', '//api/user/']) {
      const answer = await request(app).get(path);
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.headers).sort()).toEqual([
        'cache-control',
        'connection',
        'content-length',
        'content-type',
        'date',
      ]);
    }
  });

  test.each(['OPTIONS', 'TRACE', 'PUT', 'HEAD'])('%s takes the same path as every method', async (method) => {
    const { app, handled } = house();
    await request(app)[method.toLowerCase() as 'options']('/api/user');
    expect(handled).toMatchObject([{ method }]);
  });

  test('a refusal is worded with the fields that could be read', async () => {
    const { app, refused, handled } = house();
    const answer = await request(app)
      .post('/api/topup/')
      .set('authorization', 'Token k')
      .set('content-type', 'application/json')
      .send('{"a": 1 "b": 2}');
    expect(answer.status).toBe(400);
    expect(answer.body.error[0]).toContain('line 1, column 9');
    expect(refused).toMatchObject([
      { error: { code: 'unreadable_body' }, partial: { path: '/api/topup/', headers: { authorization: 'Token k' } } },
    ]);
    expect(handled).toEqual([]);
  });

  test('a path that cannot be decoded is passed on unchanged, because it may hold the id of an order', async () => {
    const { app, handled, refused } = house();
    await request(app).get('/api/transaction/%zz');
    expect([handled[0]?.path, refused]).toEqual(['/api/transaction/%zz', []]);
  });

  test('a refusal of the walk and one of the address have the same words', async () => {
    const { app } = house({ handle: throwing(new GatewayError('overloaded')) });
    expect((await request(app).get('/api/user')).status).toBe(503);
    const blind = house({ clientAddress: throwing(new GatewayError('bad_forwarded_address')) });
    expect((await request(blind.app).get('/api/user')).status).toBe(400);
  });

  test('a bug is a 500 with an incident id, and shows nothing else', async () => {
    const bug = new Error('secret of the house');
    const { app, incidents, lines } = house({ handle: throwing(bug) });
    const answer = await request(app).get('/api/user');
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ status: 'fail', Status: 'failed', error: ['The gateway itself failed. Incident incident-1.'] });
    expect(answer.text).not.toContain('secret');
    expect(incidents).toEqual([bug]);
    expect(lines).toMatchObject([{ status: 500, refusal: { error: { code: 'internal' } } }]);
  });

  test('a bug in the wording of a refusal still ends in JSON with an error', async () => {
    const { app } = house({ refuse: throwing(new Error('no words')) });
    const answer = await request(app).post('/api/topup').set('content-type', 'application/json').send('{');
    expect(answer.status).toBe(500);
    expect(answer.body.error).toEqual(['The gateway itself failed. Incident incident-1.']);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('a bug in the pass-through is JSON as well, worded for the whole address', async () => {
    const { app, refused } = house({ passthrough: throwing(new Error('bug')) });
    const answer = await request(app).get('/api/v1/balance');
    expect([answer.status, answer.body.status]).toEqual([500, 'fail']);
    expect(refused).toMatchObject([{ partial: { path: '/api/v1/balance' } }]);
  });

  test('a request that does not come through the walk is logged once, without its query', async () => {
    const { app, lines } = house();
    await request(app).get('/api/user/?key=1');
    await request(app).get('/api/v1/balance?key=1');
    await request(app).post('/api/topup').set('content-type', 'application/json').send('1');
    expect(lines).toMatchObject([
      { kind: 'passthrough', method: 'GET', path: '/api/v1/balance', status: 200, isAbandoned: false },
      { kind: 'compat', method: 'POST', path: '/api/topup', status: 400, refusal: { error: { code: 'unreadable_body' } } },
    ]);
  });
});

/** Requests with every kind of end, on real sockets: each is counted once, and none stays in the count. */
describe('requests in flight', () => {
  let open = 0;
  let lowest = 0;
  let port: number;
  const waiting: (() => void)[] = [];
  const answerLate = (): void => waiting.splice(0).forEach((answer) => answer());
  beforeAll(async () => {
    const opened = await openServer(
      async ({ path }) => {
        if (path === '/wait') await new Promise<void>((resolve) => waiting.push(resolve));
        return { status: 200, body: {} };
      },
      {},
      undefined,
      {
        onInFlight: (by) => {
          open += by;
          lowest = Math.min(lowest, open);
        },
      },
    );
    port = opened.port;
  });
  afterAll(closeServers);
  afterEach(async () => {
    answerLate();
    await until(() => open === 0);
    expect([open, lowest]).toEqual([0, 0]);
  });

  const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

  function dial(text: string): Socket {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    return socket.on('error', () => undefined).resume();
  }

  test.each(['/', '/api/v1/balance'])('many for %s on one connection, one after the other', async (path) => {
    let answers = 0;
    let highest = 0;
    const socket = dial(GET(path)).on('data', () => {
      answers += 1;
      highest = Math.max(highest, open);
      if (answers < 30) socket.write(GET(path));
    });
    await until(() => answers === 30);
    await until(() => open === 0);
    expect(highest).toBeLessThanOrEqual(1);
    socket.destroy();
  });

  test.each([
    ['a caller that hangs up before its reply', GET('/wait')],
    ['a request that waits behind another when the connection ends has not begun', GET('/wait') + GET('/wait')],
  ])('%s', async (_title, requests) => {
    const socket = dial(requests);
    await until(() => open === 1);
    socket.destroy();
    await until(() => open === 0);
    answerLate();
  });

  test('a body that never ends, and bytes that are no HTTP', async () => {
    const socket = dial('POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n123');
    await until(() => open === 1);
    socket.end();
    const broken = dial('no HTTP at all\r\n\r\n');
    await new Promise((resolve) => broken.once('close', resolve));
    expect(open).toBeLessThanOrEqual(1);
    socket.destroy();
  });
});

test('a caller that hung up while the process stood still does not count as having its reply', async () => {
  const sockets: Socket[] = [];
  let onEnd: (isWhole: boolean) => void = () => undefined;
  const isWhole = new Promise<boolean>((resolve) => (onEnd = resolve));
  const { port } = await openServer(async (_request, { line }) => {
    line.onEnd(onEnd);
    for (const socket of sockets) socket.destroy();
    blockEventLoop();
    return { status: 200, body: {} };
  });
  sockets.push(connect(port, '127.0.0.1', () => sockets[0]!.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')));
  expect(await isWhole).toBe(false);
  await closeServers();
});
