/**
 * The schema of replies, and of values in replies and calls. A mapping may write several names with one value on one line, and one list
 * in groups. Reading converts both into the long form, so the loaded set has only that form.
 */
import * as z from 'zod';
import { isJsonObject, isList, textOf, type JsonObject, type JsonValue } from '../../domain/json';
import { group, whole, OUTCOME, setOf, constant } from './declare';
import { name } from './parts';

/** A value of a reply or call: a constant, `$path | transform`, a list, nested fields, or one of first / when / each. */
export type ValueSource = JsonValue;

const fieldsOf = (of: z.ZodType<ValueSource>) => z.record(z.string(), of).transform(writeAtLength);

export const value: z.ZodType<ValueSource> = z
  .lazy(() => z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(value), fieldsOf(value)]))
  .meta({
    id: 'value',
    description:
      'A constant; `$path` or `$path | transform`; a list; nested fields; `{ first: [a, b] }`, the first value that is not null or empty; `{ when: { $path: word }, value: a, else: b }`; `{ each: $list, where: {…}, row: shape }`, one row for each row of a list; or the same with `group_by: column` and `groups: { name: value }`, one such list for each group (`null`: every row); `groups: [value]` names each group like its value.',
  });
/** Several names may share a line: `oldbal, old_balance: $order.balance_before | naira`. */
export const fieldsOfReply = fieldsOf(value);

type ReportProblem = (path: PropertyKey[], message: string, rule?: string) => void;

/** YAML's merge key would become a field of this name in replies. */
const MERGE_KEY = 'merge keys are not read: use `include`, or an alias `*name` for a whole value';

/** `oldbal, old_balance` are two names. */
export function splitNames(names: string): string[] {
  return names.split(',').map((name) => name.trim());
}

/** Converts all short forms of a map of fields into the long form. */
function writeAtLength(fields: JsonObject, context: z.core.$RefinementCtx<JsonObject>): JsonObject {
  const report: ReportProblem = (path, message, rule) => {
    // `continue` lets reading go on after the problem, so that a union keeps this message.
    context.issues.push({ code: 'custom', input: fields, path, message, continue: true, ...(rule && { params: { rule } }) });
  };
  if (!('group_by' in fields)) return splitEach(fields, [], report);
  const { group_by: column, groups: said, where, ...list } = fields;
  const groups = isList(said) ? Object.fromEntries(said.map((value) => [textOf(value), value])) : said;
  if (typeof column !== 'string') report(['group_by'], 'expected the name of a column, such as network');
  else if (!('each' in fields)) report(['group_by'], '`group_by` needs the list that it groups: add `each`');
  else if (!isJsonObject(groups)) report(['groups'], 'expected the values of the column, or groups that hold them');
  else if (where !== undefined && !isJsonObject(where)) report(['where'], 'expected conditions, column by column');
  else {
    const held = ([name, value]: [string, ValueSource]): [string, ValueSource] => {
      const conditions = value === null ? where : { ...where, [column]: value };
      return [name, { ...list, ...(conditions !== undefined && { where: conditions }) }];
    };
    return splitEach(Object.fromEntries(Object.entries(groups).map(held)), ['groups'], report);
  }
  return fields;
}

function splitEach(fields: JsonObject, path: string[], report: ReportProblem): JsonObject {
  const long = new Map<string, ValueSource>();
  for (const [names, value] of Object.entries(fields))
    for (const name of splitNames(names)) {
      if (long.has(name)) report([...path, names], `\`${name}\` is here for the second time`, 'duplicate-key');
      if (name === '<<') report([...path, names], `${MERGE_KEY}, or write the fields out`);
      if (name === '' && names !== '') report([...path, names], `a name is missing beside a comma of \`${names}\``);
      long.set(name, value);
    }
  return Object.fromEntries(long);
}

/** The schema of the status words and the HTTP status of an outcome. `outcome` is its name in sentences of `plan`. */
export const wordsOf = (outcome: string) =>
  z.strictObject({
    http: z
      .number()
      .int()
      .min(200)
      .max(499)
      .describe('The HTTP status. A rejection keeps the HTTP status of v1.')
      .meta(constant(OUTCOME, `${outcome}: HTTP status`)),
    status: z
      .string()
      .describe('The word in the field `status`.')
      .meta(constant(OUTCOME, `${outcome}: word under \`status\``)),
    Status: z
      .string()
      .describe('The word in the field `Status`.')
      .meta(constant(OUTCOME, `${outcome}: word under \`Status\``)),
  });

const leftOut = (what: string) =>
  z
    .array(z.string())
    .min(1, 'expected at least one')
    .optional()
    .describe(`Fields that ${what} does not have, even if an earlier layer has them.`)
    .meta(
      setOf(
        'set',
        OUTCOME,
        `{reply} to ${what}: fields left out`,
        `{reply} to ${what}: \`{item}\` is [left out|no longer left out]`,
      ),
    );

export const replySchema = z
  .strictObject({
    include: z
      .array(name)
      .min(1, 'expected at least one')
      .optional()
      .describe('Blocks that this reply includes, in this order; a later block wins.')
      .meta(whole('sequence', OUTCOME, '{reply}: included blocks')),
    always: fieldsOfReply
      .optional()
      .describe('Fields for every outcome.')
      .meta(whole('fields', 'by reply field', '{reply}')),
    success: z
      .union([fieldsOfReply, value])
      .optional()
      .describe('Fields for a success; or one list, for a reply that is a bare array and has no other fields.')
      .meta(whole('fields', 'by reply field', '{reply} to a success')),
    pending: fieldsOfReply
      .optional()
      .describe('Fields while the order is pending or its outcome is unknown.')
      .meta(whole('fields', 'by reply field', '{reply} while pending')),
    failure: fieldsOfReply
      .optional()
      .describe('Fields for a failure: nothing was charged, or v1 has refunded it.')
      .meta(whole('fields', 'by reply field', '{reply} to a failure')),
    without: z
      .strictObject({
        always: leftOut('any outcome'),
        success: leftOut('a success'),
        pending: leftOut('a pending order'),
        failure: leftOut('a failure'),
      })
      .optional()
      .describe('Fields of earlier layers that this layer removes, by outcome.')
      .meta(group({})),
  })
  .meta({
    id: 'reply',
    description:
      'The reply to the script, made of layers. Fields for the outcome (`success`, `pending`, `failure`) win over `always`, in whichever layer they stand. Otherwise the later layer wins: included blocks, the operation, the format, the family. Several names may share a line: `oldbal, old_balance: $order.balance_before | naira`.',
  });
