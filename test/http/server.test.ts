import { once } from 'node:events';
import { connect } from 'node:net';
import { closeServers, ok, openServer, openSlowServer, pause, reply } from './open-server';
import { sendBytes } from './request-door';
import { until } from '../until';

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

afterEach(closeServers);

describe('the public server', () => {
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
    const answer = await sendBytes(
      port,
      Buffer.from(`${head}\r\n${head.includes('No-Host') ? '' : 'Host: x\r\n'}\r\n`, 'latin1'),
    );
    expect([200, 400, 404]).toContain(reply(answer).status);
    expect(reply(await sendBytes(port, GET)).status).toBe(200);
  });

  test('Expect: 100-continue is answered with 100', async () => {
    const { port } = await openServer(ok);
    const answer = await sendBytes(
      port,
      'POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n',
      '0\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/);
  });

  test('an HTTP/1.0 caller, and one that asks for a closed connection, have their connection closed', async () => {
    const { port } = await openServer(ok);
    // HTTP/1.0 has no Host.
    for (const head of ['GET / HTTP/1.0', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close']) {
      expect(await sendBytes(port, `${head}\r\n\r\n`)).toMatch(/connection: close/i);
    }
  });

  test('after a caller hangs up the walk runs on and the server serves', async () => {
    let goOn: (() => void) | undefined;
    let ended = 0;
    const { port } = await openServer(async () => {
      if (goOn === undefined) await new Promise<void>((resolve) => (goOn = resolve));
      ended++;
      return { status: 200, body: {} };
    });
    const socket = connect(port, '127.0.0.1');
    socket.write(GET);
    while (goOn === undefined) await pause(10);
    socket.destroy();
    await pause(20);
    goOn();
    await pause(0);
    expect(ended).toBe(1);
    expect(reply(await sendBytes(port, GET)).status).toBe(200);
  });

  test('closing lets a running request end and accepts no new one', async () => {
    const { port, server, begun, answer } = await openSlowServer();
    const idle = connect(port, '127.0.0.1');
    const running = sendBytes(port, GET);
    await until(() => begun.length === 1);
    const closed = server.close(300_000);
    expect(await sendBytes(port, GET)).toBe('');
    answer();
    expect(reply(await running)).toEqual({ status: 200, body: { path: '/' } });
    // Long before the deadline, which is later than the end of this test.
    await closed;
    idle.destroy();
  });

  test('closing lets a running request end whose address was mended', async () => {
    const { port, server, begun, answer } = await openSlowServer();
    const half = connect(port, '127.0.0.1', () => half.write('GET /half'));
    const running = sendBytes(port, 'GET /spaced?a=1 2 HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => begun.length === 1);
    const closed = server.close(300_000);
    // From now on only requests under way are waited for.
    await once(half.resume(), 'close');
    answer();
    expect(reply(await running)).toEqual({ status: 200, body: { path: '/spaced' } });
    await closed;
  });

  test('closing does not wait for requests that never end', async () => {
    const { port, server, begun, answer } = await openSlowServer();
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n';
    // Half a head, half a body, and half a request behind a reply: none of them gets a reply.
    const halves = [head, `${head}\r\n{"a"`].map((text) => sendBytes(port, text));
    const running = sendBytes(port, `${GET}${head}`);
    await until(() => begun.length === 1);
    const closed = server.close(300_000).then(() => 'closed');
    for (const half of halves) expect(await half).not.toContain('"path"');
    // A request that came whole waits for its reply, however long.
    answer();
    expect(reply(await running)).toEqual({ status: 200, body: { path: '/' } });
    expect(await closed).toBe('closed');
  });

  test('closing cuts connections after the deadline, and closing twice is harmless', async () => {
    const { port, server } = await openSlowServer();
    const running = sendBytes(port, GET);
    await pause(50);
    await Promise.all([server.close(100), server.close(100)]);
    expect(await running).toBe('');
  });

  test('a taken port makes listen reject', async () => {
    const { port } = await openServer(ok);
    const { server } = await openServer(ok);
    await server.close(0);
    await expect(server.listen(port, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
