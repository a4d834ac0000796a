/**
 * The JSON Schema (draft 7) of case files, for editors. Stricter than the first look of the loader, which fills in the
 * rows of `each` before it judges: here every value is judged as it is written, and `$name` may stand for any of them.
 */
import { z } from 'zod';
import { convertForEditors, withoutHead, type JsonSchema } from '../../mapping/json-schema';
import { address, caseFileShape, caseShape, fields, longSendShape, stepShape } from './case-schema';

type Shape = Readonly<Record<string, z.ZodType>>;

const name = z.string().regex(/\$[A-Za-z_]/, 'expected a $name of a row of `each`');
/** `{ POST /api/topup/: { network: 1 } }`: one address with its fields. */
const addressed = z.record(z.string().regex(/^[A-Z]+ [/$]/), z.union([fields, name, z.null()]));
/** Requests and calls, in every form that is YAML. */
const requestForms = (long: Shape): z.ZodType => z.union([name, address, z.strictObject(asWritten(long)), addressed]);

/** The same keys with the same words; a `$name` where a value may stand. */
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
