import { createServer } from 'node:http';
import { connect } from 'node:net';
import { answerBrokenRequests, clientAddress, parseTrustedProxies } from '../../src/sandbox/http';
import { sale, sandboxOfFile } from '../conformance/target';
import { listen } from '../listen';

const v1 = sandboxOfFile();

/** Sends these bytes on one connection and returns all bytes that come back. */
function sendRaw(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((done, fail) => {
    let heard = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => (heard += text));
    socket.on('close', () => done(heard)).on('error', fail);
  });
}

const portOf = (url: string) => Number(new URL(url).port);
const read = (heard: string) => ({
  status: Number(heard.slice(9, 12)),
  body: JSON.parse(heard.slice(heard.indexOf('\r\n\r\n') + 4)),
});
const rejected = { status: 'error', message: expect.any(String) };
const GET = 'GET /api/v1/balance HTTP/1.1\r\n';
const KEY = 'Authorization: Bearer sandbox_demo\r\n';
const END = 'Connection: close\r\n\r\n';

describe('the sandbox answers with JSON and a status', () => {
  test.each([
    ['malformed HTTP', 'BALANCE PLEASE\r\n\r\n', 400],
    ['headers beyond the size limit', `${GET}Host: h\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    [
      'a body with two Content-Length headers',
      `POST /api/v1/data HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n${END}{}`,
      400,
    ],
    ['a broken chunk', `POST /api/v1/data HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n${END}zz\r\n{}`, 400],
    ['CONNECT', 'CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n', 405],
    ['OPTIONS', `OPTIONS /api/v1/data HTTP/1.1\r\nHost: h\r\n${END}`, 405],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\nHost: h\r\n${END}`, 404],
    ['an unknown path', `GET /nowhere HTTP/1.1\r\nHost: h\r\n${END}`, 404],
  ])('to %s', async (_what, bytes, status) => {
    expect(read(await sendRaw(portOf(v1.url), bytes))).toEqual({ status, body: rejected });
  });

  test.each([
    ['an unknown Expect header', `${GET}Host: h\r\nExpect: a-miracle\r\n${KEY}${END}`],
    ['no Host header', `${GET}${KEY}${END}`],
    ['an Upgrade header', `${GET}Host: h\r\nUpgrade: websocket\r\n${KEY}Connection: upgrade, close\r\n\r\n`],
  ])('to a good request with %s', async (_what, bytes) => {
    expect(read(await sendRaw(portOf(v1.url), bytes))).toMatchObject({ status: 200, body: { status: 'success' } });
  });

  test('to HEAD, but without the body, as HTTP requires', async () => {
    const heard = await sendRaw(portOf(v1.url), `HEAD /api/v1/balance HTTP/1.1\r\nHost: h\r\n${END}`);
    expect(heard).toMatch(/^HTTP\/1\.1 405 .*content-type: application\/json.*\r\n\r\n$/is);
  });

  test('to a request that does not arrive in time', async () => {
    const server = createServer({ headersTimeout: 40, requestTimeout: 40, connectionsCheckingInterval: 20 });
    answerBrokenRequests(server, () => undefined);
    const { port, close } = await listen(server);
    expect(read(await sendRaw(port, GET))).toEqual({ status: 408, body: rejected });
    await close();
  });

  test('to a whole purchase even when broken bytes follow it', async () => {
    const body = JSON.stringify({ network: 'MTN', phone: '08031234567', amount: 100, pin: '1234' });
    const post = `POST /api/v1/airtime HTTP/1.1\r\nHost: h\r\n${KEY}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const heard = await sendRaw(portOf(v1.url), `${post}${body}BROKEN\r\n\r\n`);
    expect(read(heard)).toMatchObject({ status: 200, body: { status: 'success' } });
  });
});

test('the Date header is by the same clock as the times of orders, whatever the answer', async () => {
  v1.clock.advance(3_600_000);
  for (const digits of ['4567', '0006', '0008']) {
    const reply = await fetch(`${v1.url}/airtime`, {
      method: 'POST',
      headers: { authorization: 'Bearer sandbox_demo', 'content-type': 'application/json' },
      body: JSON.stringify(sale({ phone: `0803123${digits}` })),
    });
    expect(reply.headers.get('date')).toBe(new Date(v1.clock.now()).toUTCString());
    await reply.text().catch(() => undefined);
  }
});

const trusted = parseTrustedProxies(['10.1.0.0/16', '192.0.2.7', '2001:db8::/32']);

describe('the address of a caller', () => {
  test.each([
    ['198.51.100.1', undefined, '198.51.100.1'],
    ['::ffff:198.51.100.1', undefined, '198.51.100.1'],
    ['198.51.100.1', '10.0.0.9', '198.51.100.1'],
    ['127.0.0.1', '10.0.0.9', '10.0.0.9'],
    ['::1', '10.0.0.9', '10.0.0.9'],
    ['127.0.0.9', ' 10.0.0.9 ', '10.0.0.9'],
    ['::ffff:127.0.0.1', '::ffff:10.0.0.9', '10.0.0.9'],
    ['10.1.2.3', '10.0.0.9', '10.0.0.9'],
    ['192.0.2.7', '2001:DB8:0::1', '2001:db8::1'],
    ['2001:db8::5', '10.0.0.9', '10.0.0.9'],
    ['192.0.2.8', '10.0.0.9', '192.0.2.8'],
    ['127.0.0.1', '10.0.0.9, 127.0.0.1', undefined],
    ['127.0.0.1', 'unknown', undefined],
    ['127.0.0.1', '', undefined],
    ['127.0.0.1', '0x7f.1', undefined],
    ['127.0.0.1', '2130706433', undefined],
    [undefined, '10.0.0.9', undefined],
  ])('from the socket address %s with X-Forwarded-For %s is %s', (socket, forwarded, expected) => {
    expect(clientAddress(socket, forwarded, trusted)).toBe(expected);
  });

  test('is never read by a list of trusted proxies with an invalid network', () => {
    for (const text of ['proxy', '10.0.0.0/99', '']) expect(() => parseTrustedProxies([text])).toThrow();
  });
});
