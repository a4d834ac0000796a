/** The JSON Schema (draft 7) of mapping files, for editors: made of the schemas that read them. */
import * as z from 'zod';
import { formatFileSchema, sharedFileSchema } from './language/schema';

export interface JsonSchema {
  readonly [key: string]: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
}

/** A file that says `format:` is a format's own; every other one is shared. */
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

export function convertForEditors(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    // A value of JSON is anything that YAML can give.
    unrepresentable: 'any',
    target: 'draft-7',
    // The schema describes what an author writes: durations are texts, words may be numbers.
    io: 'input',
    override: ({ jsonSchema }) => {
      const made = jsonSchema as Record<string, unknown>;
      for (const ours of ['rule', 'language', 'entries', 'standIn']) delete made[ours];
      // A name of zod's own (`starts_with`); the pattern beside it says the same to everybody.
      delete made['format'];
      if (made['maximum'] === Number.MAX_SAFE_INTEGER) delete made['maximum'];
    },
  }) as JsonSchema;
}

export function withoutHead(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema' && key !== 'definitions'));
}
