import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { GatewayError } from '../../../src/domain/errors';
import { DEFAULT_HTTP_LIMITS } from '../../../src/http/http-limits';
import { openRequestDoor, readBody, speak } from '../request-door';
import type { RequestDoor } from '../request-door';

const SMALL = { ...DEFAULT_HTTP_LIMITS, bodyBytesMax: 1000, bodyTimeMs: 100 };

describe('readBytes', () => {
  let door: RequestDoor;
  beforeAll(async () => {
    door = await openRequestDoor(SMALL);
  });
  afterAll(() => door.close());

  const refusal = (): string => {
    const last = door.read.at(-1);
    return last instanceof GatewayError ? `${last.code}: ${last.detail}` : 'read';
  };

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
    const patient = await openRequestDoor({ ...SMALL, bodyTimeMs: 60_000 });
    const socket = connect(patient.port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\na=1');
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.destroy();
    while (patient.read.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const detail = 'The connection was closed before the whole body had arrived.';
    expect(patient.read).toEqual([expect.objectContaining({ code: 'unreadable_body', detail })]);
    await patient.close();
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
});
