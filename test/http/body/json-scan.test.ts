import fc from 'fast-check';
import { isExactNumber, scanJson } from '../../../src/http/body/json-scan';

const WIDE = { fieldsMax: 1e9, depthMax: 1e9 };

describe('scanJson', () => {
  test.each(['0', '-1', '1.0', '100.50', '1e3', '9007199254740991', '-9007199254740991', '0.1', '1234567890.12345', '5e-324'])(
    'takes %s for exact',
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
  ])('takes %s for inexact', (text) => expect(isExactNumber(text)).toBe(false));

  test('finds an inexact number wherever it stands, and none inside texts', () => {
    expect(scanJson('{"a":[{"b":12345678901234567890}]}', WIDE).hasInexactNumber).toBe(true);
    expect(scanJson('{"a":"12345678901234567890","b\\"":"\\\\"}', WIDE).hasInexactNumber).toBe(false);
  });

  test('accepts everything that JSON.stringify writes of exact numbers', () => {
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
