import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parse, parseDocument } from 'yaml';
import { mappingJsonSchema, type JsonSchema } from '../../src/mapping/json-schema';
import { readFolder, type MappingFileText } from '../../src/mapping/load';
import { mappingReference } from '../../src/mapping/reference';
import { formatFileSchema, sharedFileSchema } from '../../src/mapping/schema';
import { breakFiles } from './break-files';
import { documents } from './documents';
import { MAPPINGS } from './mapping-set';
import { validateJson } from './validate-json';

const ROOT = resolve(__dirname, '..', '..');
const SCHEMA = mappingJsonSchema();

function shippedFiles(): readonly MappingFileText[] {
  const read = readFolder(MAPPINGS);
  if ('problems' in read) throw new Error('the shipped folder cannot be read');
  return read.files;
}

test('the schema, the reference and the pages of the rules are fresh', () => {
  const made = documents();
  const stale = [...made].filter(([path, text]) => read(path) !== text).map(([path]) => path);
  expect(stale).toEqual([]);
  const pages = readdirSync(join(ROOT, 'docs', 'rules')).map((name) => `docs/rules/${name}`);
  expect(pages.filter((path) => !made.has(path))).toEqual([]);
});

function read(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch {
    return undefined;
  }
}

test('every shipped mapping file fits the schema that its first line names', () => {
  for (const { name, text } of shippedFiles()) {
    expect({ name, problems: validateJson(parse(text), SCHEMA) }).toEqual({ name, problems: [] });
    const [first = ''] = text.split('\n');
    const named = /^# yaml-language-server: \$schema=(\S+)$/.exec(first)?.[1] ?? 'none';
    expect({ name, schema: relative(ROOT, resolve(dirname(join(MAPPINGS, name!)), named)) }).toEqual({
      name,
      schema: join('schema', 'mapping.json'),
    });
  }
});

test('schema and checker accept and refuse the same files', () => {
  const files = shippedFiles();
  let refused = 0;
  for (let seed = 1; seed <= 200; seed += 1) {
    const { files: broken, broken: hit, accident } = breakFiles(files, seed);
    const { text } = broken.find(({ file }) => file === hit)!;
    const document = parseDocument(text, { prettyErrors: false });
    if (document.errors.length > 0) continue;
    const value = tryPlain(document) ?? {};
    if (value === UNREADABLE || typeof value !== 'object' || Array.isArray(value)) continue;
    const isFormat = Object.hasOwn(value, 'format');
    const accepted = (isFormat ? formatFileSchema : sharedFileSchema).safeParse(value).success;
    if (!accepted) refused += 1;
    const problems = validateJson(value, SCHEMA);
    expect({ seed, accident, hit, problems, accepted: problems.length === 0 }).toMatchObject({ accepted });
  }
  expect(refused).toBeGreaterThan(25);
});

const UNREADABLE = Symbol('unreadable');

function tryPlain(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    return UNREADABLE;
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

/** `path: description` of every key, as the checker knows it. */
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

/** The same of the JSON Schema, following its references. */
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

test('checker, schema and reference know the same keys and say the same of them', () => {
  const reference = mappingReference();
  for (const [file, zod] of [
    ['format_file', formatFileSchema],
    ['shared_file', sharedFileSchema],
  ] as const) {
    const inChecker = keysOfZod(zod as unknown as Zod, '', new Map());
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

test('an unknown key is refused wherever keys are known', () => {
  const open: string[] = [];
  const visit = (schema: JsonSchema, path: string): void => {
    if (schema.properties !== undefined && schema['additionalProperties'] !== false) open.push(path);
    for (const [key, part] of Object.entries(schema))
      if (typeof part === 'object' && part !== null) visit(part as JsonSchema, `${path}.${key}`);
  };
  for (const [name, schema] of Object.entries(SCHEMA.definitions!)) visit(schema, name);
  expect(open.filter((path) => !path.endsWith('.properties'))).toEqual([]);
});
