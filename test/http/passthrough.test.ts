import { createServer, get } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer as createNetServer, connect, type Server, type Socket } from 'node:net';
import { createClientAddress } from '../../src/http/client-address';
import { createPassthrough } from '../../src/http/passthrough';
import type { PassthroughOptions } from '../../src/http/passthrough';
import { probeV1 } from '../../src/upstream/probe-v1';
import { readSign } from '../../src/upstream/v1-state';
import { freePort } from '../free-port';
import { listen } from '../listen';
import { sendBytes } from './request-door';
import { closedAfterEach } from '../opened';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const kept = closedAfterEach();

async function portOf(server: Server): Promise<number> {
  return kept(await listen(server)).port;
}

/** A small v1 that keeps what it got. */
async function openUpstream(reply?: RequestListener) {
  const seen: Seen[] = [];
  let connections = 0;
  const port = await portOf(
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push({
          method: request.method,
          url: request.url,
          headers: request.headers,
          body: Buffer.concat(chunks).toString('latin1'),
        });
        if (reply === undefined)
          response.writeHead(200, { 'content-type': 'application/json', 'x-v1': 'yes' }).end('{"status":"success"}');
        else reply(request, response);
      });
    }).on('connection', () => (connections += 1)),
  );
  return { port, seen, connections: () => connections };
}

async function openDoor(upstream: number | string, options: Partial<PassthroughOptions> = {}): Promise<number> {
  const upstreamUrl = typeof upstream === 'string' ? upstream : `http://127.0.0.1:${upstream}/v1/base`;
  return portOf(createServer(createPassthrough({ upstreamUrl, clientAddress: createClientAddress([]), ...options })));
}

const GET = 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n';
const PURCHASE = 'POST /airtime HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';

const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4);

describe('the pass-through', () => {
  test('sends method, path, query and body as they came, and returns the answer', async () => {
    const { port, seen } = await openUpstream();
    const door = await openDoor(port);
    const body = '{"phone": "0803\xff", broken';
    const answer = await sendBytes(
      door,
      Buffer.from(
        `POST /airtime/?a=1&&b=%zz&u=ftp://x//y HTTP/1.1\r\nHost: sell.example\r\nAuthorization: Bearer k\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        'latin1',
      ),
    );
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/v1/base/airtime/?a=1&&b=%zz&u=ftp://x//y',
        headers: {
          host: `127.0.0.1:${port}`,
          authorization: 'Bearer k',
          'content-length': String(body.length),
          'x-forwarded-for': '127.0.0.1',
          connection: 'keep-alive',
        },
        body,
      },
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('x-v1: yes');
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])('serves %s', async (method) => {
    const { port, seen } = await openUpstream();
    const answer = await sendBytes(await openDoor(port), `${method} /x HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
    expect(seen[0]?.method).toBe(method);
  });

  test('a chunked body arrives whole, with a GET and with Expect as well', async () => {
    const { port, seen } = await openUpstream();
    const door = await openDoor(port);
    for (const [method, expect = ''] of [
      ['POST'],
      ['GET'],
      ['POST', 'Expect: 100-continue\r\n'],
      ['GET', 'Expect: 100-continue\r\n'],
    ]) {
      const head = `${method} /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n${expect}\r\n`;
      await sendBytes(door, `${head}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`);
    }
    expect(seen.map(({ body }) => body)).toEqual(['abcde', 'abcde', 'abcde', 'abcde']);
    expect(seen[0]?.headers['x-forwarded-for']).toBe('127.0.0.1');
  });

  test("a forwarded address that cannot be read is refused in v1's shape, and nothing is sent", async () => {
    const { port, seen } = await openUpstream();
    const door = await openDoor(port, { clientAddress: createClientAddress(['127.0.0.1']) });
    const answer = await sendBytes(
      door,
      'POST /airtime HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: unknown\r\nContent-Length: 2\r\n\r\n{}',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
    expect(JSON.parse(bodyOf(answer))).toEqual({
      status: 'error',
      message: 'X-Forwarded-For has an entry that is no IP address.',
    });
    expect(seen).toEqual([]);
  });

  test.each([
    ['GET /../admin HTTP/1.1', 400],
    ['GET /%2e%2e/admin HTTP/1.1', 400],
    ['GET /x#/../admin HTTP/1.1', 400],
    ['GET /x?y#z HTTP/1.1', 400],
    ['TRACE /x HTTP/1.1', 405],
    ['DELETE /x HTTP/1.1\r\nTransfer-Encoding: chunked', 411],
    ['OPTIONS /x HTTP/1.1\r\nTransfer-Encoding: chunked', 411],
    ['POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3', 400],
  ])('refuses %j with %i, and v1 gets nothing', async (head, status) => {
    const { port, seen } = await openUpstream();
    const answer = await sendBytes(
      await openDoor(port),
      `${head}\r\nHost: x\r\n\r\n${head.includes('chunked') ? '3\r\nabc\r\n0\r\n\r\n' : ''}`,
    );
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status}`));
    expect(seen).toEqual([]);
  });

  test('a WebSocket is not opened: v1 gets a plain request', async () => {
    const { port, seen } = await openUpstream();
    const answer = await sendBytes(
      await openDoor(port),
      'GET /x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
    expect(seen[0]?.headers).not.toHaveProperty('upgrade');
  });

  const endsWith = (end: (socket: Socket) => unknown): Promise<number> =>
    portOf(createNetServer((socket) => socket.on('data', () => end(socket)).on('error', () => undefined)));
  const NOT_REACHED = 'The service could not be reached. Nothing was sent.';
  test.each<[string, string, () => Promise<number>, string | RegExp, boolean]>([
    ['a service that cannot be reached', 'http', freePort, NOT_REACHED, false],
    ['a TLS handshake that fails', 'https', () => endsWith((socket) => socket.end('no TLS here')), NOT_REACHED, false],
    ['a connection that breaks after the request', 'http', () => endsWith((socket) => socket.destroy()), /\/receipt/, true],
  ])('%s is a 502 that says whether anything was sent', async (_title, scheme, open, said, mayHaveBeenSent) => {
    const errors: unknown[] = [];
    const upstream = `${scheme}://127.0.0.1:${await open()}/v1/base`;
    const door = await openDoor(upstream, { onError: (_error, facts) => errors.push(facts) });
    const answer = await sendBytes(door, PURCHASE);
    expect(answer).toMatch(/^HTTP\/1\.1 502/);
    const message: unknown = typeof said === 'string' ? said : expect.stringMatching(said);
    expect(JSON.parse(bodyOf(answer))).toEqual({ status: 'error', message });
    expect(errors).toEqual([{ mayHaveBeenSent }]);
  });

  test('a TLS handshake without an answer is a 504 that says nothing was sent', async () => {
    const port = await portOf(createNetServer((socket) => socket.resume().on('error', () => undefined)));
    const answer = await sendBytes(await openDoor(`https://127.0.0.1:${port}`, { connectTimeMs: 50 }), GET);
    expect(answer).toMatch(/^HTTP\/1\.1 504/);
    expect(JSON.parse(bodyOf(answer)).message).toContain('Nothing was sent');
  });

  test('a request that cannot be sent is a 502, also after waiting for its turn', async () => {
    const { port, seen } = await openUpstream();
    let asked = 0;
    const clientAddress = (): string => (asked++ === 0 ? '10.0.0.1' : 'no\nheader');
    const door = await openDoor(port, { clientAddress, socketsMax: 1 });
    const first = sendBytes(door, GET);
    for (const answer of [
      sendBytes(door, 'GET /y HTTP/1.1\r\nHost: x\r\n\r\n'),
      sendBytes(door, 'GET /z HTTP/1.1\r\nHost: x\r\n\r\n'),
    ])
      expect(await answer).toMatch(/^HTTP\/1\.1 502 /);
    expect(await first).toMatch(/^HTTP\/1\.1 200 /);
    expect(seen.map(({ url }) => url)).toEqual(['/v1/base/x']);
    const broken = await openDoor(port, {
      clientAddress: () => {
        throw new Error('a bug');
      },
    });
    expect(await sendBytes(broken, GET)).toMatch(/^HTTP\/1\.1 502 /);
  });

  test('a purchase is sent once, on a new connection and on a kept one that v1 resets', async () => {
    let isReset = false;
    const { port, seen } = await openUpstream((request, response) => {
      if (isReset) request.socket.resetAndDestroy();
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"success"}');
    });
    const errors: unknown[] = [];
    const door = await openDoor(port, { onError: (_error, facts) => errors.push(facts) });
    expect(await sendBytes(door, PURCHASE)).toMatch(/^HTTP\/1\.1 200/);
    isReset = true;
    // The first one uses the open connection, the second a connection of its own.
    for (const sent of [2, 3]) {
      expect(await sendBytes(door, PURCHASE)).toMatch(/^HTTP\/1\.1 502/);
      // Enough time for a second attempt, if any layer below made one.
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(seen).toHaveLength(sent);
    }
    expect(errors).toEqual([{ mayHaveBeenSent: true }, { mayHaveBeenSent: true }]);
  });

  test('an answer that never comes is a 504', async () => {
    const { port } = await openUpstream(() => undefined);
    const answer = await sendBytes(await openDoor(port, { answerTimeMs: 50 }), PURCHASE);
    expect(answer).toMatch(/^HTTP\/1\.1 504/);
    expect(JSON.parse(bodyOf(answer)).message).toContain('/receipt');
  });

  test('an answer that breaks off reaches the caller broken off', async () => {
    const port = await portOf(
      createNetServer((socket) =>
        socket
          .on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"status":"succ', () => socket.destroy()))
          .on('error', () => undefined),
      ),
    );
    const door = await openDoor(port);
    const caller = connect(door, '127.0.0.1', () => caller.write(GET));
    caller.on('error', () => undefined).resume();
    await new Promise((resolve) => caller.on('close', resolve));
  });

  test('a caller that hangs up ends its request to v1 too', async () => {
    const gone = new Promise<void>((resolve) => {
      void openUpstream((_request, response) => response.on('close', () => resolve())).then(async ({ port }) => {
        const socket = connect(await openDoor(port), '127.0.0.1');
        socket.write(PURCHASE);
        setTimeout(() => socket.destroy(), 50);
      });
    });
    await gone;
  });

  test('a caller that asked for a closed connection gets one, though v1 keeps its own', async () => {
    const { port } = await openUpstream();
    const answer = await sendBytes(await openDoor(port), 'GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/connection: close/i);
    expect(answer).not.toMatch(/keep-alive/i);
  });

  test('reports whom v1 has answered, for which call, and how', async () => {
    const { port } = await openUpstream((request, response) =>
      response.writeHead(request.url?.includes('no') ? 401 : 200).end('{}'),
    );
    const told: unknown[] = [];
    const door = await openDoor(port, { onAnswer: (...facts) => told.push(facts) });
    for (const call of ['GET /receipt?reference=a', 'GET /no', 'OPTIONS /receipt'])
      await sendBytes(door, `${call} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(told).toEqual([
      ['127.0.0.1', { method: 'GET', path: '/receipt', status: 200 }],
      ['127.0.0.1', { method: 'GET', path: '/no', status: 401 }],
      // A browser's preflight request, which v1 answers without a key.
      ['127.0.0.1', { method: 'OPTIONS', path: '/receipt', status: 200 }],
    ]);
  });

  describe('with few connections to v1', () => {
    const FROM = (address: string): string => `GET /${address} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n\r\n`;
    const clientAddress = createClientAddress(['127.0.0.1']);

    /** A v1 that answers a request when the test says so. */
    async function openSlowUpstream() {
      const waiting: { readonly url: string; readonly answer: () => void }[] = [];
      const upstream = await openUpstream((request, response) =>
        waiting.push({ url: request.url!, answer: () => void response.end('{}') }),
      );
      const until = async (count: number): Promise<void> => {
        while (waiting.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
      };
      return { ...upstream, waiting, until };
    }

    test('one address can neither keep another out nor open more than its share, and its queue is limited', async () => {
      const v1 = await openSlowUpstream();
      const door = await openDoor(v1.port, { clientAddress, socketsMax: 4, waitingMax: 3 });
      const greedy = Array.from({ length: 8 }, () => sendBytes(door, FROM('2001:db8:0:1::7')));
      await v1.until(2);
      // Another address of the same network is the same client.
      const refused = await sendBytes(door, FROM('2001:db8:0:1:ffff::8'));
      expect(refused).toMatch(/^HTTP\/1\.1 503[^]*\r\nRetry-After: 5\r\n/);
      expect(JSON.parse(bodyOf(refused))).toEqual({
        status: 'error',
        message: 'Too many requests from your address are under way. Nothing was sent.',
      });
      const other = sendBytes(door, FROM('2001:db8:0:2::7'));
      await v1.until(3);
      expect([v1.connections(), v1.waiting.map(({ url }) => url).at(-1)]).toEqual([3, '/v1/base/2001:db8:0:2::7']);
      for (let at = 0; at < 6; at++) {
        await v1.until(at + 1);
        v1.waiting[at]!.answer();
      }
      expect(await other).toMatch(/^HTTP\/1\.1 200/);
      expect((await Promise.all(greedy)).map((answer) => answer.slice(9, 12)).sort()).toEqual([
        ...Array<string>(5).fill('200'),
        ...Array<string>(3).fill('503'),
      ]);
      expect(v1.seen).toHaveLength(6);
    });

    test('a body that came in pieces while its request waited is sent whole', async () => {
      const v1 = await openSlowUpstream();
      const door = await openDoor(v1.port, { socketsMax: 2 });
      const first = sendBytes(door, GET);
      await v1.until(1);
      const second = sendBytes(
        door,
        'POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
      v1.waiting[0]!.answer();
      await v1.until(2);
      v1.waiting[1]!.answer();
      expect([(await first).slice(9, 12), (await second).slice(9, 12)]).toEqual(['200', '200']);
      expect(v1.seen.map(({ body }) => body)).toEqual(['', 'abcde']);
    });

    test('a caller that hangs up while waiting sends nothing, and one that waits too long is told so', async () => {
      const v1 = await openSlowUpstream();
      const door = await openDoor(v1.port, { socketsMax: 2, waitMs: 60 });
      const first = sendBytes(door, GET);
      await v1.until(1);
      const impatient = connect(door, '127.0.0.1', () => impatient.write(GET, () => setTimeout(() => impatient.destroy(), 20)));
      expect(await sendBytes(door, GET)).toMatch(/^HTTP\/1\.1 503/);
      v1.waiting[0]!.answer();
      expect(await first).toMatch(/^HTTP\/1\.1 200/);
      const last = sendBytes(door, GET);
      await v1.until(2);
      v1.waiting[1]!.answer();
      expect(await last).toMatch(/^HTTP\/1\.1 200/);
      expect(v1.seen).toHaveLength(2);
    });

    test('every end of a request frees its place', async () => {
      const behave = [
        (socket: Socket) => socket.destroy(),
        () => undefined,
        (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{', () => socket.destroy()),
        (socket: Socket) => socket.end('nonsense'),
        (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'),
      ];
      let turn = 0;
      const port = await portOf(
        createNetServer((socket) => socket.on('data', () => behave[turn]!(socket)).on('error', () => undefined)),
      );
      const door = await openDoor(port, { socketsMax: 1, waitMs: 1, answerTimeMs: 40 });
      for (turn = 0; turn < behave.length; turn++) expect(await sendBytes(door, GET)).not.toMatch(/ 503 /);
    });
  });

  test('an HTTP/1.0 caller that asked for a kept connection gets one', async () => {
    const { port } = await openUpstream();
    const answer = await sendBytes(await openDoor(port), 'GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
    expect(answer).toMatch(/\r\nconnection: keep-alive\r\n/i);
  });

  test('the connection to v1 is used again', async () => {
    const { port, connections } = await openUpstream();
    const door = await openDoor(port);
    for (let at = 0; at < 3; at++) await sendBytes(door, GET);
    expect(connections()).toBe(1);
  });

  test('a probe of the gateway that comes back through a server in front of it is answered as such and goes no further', async () => {
    let rounds = 0;
    const front = await openUpstream((request, response) => {
      rounds += 1;
      const { url, headers } = request;
      get({ port: door, path: url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0);
        answer.pipe(response);
      });
    });
    const door: number = await openDoor(front.port);
    const { exchanged } = probeV1(`http://127.0.0.1:${front.port}/v1/base`);
    expect(readSign(await exchanged, { host: 'sell.example', path: '/balance', durationMs: 10 })).toMatchObject({
      kind: 'not_v1',
      httpStatus: 508,
      detail: expect.stringContaining('sell.example leads back to this gateway: UPSTREAM_URL') as string,
    });
    expect(rounds).toBe(1);
  });
});
