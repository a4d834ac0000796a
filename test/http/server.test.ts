import { connect } from 'node:net';
import type { LegacyReply } from '../../src/domain/legacy';
import { createApp } from '../../src/http/app';
import type { AppOptions, Refuse } from '../../src/http/app';
import { DEFAULT_HTTP_LIMITS } from '../../src/http/http-limits';
import type { HttpLimits } from '../../src/http/http-limits';
import { createHttpServer } from '../../src/http/server';
import type { HttpServer } from '../../src/http/server';
import { speak } from './request-door';

const refuse: Refuse = (error) => ({ status: error.status, body: { status: 'fail', error: [error.detail] } });
const open: HttpServer[] = [];

async function openServer(
  handle: AppOptions['handle'],
  limits: Partial<HttpLimits> = {},
): Promise<{ port: number; server: HttpServer }> {
  const app = createApp({
    handle,
    refuse,
    passthrough: (_request, response) => response.end('v1'),
    v1Path: '/api/v1',
    clientAddress: () => '203.0.113.9',
    limits: { ...DEFAULT_HTTP_LIMITS, ...limits },
    incident: () => 'incident',
  });
  const server = createHttpServer(app, { ...DEFAULT_HTTP_LIMITS, ...limits }, refuse);
  open.push(server);
  return { port: (await server.listen(0, '127.0.0.1')).port, server };
}

const ok = async (): Promise<LegacyReply> => ({ status: 200, body: { status: 'success' } });
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Status and body of the first reply. */
function reply(answer: string): { status: number; body: unknown } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head.toLowerCase()).toContain('content-type: application/json');
  return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close(0)));
});

describe('the public server', () => {
  test.each([
    ['garbage', 'garbage\r\n\r\n', 400, 'The request is not well-formed HTTP.'],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01', 400, 'The request is not well-formed HTTP.'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'The request is not well-formed HTTP.',
    ],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'The request is not well-formed HTTP.',
    ],
    [
      'a broken chunk',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'The request is not well-formed HTTP.',
    ],
    [
      'headers without end',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'The headers of the request are too large.',
    ],
    ['CONNECT', 'CONNECT sell.example:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'CONNECT is not served.'],
  ])('answers %s in JSON', async (_title, bytes, status, detail) => {
    const { port } = await openServer(ok);
    const answer = await speak(port, bytes);
    expect(reply(answer)).toEqual({ status, body: { status: 'fail', error: [detail] } });
  });

  test.each([
    'OPTIONS * HTTP/1.1',
    'TRACE / HTTP/1.1',
    'GET http://[ HTTP/1.1',
    'GET /\xff?x=http://[ HTTP/1.1',
    'GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket',
    'GET / HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c',
    'GET / HTTP/1.1\r\nExpect: miracles',
    'GET /api/%zz HTTP/1.1',
    'GET /api/user;jsessionid=1 HTTP/1.1',
    'GET / HTTP/1.1\r\nNo-Host: 1',
  ])('answers %j in JSON and goes on serving', async (head) => {
    const { port } = await openServer(ok);
    const answer = await speak(port, Buffer.from(`${head}\r\n${head.includes('No-Host') ? '' : 'Host: x\r\n'}\r\n`, 'latin1'));
    expect([200, 400, 404]).toContain(reply(answer).status);
    expect(reply(await speak(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')).status).toBe(200);
  });

  test('headers that do not arrive in time are a 408', async () => {
    const { port } = await openServer(ok, { headerTimeMs: 100, requestTimeMs: 200 });
    expect(reply(await speak(port, 'GET / HTTP/1.1\r\nHost: x\r\n'))).toEqual({
      status: 408,
      body: { status: 'fail', error: ['The request did not arrive in time.'] },
    });
  });

  test('broken bytes behind a purchase are never taken for its reply', async () => {
    let finish: (reply: LegacyReply) => void = () => undefined;
    const { port } = await openServer(() => new Promise((resolve) => (finish = resolve)));
    const answer = speak(port, 'POST /api/topup/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na=1garbage\r\n\r\n');
    await pause(50);
    finish({ status: 200, body: { status: 'success' } });
    expect((await answer).match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(reply(await answer)).toEqual({ status: 200, body: { status: 'success' } });
  });

  test('Expect: 100-continue is answered with a go-ahead', async () => {
    const { port } = await openServer(ok);
    const answer = await speak(
      port,
      'POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n',
      '0\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/);
  });

  test('an HTTP/1.0 caller and one that wants the connection closed get their end', async () => {
    const { port } = await openServer(ok);
    // HTTP/1.0 has no Host.
    for (const head of ['GET / HTTP/1.0', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close']) {
      expect(await speak(port, `${head}\r\n\r\n`)).toMatch(/connection: close/i);
    }
  });

  test('a caller that hangs up leaves the walk running and the server whole', async () => {
    let ended = 0;
    const { port } = await openServer(async () => {
      await pause(60);
      ended++;
      return { status: 200, body: {} };
    });
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await pause(20);
    socket.destroy();
    await pause(100);
    expect(ended).toBe(1);
    expect(reply(await speak(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')).status).toBe(200);
  });

  test('closing lets a running request end and takes no new one', async () => {
    let finish: (reply: LegacyReply) => void = () => undefined;
    const { port, server } = await openServer(() => new Promise((resolve) => (finish = resolve)));
    const idle = connect(port, '127.0.0.1');
    const running = speak(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await pause(50);
    const closed = server.close(5_000);
    expect(await speak(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('');
    finish({ status: 200, body: { status: 'success' } });
    expect(reply(await running)).toEqual({ status: 200, body: { status: 'success' } });
    const finishedAtMs = Date.now();
    await closed;
    expect(Date.now() - finishedAtMs).toBeLessThan(1_000);
    idle.destroy();
  });

  test('closing cuts what is left after the deadline, and closing twice is fine', async () => {
    const { port, server } = await openServer(() => new Promise(() => undefined));
    const running = speak(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await pause(50);
    const startedAtMs = Date.now();
    await Promise.all([server.close(100), server.close(100)]);
    expect(Date.now() - startedAtMs).toBeLessThan(1_000);
    expect(await running).toBe('');
  });

  test('a port that is taken is an error of listen', async () => {
    const { port } = await openServer(ok);
    const { server } = await openServer(ok);
    await server.close(0);
    await expect(server.listen(port, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('requests and responses already have the prototypes that Express sets', async () => {
    const prototypes: boolean[] = [];
    const { port, server } = await openServer(ok);
    server.server.prependListener('request', (request, response) => {
      const before = [Object.getPrototypeOf(request), Object.getPrototypeOf(response)];
      response.once('finish', () => {
        prototypes.push(Object.getPrototypeOf(request) === before[0], Object.getPrototypeOf(response) === before[1]);
      });
    });
    await speak(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(prototypes).toEqual([true, true]);
  });
});
