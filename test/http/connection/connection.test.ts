import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { LegacyReply } from '../../../src/domain/legacy';
import { closeServers, openServer, openSlowServer, pause } from '../open-server';
import { until } from '../../until';
import { blockEventLoop } from '../block-event-loop';

afterEach(closeServers);

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const post = (path: string, body: string, headers = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;

/** A caller and all replies that it got, by path. */
function callOn(port: number): { readonly socket: Socket; readonly told: () => string[] } {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  return { socket, told: () => [...text.matchAll(/"path":"([^"]*)"|HTTP\/1.1 4\d\d/g)].map(([all, path]) => path ?? all) };
}

test('a request whose caller hung up while the process stood still does not begin', async () => {
  const { port, begun } = await openSlowServer();
  const { socket } = callOn(port);
  await once(socket, 'connect');
  await pause(20);
  socket.write(get('/'));
  socket.destroy();
  blockEventLoop();
  await pause(50);
  expect(begun).toEqual([]);
});

test('a request on a connection that was opened meanwhile does not begin either', async () => {
  const { port, begun } = await openSlowServer();
  const callers = Array.from({ length: 20 }, () => callOn(port).socket);
  for (const socket of callers) socket.once('connect', () => socket.write(get('/'), () => socket.destroy()));
  await Promise.all(callers.map((socket) => once(socket, 'connect')));
  blockEventLoop();
  await pause(100);
  expect(begun).toEqual([]);
});

/** Under Node 24 a socket that is closed lives on, with all that it holds, until V8 collects its old generation. */
test('a connection holds no request that is answered', async () => {
  const { port, server, answer, begun } = await openSlowServer();
  const requests: WeakRef<IncomingMessage>[] = [];
  server.server.on('request', (request) => requests.push(new WeakRef(request)));
  const { socket, told } = callOn(port);
  socket.write(post('/sale', '{}'));
  await until(() => begun.length === 1);
  answer();
  await until(() => told().length === 1);
  setFlagsFromString('--expose-gc');
  // The value of a `WeakRef` lives at least until the present turn of the event loop ends.
  await pause(20);
  runInNewContext('gc')();
  expect(requests.map((request) => request.deref()?.url)).toEqual([undefined]);
  expect(socket.closed).toBe(false);
});

describe('requests sent one behind another on a connection', () => {
  test('begin one at a time, however many arrive in one packet, and are all answered in order', async () => {
    const { port, begun, answer } = await openSlowServer();
    const { socket, told } = callOn(port);
    const paths = Array.from({ length: 40 }, (_, index) => `/${index}`);
    socket.write(paths.map((path, index) => (index % 3 === 0 ? post(path, '{\r\n\r\n"a":1}') : get(path))).join(''));
    for (const [index, path] of paths.entries()) {
      await until(() => begun.length > index);
      await pause(3);
      expect(begun).toHaveLength(index + 1);
      expect(begun[index]).toBe(path);
      answer();
    }
    await until(() => told().length === paths.length);
    expect(told()).toEqual(paths);
    socket.destroy();
  });

  test('are not read further while one is unanswered', async () => {
    const { port, begun } = await openSlowServer();
    const { socket } = callOn(port);
    const flood = Buffer.from(get('/').repeat(500_000));
    let hasLeft = false;
    socket.write(flood, () => (hasLeft = true));
    await until(() => begun.length === 1);
    const heap = process.memoryUsage().rss;
    await pause(300);
    expect(hasLeft).toBe(false);
    expect(begun).toHaveLength(1);
    expect(process.memoryUsage().rss - heap).toBeLessThan(flood.length);
    socket.destroy();
  });

  test('a megabyte of tiny requests takes turns with other connections', async () => {
    let floods = 0;
    const { port } = await openServer(async (request) => {
      if (request.path === '/flood') floods += 1;
      return { status: 200, body: { path: request.path } };
    });
    const flood = callOn(port).socket;
    flood.write(get('/flood').repeat(25_000));
    await until(() => floods > 0);
    const before = floods;
    const { socket, told } = callOn(port);
    socket.write(get('/sale'));
    await until(() => told().length === 1);
    expect(told()).toEqual(['/sale']);
    // With parsing packet by packet, more than a thousand would have come first.
    expect(floods - before).toBeLessThan(1_000);
    for (const one of [flood, socket]) one.destroy();
  });

  test('a purchase behind a request that closes the connection never begins', async () => {
    const { port, begun, answer, server } = await openSlowServer();
    const { socket, told } = callOn(port);
    socket.write(get('/first') + post('/purchase', '{}'));
    await until(() => begun.length === 1);
    // The reply to the last request says that the connection ends.
    socket.write('garbage\r\n\r\n');
    answer();
    await until(() => begun.length === 2);
    const closing = server.close(5_000);
    answer();
    await until(() => told().length >= 2 && socket.destroyed);
    await closing;
    expect(told().slice(0, 2)).toEqual(['/first', '/purchase']);

    const other = await openSlowServer();
    const last = callOn(other.port);
    last.socket.write(get('/last', 'Connection: close\r\n') + post('/purchase', '{}'));
    await until(() => other.begun.length === 1);
    other.answer();
    await until(() => last.socket.destroyed);
    expect(other.begun).toEqual(['/last']);
  });

  test('what a caller sent behind its request does not begin after it has hung up', async () => {
    const { port, begun, answer } = await openSlowServer();
    const { socket } = callOn(port);
    socket.write(get('/first') + post('/purchase', '{}') + post('/purchase', '{}'));
    await until(() => begun.length === 1);
    socket.destroy();
    await pause(30);
    answer();
    await pause(30);
    expect(begun).toEqual(['/first']);
  });

  test('a request in small pieces, with the end of its head torn apart, is one request', async () => {
    const { port, begun, answer } = await openSlowServer();
    const { socket, told } = callOn(port);
    for (const piece of [...(post('/a', '{"b":1}') + get('/c'))]) {
      socket.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => begun.length === 1);
    answer();
    await until(() => begun.length === 2);
    answer();
    await until(() => told().length === 2);
    expect(told()).toEqual(['/a', '/c']);
    socket.destroy();
  });

  test.each([
    ['behind it', 'no HTTP at all\r\n\r\n', ['/upgrade', 'HTTP/1.1 400']],
    ['of a head', 'GET /x HTTP/1.1\r\nA B: c\r\n\r\n', ['/upgrade', 'HTTP/1.1 400']],
    ['behind the next request', `${get('/next')}no HTTP at all\r\n\r\n`, ['/upgrade', '/next', 'HTTP/1.1 400']],
  ])('broken bytes %s are refused as usual where an upgrade was asked for', async (_title, bytes, expected) => {
    const { port } = await openServer(async (request): Promise<LegacyReply> => ({ status: 200, body: { path: request.path } }));
    for (const isInOne of [true, false]) {
      const { socket, told } = callOn(port);
      let isClosed = false;
      socket.on('close', () => (isClosed = true));
      const first = get('/upgrade', 'Connection: Upgrade\r\nUpgrade: websocket\r\n');
      socket.write(isInOne ? first + bytes : first);
      if (!isInOne) {
        await until(() => told().length === 1);
        socket.write(bytes);
      }
      await until(() => isClosed);
      // When that is known before a reply leaves, the reply is the last one.
      expect([expected, expected.slice(0, -1)]).toContainEqual(told());
    }
  });

  test.each([
    ['Connection: Upgrade\r\nUpgrade: websocket\r\n', ''],
    ['Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n', '{"network":"1"}'],
  ])('a request behind %j is answered', async (upgrade, body) => {
    const { port } = await openServer(async (request): Promise<LegacyReply> => ({ status: 200, body: { path: request.path } }));
    const { socket, told } = callOn(port);
    const first = body === '' ? get('/upgrade', upgrade) : post('/upgrade', body, upgrade);
    socket.write(first + post('/purchase', '{}') + get('/upgrade', upgrade) + get('/last'));
    await until(() => told().length === 4);
    expect(told()).toEqual(['/upgrade', '/purchase', '/upgrade', '/last']);
    socket.destroy();
  });

  test('a body that the server does not read lets no further request in', async () => {
    const { port, begun, answer } = await openSlowServer();
    const { socket, told } = callOn(port);
    const refused = `POST /api/v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc`;
    socket.write(refused.repeat(200) + get('/slow') + get('/next').repeat(400_000));
    await until(() => begun.length === 1);
    await pause(50);
    expect(socket.writableLength).toBeGreaterThan(1_000_000);
    answer();
    await until(() => told().includes('/slow') && begun.length === 2);
    socket.destroy();
  });
});
