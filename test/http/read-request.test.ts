import { connect } from 'node:net';
import fc from 'fast-check';
import { GatewayError } from '../../src/domain/errors';
import type { LegacyReply } from '../../src/domain/legacy';
import { closeServers, openServer, reply } from './open-server';
import { openRequestDoor, plain, sendBody, sendBytes } from './request-door';
import { opened } from '../opened';

describe('readRequest', () => {
  const door = opened(openRequestDoor);

  test('gives method, path, headers and the address of the caller', async () => {
    await sendBytes(
      door.port,
      'GET http://sell.example//api/user HTTP/1.1\r\nHost: x\r\nAuthorization: Token  k:1234\r\nToken: t\r\nUser-Agent: adex\r\n\r\n',
    );
    expect(door.read.at(-1)).toMatchObject({
      method: 'GET',
      path: '/api/user',
      headers: { authorization: 'Token  k:1234', token: 't', userAgent: 'adex' },
      clientAddress: '192.0.2.1',
    });
  });

  test('a broken query string is refused like a broken body', async () => {
    await sendBytes(door.port, 'GET /api/user?a=%ff HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(door.refusal()).toMatch(/^unreadable_body: The query string/);
    await sendBytes(door.port, 'GET /api/user?a=1&a=1 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(door.refusal()).toBe('repeated_field: The field "a" is given twice.');
  });

  test('an address with a "#" is refused: no client sends one', async () => {
    for (const target of ['/api/user#x', '/api/user?a=1#x', '/#/api/user'])
      await sendBytes(door.port, `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(door.read.slice(-3).map((error) => error instanceof GatewayError && error.code)).toEqual(
      Array(3).fill('unreadable_body'),
    );
  });

  test('any bytes under any type give fields or a GatewayError, and change no prototype', async () => {
    const type = fc.constantFrom(
      undefined,
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=B',
      'text/plain',
    );
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '\\u0000',
      '__proto__',
      'a',
      '1',
      '=',
      '&',
      '%',
      '--B',
      '\r\n',
      '--',
      'Content-Disposition: form-data; name="a"',
      '\r\n\r\n',
      ' ',
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
      fc.array(token, { maxLength: 40 }).map((tokens) => Buffer.from(tokens.join(''))),
      fc.json({ noUnicodeString: false }).map((text) => Buffer.from(text)),
    );
    const property = fc.asyncProperty(type, bytes, async (contentType, body) => {
      const count = door.read.length;
      const header = contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`;
      await new Promise<void>((resolve) => {
        const socket = connect(door.port, '127.0.0.1')
          .on('data', () => socket.destroy())
          .on('close', () => resolve());
        socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${header}Content-Length: ${body.length}\r\n\r\n`);
        socket.write(body);
      });
      expect(door.read.length).toBe(count + 1);
      const read = door.read.at(-1);
      if (read instanceof Error) expect(read).toBeInstanceOf(GatewayError);
    });
    await fc.assert(property, { numRuns: 200 });
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });

  test('the same fields mean the same in every encoding', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((value) => !/[\0\r\n]/.test(value));
    const name = fc.stringMatching(/^[a-zA-Z][\w-]{0,15}$/).filter((value) => !['constructor', 'prototype'].includes(value));
    const property = fc.asyncProperty(fc.dictionary(name, text, { minKeys: 1, maxKeys: 6 }), async (fields) => {
      const parts = Object.entries(fields).map(
        ([key, value]) => `--B\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
      );
      for (const body of [JSON.stringify(fields), new URLSearchParams(fields).toString(), `${parts.join('')}--B--\r\n`]) {
        await sendBody(door, undefined, body);
        expect(plain(door.request().body)).toEqual({ ...fields });
      }
    });
    await fc.assert(property, { numRuns: 15 });
  });
});

describe('readHeaders', () => {
  const door = opened(openRequestDoor);

  test('differing keys are refused, equal ones are one', async () => {
    const send = (...headers: string[]) =>
      sendBytes(door.port, `GET / HTTP/1.1\r\nHost: x\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`);
    await send('Authorization: Token a', 'authorization: Token b');
    expect(door.refusal()).toBe('bad_credentials: Several authorization headers with different values were sent.');
    await send('Token: a', 'Token: b');
    expect(door.refusal()).toBe('bad_credentials: Several token headers with different values were sent.');
    await send('Token: a', 'TOKEN: a');
    expect(door.read.at(-1)).toMatchObject({ headers: { token: 'a' } });
  });
});

afterEach(closeServers);

const PURCHASE = 'POST /api/topup/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';

async function openCounting() {
  const begun: string[] = [];
  const opened = await openServer(async (request): Promise<LegacyReply> => {
    begun.push(request.path);
    return { status: 200, body: {} };
  });
  return { ...opened, begun };
}

describe('doubtful framing', () => {
  const NO_CODING = 'HTTP/1.0 has no Transfer-Encoding. Send a Content-Length.';
  const SEVERAL_HOSTS = 'The request has several Host headers.';
  const chunked = 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
  test.each<readonly [string, string, string | RegExp]>([
    ['HTTP/1.0 with chunks', `POST /api/topup/ HTTP/1.0\r\n${chunked}`, NO_CODING],
    [
      'HTTP/1.0 with chunks, kept alive',
      `POST /api/topup/ HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n${chunked}`,
      NO_CODING,
    ],
    ['HTTP/1.0 with chunks to v1', `POST /api/v1/airtime HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n${chunked}`, NO_CODING],
    ...['', 'identity', 'gzip', 'chunked;q=1', 'x chunked', '\xa0chunked'].map(
      (coding) =>
        [
          `the coding "${coding}" beside a length`,
          `POST /api/v1/airtime HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\nContent-Length: 2\r\n\r\n{}`,
          /^(?:The only Transfer-Encoding that is read here is "chunked"|The request is not well-formed HTTP)\.$/,
        ] as const,
    ),
    [
      'an upgrade with chunks behind a tab',
      `POST /api/v1/airtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding:\tchunked\t\r\n\r\n0\r\n\r\n`,
      'A request that asks for an upgrade has no Transfer-Encoding. Send a Content-Length.',
    ],
    [
      'HTTP/0.9',
      'POST /api/v1/airtime HTTP/0.9\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}',
      'HTTP/0.9 is not served here.',
    ],
    ['HTTP/2.0', 'GET /api/user HTTP/2.0\r\nHost: x\r\n\r\n', 'HTTP/2.0 is not served here.'],
    [
      'a second host behind two thousand headers',
      `GET /api/user HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(2_100)}Host: b\r\n\r\n`,
      SEVERAL_HOSTS,
    ],
    ['two hosts', 'GET /api/user HTTP/1.1\r\nHost: a\r\nhOST: b\r\n\r\n', SEVERAL_HOSTS],
    ['one host twice', 'GET /api/user HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n', SEVERAL_HOSTS],
    ['two hosts to v1', 'GET /api/v1/user HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', SEVERAL_HOSTS],
  ])('%s is refused, the connection ends, and nothing behind it begins', async (_title, bytes, detail) => {
    const { port, begun } = await openCounting();
    const answer = await sendBytes(port, bytes + PURCHASE + PURCHASE);
    expect(reply(answer)).toEqual({
      status: 400,
      body: { status: 'fail', error: [typeof detail === 'string' ? detail : expect.stringMatching(detail)] },
    });
    expect(answer).toMatch(/connection: close/i);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(begun).toEqual([]);
  });

  test('HTTP/1.0 with a length, and a name that only looks like Host, are served', async () => {
    const { port, begun } = await openCounting();
    await sendBytes(port, 'POST /one HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}');
    await sendBytes(port, 'GET /two HTTP/1.1\r\nHost: x\r\nHost2: y\r\nPost: z\r\n\r\n');
    expect(begun).toEqual(['/one', '/two']);
  });
});
