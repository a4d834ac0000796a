import { assertFieldName, assertFieldText, shownName } from '../../../src/http/body/field-rules';

describe('the rules of a field', () => {
  test('a name is shown short and without characters that break a line', () => {
    expect(shownName('request-id')).toBe('request-id');
    expect(shownName('a\r\nb\u001b[31m')).toBe('a??b?[31m');
    expect(shownName('n'.repeat(100))).toBe(`${'n'.repeat(40)}…`);
  });

  test.each(['__proto__', 'constructor', 'prototype', 'a\0', 'a\nb', '\ud800', 'n'.repeat(129)])(
    'the name %j is refused',
    (name) => {
      expect(() => assertFieldName(name)).toThrow(expect.objectContaining({ code: 'unreadable_body' }));
    },
  );

  test.each(['request-id', 'Ported_number', 'numéro', 'a b', 'toString'])('the name %s is accepted', (name) => {
    expect(() => assertFieldName(name)).not.toThrow();
  });

  test('a text may hold line breaks and emoji, but no NUL and no half character', () => {
    expect(() => assertFieldText('a', '3\n😀\t')).not.toThrow();
    for (const text of ['\0', 'x\udc00'])
      expect(() => assertFieldText('a', text)).toThrow('The field "a" holds a character that is no text.');
  });
});
