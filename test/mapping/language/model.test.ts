import { z } from 'zod';
import { whole } from '../../../src/mapping/language/declare';
import { formatFileSchema, sharedFileSchema } from '../../../src/mapping/language/schema';
import { isOptionalAt, isPlainAt, isRecordAt, keysAt, MODEL, readModel, ruleAt } from '../../../src/mapping/language/model';

const FIELD = ['operations', 'buy', 'fields', 'phone'];

test('a path has its allowed keys at every depth, and none where the author chooses the names', () => {
  expect(keysAt(sharedFileSchema, FIELD)).toContain('length_max');
  expect(keysAt(formatFileSchema, ['proof', 3])).toContain('any_field');
  expect(keysAt(sharedFileSchema, ['operations'])).toEqual([]);
  expect(keysAt(sharedFileSchema, ['nowhere', 'at', 'all'])).toEqual([]);
});

test('a key is optional or required as the schema says', () => {
  expect(isOptionalAt(sharedFileSchema, [...FIELD, 'otherwise'])).toBe(true);
  expect(isOptionalAt(sharedFileSchema, [...FIELD, 'from'])).toBe(false);
  expect(isOptionalAt(sharedFileSchema, [])).toBe(false);
});

test('a path is a map with names of the author exactly where the schema says so', () => {
  expect(isRecordAt(sharedFileSchema, ['operations'])).toBe(true);
  expect(isRecordAt(sharedFileSchema, FIELD)).toBe(false);
});

test('a key is plain only where `plan` judges no change of it as one that moves money', () => {
  const [operation, table] = [
    ['operations', 'buy'],
    ['tables', 'network'],
  ];
  for (const key of ['title', 'ignore', 'patience'])
    expect([key, isPlainAt(sharedFileSchema, [...operation, key])]).toEqual([key, true]);
  for (const key of ['call', 'undecided', 'without_key', 'numbering_guard', 'categories', 'fields', 'nothing'])
    expect([key, isPlainAt(sharedFileSchema, [...operation, key])]).toEqual([key, false]);
  for (const key of ['as', 'required', 'length_max']) expect(isPlainAt(sharedFileSchema, [...FIELD, key])).toBe(false);
  for (const key of ['numbers', 'values']) expect(isPlainAt(sharedFileSchema, [...table, key])).toBe(false);
  expect(isPlainAt(formatFileSchema, ['format'])).toBe(false);
  expect(isPlainAt(formatFileSchema, ['cure'])).toBe(true);
});

test('a wrong value and a wrong key have the rule that the schema names', () => {
  expect(ruleAt(sharedFileSchema, ['timing', 'try'], 'value')).toBe('bad-duration');
  expect(ruleAt(sharedFileSchema, ['callers', 'keys', 'nobody'], 'key')).toBe('bad-fingerprint');
  expect(ruleAt(sharedFileSchema, [...FIELD, 'from'], 'value')).toBeUndefined();
});

test('the sentences of every key use only names that are in its path', () => {
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

test('every key that is a set has sentences for an added and a removed item', () => {
  const sets = [...MODEL.keys].filter(([, { compared }]) => ['set', 'words', 'agents', 'routes'].includes(compared));
  expect(sets.length).toBeGreaterThan(10);
  for (const [pattern, { added, removed }] of sets)
    expect([pattern, added?.includes('{item}'), removed?.includes('{item}')]).toEqual([pattern, true, true]);
});

test('a key without sentences of its own makes the reading of the schema throw', () => {
  const silent = z.strictObject({ said: z.string().meta(whole('constant', 'plain', 'said')), silent: z.string() });
  expect(() => readModel([[silent, '']])).toThrow('the key silent of the mapping language has no declaration');
});
