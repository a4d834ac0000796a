import { dirname, join, relative, resolve } from 'node:path';
import { parse } from 'yaml';
import { formatFileSchema, sharedFileSchema } from '../../src/mapping/language/schema';
import { breakFiles, fieldsOf } from './break-files';
import { mappingJsonSchema, readForEditors, shareDefinitions, type JsonSchema } from './json-schema';
import { MAPPINGS, shippedFiles } from './mapping-set';

const ROOT = resolve(__dirname, '..', '..');
const SCHEMA = shareDefinitions(mappingJsonSchema());
const FORMAT_FILE = readForEditors(SCHEMA, 'format_file');
const SHARED_FILE = readForEditors(SCHEMA, 'shared_file');
/** By the key that `if` of the schema names. */
const judge = (value: object) => (Object.hasOwn(value, 'format') ? FORMAT_FILE : SHARED_FILE).safeParse(value);

test('every shipped mapping file fits the schema that its first line names', () => {
  for (const { name, text } of shippedFiles()) {
    expect({ name, problems: judge(parse(text) as object).error }).toEqual({ name, problems: undefined });
    const [first = ''] = text.split('\n');
    const named = /^# yaml-language-server: \$schema=(\S+)$/.exec(first)?.[1] ?? 'none';
    expect({ name, schema: relative(ROOT, resolve(dirname(join(MAPPINGS, name!)), named)) }).toEqual({
      name,
      schema: join('schema', 'mapping.json'),
    });
  }
});

test('the JSON Schema and the checker accept and refuse the same files', () => {
  const files = shippedFiles();
  let refused = 0;
  for (let seed = 1; seed <= 260; seed += 1) {
    const { files: broken, broken: hit, accident } = breakFiles(files, seed);
    const { text } = broken.find(({ file }) => file === hit)!;
    const value = fieldsOf(text);
    if (value === undefined) continue;
    const isFormat = Object.hasOwn(value, 'format');
    const { success: accepted, error } = (isFormat ? formatFileSchema : sharedFileSchema).safeParse(value);
    // A JSON Schema cannot express the problems found while short forms are expanded, such as `group_by` without `each`.
    if (JSON.stringify(error?.issues ?? []).includes('"custom"')) continue;
    if (!accepted) refused += 1;
    const judged = judge(value);
    expect({ seed, accident, hit, error: judged.error, accepted: judged.success }).toMatchObject({ accepted });
  }
  expect(refused).toBeGreaterThan(25);
});

test('the JSON Schema refuses unknown keys in every object with known keys', () => {
  const open: string[] = [];
  const visit = (schema: JsonSchema, path: string): void => {
    if (schema.properties !== undefined && schema['additionalProperties'] !== false) open.push(path);
    for (const [key, part] of Object.entries(schema))
      if (typeof part === 'object' && part !== null) visit(part as JsonSchema, `${path}.${key}`);
  };
  for (const [name, schema] of Object.entries(SCHEMA.definitions!)) visit(schema, name);
  expect(open.filter((path) => !path.endsWith('.properties'))).toEqual([]);
});
