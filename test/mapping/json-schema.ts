/** The JSON Schemas (draft 7) of mapping and case files, for editors: made of the schemas that read them. */
import * as z from 'zod';
import { formatFileSchema, sharedFileSchema } from '../../src/mapping/language/schema';
import { address, caseFileShape, caseShape, fields, longSendShape, stepShape } from '../../src/operator/case/case-schema';

export interface JsonSchema {
  readonly [key: string]: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
}

/** A file with `format:` belongs to one format; every other file is shared. */
export function mappingJsonSchema(): JsonSchema {
  const format = convertForEditors(formatFileSchema);
  const shared = convertForEditors(sharedFileSchema);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A mapping file of compat-gateway',
    description: 'One format’s own file when it says `format:`, else a shared one. See docs/mapping-reference.md.',
    type: 'object',
    if: { required: ['format'] },
    then: { $ref: '#/definitions/format_file' },
    else: { $ref: '#/definitions/shared_file' },
    definitions: {
      ...format.definitions,
      ...shared.definitions,
      format_file: withoutHead(format),
      shared_file: withoutHead(shared),
    },
  };
}

function convertForEditors(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    // A JSON value may be anything that YAML can express.
    unrepresentable: 'any',
    target: 'draft-7',
    // The schema describes what an author writes: durations are texts, and words may be numbers.
    io: 'input',
    override: ({ jsonSchema }) => {
      const made = jsonSchema as Record<string, unknown>;
      for (const ours of ['rule', 'language', 'entries', 'standIn']) delete made[ours];
      // zod's own name of a format (`starts_with`); the pattern beside it says the same to every editor.
      delete made['format'];
      if (made['maximum'] === Number.MAX_SAFE_INTEGER) delete made['maximum'];
      // Property names are always texts in JSON.
      if (JSON.stringify(made['propertyNames']) === '{"type":"string"}') delete made['propertyNames'];
    },
  }) as JsonSchema;
}

function withoutHead(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema' && key !== 'definitions'));
}

type Shape = Readonly<Record<string, z.ZodType>>;

const name = z.string().regex(/\$[A-Za-z_]/, 'expected a $name of a row of `each`');
/** `{ POST /api/topup/: { network: 1 } }`: one address with its fields. */
const addressed = z.record(z.string().regex(/^[A-Z]+ [/$]/), z.union([fields, name, z.null()]));
/** Requests and calls in each form that YAML allows. */
const requestForms = (long: Shape): z.ZodType => z.union([name, address, z.strictObject(asWritten(long)), addressed]);

/** The same keys with the same descriptions; `$name` is allowed in the place of a value. */
function asWritten(shape: Shape): Shape {
  return Object.fromEntries(
    Object.entries(shape).map(([key, value]) => {
      const inner = value instanceof z.ZodOptional ? (value.unwrap() as z.ZodType) : value;
      const judged = judgedAsWritten(key, inner);
      const described = judged.describe(value.description ?? inner.description ?? '');
      return [key, value instanceof z.ZodOptional ? described.optional() : described];
    }),
  );
}

function judgedAsWritten(key: string, value: z.ZodType): z.ZodType {
  if (key === 'send') return requestForms(longSendShape);
  if (key === 'expect_call')
    return z.union([z.literal('none'), requestForms({ to: longSendShape.to, fields: longSendShape.fields })]);
  return key === 'name' ? value : z.union([value, name]);
}

/**
 * The JSON Schema (draft 7) of case files, for editors. It is stricter than the first check of the loader, which fills in the
 * rows of `each` first: here every value is judged as written, and `$name` may replace any of them.
 */
export function caseJsonSchema(): JsonSchema {
  const step = z.strictObject(asWritten(stepShape));
  const { before, ...own } = caseShape;
  const one = z.strictObject({
    ...asWritten(own),
    before: z
      .array(step)
      .optional()
      .describe(before.description ?? ''),
    each: caseFileShape.cases.unwrap().element.shape.each,
  });
  const file = convertForEditors(
    z.strictObject({
      catalog: caseFileShape.catalog,
      answers: caseFileShape.answers,
      cases: z
        .array(one)
        .optional()
        .describe(caseFileShape.cases.description ?? ''),
    }),
  );
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A file of cases of compat-gateway',
    description: 'What a script sends, the v1 call it becomes, and what the script is told. See docs/cases.md.',
    ...withoutHead(file),
    ...(file.definitions === undefined ? {} : { definitions: file.definitions }),
  };
}

/**
 * A schema for editors as zod reads it, to judge values by it. `if` has no meaning there: the test chooses the definition of the
 * kind of file, as `if` does in an editor.
 */
export function readForEditors(schema: JsonSchema, kind?: string): z.ZodType {
  const { $schema, definitions } = schema;
  const chosen = kind === undefined ? schema : { $schema, definitions, $ref: `#/definitions/${kind}` };
  return z.fromJSONSchema(chosen as Parameters<typeof z.fromJSONSchema>[0]);
}

type Visit = (schema: JsonSchema, key: string) => JsonSchema;

/** A schema with each inner schema replaced by the result of `visit`, which also gets its key. */
function mapParts(schema: JsonSchema, key: string, visit: Visit): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([word, part]) => {
      if (typeof part !== 'object' || part === null) return [word, part];
      if (word === 'items' || word === 'additionalProperties') return [word, visit(part as JsonSchema, key)];
      if (word === 'anyOf') return [word, (part as JsonSchema[]).map((one) => visit(one, key))];
      if (word !== 'properties' && word !== 'definitions') return [word, part];
      return [
        word,
        Object.fromEntries(Object.entries(part as JsonSchema).map(([name, one]) => [name, visit(one as JsonSchema, name)])),
      ];
    }),
  );
}

/** A shorter schema is as easily read in its place as in a definition. */
const SHARED_LINES_MIN = 6;

/** The same schema as written for editors: a part that stands in several places becomes one definition, named after the first. */
export function shareDefinitions(schema: JsonSchema): JsonSchema {
  const times = new Map<string, number>();
  const count: Visit = (part, key) => {
    const text = JSON.stringify(part);
    times.set(text, (times.get(text) ?? 0) + 1);
    return times.get(text) === 1 ? mapParts(part, key, count) : part;
  };
  mapParts(schema, '', count);
  const definitions: Record<string, JsonSchema> = {};
  const names = new Map<string, string>();
  const share: Visit = (part, key) => {
    const text = JSON.stringify(part);
    if (times.get(text) === 1 || JSON.stringify(part, null, 2).split('\n').length < SHARED_LINES_MIN)
      return mapParts(part, key, share);
    if (!names.has(text)) {
      const taken = { ...schema.definitions, ...definitions };
      const [name = key] = [key, ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${key}_${number}`)].filter(
        (one) => !(one in taken),
      );
      names.set(text, name);
      definitions[name] = part;
      definitions[name] = mapParts(part, key, share);
    }
    return { $ref: `#/definitions/${names.get(text)!}` };
  };
  const shared = mapParts(schema, '', share);
  return { ...shared, definitions: { ...shared.definitions, ...definitions } };
}
