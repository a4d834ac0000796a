import fc from 'fast-check';
import { GatewayError } from '../../../src/domain/errors';
import {
  type FieldPair,
  nestFields,
  parseBoundary,
  readFormFields,
  readMultipartFields,
} from '../../../src/http/body/form-fields';
import { DEFAULT_HTTP_LIMITS } from '../../../src/http/http-limits';
import { plain, refusalOf } from '../request-door';

const read = (text: string) => plain(readFormFields(text, 'body', DEFAULT_HTTP_LIMITS));

const refusal = (text: string): string => refusalOf(() => readFormFields(text, 'query string', DEFAULT_HTTP_LIMITS));

describe('readFormFields', () => {
  test.each([
    ['a=1&b=two+words&c=%2B234', { a: '1', b: 'two words', c: '+234' }],
    ['smart_card_number=01&&cablename=GOTV', { smart_card_number: '01', cablename: 'GOTV' }],
    ['smart_card_number=01& &%20cablename=GOTV', { smart_card_number: '01', cablename: 'GOTV' }],
    ['=x&a', { a: '' }],
    ['a=b=c', { a: 'b=c' }],
    ['name=%F0%9F%98%80é', { name: '😀é' }],
    ['', {}],
    ['&&&', {}],
  ])('reads %s', (text, fields) => expect(read(text)).toEqual(fields));

  test.each([
    'a=1&a=1',
    'a=1&b=2&a=3',
    'a=1&%20a=1',
    'a=1&a[]=1',
    'a[]=1&a=1',
    'a[b]=1&a[b]=1',
    'a[b]=1&a[]=1',
    'a[]=1&a[b]=1',
    'a[b]=1&a[b][c]=1',
    'a[b][c]=1&a[b]=1',
  ])('refuses %s, which gives one field twice', (text) =>
    expect(refusal(text)).toMatch(/^repeated_field: The field ".+" is given twice\.$/),
  );

  test.each(['a=%', 'a=%4', 'a=%zz', '%=1', 'a=%ff', 'a=%C3', 'a=100%'])('refuses the percent-encoding of %s', (text) => {
    expect(refusal(text)).toBe(
      'unreadable_body: The query string has a percent sign that is not followed by valid UTF-8 in hexadecimal.',
    );
  });

  test.each(['__proto__=1', '__proto__[x]=1', 'a[__proto__]=1', 'a[constructor][prototype]=1', 'a%00=1', 'a=%00'])(
    'refuses %s',
    (text) => {
      expect(refusal(text)).toMatch(/^unreadable_body/);
    },
  );

  test('depth and number of names are limited, a list is not', () => {
    expect(refusal(`a${'[b]'.repeat(8)}=1`)).toBe('unreadable_body: The fields are nested deeper than 8 levels.');
    expect(refusal(Array.from({ length: 201 }, (_, at) => `a${at}=1`).join('&'))).toBe(
      'unreadable_body: More than 200 fields were sent.',
    );
    const list = (nameOf: (at: number) => string): string =>
      Array.from({ length: 5_000 }, (_, at) => `${nameOf(at)}=1`).join('&');
    expect(refusal(list(() => 'numbers[]'))).toBe('read');
    // As `http_build_query` writes it.
    expect(refusal(list((at) => `numbers[${at}]`))).toBe('read');
    for (const nameOf of [
      (at: number) => `numbers[${at + 1}]`,
      (at: number) => `numbers[0${at}]`,
      (at: number) => `a[${at}][b]`,
      (at: number) => `${at}`,
    ])
      expect(refusal(list(nameOf))).toBe('unreadable_body: More than 200 fields were sent.');
  });

  test('fields make the round trip through URLSearchParams', () => {
    const name = fc
      .string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
      .filter((text) => !/^\s|[[\]\0]|^(?:__proto__|constructor|prototype)$/.test(text));
    fc.assert(
      fc.property(
        fc.dictionary(
          name,
          fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
        ),
        (fields) => {
          fc.pre(Object.keys(fields).every((key) => !/\p{Cc}/u.test(key)));
          expect(read(new URLSearchParams(fields).toString())).toEqual({ ...fields });
        },
      ),
    );
  });
});

/** `a[]=1&b=2`, not percent-encoded. */
const pairsOf = (text: string): FieldPair[] =>
  text.split('&').map((pair) => [pair.split('=')[0] ?? '', pair.split('=')[1] ?? '']);
const nest = (text: string) => plain(nestFields(pairsOf(text), DEFAULT_HTTP_LIMITS));

describe('nestFields', () => {
  test.each([
    ['numbers[]=1&numbers[]=1', { numbers: ['1', '1'] }],
    ['numbers[0]=1&numbers[1]=2', { numbers: ['1', '2'] }],
    ['a[x]=1&a[y][z]=2', { a: { x: '1', y: { z: '2' } } }],
    ['a[][b]=1&a[][b]=2', { a: [{ b: '1' }, { b: '2' }] }],
    ['a[b=1&c]=2&[d]=3&a[b]c=4', { 'a[b': '1', 'c]': '2', '[d]': '3', 'a[b]c': '4' }],
    ['a[1]=x', { a: { 1: 'x' } }],
    ['=x& =y&&  z=1', { z: '1' }],
  ])('gives %s as PHP means it', (text, fields) => expect(nest(text)).toEqual(fields));

  test('any name gives fields or a GatewayError, and changes no prototype', () => {
    const key = fc.constantFrom('a', 'b', '', '0', '__proto__', 'constructor', 'prototype', 'toString');
    const name = fc
      .tuple(key, fc.array(key, { maxLength: 4 }))
      .map(([first, rest]) => first + rest.map((part) => `[${part}]`).join(''));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string()), { maxLength: 8 }), (pairs) => {
        try {
          nestFields(pairs, DEFAULT_HTTP_LIMITS);
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
        }
        expect(({} as Record<string, unknown>)['a'] ?? ({} as Record<string, unknown>)['b']).toBeUndefined();
        expect(typeof {}.toString).toBe('function');
      }),
    );
  });
});

const part = (name: string, text: string): string => `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
const readParts = async (body: string) => plain(await readMultipartFields(Buffer.from(body), 'B', DEFAULT_HTTP_LIMITS));

describe('readMultipartFields', () => {
  test('reads parts as text, with bracket names', async () => {
    expect(await readParts(`${part('phone', '0803')}${part('n[]', 'é')}${part('n[]', '2')}--B--\r\n`)).toEqual({
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
    await expect(readParts(body)).rejects.toMatchObject({ code, detail });
  });

  test('the refusal of a file names its field, which a log may have to mask', async () => {
    const file = `--B\r\nContent-Disposition: form-data; name="4829"; filename="x"\r\n\r\n1\r\n--B--\r\n`;
    const detail = 'The field "4829" was sent as a file; send it as text.';
    await expect(readParts(file)).rejects.toMatchObject({ code: 'unreadable_body', detail, field: '4829' });
  });

  test('an empty form is no fields', async () => {
    expect(await readParts('--B--\r\n')).toEqual({});
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
