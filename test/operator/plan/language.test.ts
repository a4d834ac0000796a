import type { z } from 'zod';
import { KEPT_EMPTY, LANGUAGE, NAMED } from '../../../src/operator/plan/language';
import { formatFileSchema, sharedFileSchema } from '../../../src/mapping/schema';

interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly options?: readonly z.ZodType[];
}

const definitionOf = (schema: z.ZodType): Definition => schema.def;

/** Every key that an author can write, as far down as the language goes, with `*` for names and for items without one. */
function keysOf(schema: z.ZodType, path: string): string[] {
  const { type, innerType, in: input, element, valueType, shape } = definitionOf(schema);
  const step = (key: string): string => (path === '' ? key : `${path}.${key}`);
  if (type === 'optional' || type === 'pipe') return keysOf((innerType ?? input)!, path);
  if (shape !== undefined) return Object.entries(shape).flatMap(([key, part]) => keysOf(part, step(key)));
  if (type === 'record') return isLanguage(valueType!) ? keysOf(valueType!, step('*')) : [path];
  if (type === 'array') return isLanguage(element!) ? keysOf(element!, step('*')) : [path];
  return [path];
}

/** A value, a word or a number is where the language ends. */
function isLanguage(schema: z.ZodType): boolean {
  const { type, innerType, in: input, valueType, shape } = definitionOf(schema);
  if (type === 'optional' || type === 'pipe') return isLanguage((innerType ?? input)!);
  return shape !== undefined || (type === 'record' && valueType !== undefined);
}

/** Names whose values end the language, as the table has them. */
const LEAF_RECORDS = ['texts', 'operations.*.patience', 'operations.*.join.*.where', 'callers.keys.*.unlisted'];

const written = [
  ...keysOf(sharedFileSchema, ''),
  // What says which format it is, and rows, which are one section over all files.
  ...keysOf(formatFileSchema, 'formats.*').filter((key) => key !== 'formats.*.format' && key !== 'formats.*.rows.*'),
]
  .map((key) => key.replace(/^words\.(?:success|pending|failure)\./, 'words.*.'))
  .map((key) => (LEAF_RECORDS.includes(key) ? `${key}.*` : key));

test('every key of the language is in the table, and nothing else', () => {
  expect(written.length).toBeGreaterThan(80);
  expect([...new Set(written)].sort()).toEqual(Object.keys(LANGUAGE).sort());
});

test('every rule says what it is by names that its path has', () => {
  const said = [
    ...Object.entries(LANGUAGE).map(([pattern, { shape, says, added, removed }]) => ({
      pattern,
      texts: [says, added ?? '', removed ?? ''],
      more: shape === 'numbers' ? 1 : 0,
    })),
    ...Object.entries(NAMED).map(([pattern, says]) => ({ pattern, texts: [says], more: 0 })),
  ];
  const broken = said.filter(({ pattern, texts, more }) => {
    const names = pattern.split('.').filter((step) => step === '*').length + more;
    return [...texts.join(' ').matchAll(/\{(\d)\}/g)].some(([, index]) => Number(index) > names);
  });
  expect(broken).toEqual([]);
});

test('a set says what one item more or less means', () => {
  const sets = Object.entries(LANGUAGE).filter(([, { shape }]) => ['set', 'words', 'agents', 'routes'].includes(shape));
  expect(sets.length).toBeGreaterThan(10);
  for (const [pattern, { added, removed }] of sets)
    expect([pattern, added?.includes('{item}'), removed?.includes('{item}')]).toEqual([pattern, true, true]);
});

test('what is named or kept empty is above a key of the language', () => {
  const above = new Set(
    Object.keys(LANGUAGE).flatMap((key) => key.split('.').map((_, index, steps) => steps.slice(0, index + 1).join('.'))),
  );
  expect([...Object.keys(NAMED), ...KEPT_EMPTY].filter((pattern) => !above.has(pattern))).toEqual([]);
});
