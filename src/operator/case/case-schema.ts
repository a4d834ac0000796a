/** The language of cases: the request of a script, the calls to v1 and their answers, and the reply to the script. */
import * as z from 'zod';
import type { JsonValue } from '../../domain/json';

function hasReadablePatterns(value: JsonValue): boolean {
  if (value === null || typeof value !== 'object') return true;
  return Object.entries(value).every(([key, part]) =>
    key === '$matches' && typeof part === 'string' ? isPattern(part) : hasReadablePatterns(part),
  );
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}

/** Not validated, because the YAML parser returns only JSON values here. */
const json = z
  .custom<JsonValue>((value) => value !== undefined, 'expected a value')
  .refine(hasReadablePatterns, '`$matches` is no regular expression');
export const fields = z.record(z.string(), json);
const endpoint = z.string().regex(/^(?:GET|POST) \/\S*$/, 'expected a method and an address such as POST /airtime');

/** `lost` breaks the connection while the request is under way, `unreachable` before a byte has left. */
const answer = z
  .union(
    [z.enum(['lost', 'unreachable']), fields],
    'expected an answer of v1 (fields, and `http` unless it is 200), lost, or unreachable',
  )
  .describe("v1's answer: its JSON, with `http` added unless the status is 200; or `text` for an answer that is not JSON.");

export const address = z.string().regex(/^[A-Z]+ \/\S*$/, 'expected a method and a path, such as POST /api/topup/');

export const longSendShape = {
  to: address.describe('Method and path, with the query if there is one.'),
  fields: fields.optional().describe('The JSON body; for a GET the query.'),
  query: fields.optional().describe('Fields of the query, whatever the method.'),
  form: fields.optional().describe('An urlencoded body.'),
  raw: z.string().optional().describe('The body, byte for byte.'),
};

const send = z
  .union(
    [address, z.strictObject(longSendShape)],
    'expected an address with fields, such as POST /api/topup/ { network: 1 }, or to with fields, query, form or raw',
  )
  .describe('What the script sends.');

export const stepShape = {
  send,
  auth: z
    .string()
    .optional()
    .describe(
      'token (default), bearer, basic, none, or the whole Authorization header. `$reply.x` is field `x` of the previous reply.',
    ),
  headers: z.record(z.string(), z.string()).optional().describe('Further headers.'),
  caller: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'expected a fingerprint of 32 hex digits')
    .optional()
    .describe('The fingerprint of the key: its entry in callers.yaml applies.'),
  key_family: z.string().optional().describe('The family of the key, as if its entry in callers.yaml had this `family`.'),
  later: z
    .string()
    .regex(/^\d+(?:s|m|h)$/, 'expected a time such as 30s, 5m or 2h')
    .optional()
    .describe('How long after the previous request this request is sent. Open orders are pursued meanwhile.'),
  upstream: z
    .union([answer, z.array(answer).min(1), z.record(endpoint, answer)])
    .optional()
    .describe(
      "v1's answer: one answer, a list for one call after another, or answers by endpoint. Default: `answers` of the file.",
    ),
  receipt: answer
    .optional()
    .describe(
      "v1's answer to a question for the receipt of the order: asked while the order is pending, or when v1's answer had no goods or balances.",
    ),
  catalog: z
    .union([z.literal('none'), fields])
    .optional()
    .describe("v1's price list; `none` if v1 does not return one."),
} as const;

const stepSchema = z.strictObject(stepShape);

export const caseShape = {
  name: z.string().min(1).describe('What the case shows: a sentence in the present tense.'),
  before: z.array(stepSchema).optional().describe('Requests that the same script sends first.'),
  ...stepShape,
  expect_call: z
    .union(
      [z.literal('none'), address, z.strictObject({ to: address, fields })],
      'expected a v1 call such as POST /airtime { network: MTN }, or none',
    )
    .optional()
    .describe('The complete v1 call; pin and request_id may be left out. `none`: no call.'),
  expect_refusal: z.string().optional().describe('The code of the refusal, before anything is sent.'),
  expect_reply: z
    .union([fields, z.array(json)])
    .optional()
    .describe(
      'Fields of the reply; it may have others. `a, b, c: value` expects one value in several fields; a list is compared row by row.',
    ),
  absent: z.array(z.string()).optional().describe('Fields that the reply must not have.'),
  http: z.number().int().optional().describe('The HTTP status of the reply.'),
  format: z
    .string()
    .optional()
    .describe('The format in which the request is read, with the reason if that matters: `b because field mobile_number`.'),
  family: z.string().optional().describe('The family that is recognised; `none` for no family.'),
  unknown_fields: z
    .array(z.string())
    .optional()
    .describe('Unknown fields of the request: the operation neither reads nor ignores them. Default: none.'),
} as const;

/** A case with every `$name` filled in. */
export const caseSchema = z.strictObject(caseShape);
export type CaseFields = z.infer<typeof caseSchema>;
export type StepFields = z.infer<typeof stepSchema>;
export type AnswerFields = z.infer<typeof answer>;
export type SendFields = z.infer<typeof send>;

// Before `$name` is filled in, any value is allowed, and only the keys are checked.
const allOptional = <Key extends string>(shape: Readonly<Record<Key, unknown>>): Record<Key, z.ZodOptional<typeof json>> =>
  Object.fromEntries(Object.keys(shape).map((key) => [key, json.optional()])) as Record<Key, z.ZodOptional<typeof json>>;

const writtenCaseSchema = z.strictObject({
  ...allOptional(caseShape),
  name: caseShape.name,
  before: z.array(z.strictObject(allOptional(stepShape))).optional(),
  each: z
    .array(json)
    .min(1)
    .optional()
    .describe(
      'The case is played once for each of these rows. `$name` is a value of the row; `$value` is a row that is a plain value.',
    ),
});
export type WrittenCase = z.infer<typeof writtenCaseSchema>;

export const caseFileShape = {
  catalog: fields.optional().describe("v1's price list, unless a case has its own."),
  answers: z.record(endpoint, answer).optional().describe("v1's answers by endpoint, unless a case has its own."),
  cases: z.array(writtenCaseSchema).optional().describe('The cases, in the order in which they are played.'),
};
export const caseFileSchema = z.strictObject(caseFileShape);
export type CaseFile = z.infer<typeof caseFileSchema>;
