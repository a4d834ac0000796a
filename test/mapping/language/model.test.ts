import { z } from 'zod';
import { whole } from '../../../src/mapping/language/declare';
import { formatFileSchema, sharedFileSchema } from '../../../src/mapping/language/schema';
import { isOptionalAt, isRecordAt, keysAt, MODEL, readModel, ruleAt } from '../../../src/mapping/language/model';

const FIELD = ['operations', 'buy', 'fields', 'phone'];

test('the keys that may stand at a path, however deep, and none where names are the author’s own', () => {
  expect(keysAt(sharedFileSchema, FIELD)).toContain('length_max');
  expect(keysAt(formatFileSchema, ['proof', 3])).toContain('any_field');
  expect(keysAt(sharedFileSchema, ['operations'])).toEqual([]);
  expect(keysAt(sharedFileSchema, ['nowhere', 'at', 'all'])).toEqual([]);
});

test('what may be absent, and what may not', () => {
  expect(isOptionalAt(sharedFileSchema, [...FIELD, 'otherwise'])).toBe(true);
  expect(isOptionalAt(sharedFileSchema, [...FIELD, 'from'])).toBe(false);
  expect(isOptionalAt(sharedFileSchema, [])).toBe(false);
});

test('where names of the author’s own stand', () => {
  expect(isRecordAt(sharedFileSchema, ['operations'])).toBe(true);
  expect(isRecordAt(sharedFileSchema, FIELD)).toBe(false);
});

test('the rule of a value, and that of a key', () => {
  expect(ruleAt(sharedFileSchema, ['timing', 'try'], 'value')).toBe('bad-duration');
  expect(ruleAt(sharedFileSchema, ['callers', 'keys', 'nobody'], 'key')).toBe('bad-fingerprint');
  expect(ruleAt(sharedFileSchema, [...FIELD, 'from'], 'value')).toBeUndefined();
});

test('every rule says what it is by names that its path has', () => {
  const broken = [...MODEL.keys, ...MODEL.groups].filter(([pattern, declared]) => {
    const names =
      pattern.split('.').filter((step) => step === '*').length +
      ('compared' in declared && declared.compared === 'numbers' ? 1 : 0);
    const texts = 'compared' in declared ? [declared.title, declared.added, declared.removed, declared.named] : [declared.named];
    return [...texts.join(' ').matchAll(/\{(\w+)\}/g)].some(([, word]) => word !== 'item' && !(Number(word) <= names));
  });
  expect(MODEL.keys.size).toBeGreaterThan(80);
  expect(broken).toEqual([]);
});

test('a set says what one item more or less means', () => {
  const sets = [...MODEL.keys].filter(([, { compared }]) => ['set', 'words', 'agents', 'routes'].includes(compared));
  expect(sets.length).toBeGreaterThan(10);
  for (const [pattern, { added, removed }] of sets)
    expect([pattern, added?.includes('{item}'), removed?.includes('{item}')]).toEqual([pattern, true, true]);
});

test('a key without words of its own is refused when the schema is read', () => {
  const silent = z.strictObject({ said: z.string().meta(whole('constant', 'plain', 'said')), silent: z.string() });
  expect(() => readModel([[silent, '']])).toThrow('the key silent of the mapping language has no declaration');
});
