import fc from 'fast-check';
import { decodePath, trimSlash } from '../../src/domain/decode-path';

test.each([
  ['INV%2F2026', 'INV/2026'],
  ['100%', '100%'],
  ['%zz%41', '%zzA'],
  ['%25252F', '%252F'],
  ['%E2%82%A6', '₦'],
  ['%ff', '%ff'],
  ['na\u00c3\u00afve', 'naïve'],
  ['na\u00efve', 'naïve'],
  ['₦', '₦'],
])('%j is %j, decoded once and as far as it can be', (raw, text) => expect(decodePath(raw)).toBe(text));

test('what was encoded is read back', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => expect(decodePath(encodeURIComponent(text))).toBe(text)));
});

test.each([
  ['/api/topup/', '/api/topup'],
  ['/api/topup///', '/api/topup'],
  ['/', '/'],
  ['///', '/'],
  ['', '/'],
])('%j without its last slashes is %j', (path, trimmed) => {
  expect(trimSlash(path)).toBe(trimmed);
});
