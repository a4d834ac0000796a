import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { readBodyFields } from '../../../src/http/body/read-body';
import { DEFAULT_HTTP_LIMITS } from '../../../src/http/http-limits';
import { blockEventLoop } from '../block-event-loop';
import { openRequestDoor, plain, sendBody, sendBytes } from '../request-door';
import { opened } from '../../opened';

describe('readBodyFields', () => {
  const door = opened(openRequestDoor);

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
    await sendBody(door, type, body);
    expect(plain(door.request().body)).toEqual(fields);
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
    await sendBody(door, type, body);
    expect(door.refusal()).toBe(expected);
  });

  test('no misleading body takes long to read', async () => {
    const size = DEFAULT_HTTP_LIMITS.bodyBytesMax - 10;
    const fill = (unit: string): string => unit.repeat(Math.floor(size / unit.length));
    const bodies = [
      '&',
      '& ',
      `&${' '}`,
      '--',
      '-- ',
      '"',
      '[',
      '{"a":',
      '[1,',
      '=',
      'a[',
      '[]',
      'a[]=&',
      '%20',
      '"\\',
      ' \r\n',
      '--B\r\n',
      '1',
    ].map(fill);
    for (const body of [
      ...bodies,
      `&${fill(' ')}`,
      `--${fill(' ')}`,
      `--B\r\n${fill('-')}`,
      `{"a":"${fill('\\\\')}"}`,
      `a${fill('[]')}=1`,
    ]) {
      // Processor time of this process in microseconds, without the load of others. A garbage collection may fall into one
      // attempt, but not into three.
      let leastMicros = Infinity;
      for (let tries = 0; tries < 3 && leastMicros >= 1_500_000; tries += 1) {
        const before = process.cpuUsage();
        for (const type of ['multipart/form-data; boundary=B', undefined]) {
          await Promise.resolve()
            .then(() => readBodyFields(Buffer.from(body), type, DEFAULT_HTTP_LIMITS))
            .catch(() => undefined);
        }
        leastMicros = process.cpuUsage(before).user;
      }
      expect([body.slice(0, 10), leastMicros < 1_500_000]).toEqual([body.slice(0, 10), true]);
    }
  });
});

const SMALL = { ...DEFAULT_HTTP_LIMITS, bodyBytesMax: 1000, bodyTimeMs: 100 };

describe('readBytes', () => {
  const door = opened(() => openRequestDoor(SMALL));

  test('a body of exactly the largest size is read; one byte more is refused, by its length header or by count', async () => {
    const body = (length: number): string => `a=${'x'.repeat(length - 2)}`;
    await sendBody(door, undefined, body(1000));
    expect(door.refusal()).toBe('read');
    await sendBody(door, undefined, body(1001));
    expect(door.refusal()).toBe('body_too_large: The body is larger than 1000 bytes.');
    const chunk = `${(1001).toString(16)}\r\n${body(1001)}\r\n0\r\n\r\n`;
    const answer = await sendBytes(door.port, `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`);
    expect(door.refusal()).toBe('body_too_large: The body is larger than 1000 bytes.');
    expect(answer).toMatch(/^HTTP\/1\.1 413/);
  });

  test('the sender of a far too large body can still read the refusal', async () => {
    const answer = await sendBytes(
      door.port,
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n`,
      Buffer.alloc(3_000_000, 'x'),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413/);
  });

  test('chunks are joined wherever they are cut', async () => {
    await sendBytes(
      door.port,
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
      '5\r\n{"a":\r\n',
      '2\r\n"\xc3\r\n'.replace('\xc3', 'é').replace('2', '3'),
      '2\r\n"}\r\n0\r\n\r\n',
    );
    expect(door.read.at(-1)).toMatchObject({ body: new Map([['a', 'é']]) });
  });

  test('a body that stops arriving is refused in time', async () => {
    const answer = await sendBytes(door.port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\na=1');
    expect(door.refusal()).toBe('body_too_slow: The body had not arrived after 0.1 seconds.');
    expect(answer).toMatch(/^HTTP\/1\.1 408/);
  });

  test('a body that arrived while the process was held up is read', async () => {
    const [begunBefore, socket] = [door.begun(), connect(door.port, '127.0.0.1')];
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n');
    while (door.begun() === begunBefore) await new Promise((resolve) => setTimeout(resolve, 1));
    // After immediates come timers, before what has arrived.
    await new Promise((resolve) => setImmediate(resolve));
    socket.write('a=1');
    blockEventLoop();
    await new Promise((resolve) => socket.once('data', resolve));
    expect(door.refusal()).toBe('read');
    socket.destroy();
  });

  test('a caller that leaves in the middle of its body is refused and not waited for', async () => {
    const patient = await openRequestDoor({ ...SMALL, bodyTimeMs: 60_000 });
    const socket = connect(patient.port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\na=1');
    while (patient.begun() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    socket.destroy();
    while (patient.read.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const detail = 'The connection was closed before the whole body had arrived.';
    expect(patient.read).toEqual([expect.objectContaining({ code: 'unreadable_body', detail })]);
    await patient.close();
  });

  test.each(['gzip', 'deflate', 'br', 'GZIP, identity'])('a body compressed by %s is refused by name', async (encoding) => {
    const bytes = gzipSync('a=1');
    await sendBytes(
      door.port,
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
      bytes,
    );
    expect(door.refusal()).toBe(`unreadable_body: The body is compressed (${encoding.toLowerCase()}); send it plain.`);
  });
});
