/** Golden files: what scripts are told about one operation, for every format and outcome, to be read by people. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, isMap, isScalar, isSeq, parse, visit, type Pair } from 'yaml';
import { homeOf } from './addresses';
import { GOLDEN_FOLDER } from './canned-v1';
import { callOf, converseAtHome, describeAnswer } from './converse';
import {
  applyDifference,
  differenceFrom,
  joinChanged,
  joinNames,
  pick,
  same,
  splitNames,
  type Difference,
  type Fields,
} from './golden-form';
import { outcomesOf } from './outcomes';
import { rows, sampleOf } from './samples';

/** Files of the folder that are written by hand. */
const SOURCES: readonly string[] = ['samples.yaml', 'v1.yaml'];

const HEAD = ` Made by UPDATE_GOLDEN=1 npx jest test/gateway/reply-table, out of samples.yaml, v1.yaml and the mapping.
 Read every difference before you commit one: reseller scripts deliver and refund by these words.

 The reply to a success stands whole. Every other outcome says how its reply differs from that success: fields
 with another value (\`changed\`), fields that it has besides (\`added\`, with their place) and fields that it lacks (\`absent\`).
 What is true of all formats is said once, the rest below \`in a\`, \`in b\`. Fields with one value stand on one line.`;

/** One outcome of one format, with the whole reply. */
interface Outcome {
  readonly v1_answer: unknown;
  /** Said only of an outcome whose call is another one. */
  readonly v1_call?: unknown;
  readonly http: number;
  readonly reply: unknown;
}

/** One operation in one format. */
export interface Golden {
  readonly request: unknown;
  readonly v1_call?: unknown;
  readonly outcomes: Readonly<Record<string, Outcome>>;
}

/** The same, as the file has it. */
interface GoldenFile {
  readonly operation: string;
  readonly formats: Readonly<Record<string, Omit<Golden, 'outcomes'>>>;
  readonly outcomes: Readonly<Record<string, SharedLines>>;
}

type Lines = Partial<Outcome> & Difference;

/** What is true of all formats, and below `in a` what is true of format a alone. */
type SharedLines = Lines & Readonly<Record<`in ${string}`, Lines>>;

export const isUpdating = process.env['UPDATE_GOLDEN'] === '1';

/** What is true now. */
export async function observeGolden(operation: string, format: string): Promise<Golden> {
  const sample = sampleOf(operation, format);
  const { method, target } = homeOf(operation, format);
  const outcomes = outcomesOf(operation);
  const told = await Promise.all(outcomes.map((outcome) => converseAtHome(operation, format, outcome)));
  const calls = told.map((one) => writtenCall(callOf(operation, one)));
  const call = calls.find((one) => one !== undefined);
  const golden: Golden = {
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
  return JSON.parse(JSON.stringify(golden)) as Golden;
}

function writtenCall(call: ReturnType<typeof callOf>): object | undefined {
  if (call === undefined) return undefined;
  const { endpoint, fields, key, clientAddress } = call;
  const part = endpoint.startsWith('GET') ? 'query' : 'body';
  return { to: endpoint, key, client_address: clientAddress, ...(Object.keys(fields).length === 0 ? {} : { [part]: fields }) };
}

/** Said only of an outcome whose call is another one, or none although v1 is part of it. */
function differingCall(usual: object | undefined, own: object | undefined): { v1_call?: unknown } {
  return own === undefined || JSON.stringify(own) === JSON.stringify(usual) ? {} : { v1_call: own };
}

function fileOf(operation: string): string {
  return join(GOLDEN_FOLDER, `${operation}.yaml`);
}

/** Undefined when there is no such file, or nothing of the format in it. */
export function readGolden(operation: string, format: string): Golden | undefined {
  if (!existsSync(fileOf(operation))) return undefined;
  const { formats, outcomes } = parse(readFileSync(fileOf(operation), 'utf8')) as GoldenFile;
  const own = formats[format];
  if (own === undefined) return undefined;
  const success = splitNames(linesFor(outcomes['success']!, format).reply);
  const expanded = Object.entries(outcomes).map(([name, lines]) => [name, expand(linesFor(lines, format), success)]);
  return { ...own, outcomes: Object.fromEntries(expanded) as Golden['outcomes'] };
}

function linesFor(lines: SharedLines, format: string): Lines {
  const own = lines[`in ${format}`] ?? {};
  return {
    ...lines,
    ...own,
    changed: { ...lines.changed, ...own.changed },
    absent: [...(lines.absent ?? []), ...(own.absent ?? [])],
  };
}

function expand(lines: Lines, success: unknown): Outcome {
  const { v1_answer, v1_call, http, reply } = lines;
  return {
    v1_answer,
    ...(v1_call === undefined ? {} : { v1_call }),
    http: http!,
    reply: reply === undefined ? applyDifference(success as Fields, lines) : splitNames(reply),
  };
}

/** Writes all formats of the operation: what they have in common is said once. */
export async function writeGolden(operation: string): Promise<void> {
  const names = rows.filter(([name]) => name === operation).map(([, format]) => format);
  const observed = await Promise.all(names.map(async (format) => [format, await observeGolden(operation, format)] as const));
  const file: GoldenFile = {
    operation,
    formats: Object.fromEntries(observed.map(([format, { request, v1_call }]) => [format, { request, v1_call }])),
    outcomes: Object.fromEntries(
      outcomesOf(operation).map((outcome) => [
        outcome,
        saidOnce(observed.map(([format, golden]) => [format, shorten(golden, outcome)] as const)),
      ]),
    ),
  };
  writeFileSync(fileOf(operation), layOut(file));
}

function shorten({ outcomes }: Golden, outcome: string): Lines {
  const { reply, ...rest } = outcomes[outcome]!;
  const difference = outcome === 'success' ? undefined : differenceFrom(outcomes['success']!.reply, reply);
  return { ...rest, ...(difference ?? { reply }) };
}

function saidOnce(byFormat: readonly (readonly [format: string, lines: Lines])[]): SharedLines {
  const all = byFormat.map(([, lines]) => lines);
  const changed = inAll(all.map((lines) => lines.changed ?? {}));
  const absent = (all[0]?.absent ?? []).filter((name) => all.every((lines) => lines.absent?.includes(name)));
  const shared: Lines = { ...inAll(all), changed, absent };
  const own = byFormat.map(([format, lines]) => {
    const apart: Lines = {
      ...pick(lines, (name) => !(name in shared)),
      changed: pick(lines.changed ?? {}, (name) => !(name in changed)),
      absent: (lines.absent ?? []).filter((name) => !absent.includes(name)),
    };
    return [`in ${format}`, layLines(apart)] as const;
  });
  return { ...layLines(shared), ...Object.fromEntries(own.filter(([, lines]) => Object.keys(lines).length > 0)) };
}

function inAll<T extends object>([first, ...others]: readonly T[]): Partial<T> {
  return pick(first!, (name, value) => others.every((one) => same(one[name as keyof T], value)));
}

/** In one order, equal values on one line, nothing that is empty but a reply. */
function layLines({ changed = {}, added = {}, absent = [], reply, ...rest }: Lines): Lines {
  const difference = { changed: joinChanged(changed), added: joinNames(added), absent };
  return {
    ...rest,
    ...pick(difference, (_, value) => Object.keys(value as object).length > 0),
    ...(reply === undefined ? {} : { reply: joinNames(reply) }),
  } as Lines;
}

/** v1's side on one line each, the script's side a field a line; a blank line between formats and outcomes. */
function layOut(file: GoldenFile): string {
  const document = new Document(JSON.parse(JSON.stringify(file)), { aliasDuplicateObjects: false });
  document.commentBefore = HEAD;
  visit(document, {
    Pair(_, { key, value }) {
      const name = isScalar(key) ? String(key.value) : '';
      if (name === 'formats' || name === 'outcomes') {
        if (isMap(value)) value.items.slice(1).forEach(spaced);
      } else if (name === 'request' || name === 'v1_call') {
        if (isMap(value)) for (const { value: inner } of value.items) if (isMap(inner)) inner.flow = true;
      } else if (name === 'v1_answer' || name === 'absent' || name.startsWith('after ')) {
        if (isMap(value) || isSeq(value)) value.flow = true;
      }
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

function spaced({ key }: Pair): void {
  if (isScalar(key)) key.spaceBefore = true;
}

/** The operation of every golden file there is. */
export function goldenNames(): string[] {
  return readdirSync(GOLDEN_FOLDER)
    .filter((file) => !SOURCES.includes(file))
    .map((file) => file.replace(/\.yaml$/, ''));
}
