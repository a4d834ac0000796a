/** `test/golden/samples.yaml`: one request per operation and format, in that format's own spellings. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { shippedMapping } from '../../mapping/mapping-set';
import type { Operation } from '../../../src/mapping/mapping';
import { GOLDEN_FOLDER } from './canned-v1';

const sampleSchema = z.strictObject({
  at: z.string().regex(/^(?:GET|POST) \//),
  auth: z.enum(['basic', 'token', 'none']).default('token'),
  fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  parameters: z.record(z.string(), z.string()).default({}),
  ambiguous_at: z.array(z.string()).default([]),
});
export type Sample = z.infer<typeof sampleSchema>;

export type FieldValue = Sample['fields'][string];

const file = z.record(z.string(), z.record(z.string(), sampleSchema));

export const samples = file.parse(parse(readFileSync(join(GOLDEN_FOLDER, 'samples.yaml'), 'utf8')));

export const mapping = shippedMapping();

export function operationOf(name: string): Operation {
  const operation = mapping.operations.get(name);
  if (operation === undefined) throw new Error(`the mapping has no operation ${name}`);
  return operation;
}

export function sampleOf(operation: string, format: string): Sample {
  const sample = samples[operation]?.[format];
  if (sample === undefined) throw new Error(`test/golden/samples.yaml has no sample of ${operation} in format ${format}`);
  return sample;
}

/** Every purchase and lookup in every format of the mapping, and every other operation with a sample. */
export const rows: readonly (readonly [operation: string, format: string])[] = [...mapping.operations.values()].flatMap(
  ({ name, kind }) =>
    [...mapping.formats.keys()]
      .filter((format) => kind === 'purchase' || kind === 'lookup' || samples[name]?.[format] !== undefined)
      .map((format) => [name, format] as const),
);

export const purchases = rows.filter(([operation]) => operationOf(operation).kind === 'purchase');

export const lookups = rows.filter(([operation]) => operationOf(operation).kind === 'lookup');

/** Every name of the first required field of the operation; undefined where none is required. */
export function requiredField(operation: string): readonly string[] | undefined {
  const field = operationOf(operation).fields.find((one) => one.isRequired);
  return field === undefined ? undefined : [...field.from, ...field.otherwise];
}
