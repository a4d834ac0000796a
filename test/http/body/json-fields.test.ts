import fc from 'fast-check';
import { isExactNumber, readJsonFields, scanJson } from '../../../src/http/body/json-fields';
import { DEFAULT_HTTP_LIMITS } from '../../../src/http/http-limits';
import { plain, refusalOf } from '../request-door';

const read = (text: string) => plain(readJsonFields(text, DEFAULT_HTTP_LIMITS));

const refusal = (text: string): string => refusalOf(() => readJsonFields(text, DEFAULT_HTTP_LIMITS));

describe('readJsonFields', () => {
  test('keeps types and order as sent', () => {
    const fields = readJsonFields('{"request-id": 12, "b": "01", "a": null, "c": true, "d": 100.50}', DEFAULT_HTTP_LIMITS);
    expect([...fields]).toEqual([
      ['request-id', 12],
      ['b', '01'],
      ['a', null],
      ['c', true],
      ['d', 100.5],
    ]);
  });

  test.each(['null', '[]', ' [ ] ', '{}'])('reads %s as no fields', (text) => {
    expect(read(text)).toEqual({});
  });

  test.each(['1', '"text"', 'true', '[1]', '[{"network": 1}]', '12345678901234567890'])(
    'refuses %s, which has no fields',
    (text) => {
      expect(refusal(text)).toBe('unreadable_body: The JSON body is not an object with fields.');
    },
  );

  test('keeps a number that a double would round as text', () => {
    expect(read('{"iuc": 9007199254740993, "deep": {"list": [1e400, 0.1]}, "ok": 9007199254740991}')).toEqual({
      iuc: { inexact: '9007199254740993' },
      deep: { list: [expect.objectContaining({ text: '1e400' }), 0.1] },
      ok: 9007199254740991,
    });
  });

  test.each([
    ['{"network": 1, "network": 2}', 'network'],
    ['{"network": 1, "network": 1}', 'network'],
    ['{"a": {"b": 1, "b": 1}}', 'b'],
    ['{"a": 1, "\\u0061": 1}', 'a'],
    ['{"a": [{"b": 1}, {"b": 1, "c": [], "b": 1}]}', 'b'],
  ])('refuses the repeated name in %s', (text, name) => {
    expect(refusal(text)).toBe(`repeated_field: The field "${name}" is given twice.`);
  });

  test('the same name in two objects is no repetition, nor is a value equal to a name', () => {
    expect(read('{"a": {"b": "b"}, "b": {"b": 1}, "c": ["b", "b"]}')).toEqual({ a: { b: 'b' }, b: { b: 1 }, c: ['b', 'b'] });
  });

  test.each([
    '{"__proto__": {"isAdmin": 1}}',
    '{"a": {"constructor": {}}}',
    '{"a": [{"prototype": 1}]}',
    '{"\\u005f_proto__": 1}',
  ])('refuses the name in %s', (text) => {
    expect(refusal(text)).toMatch(/^unreadable_body: A field may not be named "(?:__proto__|constructor|prototype)"\.$/);
  });

  test.each([
    ['a NUL in a value', '{"a": "x\\u0000"}'],
    ['a NUL deep in a list', '{"a": [{"b": "\\u0000"}]}'],
    ['half a surrogate pair', '{"a": "\\ud83d"}'],
    ['a control character in a name', '{"a\\n": 1}'],
  ])('refuses %s', (_title, text) => {
    expect(refusal(text)).toMatch(/^unreadable_body/);
  });

  test('a whole surrogate pair is accepted as text', () => {
    expect(read('{"a": "\\ud83d\\ude00"}')).toEqual({ a: '😀' });
  });

  test.each([
    ['{"a": 1 "b": 2}', 'line 1, column 9: a comma is missing before this place'],
    ['{"a" 1}', 'line 1, column 6: a colon is missing after the name'],
    ['{"a": 1,}', 'line 1, column 9: a name in double quotes is missing'],
    ['{"a": "x', 'line 1, column 9: a text has no closing quote'],
    ['{"a": "\\q"}', 'line 1, column 8: a backslash is followed by a character that cannot be escaped'],
    ['{"a": -}', 'line 1, column 8: a number is not complete'],
    ['{\r\n"a": 1,\r\n"b": }', 'line 3, column 6: the value is missing'],
    ['{"a": 1}{"a": 1}', 'line 1, column 9: there is more text after the end of the JSON'],
    ['{"a": [1,]}', 'line 1, column 10: a list item is missing'],
    ['{"a": 1', 'line 1, column 8: the object has no end'],
    ["{'a': 1}", 'line 1, column 2: a name in double quotes is missing'],
    ['{"a": 01}', 'line 1, column 8: a comma is missing before this place'],
  ])('says where %s is broken', (text, place) => {
    expect(refusal(text)).toBe(`unreadable_body: The JSON body is broken at ${place}.`);
  });

  test('a refusal never repeats the body', () => {
    expect(refusal('{"pin": "12345" "key": "acme_live_secret"}')).not.toMatch(/12345|acme/);
    expect(refusal('{"pin": -secret}')).not.toContain('secret');
  });

  test('depth and number of fields are limited', () => {
    const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    expect(refusal(nested(8))).toBe('read');
    expect(refusal(nested(9))).toBe('unreadable_body: The fields are nested deeper than 8 levels.');
    expect(refusal('['.repeat(100_000))).toMatch(/^unreadable_body/);
    expect(refusal('{"a":'.repeat(40_000))).toMatch(/^unreadable_body/);
    expect(refusal(JSON.stringify({ list: Array.from({ length: 100 }, (_, at) => ({ [`a${at}`]: 1, b: 1 })) }))).toBe(
      'unreadable_body: More than 200 fields were sent.',
    );
    expect(refusal(JSON.stringify({ ['n'.repeat(129)]: 1 }))).toBe(
      'unreadable_body: A field name is longer than 128 characters.',
    );
  });

  test('a long list does not count as many fields', () => {
    expect(refusal(JSON.stringify({ numbers: Array.from({ length: 5_000 }, () => '08030000001') }))).toBe('read');
  });
});

const WIDE = { fieldsMax: 1e9, depthMax: 1e9 };

describe('scanJson', () => {
  test.each(['0', '-1', '1.0', '100.50', '1e3', '9007199254740991', '-9007199254740991', '0.1', '1234567890.12345', '5e-324'])(
    'reads %s as exact',
    (text) => expect(isExactNumber(text)).toBe(true),
  );

  test.each([
    '9007199254740992',
    '9007199254740993',
    '10000000000000000',
    '1e16',
    '1e400',
    '1e-400',
    '0.10000000000000000001',
    '-1e99',
  ])('reads %s as inexact', (text) => expect(isExactNumber(text)).toBe(false));

  test('finds an inexact number anywhere, and none inside texts', () => {
    expect(scanJson('{"a":[{"b":12345678901234567890}]}', WIDE).hasInexactNumber).toBe(true);
    expect(scanJson('{"a":"12345678901234567890","b\\"":"\\\\"}', WIDE).hasInexactNumber).toBe(false);
  });

  test('accepts everything that JSON.stringify writes for exact numbers', () => {
    const safe = fc
      .jsonValue({ noUnicodeString: false })
      .filter((value) => !/__proto__|constructor|prototype|\\u00|\\[bfnrt]|\x7f/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(safe, (value) => {
        const text = JSON.stringify(value);
        fc.pre(!/\\ud[89a-f]/.test(text) && !/[eE][+-]\d|\d{16}/.test(text));
        expect(scanJson(text, WIDE)).toEqual({ hasInexactNumber: false });
      }),
      { numRuns: 300 },
    );
  });
});
