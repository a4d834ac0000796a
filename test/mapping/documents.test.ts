import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mappingJsonSchema, type JsonSchema } from './json-schema';
import { mappingReference, documents } from './documents';
import { formatFileSchema, sharedFileSchema } from '../../src/mapping/language/schema';

const ROOT = resolve(__dirname, '..', '..');
const SCHEMA = mappingJsonSchema();

test('the generated schemas and the reference page are up to date', () => {
  const stale = [...documents()].filter(([path, text]) => read(path) !== text).map(([path]) => path);
  expect(stale).toEqual([]);
});

function read(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch {
    return undefined;
  }
}

interface Zod {
  readonly def: {
    readonly type: string;
    readonly innerType?: Zod;
    readonly in?: Zod;
    readonly element?: Zod;
    readonly valueType?: Zod;
    readonly options?: readonly Zod[];
  };
  readonly shape?: Readonly<Record<string, Zod>>;
  readonly description?: string;
}

/** The description of every key of the checker's schema, by its path. */
function keysOfZod(schema: Zod, path: string, keys: Map<string, string>): Map<string, string> {
  const { innerType, in: input, element, valueType, options, type } = schema.def;
  if (type === 'lazy') return keys;
  for (const inner of [innerType, input, ...(options ?? [])]) if (inner !== undefined) keysOfZod(inner, path, keys);
  if (element !== undefined) keysOfZod(element, `${path}[]`, keys);
  if (valueType !== undefined) keysOfZod(valueType, `${path}.*`, keys);
  for (const [key, part] of Object.entries(schema.shape ?? {})) {
    keys.set(`${path}.${key}`, descriptionOf(part));
    keysOfZod(part, `${path}.${key}`, keys);
  }
  return keys;
}

function descriptionOf(schema: Zod): string {
  const inner = schema.def.innerType ?? schema.def.in;
  return schema.description ?? (inner === undefined ? '' : descriptionOf(inner));
}

/** The description of every key of the JSON Schema, by its path; references are followed. */
function keysOfJson(schema: JsonSchema, path: string, keys: Map<string, string>): Map<string, string> {
  const { items, additionalProperties, anyOf, allOf, $ref } = schema as {
    items?: JsonSchema;
    additionalProperties?: JsonSchema | false;
    anyOf?: readonly JsonSchema[];
    allOf?: readonly JsonSchema[];
    $ref?: string;
  };
  if ($ref !== undefined) {
    const name = $ref.replace('#/definitions/', '');
    return name === 'value' ? keys : keysOfJson(SCHEMA.definitions![name]!, path, keys);
  }
  for (const part of [...(anyOf ?? []), ...(allOf ?? [])]) keysOfJson(part, path, keys);
  if (items !== undefined) keysOfJson(items, `${path}[]`, keys);
  if (typeof additionalProperties === 'object') keysOfJson(additionalProperties, `${path}.*`, keys);
  for (const [key, part] of Object.entries(schema.properties ?? {})) {
    keys.set(`${path}.${key}`, jsonDescription(part));
    keysOfJson(part, `${path}.${key}`, keys);
  }
  return keys;
}

function jsonDescription(schema: JsonSchema): string {
  const { $ref, allOf } = schema as { $ref?: string; allOf?: readonly JsonSchema[] };
  if (schema.description !== undefined) return schema.description;
  if ($ref !== undefined) return SCHEMA.definitions![$ref.replace('#/definitions/', '')]!.description ?? '';
  return allOf === undefined ? '' : jsonDescription(allOf[0]!);
}

test('checker, JSON Schema and reference page have the same keys with the same descriptions', () => {
  const reference = mappingReference();
  for (const [file, zod] of [
    ['format_file', formatFileSchema],
    ['shared_file', sharedFileSchema],
  ] as const) {
    const inChecker = keysOfZod(zod, '', new Map());
    const inSchema = keysOfJson(SCHEMA.definitions![file]!, '', new Map());
    expect([...inSchema].sort()).toEqual([...inChecker].sort());
    expect([...inChecker].filter(([, description]) => description === '').map(([path]) => path)).toEqual([]);
    for (const [path, description] of inChecker) {
      const key = path.split('.').at(-1)!;
      const isShown = reference.includes(`| \`${key}\` |`) && reference.includes(description.replaceAll('|', '\\|'));
      expect({ path, description, isShown: isShown || reference.includes(description) }).toMatchObject({ isShown: true });
    }
  }
});
