import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { runInThisContext } from 'node:vm';
import { createForwardRequest, type ForwardOptions } from '../../src/http/forward-request';
import { listen } from '../listen';
import { SELF_SIGNED } from '../upstream/self-signed';
import { until } from '../until';
import { closedAfterEach } from '../opened';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
const LIMITS = { socketsMax: 4, connectTimeMs: 2_000, answerTimeMs: 2_000 };

const kept = closedAfterEach();

async function portOf(server: Server, host?: string): Promise<number> {
  return kept(await listen(server, 0, host)).port;
}

/** A v1 of bytes: what it got on all its connections, and `answer` for each packet. */
async function openV1(answer: (socket: Socket) => void = (socket) => socket.write(OK), host?: string) {
  const v1 = { got: '', port: 0, closed: 0 };
  const serve = (socket: Socket): void => {
    socket.on('data', (bytes) => {
      v1.got += bytes.toString('latin1');
      answer(socket);
    });
    socket.on('error', () => undefined).on('close', () => (v1.closed += 1));
  };
  v1.port = await portOf(createNetServer(serve), host);
  return v1;
}

/** A server that forwards each request unchanged, and the results that it got. */
async function openDoor(upstreamUrl: string, limits: Partial<ForwardOptions> = {}) {
  const forward = createForwardRequest({ upstreamUrl, ...LIMITS, ...limits });
  const told: unknown[] = [];
  const server = createServer((request, response) => {
    const { connection, ...headers } = request.headers;
    void connection;
    const call = forward(request, response, headers, {
      onAnswer: (status) => told.push(status),
      onFailure: (_error, { mayHaveBeenSent }) => {
        told.push(mayHaveBeenSent ? 'failed' : 'not sent');
        if (response.headersSent) response.destroy();
        else response.writeHead(502, { 'content-length': 0 }).end();
      },
      onEnd: () => told.push('end'),
    });
    response.on('close', () => response.writableFinished || call.destroy());
  });
  return { port: await portOf(server), told };
}

/** Everything that the caller of one request got until its end. */
async function sendBytes({ port, told }: Awaited<ReturnType<typeof openDoor>>, request: string): Promise<string> {
  let got = '';
  const caller = connect(port, '127.0.0.1').on('data', (bytes) => (got += bytes.toString()));
  caller.write(Buffer.from(request, 'latin1'));
  await until(() => told.includes('end') && got.includes('\r\n\r\n'));
  // Waits a little longer, for bytes that should not come.
  await new Promise((resolve) => setTimeout(resolve, 10));
  caller.destroy();
  return got;
}

describe('the forwarded request', () => {
  test.each([
    ['', '/x', '/x'],
    ['/', '/x/', '/x/'],
    ['/v1/', '//x///y', '/v1/x/y'],
    ['/v1', '/x//y?u=ftp://a//b??c', '/v1/x/y?u=ftp://a//b??c'],
    ['/v1', '/http://x/http:/y', '/v1/http:/x/http:/y'],
    ['/v1', '/?', '/v1/?'],
    ['/v1?k=1', '/x', '/v1?k=1/x'],
    ['/a%20b', '/%zz/', '/a%20b/%zz/'],
  ])('has for base %j and target %j the path %j', async (base, target, path) => {
    const v1 = await openV1();
    await sendBytes(await openDoor(`http://127.0.0.1:${v1.port}${base}`), `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(v1.got.split('\r\n', 1)).toEqual([`GET ${path} HTTP/1.1`]);
  });

  test.each([
    ['GET', undefined],
    ['HEAD', undefined],
    ['POST', '0'],
    ['PUT', '0'],
    ['PATCH', '0'],
    ['DELETE', '0'],
    ['OPTIONS', '0'],
    ['REPORT', '0'],
  ])('has for %s without a body the length %s', async (method, length) => {
    const v1 = await openV1((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'));
    await sendBytes(await openDoor(`http://127.0.0.1:${v1.port}`), `${method} /x HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(/^content-length: (\d+)\r$/im.exec(v1.got)?.[1]).toBe(length);
    expect(v1.got).not.toMatch(/^transfer-encoding:/im);
    expect(v1.got).toMatch(/\r\n\r\n$/);
  });

  test('names v1 in Host, an IPv6 address in brackets', async () => {
    const v1 = await openV1(undefined, '::1');
    const door = await openDoor(`http://[::1]:${v1.port}/v1`);
    expect(await sendBytes(door, 'GET /x HTTP/1.1\r\nHost: shop.example\r\n\r\n')).toContain('200 OK');
    expect(v1.got.match(/^host: .*$/gim)).toEqual([`host: [::1]:${v1.port}`]);
  });

  test('goes over TLS under the name of v1, and only to a trusted certificate', async () => {
    let got = '';
    const names: (string | false)[] = [];
    const server = createTlsServer({ ...SELF_SIGNED, SNICallback: (name, done) => (names.push(name), done(null)) }, (socket) =>
      socket.on('data', (bytes) => (got += bytes.toString())),
    ).on('tlsClientError', () => undefined);
    const door = await openDoor(`https://localhost:${await portOf(server)}`);
    // The list of certificates that Node itself reads; the suite has a copy.
    const environment = runInThisContext('process.env') as NodeJS.ProcessEnv;
    environment['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect(await sendBytes(door, 'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}')).toContain('502');
    } finally {
      delete environment['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
    const { told } = door;
    expect({ names, got, told }).toEqual({ names: ['localhost'], got: '', told: ['not sent', 'end'] });
  });
});

describe('the answer', () => {
  async function ask(answer: string, head = 'GET /x HTTP/1.1\r\nHost: x'): Promise<{ got: string; told: unknown[] }> {
    const v1 = await openV1((socket) => socket.write(Buffer.from(answer, 'latin1')));
    const door = await openDoor(`http://127.0.0.1:${v1.port}`);
    const got = await sendBytes(door, `${head}\r\n\r\n`);
    return { got: got.replace(/^date: .*\r\n/gim, ''), told: door.told };
  }

  test("has v1's headers in their order and number, except those of the connection", async () => {
    const headers = 'Server: s\r\nSet-Cookie: a=1\r\nKeep-Alive: timeout=9\r\nSet-Cookie: b=2\r\nVary: a\r\nVary: b\r\n';
    const { got } = await ask(`HTTP/1.1 203 Very Fine\r\n${headers}Connection: close\r\nX-Last: 1\r\nContent-Length: 1\r\n\r\nx`);
    expect(got).toBe(
      'HTTP/1.1 203 Very Fine\r\nserver: s\r\nset-cookie: a=1\r\nset-cookie: b=2\r\nvary: a, b\r\n' +
        'connection: keep-alive\r\nx-last: 1\r\ncontent-length: 1\r\n\r\nx',
    );
  });

  test("has no header that v1's connection names as its own, but always its length", async () => {
    const headers =
      'Connection: Upgrade, X-Hop,content-length\r\nUpgrade: h2\r\nX-Hop: 1\r\nProxy-Connection: close\r\nX-Last: 1\r\n';
    const { got } = await ask(`HTTP/1.1 200 OK\r\n${headers}Content-Length: 1\r\n\r\nx`);
    expect(got).toBe('HTTP/1.1 200 OK\r\nconnection: keep-alive\r\nx-last: 1\r\ncontent-length: 1\r\n\r\nx');
  });

  test.each([
    ['204', 'HTTP/1.1 204 No Content\r\nA: b\r\n\r\n', 'HTTP/1.1 204 No Content\r\na: b\r\nconnection: keep-alive\r\n\r\n'],
    [
      '304',
      'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n',
      'HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\nconnection: keep-alive\r\n\r\n',
    ],
    [
      '103 and then 200',
      'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\nconnection: keep-alive\r\n\r\nx',
    ],
    [
      'chunks and trailers',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Trailer: 1\r\n\r\n',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n1\r\nx\r\n0\r\n\r\n',
    ],
  ])('may be %s', async (_title, answer, expected) => expect((await ask(answer)).got).toBe(expected));

  test.each([
    ['of a 200 with a length', 'GET /x HTTP/1.1\r\nHost: x', '200 OK\r\nContent-Length: 1', '200 OK\r\ncontent-length: 1', 'x'],
    ['of a 304', 'GET /x HTTP/1.1\r\nHost: x', '304 Not Modified', '304 Not Modified', ''],
    ['of chunks', 'GET /x HTTP/1.0', '200 OK\r\nTransfer-Encoding: chunked', '200 OK', '1\r\nx\r\n0\r\n\r\n'],
  ])('has no Trailer %s, where Node would refuse to write one', async (_title, head, answer, expected, body) => {
    const { got, told } = await ask(`HTTP/1.1 ${answer}\r\nTrailer: X-Sum\r\n\r\n${body}`, head);
    expect(got).toContain(`HTTP/1.1 ${expected}\r\nconnection: `);
    expect(told).toEqual([Number(answer.slice(0, 3)), 'end']);
  });

  test('has no chunks for HTTP/1.0', async () => {
    const { got } = await ask('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n', 'GET /x HTTP/1.0');
    expect(got).toBe('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nx');
  });

  test.each([
    ['Content-Length: 2\r\n\r\n{}', '{}'],
    ['Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n', '2\r\n{}\r\n0\r\n\r\n'],
  ])('is passed on whole as %j, though bytes that are no HTTP follow it', async (answer, body) => {
    const { got, told } = await ask(`HTTP/1.1 200 OK\r\n${answer}<!-- 3 ms -->`);
    expect(got.slice(got.indexOf('\r\n\r\n') + 4)).toBe(body);
    expect(told).toEqual([200, 'end']);
  });

  test.each([
    'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
    'nonsense\r\n\r\n',
  ])('is not forwarded as %j', async (answer) => {
    const { got, told } = await ask(answer);
    expect(got).toMatch(/^HTTP\/1\.1 502 /);
    expect(told.filter((word) => typeof word === 'string')).toEqual(['failed', 'end']);
  });
});

describe('the end of an exchange', () => {
  const HALF = 'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n{}';

  test('a caller that leaves in the middle of its body ends its connection to v1, and that is no failure of v1', async () => {
    const v1 = await openV1(() => undefined);
    const { port, told } = await openDoor(`http://127.0.0.1:${v1.port}`);
    const caller = connect(port, '127.0.0.1', () => caller.write(HALF));
    await until(() => v1.got.endsWith('{}'));
    caller.destroy();
    await until(() => v1.closed === 1 && told.length > 0);
    expect(told).toEqual(['end']);
  });

  test('a body under way when v1 has answered arrives whole, and one whose caller leaves is ended', async () => {
    for (const isWhole of [true, false]) {
      let answers = 0;
      const v1 = await openV1((socket) => void (answers++ === 0 && socket.write(OK)));
      const { port, told } = await openDoor(`http://127.0.0.1:${v1.port}`);
      let got = '';
      const caller = connect(port, '127.0.0.1', () => caller.write(HALF)).on('data', (bytes) => (got += bytes.toString()));
      await until(() => got.endsWith('{}'));
      expect(told).toEqual([200]);
      if (isWhole) caller.write('[]');
      else caller.destroy();
      await until(() => told.length > 1);
      expect(told).toEqual([200, 'end']);
      // The end is told when all is written; v1 reads it a moment later.
      if (isWhole) await until(() => v1.got.endsWith('{}[]'));
      expect(v1.got.endsWith('{}[]')).toBe(isWhole);
      caller.destroy();
    }
  });

  test.each(['', 'Connection: close\r\n'])(
    'a refusal of v1 (%j) before the body has arrived gives back its place, and the next request on the connection is served',
    async (header) => {
      const refusal = `HTTP/1.1 413 Too Large\r\n${header}Content-Length: 0\r\n\r\n`;
      const v1 = await openV1((socket) => socket.write(v1.got.includes('GET /next') ? OK : refusal));
      const { port, told } = await openDoor(`http://127.0.0.1:${v1.port}`);
      let got = '';
      const rest = 'y'.repeat(1_000_000);
      const begun = `POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: ${rest.length + 1}\r\n\r\nx`;
      const caller = connect(port, '127.0.0.1', () => caller.write(begun)).on('data', (bytes) => (got += bytes.toString()));
      await until(() => told.includes('end') && got.includes('\r\n\r\n'));
      expect([got.slice(0, 12), told]).toEqual(['HTTP/1.1 413', [413, 'end']]);
      caller.write(`${rest}GET /next HTTP/1.1\r\nHost: x\r\n\r\n`);
      await until(() => got.includes('HTTP/1.1 200'));
      expect(v1.got).not.toContain('yy');
      caller.destroy();
    },
  );

  test('an answer that stops in the middle is ended when its time is over', async () => {
    const v1 = await openV1((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}'));
    const { port, told } = await openDoor(`http://127.0.0.1:${v1.port}`, { answerTimeMs: 400 });
    let got = '';
    const caller = connect(port, '127.0.0.1', () => caller.write('GET /x HTTP/1.1\r\nHost: x\r\n\r\n'));
    caller.on('data', (bytes) => (got += bytes.toString()));
    await once(caller, 'close');
    expect(got).toMatch(/\r\n\r\n\{\}$/);
    await until(() => told.includes('end'));
    expect(told).toEqual([200, 'failed', 'end']);
  });
});
