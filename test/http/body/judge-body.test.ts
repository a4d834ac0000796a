import { GatewayError } from '../../../src/domain/errors';
import { readBodyFields } from '../../../src/http/body/judge-body';
import { DEFAULT_HTTP_LIMITS } from '../../../src/http/http-limits';
import { openRequestDoor, plain, readBody } from '../request-door';
import type { RequestDoor } from '../request-door';

describe('readBodyFields', () => {
  let door: RequestDoor;
  beforeAll(async () => {
    door = await openRequestDoor();
  });
  afterAll(() => door.close());

  const refusal = (): string => {
    const last = door.read.at(-1);
    return last instanceof GatewayError ? `${last.code}: ${last.detail}` : 'read';
  };

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

  test('no body takes long to judge, however it is made to mislead', async () => {
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
      const before = process.cpuUsage();
      await readBodyFields(Buffer.from(body), 'multipart/form-data; boundary=B', DEFAULT_HTTP_LIMITS).catch(() => undefined);
      await readBodyFields(Buffer.from(body), undefined, DEFAULT_HTTP_LIMITS).catch(() => undefined);
      // Work of this process in microseconds: what others do on the machine is not in it.
      expect([body.slice(0, 10), process.cpuUsage(before).user < 1_500_000]).toEqual([body.slice(0, 10), true]);
    }
  });
});
