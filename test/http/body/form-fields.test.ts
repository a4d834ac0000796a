import fc from 'fast-check';
import { GatewayError } from '../../../src/domain/errors';
import { readFormFields } from '../../../src/http/body/form-fields';
import { DEFAULT_HTTP_LIMITS } from '../../../src/http/http-limits';
import { plain } from '../request-door';

const read = (text: string) => plain(readFormFields(text, 'body', DEFAULT_HTTP_LIMITS));

function refusal(text: string): string {
  try {
    readFormFields(text, 'query string', DEFAULT_HTTP_LIMITS);
  } catch (error) {
    if (error instanceof GatewayError) return `${error.code}: ${error.detail}`;
    throw error;
  }
  return 'read';
}

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

  test('depth and number of names are bounded, a list is not', () => {
    expect(refusal(`a${'[b]'.repeat(8)}=1`)).toBe('unreadable_body: The fields are nested deeper than 8 levels.');
    expect(refusal(Array.from({ length: 201 }, (_, at) => `a${at}=1`).join('&'))).toBe(
      'unreadable_body: More than 200 fields were sent.',
    );
    expect(refusal(Array.from({ length: 5_000 }, () => 'numbers[]=1').join('&'))).toBe('read');
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
