import fc from 'fast-check';
import { GatewayError } from '../../../src/domain/errors';
import { nestFields } from '../../../src/http/body/nest-fields';
import type { FieldPair } from '../../../src/http/body/nest-fields';
import { DEFAULT_HTTP_LIMITS } from '../../../src/http/http-limits';
import { plain } from '../request-door';

/** `a[]=1&b=2` without any encoding. */
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

  test.each(['a=1&a[]=1', 'a[]=1&a=1', 'a[b]=1&a[b]=1', 'a[b]=1&a[]=1', 'a[]=1&a[b]=1', 'a[b]=1&a[b][c]=1', 'a[b][c]=1&a[b]=1'])(
    'refuses %s, whose two meanings exclude each other',
    (text) => expect(() => nest(text)).toThrow(expect.objectContaining({ code: 'repeated_field' })),
  );

  test('whatever the names are, nothing but a GatewayError is thrown and no prototype changes', () => {
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
