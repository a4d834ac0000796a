import { connect } from 'node:net';
import fc from 'fast-check';
import { GatewayError } from '../../src/domain/errors';
import { openRequestDoor, plain, readBody, speak } from './request-door';
import type { RequestDoor } from './request-door';

describe('readRequest', () => {
  let door: RequestDoor;
  beforeAll(async () => {
    door = await openRequestDoor();
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

  test('a broken query string is refused like a broken body', async () => {
    await speak(door.port, 'GET /api/user?a=%ff HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(refusal()).toMatch(/^unreadable_body: The query string/);
    await speak(door.port, 'GET /api/user?a=1&a=1 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(refusal()).toBe('repeated_field: The field "a" is given twice.');
  });

  test('an address with a "#" is refused: no client sends one', async () => {
    for (const target of ['/api/user#x', '/api/user?a=1#x', '/#/api/user'])
      await speak(door.port, `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(door.read.slice(-3).map((error) => error instanceof GatewayError && error.code)).toEqual(
      Array(3).fill('unreadable_body'),
    );
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
        const read = await readBody(door, undefined, body);
        if (read === undefined || read instanceof Error) throw read ?? new Error('nothing was read');
        expect(plain(read.body)).toEqual({ ...fields });
      }
    });
    await fc.assert(property, { numRuns: 15 });
  });
});
