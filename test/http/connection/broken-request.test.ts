import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import type { LegacyReply, LegacyRequest } from '../../../src/domain/legacy';
import type { Refuse } from '../../../src/http/app';
import { createClientAddress } from '../../../src/http/client-address';
import { encodeSpacedTarget } from '../../../src/http/connection/broken-request';
import { DEFAULT_HTTP_LIMITS } from '../../../src/http/http-limits';
import { createHttpServer } from '../../../src/http/server';
import { blockEventLoop } from '../block-event-loop';
import { closeServers, ok, openServer, openSlowServer, pause, reply } from '../open-server';
import { plain, sendBytes } from '../request-door';
import { until } from '../../until';

afterEach(closeServers);

const MALFORMED = 'The request is not well-formed HTTP.';

describe('a broken request', () => {
  test.each([
    ['garbage', 'garbage\r\n\r\n', 400, MALFORMED],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01', 400, MALFORMED],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, MALFORMED],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      MALFORMED,
    ],
    ['a broken chunk', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400, MALFORMED],
    [
      'headers without end',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'The headers of the request are too large.',
    ],
    ['CONNECT', 'CONNECT sell.example:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'CONNECT is not served.'],
  ])('with %s is answered in JSON', async (_title, bytes, status, detail) => {
    const { port } = await openServer(ok);
    const answer = await sendBytes(port, bytes);
    expect(reply(answer)).toEqual({ status, body: { status: 'fail', error: [detail] } });
  });

  test('headers that do not arrive in time are a 408', async () => {
    const { port } = await openServer(ok, { headerTimeMs: 100, requestTimeMs: 200 });
    expect(reply(await sendBytes(port, 'GET / HTTP/1.1\r\nHost: x\r\n'))).toEqual({
      status: 408,
      body: { status: 'fail', error: ['The request did not arrive in time.'] },
    });
  });

  test('of which nothing arrives in time gets no reply: a question about an order would be told as failed', async () => {
    const { port } = await openServer(ok, { headerTimeMs: 100, requestTimeMs: 200 });
    expect(await sendBytes(port, '')).toBe('');
  });

  test('headers that arrived while the process was held up are read, and not a 408', async () => {
    const { port } = await openServer(ok, { headerTimeMs: 100, requestTimeMs: 200 });
    const socket = connect(port, '127.0.0.1');
    const answer = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())));
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
    await pause(20);
    // After immediates come timers, before what has arrived.
    await new Promise((resolve) => setImmediate(resolve));
    socket.write('\r\n');
    blockEventLoop();
    expect(reply(await answer)).toEqual({ status: 200, body: { status: 'success' } });
    socket.destroy();
  });

  test('broken bytes after a purchase never count as its reply', async () => {
    const { port, begun, answer } = await openSlowServer();
    const told = sendBytes(port, 'POST /api/topup/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na=1garbage\r\n\r\n');
    await until(() => begun.length === 1);
    answer();
    expect((await told).match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(reply(await told)).toEqual({ status: 200, body: { path: '/api/topup/' } });
  });

  /** Sends the bytes and ends the connection once `isSent`. Returns what was told of the requests in them. */
  async function toldOf(bytes: string, isSent: (facts: { begun: number }) => boolean) {
    const facts = { begun: 0 };
    const told: unknown[] = [];
    const { port } = await openServer(
      ok,
      {},
      { onBroken: (error) => void told.push({ kind: 'broken', code: error.code }) },
      {
        passthrough: (request) => void request.resume(),
        onInFlight: (by) => (facts.begun += Math.max(0, by)),
        onRequestDone: (done) => void told.push(done),
      },
    );
    const socket = connect(port, '127.0.0.1');
    socket.resume().write(bytes);
    await until(() => isSent(facts));
    socket.end();
    await until(() => socket.closed && told.length > 0);
    return told;
  }

  test.each([
    ['compat', '/api/topup/'],
    ['passthrough', '/api/v1/airtime'],
  ])('whose body is cut off (%s) is told once, by the application, and without a status', async (kind, path) => {
    const bytes = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"network":1,`;
    const told = await toldOf(bytes, ({ begun }) => begun === 1);
    expect(told).toEqual([expect.objectContaining({ kind, path, status: undefined })]);
  });

  test.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['CONNECT', 'CONNECT sell.example:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a broken first chunk', 'POST /api/topup/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ])('that is broken before it begins, as with %s, is told once and never begins', async (_title, bytes) => {
    let begun = 0;
    const told = await toldOf(bytes, (facts) => ((begun = facts.begun), true));
    expect([begun, told]).toEqual([0, [expect.objectContaining({ kind: 'broken' })]]);
  });

  const ASKED = 'GET /api/transaction/7 HTTP/1.1\r\n';
  const TOO_LARGE = `X: ${'x'.repeat(20_000)}\r\n\r\n`;
  test.each([
    ['stops before its headers', [ASKED], 408],
    ['stops in the middle of its headers', [ASKED, 'Host: x\r\n'], 408],
    ['has headers that are too large', [ASKED, TOO_LARGE.slice(0, 9_000), TOO_LARGE.slice(9_000)], 431],
    ['has a malformed header', [ASKED, 'A B: c\r\n\r\n'], 400],
    ['has a malformed header behind a blank line', ['\r\n', ASKED, 'A B: c\r\n\r\n'], 400],
    ['has another version and half a line break', ['GET /api/transaction/7 HTTP/7.0\r', '\n\r\n'], 400],
    ['has its method in lower case', [ASKED.replace('GET', 'get'), '\r\n'], 400],
    ['has a malformed header and its whole address', [ASKED.replace('/api', 'http://x/api'), 'A B: c\r\n\r\n'], 400],
    ['has a malformed chunk', [ASKED.replace('GET', 'POST'), 'Transfer-Encoding: chunked\r\n\r\n', 'zz\r\n'], 400],
  ])('that %s is refused by its address, however many packets have brought it', async (_title, packets, status) => {
    const refuse: Refuse = (error, partial) => ({ status: error.status, body: { path: partial?.path ?? null } });
    const limits = { ...DEFAULT_HTTP_LIMITS, headerTimeMs: 200, requestTimeMs: 400 };
    const app = express().use('/first', (_request, response) => void response.end('{}'));
    const server = createHttpServer(
      app.use(() => undefined),
      limits,
      refuse,
    );
    const { port } = await server.listen(0, '127.0.0.1');
    const first = 'POST /first HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n';
    for (const sent of [packets, [packets.join('')]]) {
      const socket = connect(port, '127.0.0.1', () => socket.write(first));
      await once(socket, 'data');
      const told = text(socket);
      for (const packet of sent) {
        socket.write(packet);
        await pause(10);
      }
      expect(reply(await told)).toEqual({ status, body: { path: '/api/transaction/7' } });
    }
    await server.close(0);
  });

  test.each(['GET /api/transa', '\r\nGET /api/transa', '\r\n'])(
    'of which only %j arrives in time gets no reply',
    async (bytes) => {
      const { port } = await openServer(ok, { headerTimeMs: 100, requestTimeMs: 200 });
      expect(await sendBytes(port, bytes)).toBe('');
    },
  );

  test('is answered even when the wording itself fails', async () => {
    const server = createHttpServer(express(), DEFAULT_HTTP_LIMITS, () => {
      throw new Error('no words');
    });
    const { port } = await server.listen(0, '127.0.0.1');
    expect(reply(await sendBytes(port, 'garbage\r\n\r\n'))).toEqual({
      status: 400,
      body: { error: [MALFORMED], message: MALFORMED, msg: MALFORMED },
    });
    await server.close(0);
  });
});

const mend = (text: string): string | undefined => encodeSpacedTarget(Buffer.from(text, 'latin1'))?.toString('latin1');

describe('mendSpacedTarget', () => {
  test('encodes the spaces of a query and ends the connection after its reply', () => {
    expect(mend('GET /api/validateiuc?a=1& &b=2 HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n')).toBe(
      'GET /api/validateiuc?a=1&%20&b=2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
  });

  test('encodes what the order id in a path may hold: spaces, tabs and bytes beyond ASCII', () => {
    expect(mend('GET /api/transaction/a b\tc\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n')).toBe(
      'GET /api/transaction/a%20b%09c%C3%A9 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
  });

  test.each([
    ['a POST', 'POST /a?b=1 2 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a body', 'GET /a?b=1 2 HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}'],
    ['a length', 'GET /a?b=1 2 HTTP/1.1\r\nHost: x\r\ncontent-length : 0\r\n\r\n'],
    ['chunks', 'GET /a?b=1 2 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a second request behind it', 'GET /a?b=1 2 HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\n\r\n'],
    ['half a head', 'GET /a?b=1 2 HTTP/1.1\r\nHost: x\r\n'],
    ['a control character', 'GET /a?b=1\x002 3 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['nothing to mend', 'GET /a?b=1 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('leaves %s unchanged', (_title, text) => expect(mend(text)).toBeUndefined());
});

describe('a request with bare spaces in its query', () => {
  let seen: LegacyRequest[];
  let port: number;
  beforeEach(async () => {
    seen = [];
    const handle = async (request: LegacyRequest): Promise<LegacyReply> => {
      seen.push(request);
      return { status: 200, body: { name: 'x'.repeat(100_000) } };
    };
    ({ port } = await openServer(handle, {}, undefined, { clientAddress: createClientAddress([]) }));
  });

  test('is served like any other, at its own address, and the connection ends', async () => {
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () =>
        socket.write('GET /api/validateiuc?smart_card_number=01& &cablename=GOTV HTTP/1.1\r\nHost: x\r\n\r\n'),
      );
      socket.on('data', (chunk) => (text += chunk.toString())).on('end', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/connection: close/i);
    expect(answer.endsWith('x"}')).toBe(true);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ path: '/api/validateiuc', clientAddress: '127.0.0.1' });
    expect(plain(seen[0]?.query ?? new Map())).toEqual({ smart_card_number: '01', cablename: 'GOTV' });
  });

  test('is served though two packets have brought it, the second one with the spaces', async () => {
    const socket = connect(port, '127.0.0.1');
    const answer = text(socket);
    socket.write('GET /api/validateiuc?smart_card_number=01&');
    await pause(10);
    socket.write(' &cablename=GOTV HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(plain(seen[0]?.query ?? new Map())).toEqual({ smart_card_number: '01', cablename: 'GOTV' });
  });

  const OTHER = 'GET /api/transaction/other?a=b c HTTP/1.1\r\nX: ';
  const chunkOf = (data: string): string => `${data.length.toString(16)}\r\n${data}\r\n`;
  const counted = (path: string, data: string): [string, string] => [
    `POST ${path} HTTP/1.1\r\nContent-Length: ${data.length}\r\n\r\n`,
    data,
  ];
  const chunked = (path: string, data: string): [string, string] => [
    `POST ${path} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `${chunkOf(data)}0\r\n\r\n`,
  ];
  test.each([
    ['that v1 answered early', counted('/api/v1/x', OTHER), []],
    ['that v1 answered early, in chunks', chunked('/api/v1/x', OTHER), []],
    ['that v1 answered early, with a blank line', counted('/api/v1/x', `a\r\n\r\n${OTHER}`), []],
    ['that v1 answered early, torn at the end of its head', counted('/api/v1/x', OTHER), [-5, -4, -3, -2, -1]],
    ['that v1 answered early, torn at its last header', counted('/api/v1/x', OTHER), [-9]],
    ['that is too large', counted('/api/topup/', 'y'.repeat(300_000) + OTHER), []],
  ])('is served at its own address behind a body %s', async (_title, [head, body], tears) => {
    for (const tear of [head.length, ...tears.map((from) => head.length + from)]) {
      seen = [];
      const socket = connect(port, '127.0.0.1').setNoDelay();
      const told = text(socket);
      // The reply comes before the body. The last packet of a torn head brings the beginning of the body too.
      const packets = [head.slice(0, tear), head.slice(tear) + body.slice(0, 3), body.slice(3, -3), body.slice(-3)];
      for (const packet of [...packets, 'GET /api/transaction/7 8 HTTP/1.1\r\n\r\n']) {
        socket.write(packet);
        await pause(20);
      }
      expect((await told).match(/HTTP\/1\.1/g)).toHaveLength(2);
      expect(seen.map(({ path }) => path)).toEqual(['/api/transaction/7 8']);
    }
  });

  test.each([
    ['begins in the packet that ends a body', ['a\r\n0\r\n\r\nGET /api/transaction/7', ' 8 HTTP/1.1\r\n\r\n']],
    ['comes whole in that packet', ['a\r\n0\r\n\r\nGET /api/transaction/7 8 HTTP/1.1\r\n\r\n']],
  ])('is not answered where it %s of chunks: its beginning is not sure', async (_title, packets) => {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    const told = text(socket);
    for (const packet of ['POST /api/v1/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n', ...packets]) {
      socket.write(packet);
      await pause(20);
    }
    expect((await told).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(seen).toEqual([]);
  });

  test.each([[['\r\nGET']], [['\r\n', 'GET']], [['\r', '\n\r\nGET']]])('is served behind blank lines: %j', async (packets) => {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    const told = text(socket);
    for (const packet of [...packets, ' /api/transaction/7 8 HTTP/1.1\r\n\r\n']) {
      socket.write(packet);
      await pause(10);
    }
    expect(await told).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(seen.map(({ path }) => path)).toEqual(['/api/transaction/7 8']);
  });

  test('is served on a connection that was used before, and only once', async () => {
    await sendBytes(port, 'GET /first HTTP/1.1\r\nHost: x\r\n\r\n');
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.write('GET /first HTTP/1.1\r\nHost: x\r\n\r\n');
    while (!answer.endsWith('x"}')) await pause(10);
    socket.write('GET /second?a=1 2 HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.on('data', () => socket.write('more'));
    await new Promise((resolve) => socket.on('close', resolve).on('error', resolve));
    expect(seen.map(({ path }) => path)).toEqual(['/first', '/first', '/second']);
  });
});
