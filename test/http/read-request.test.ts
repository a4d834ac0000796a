import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { GatewayError } from '../../src/domain/errors';
import { DEFAULT_HTTP_LIMITS } from '../../src/http/http-limits';
import { openRequestDoor, plain, readBody, speak } from './request-door';
import type { RequestDoor } from './request-door';

const SMALL = { ...DEFAULT_HTTP_LIMITS, bodyBytesMax: 1000, bodyTimeMs: 100 };

describe('readRequest', () => {
  let door: RequestDoor;
  beforeAll(async () => {
    door = await openRequestDoor(SMALL);
  });
  afterAll(() => door.close());

  const refusal = (): string => {
    const last = door.read.at(-1);
    return last instanceof GatewayError ? `${last.code}: ${last.detail}` : 'read';
  };

  test('gives method, path, headers and the judged address', async () => {
    await speak(
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

  test.each([
    [undefined, '{"a": 1}', { a: 1 }],
    ['text/plain', ' \r\n{"a": 1}', { a: 1 }],
    ['application/x-www-form-urlencoded', '\uFEFF  {"a": 1}', { a: 1 }],
    ['multipart/form-data; boundary=x', '{"a": 1}', { a: 1 }],
    ['application/json', 'a=1&b=2', { a: '1', b: '2' }],
    [undefined, 'a=1', { a: '1' }],
    ['text/plain', '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--B--\r\n', { a: '1' }],
    [
      'multipart/form-data; boundary="B"',
      'preamble\r\n--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--B--',
      { a: '1' },
    ],
    ['application/json', '', {}],
    ['application/json', ' \r\n ', {}],
    ['application/x-www-form-urlencoded', 'null', {}],
    ['application/x-www-form-urlencoded', '[]', {}],
    ['application/json; charset=iso-8859-1', '{"a":"b"}', { a: 'b' }],
  ])('under the type %s the bytes %j decide', async (type, body, fields) => {
    const read = await readBody(door, type, body);
    if (read === undefined || read instanceof Error) throw read ?? new Error('nothing was read');
    expect(plain(read.body)).toEqual(fields);
  });

  test.each([
    [
      'application/x-www-form-urlencoded',
      '{"network": 1',
      'unreadable_body: The JSON body is broken at line 1, column 14: the object has no end.',
    ],
    [
      'application/x-www-form-urlencoded',
      '{"a":1}=',
      'unreadable_body: The JSON body is broken at line 1, column 8: there is more text after the end of the JSON.',
    ],
    ['application/json', '123', 'unreadable_body: The body is a single JSON value, not an object with fields.'],
    ['application/json', '"text"', 'unreadable_body: The body is a single JSON value, not an object with fields.'],
    ['text/xml', '<?xml version="1.0"?><a/>', 'unreadable_body: The body is neither JSON nor form fields.'],
    ['text/plain', 'hello', 'unreadable_body: The body is neither JSON nor form fields.'],
    ['application/json', '"network": "1", "url": "a=b"}', 'unreadable_body: The body is neither JSON nor form fields.'],
    ['multipart/form-data', 'hello', 'unreadable_body: The multipart body has no boundary.'],
    ['multipart/form-data; boundary=B', 'hello', 'unreadable_body: The multipart body is broken or cut off.'],
  ])('under the type %s the body %j is refused', async (type, body, expected) => {
    await readBody(door, type, body);
    expect(refusal()).toBe(expected);
  });

  test('a body of just the largest size is read, one byte more is refused, by length or by count', async () => {
    const body = (length: number): string => `a=${'x'.repeat(length - 2)}`;
    expect(await readBody(door, undefined, body(1000))).not.toBeInstanceOf(Error);
    await readBody(door, undefined, body(1001));
    expect(refusal()).toBe('body_too_large: The body is larger than 1000 bytes.');
    const chunk = `${(1001).toString(16)}\r\n${body(1001)}\r\n0\r\n\r\n`;
    const answer = await speak(door.port, `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`);
    expect(refusal()).toBe('body_too_large: The body is larger than 1000 bytes.');
    expect(answer).toMatch(/^HTTP\/1\.1 413/);
  });

  test('the sender of a far too large body gets to read the refusal', async () => {
    const answer = await speak(
      door.port,
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n`,
      Buffer.alloc(3_000_000, 'x'),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413/);
  });

  test('chunks are put together wherever they are cut', async () => {
    await speak(
      door.port,
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
      '5\r\n{"a":\r\n',
      '2\r\n"\xc3\r\n'.replace('\xc3', 'é').replace('2', '3'),
      '2\r\n"}\r\n0\r\n\r\n',
    );
    expect(door.read.at(-1)).toMatchObject({ body: new Map([['a', 'é']]) });
  });

  test('a body that stops arriving is refused in time', async () => {
    const answer = await speak(door.port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\na=1');
    expect(refusal()).toBe('body_too_slow: The body had not arrived after 0.1 seconds.');
    expect(answer).toMatch(/^HTTP\/1\.1 408/);
  });

  test('a caller that leaves in the middle of its body is refused, not waited for', async () => {
    const count = door.read.length;
    const socket = connect(door.port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\na=1');
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.destroy();
    while (door.read.length === count) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(refusal()).toBe('unreadable_body: The connection was closed before the whole body had arrived.');
  });

  test.each(['gzip', 'deflate', 'br', 'GZIP, identity'])('a body compressed by %s is refused by name', async (encoding) => {
    const bytes = gzipSync('a=1');
    await speak(
      door.port,
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
      bytes,
    );
    expect(refusal()).toBe(`unreadable_body: The body is compressed (${encoding.toLowerCase()}); send it plain.`);
  });

  test('a broken query string is refused like a broken body', async () => {
    await speak(door.port, 'GET /api/user?a=%ff HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(refusal()).toMatch(/^unreadable_body: The query string/);
    await speak(door.port, 'GET /api/user?a=1&a=1 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(refusal()).toBe('repeated_field: The field "a" is given twice.');
  });

  test('differing keys are refused, equal ones are one', async () => {
    const send = (...headers: string[]) =>
      speak(door.port, `GET / HTTP/1.1\r\nHost: x\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`);
    await send('Authorization: Token a', 'authorization: Token b');
    expect(refusal()).toBe('bad_credentials: Several authorization headers with different values were sent.');
    await send('Token: a', 'Token: b');
    expect(refusal()).toBe('bad_credentials: Several token headers with different values were sent.');
    await send('Token: a', 'TOKEN: a');
    expect(door.read.at(-1)).toMatchObject({ headers: { token: 'a' } });
  });

  test('whatever bytes arrive under whatever type, only a GatewayError is thrown and no prototype changes', async () => {
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
    await fc.assert(property, { numRuns: 300 });
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
        const read = await readBody(door, undefined, body);
        if (read === undefined || read instanceof Error) throw read ?? new Error('nothing was read');
        expect(plain(read.body)).toEqual({ ...fields });
      }
    });
    await fc.assert(property, { numRuns: 25 });
  });
});
