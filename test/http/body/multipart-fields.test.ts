import { parseBoundary, readMultipartFields } from '../../../src/http/body/multipart-fields';
import { DEFAULT_HTTP_LIMITS } from '../../../src/http/http-limits';
import { plain } from '../request-door';

const part = (name: string, text: string): string => `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
const read = async (body: string) => plain(await readMultipartFields(Buffer.from(body), 'B', DEFAULT_HTTP_LIMITS));

describe('readMultipartFields', () => {
  test('reads parts as text, with bracket names', async () => {
    expect(await read(`${part('phone', '0803')}${part('n[]', 'é')}${part('n[]', '2')}--B--\r\n`)).toEqual({
      phone: '0803',
      n: ['é', '2'],
    });
  });

  test.each([
    ['a repeated name', `${part('a', '1')}${part('a', '1')}--B--\r\n`, 'repeated_field', 'The field "a" is given twice.'],
    ['a body that is cut off', part('a', '1'), 'unreadable_body', 'The multipart body is broken or cut off.'],
    [
      'a part without a name',
      '--B\r\nContent-Disposition: form-data\r\n\r\n1\r\n--B--',
      'unreadable_body',
      'A part of the multipart body has no name.',
    ],
    [
      'a part that busboy passes over',
      '--B\r\nContent-Type: text/plain\r\n\r\n1\r\n--B--',
      'unreadable_body',
      'A part of the multipart body has no name.',
    ],
    [
      'a name that reaches a prototype',
      `${part('__proto__', '1')}--B--`,
      'unreadable_body',
      'A field may not be named "__proto__".',
    ],
  ])('refuses %s', async (_title, body, code, detail) => {
    await expect(read(body)).rejects.toMatchObject({ code, detail });
  });

  test('an empty form is no fields', async () => {
    expect(await read('--B--\r\n')).toEqual({});
  });
});

describe('parseBoundary', () => {
  test.each([
    ['--X-1\r\nContent-Disposition: form-data; name="a"\r\n', 'X-1'],
    ['--X\ncontent-disposition: form-data', 'X'],
    ['--X--\r\n', 'X'],
    ['--network=1', undefined],
    ['network=1', undefined],
  ])('of %j is %s', (text, boundary) => expect(parseBoundary(text)).toBe(boundary));
});
