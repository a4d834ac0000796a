import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mappingJsonSchema, type JsonSchema } from './json-schema';
import { mappingReference, documents } from './documents';

const ROOT = resolve(__dirname, '..', '..');
const SCHEMA = mappingJsonSchema();

test('the generated schemas and the reference page are up to date', () => {
  const stale = [...documents()].filter(([path, text]) => readFileSync(join(ROOT, path), 'utf8') !== text).map(([path]) => path);
  expect(stale).toEqual([]);
});

/** Every key of an object in the schema, with its description; that of a key by reference is the description of the definition. */
function keysIn(part: unknown): readonly (readonly [key: string, description: string])[] {
  if (typeof part !== 'object' || part === null) return [];
  const { properties = {} } = part as JsonSchema;
  const described = (schema: JsonSchema): string => {
    const { description, $ref, allOf } = schema as JsonSchema & { $ref?: string; allOf?: readonly JsonSchema[] };
    const whole = $ref === undefined ? allOf?.[0] : SCHEMA.definitions![$ref.replace('#/definitions/', '')];
    return description ?? (whole === undefined ? '' : described(whole));
  };
  const own = Object.entries(properties).map(([key, schema]) => [key, described(schema)] as const);
  return [...own, ...Object.values(part).flatMap(keysIn)];
}

test('every key of a mapping file has a description, and stands with it in the reference page', () => {
  const reference = mappingReference();
  const keys = keysIn(SCHEMA.definitions);
  expect(keys.length).toBeGreaterThan(100);
  const isShown = (words: string): boolean => reference.includes(words) || reference.includes(words.replaceAll('|', '\\|'));
  expect(keys.filter(([key, words]) => words === '' || !reference.includes(`\`${key}\``) || !isShown(words))).toEqual([]);
});
