/** A small validator for the part of JSON Schema draft 7 that our schemas use. An unknown keyword makes the test fail. */
import type { JsonSchema } from './json-schema';

const SILENT = new Set(['$schema', 'title', 'description', 'definitions', 'then', 'else']);

/** The paths of values that do not fit the schema. */
export function validateJson(value: unknown, schema: JsonSchema, root: JsonSchema = schema, path = '$'): string[] {
  return Object.entries(schema).flatMap(([keyword, wanted]) => {
    if (SILENT.has(keyword)) return [];
    const judge = KEYWORDS[keyword];
    if (judge === undefined) throw new Error(`this validator does not know the keyword ${keyword}`);
    return judge({ value, wanted: wanted as never, schema, root, path });
  });
}

interface Judged {
  readonly value: unknown;
  readonly wanted: never;
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
  readonly path: string;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  // YAML's `!!binary` gives an object too, but not a JSON object.
  value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;
const unless = (isRight: boolean, path: string): string[] => (isRight ? [] : [path]);
const fits = (value: unknown, schema: JsonSchema, root: JsonSchema): boolean => validateJson(value, schema, root).length === 0;

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isObject,
};

const KEYWORDS: Readonly<Record<string, (judged: Judged) => string[]>> = {
  type: ({ value, wanted, path }) =>
    unless(
      [wanted].flat().some((type) => TYPES[type]!(value)),
      path,
    ),
  enum: ({ value, wanted, path }) => unless((wanted as unknown[]).includes(value), path),
  const: ({ value, wanted, path }) => unless(value === wanted, path),
  pattern: ({ value, wanted, path }) => unless(typeof value !== 'string' || new RegExp(wanted, 'u').test(value), path),
  minLength: ({ value, wanted, path }) => unless(typeof value !== 'string' || value.length >= wanted, path),
  minItems: ({ value, wanted, path }) => unless(!Array.isArray(value) || value.length >= wanted, path),
  minimum: ({ value, wanted, path }) => unless(typeof value !== 'number' || value >= wanted, path),
  maximum: ({ value, wanted, path }) => unless(typeof value !== 'number' || value <= wanted, path),
  exclusiveMinimum: ({ value, wanted, path }) => unless(typeof value !== 'number' || value > wanted, path),
  required: ({ value, wanted, path }) =>
    isObject(value) ? (wanted as string[]).filter((key) => !Object.hasOwn(value, key)).map((key) => `${path}.${key}`) : [],
  properties: ({ value, wanted, root, path }) =>
    isObject(value)
      ? Object.entries(wanted as Record<string, JsonSchema>).flatMap(([key, schema]) =>
          Object.hasOwn(value, key) ? validateJson(value[key], schema, root, `${path}.${key}`) : [],
        )
      : [],
  additionalProperties: ({ value, wanted, schema, root, path }) => {
    if (!isObject(value)) return [];
    const others = Object.keys(value).filter((key) => !Object.hasOwn(schema.properties ?? {}, key));
    if ((wanted as unknown) === false) return others.map((key) => `${path}.${key}`);
    return others.flatMap((key) => validateJson(value[key], wanted, root, `${path}.${key}`));
  },
  propertyNames: ({ value, wanted, root, path }) =>
    isObject(value) ? Object.keys(value).flatMap((key) => validateJson(key, wanted, root, `${path}.${key}`)) : [],
  items: ({ value, wanted, root, path }) =>
    Array.isArray(value) ? value.flatMap((item, index) => validateJson(item, wanted, root, `${path}[${index}]`)) : [],
  anyOf: ({ value, wanted, root, path }) =>
    unless(
      (wanted as JsonSchema[]).some((schema) => fits(value, schema, root)),
      path,
    ),
  allOf: ({ value, wanted, root, path }) => (wanted as JsonSchema[]).flatMap((schema) => validateJson(value, schema, root, path)),
  $ref: ({ value, wanted, root, path }) =>
    validateJson(value, root.definitions![(wanted as string).replace('#/definitions/', '')]!, root, path),
  if: ({ value, wanted, schema, root, path }) =>
    validateJson(value, (fits(value, wanted, root) ? schema['then'] : schema['else']) as JsonSchema, root, path),
};
