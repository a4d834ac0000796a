import { formatFileSchema, sharedFileSchema } from '../../src/mapping/schema';
import { isOptionalAt, isRecordAt, keysAt, ruleAt } from '../../src/mapping/schema-node';

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
