/** Golden files: what a script of one format is told about one operation, for every outcome, to be read by people. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, isMap, isScalar, parse, visit } from 'yaml';
import { homeOf } from './addresses';
import { GOLDEN_FOLDER } from './canned-v1';
import { callOf, converseAtHome, describeAnswer } from './converse';
import { outcomesOf } from './outcomes';
import { sampleOf } from './samples';

/** Files of the folder that are written by hand. */
const SOURCES: readonly string[] = ['samples.yaml', 'v1.yaml'];

const HEAD =
  ' Made by UPDATE_GOLDEN=1 npx jest test/gateway/reply-table, out of samples.yaml, v1.yaml and the mapping.\n' +
  ' Read every difference before you commit one: reseller scripts deliver and refund by these words.';

export type Golden = Readonly<Record<string, unknown>>;

export const isUpdating = process.env['UPDATE_GOLDEN'] === '1';

/** What is true now. */
export async function observeGolden(operation: string, format: string): Promise<Golden> {
  const sample = sampleOf(operation, format);
  const { method, target } = homeOf(operation, format);
  const outcomes = outcomesOf(operation);
  const told = await Promise.all(outcomes.map((outcome) => converseAtHome(operation, format, outcome)));
  const calls = told.map((one) => callOf(operation, one));
  const call = calls.find((one) => one !== undefined);
  return {
    operation,
    format,
    request: {
      to: `${method} ${target}`,
      authorization: sample.auth,
      ...(Object.keys(sample.fields).length === 0 ? {} : { [method === 'GET' ? 'query' : 'body']: sample.fields }),
    },
    v1_call: call,
    outcomes: Object.fromEntries(
      outcomes.map((outcome, index) => [
        outcome,
        {
          v1_answer: describeAnswer(operation, outcome, told[index]!),
          ...differingCall(call, calls[index]),
          http: told[index]!.status,
          reply: told[index]!.body,
        },
      ]),
    ),
  };
}

/** Said only of an outcome whose call is another one, or none although v1 is part of it. */
function differingCall(usual: ReturnType<typeof callOf>, own: ReturnType<typeof callOf>): { v1_call?: unknown } {
  return own === undefined || JSON.stringify(own) === JSON.stringify(usual) ? {} : { v1_call: own };
}

function fileOf(operation: string, format: string): string {
  return join(GOLDEN_FOLDER, `${operation}.${format}.yaml`);
}

/** Undefined when there is no such file. */
export function readGolden(operation: string, format: string): Golden | undefined {
  const file = fileOf(operation, format);
  return existsSync(file) ? (parse(readFileSync(file, 'utf8')) as Golden) : undefined;
}

export function writeGolden(operation: string, format: string, golden: Golden): void {
  const document = new Document(JSON.parse(JSON.stringify(golden)), { aliasDuplicateObjects: false });
  document.commentBefore = HEAD;
  // v1's side on one line each, the script's side a field a line; a blank line between outcomes.
  visit(document, {
    Pair(_, { key, value }) {
      const name = isScalar(key) ? key.value : undefined;
      if ((name === 'v1_answer' || name === 'request' || name === 'v1_call') && isMap(value)) flow(value.items);
      if (name === 'outcomes' && isMap(value)) {
        for (const { key: outcome } of value.items.slice(1)) if (isScalar(outcome)) outcome.spaceBefore = true;
      }
    },
  });
  writeFileSync(fileOf(operation, format), document.toString({ lineWidth: 0 }));
}

function flow(items: readonly { readonly value: unknown }[]): void {
  for (const { value } of items) if (isMap(value)) value.flow = true;
}

/** `operation.format` of every golden file there is. */
export function goldenNames(): string[] {
  return readdirSync(GOLDEN_FOLDER)
    .filter((file) => !SOURCES.includes(file))
    .map((file) => file.replace(/\.yaml$/, ''));
}
