/** The language of cases: the request of a script, the calls to v1 and their answers, and the reply to the script. */
import * as z from 'zod';
import type { JsonValue } from '../../domain/json';

/** YAML gives nothing else, so nothing is looked into. */
const json = z.custom<JsonValue>((value) => value !== undefined, 'expected a value');
export const fields = z.record(z.string(), json);
const endpoint = z.string().regex(/^(?:GET|POST) \/\S*$/, 'expected a method and an address such as POST /airtime');

/** `lost` breaks the connection while the request is under way, `unreachable` before a byte has left. */
const answer = z
  .union(
    [z.enum(['lost', 'unreachable']), fields],
    'expected an answer of v1 (fields, and `http` unless it is 200), lost, or unreachable',
  )
  .describe('What v1 answers: its JSON, with `http` beside it unless that is 200; or `text` for what is no JSON.');

export const address = z.string().regex(/^[A-Z]+ \/\S*$/, 'expected a method and a path, such as POST /api/topup/');

export const longSendShape = {
  to: address.describe('Method and path, with the query if one stands in it.'),
  fields: fields.optional().describe('A JSON body; the query of a GET.'),
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
      'token (default), bearer, basic, none, or the whole Authorization header. `$reply.x` is a field of the reply before.',
    ),
  headers: z.record(z.string(), z.string()).optional().describe('Further headers.'),
  caller: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'expected a fingerprint of 32 hex digits')
    .optional()
    .describe('The fingerprint of the key, for what callers.yaml says of it.'),
  key_family: z.string().optional().describe('The family of the key, as callers.yaml may say (`family`).'),
  later: z
    .string()
    .regex(/^\d+(?:s|m|h)$/, 'expected a time such as 30s, 5m or 2h')
    .optional()
    .describe('How long after the request before it this one is sent: what goes on meanwhile goes on.'),
  upstream: z
    .union([answer, z.array(answer).min(1), z.record(endpoint, answer)])
    .optional()
    .describe('What v1 answers: once, one after another, or by endpoint. The default stands under `answers`.'),
  receipt: answer
    .optional()
    .describe(
      "What v1 answers when asked for the order's receipt: while it is pending, or where its answer had no goods or balances.",
    ),
  catalog: z
    .union([z.literal('none'), fields])
    .optional()
    .describe('The price list; `none` when it cannot be had.'),
} as const;

const stepSchema = z.strictObject(stepShape);

export const caseShape = {
  name: z.string().min(1).describe('A sentence in the present tense that says what is true.'),
  before: z.array(stepSchema).optional().describe('What the same script sends first.'),
  ...stepShape,
  expect_call: z
    .union(
      [z.literal('none'), address, z.strictObject({ to: address, fields })],
      'expected a v1 call such as POST /airtime { network: MTN }, or none',
    )
    .optional()
    .describe('The v1 call it becomes, whole; pin and request_id may be left out. `none`: v1 is not asked.'),
  expect_refusal: z.string().optional().describe('The code with which the gateway refuses, before anything is sent.'),
  expect_reply: z
    .union([fields, z.array(json)])
    .optional()
    .describe(
      'Fields of the reply; others may be there. `a, b, c: value` says the same of several; a list is compared row by row.',
    ),
  absent: z.array(z.string()).optional().describe('Fields that the reply must not have.'),
  http: z.number().int().optional().describe('The HTTP status of the reply.'),
  format: z
    .string()
    .optional()
    .describe('The format it is read in, with the reason if that matters: `b because field mobile_number`.'),
  family: z.string().optional().describe('The family that is recognised; `none` for no family.'),
  unknown_fields: z.array(z.string()).optional().describe('Fields that mean nothing here; none, unless it is said.'),
} as const;

/** A case with every `$name` filled in. */
export const caseSchema = z.strictObject(caseShape);
export type CaseFields = z.infer<typeof caseSchema>;
export type StepFields = z.infer<typeof stepSchema>;
export type AnswerFields = z.infer<typeof answer>;
export type SendFields = z.infer<typeof send>;

// Before `$name` is filled in, any value may stand anywhere: only the keys are judged.
const loose = <Key extends string>(shape: Readonly<Record<Key, unknown>>): Record<Key, z.ZodOptional<typeof json>> =>
  Object.fromEntries(Object.keys(shape).map((key) => [key, json.optional()])) as Record<Key, z.ZodOptional<typeof json>>;

const writtenCaseSchema = z.strictObject({
  ...loose(caseShape),
  name: caseShape.name,
  before: z.array(z.strictObject(loose(stepShape))).optional(),
  each: z
    .array(json)
    .min(1)
    .optional()
    .describe('Rows: the case is played once for each. `$name` is a value of a row, `$value` a row that is a plain value.'),
});
export type WrittenCase = z.infer<typeof writtenCaseSchema>;

export const caseFileShape = {
  catalog: fields.optional().describe("v1's price list, unless a case says otherwise."),
  answers: z.record(endpoint, answer).optional().describe('What v1 answers by endpoint, unless a case says otherwise.'),
  cases: z.array(writtenCaseSchema).optional().describe('The cases, in the order in which they are played.'),
};
export const caseFileSchema = z.strictObject(caseFileShape);
export type CaseFile = z.infer<typeof caseFileSchema>;
