/** Reads and writes golden files: what scripts are told about each operation, for every format and outcome, for people to read. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, isCollection, isMap, isScalar, isSeq, parse, visit, type Pair } from 'yaml';
import { ownAddressOf } from './addresses';
import { GOLDEN_FOLDER } from './canned-v1';
import { callOf, replyToSample, isOrderEnding } from './play-sample';
import {
  applyDifference,
  differenceFrom,
  fillWords,
  joinChanged,
  joinNames,
  nameWords,
  pick,
  same,
  splitNames,
  textOf,
  type Difference,
  type Fields,
  type Words,
} from './golden-form';
import { outcomesOf } from './outcomes';
import { mapping, operationOf, rows, sampleOf } from './samples';

/** Files of the folder that people write. */
const SOURCES: readonly string[] = ['samples.yaml', 'v1.yaml'];

const HEAD = ` Made by UPDATE_GOLDEN=1 npx jest test/gateway/reply-table, out of samples.yaml, v1.yaml and the mapping.
 Read every difference before you commit one: reseller scripts deliver and refund by these words.
 How a reply is written here stands at the head of samples.yaml.`;

/** One outcome of one format, with the whole reply. */
interface Outcome {
  /** Only for an outcome whose call differs from the usual one, or that has none although the others have. */
  readonly v1_call?: unknown;
  readonly http: number;
  readonly reply: unknown;
}

/** One operation in one format. */
export interface Golden {
  readonly v1_call?: object;
  readonly outcomes: Readonly<Record<string, Outcome>>;
}

/** The same for all formats, as the file has it. */
interface WrittenOperation {
  /** By format, where not all formats make the same call. */
  readonly v1_call?: object | undefined;
  readonly outcomes: Readonly<Record<string, SharedLines>>;
}

interface Lines extends Partial<Outcome>, Difference {
  /** The text for people, which most replies carry under several names. */
  readonly text?: string;
  /** The outcome or format from whose reply this one is described. */
  readonly as?: string;
}

/** The lines of all formats; below `in a, b`, those of these formats alone. */
type SharedLines = Lines & Readonly<Record<`in ${string}`, Lines>>;

type ByFormat<T> = readonly (readonly [format: string, of: T])[];

export const isUpdating = process.env['UPDATE_GOLDEN'] === '1';

/** The golden content as the product behaves now. */
export async function observeGolden(operation: string, format: string): Promise<Golden> {
  // How an order of the journal ended is told to a question as to the purchase: reply-rules.test.ts compares the two.
  const isOfQuestion = (outcome: string): boolean => operationOf(operation).kind !== 'status' || !isOrderEnding(outcome);
  const outcomes = outcomesOf(operation).filter(isOfQuestion);
  const told = await Promise.all(outcomes.map((outcome) => replyToSample(operation, format, outcome)));
  const calls = told.map((one) => writtenCall(callOf(operation, one)));
  const call = calls.find((one) => one !== undefined);
  const golden: Golden = {
    ...(call === undefined ? {} : { v1_call: call }),
    outcomes: Object.fromEntries(
      outcomes.map((outcome, index) => [
        outcome,
        { ...differingCall(call, calls[index]), http: told[index]!.status, reply: told[index]!.body },
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

function differingCall(usual: object | undefined, own: object | undefined): { v1_call?: unknown } {
  return same(own, usual) ? {} : { v1_call: own ?? 'none' };
}

/** Outcomes that are alike stand once in a file: purchases share many, and so do all that only reads. */
function fileOf(operation: string): string {
  const { kind } = operationOf(operation);
  return kind === 'purchase' ? 'purchases' : kind === 'status' ? 'order_status' : 'reads';
}

const pathOf = (file: string): string => join(GOLDEN_FOLDER, `${file}.yaml`);

const formatsOf = (operation: string): string[] => rows.filter(([name]) => name === operation).map(([, format]) => format);

/** Undefined when there is no such file, or nothing of the operation in it. */
export function readGolden(operation: string, format: string): Golden | undefined {
  const path = pathOf(fileOf(operation));
  if (!existsSync(path)) return undefined;
  const written = (parse(readFileSync(path, 'utf8')) as Readonly<Record<string, WrittenOperation>>)[operation];
  if (written === undefined) return undefined;
  const formats = formatsOf(operation);
  const replies = new Map<string, unknown>();
  const outcomes: Record<string, Outcome> = {};
  for (const [outcome, shared] of Object.entries(written.outcomes)) {
    for (const name of formats) {
      const lines = linesFor(shared, name);
      const { as = '', reply } = lines;
      const base = replies.get(formats.includes(as) ? `${outcome} ${as}` : `${as} ${name}`);
      const named = reply === undefined ? applyDifference(base as Fields, lines) : splitNames(reply);
      replies.set(`${outcome} ${name}`, named);
      if (name === format) outcomes[outcome] = outcomeOf(lines, named, { text: lines.text, id: sentId(operation, name) });
    }
  }
  const { v1_call: call } = written;
  const own = call === undefined || 'to' in call ? call : (call as Readonly<Record<string, object>>)[format];
  return { ...(own === undefined ? {} : { v1_call: own }), outcomes };
}

function linesFor(shared: SharedLines, format: string): Lines {
  const isOwn = (name: string): boolean => /^in (.*)$/.exec(name)?.[1]?.split(', ').includes(format) === true;
  const own = (Object.entries(shared).find(([name]) => isOwn(name))?.[1] ?? {}) as Lines;
  return {
    ...shared,
    ...own,
    changed: { ...shared.changed, ...own.changed },
    added: { ...shared.added, ...own.added },
    absent: [...(shared.absent ?? []), ...(own.absent ?? [])],
  };
}

function outcomeOf({ v1_call, http }: Lines, reply: unknown, words: Words): Outcome {
  return {
    ...(v1_call === undefined ? {} : { v1_call: fillWords(v1_call, words) }),
    http: http!,
    reply: fillWords(reply, words),
  };
}

/** The request id that the script of a sample sends, in any field or at the end of the address. */
function sentId(operation: string, format: string): string | undefined {
  const { fields } = sampleOf(operation, format);
  const sent = mapping.requestIdSpellings.map((name) => fields[name]).find((value) => typeof value === 'string');
  return sent ?? /\/transaction\/(.+)$/.exec(ownAddressOf(operation, format).target)?.[1];
}

/** Writes the file of an operation; what its formats and outcomes have in common stands there once. */
export async function writeGolden(operation: string): Promise<void> {
  const file = fileOf(operation);
  const operations = [...new Set(rows.map(([name]) => name))].filter((name) => fileOf(name) === file);
  const written = await Promise.all(
    operations.map(async (name) => {
      const formats = formatsOf(name);
      const observed = await Promise.all(formats.map(async (format) => [format, await observeGolden(name, format)] as const));
      return [name, writeOperation(name, observed)] as const;
    }),
  );
  writeFileSync(pathOf(file), layOut(Object.fromEntries(written)));
}

function writeOperation(operation: string, observed: ByFormat<Golden>): WrittenOperation {
  const named = observed.map(([format, golden]) => [format, withNamedWords(golden, sentId(operation, format))] as const);
  const calls = observed.map(([, golden]) => golden.v1_call);
  const isOne = calls.every((call) => same(call, calls[0]));
  const outcomes: Record<string, SharedLines> = {};
  for (const outcome of Object.keys(observed[0]![1].outcomes)) {
    outcomes[outcome] = shortest(named, outcome, outcomes);
  }
  return {
    v1_call: isOne ? calls[0] : Object.fromEntries(observed.map(([format, { v1_call: call }]) => [format, call])),
    outcomes,
  };
}

type Named = Readonly<Record<string, Outcome & { readonly text?: string }>>;

function withNamedWords({ outcomes }: Golden, id: string | undefined): Named {
  const named = Object.entries(outcomes).map(([outcome, observed]) => {
    const text = nameWords(textOf(observed.reply), { id }) as string | undefined;
    const words = { id, text };
    const { reply, ...rest } = observed;
    return [
      outcome,
      { ...(nameWords(rest, { id }) as Outcome), ...(text === undefined ? {} : { text }), reply: nameWords(reply, words) },
    ];
  });
  return Object.fromEntries(named) as Named;
}

/** The shortest form of this outcome: as a difference from an earlier outcome, from the first format, or whole. */
function shortest(byFormat: ByFormat<Named>, outcome: string, before: Readonly<Record<string, SharedLines>>): SharedLines {
  const [firstFormat, first] = byFormat[0]!;
  const told = (named: Named, base: string): Lines => {
    const { reply, ...rest } = named[outcome]!;
    const byOutcome = base === '' ? undefined : differenceFrom(named[base]!.reply, reply);
    if (byOutcome !== undefined) return { ...rest, as: base, ...byOutcome };
    if (same(first[outcome]!.reply, reply)) return { ...rest, reply };
    const byFirst = differenceFrom(first[outcome]!.reply, reply);
    return byFirst === undefined ? { ...rest, reply } : { ...rest, as: firstFormat, ...byFirst };
  };
  const ways = ['', ...Object.keys(before)].flatMap((base) => [
    shareLines(byFormat.map(([format, named]) => [format, told(named, base)])),
    shareLines(byFormat.map(([format, named]) => [format, told(named, format === firstFormat ? base : '')])),
  ]);
  // Each further outcome that a reader must look up counts like a short line.
  const lookUps = (base: string | undefined): number => (base === undefined ? 0 : 1 + lookUps(before[base]?.as));
  const cost = (lines: SharedLines): number => JSON.stringify(lines).length + 60 * lookUps(lines.as);
  return ways.reduce((best, way) => (cost(way) < cost(best) ? way : best));
}

function shareLines(byFormat: ByFormat<Lines>): SharedLines {
  const all = byFormat.map(([, lines]) => lines);
  const changed = inAll(all.map((lines) => lines.changed ?? {}));
  const added = inAll(all.map((lines) => lines.added ?? {})) as Record<string, Fields>;
  const absent = (all[0]?.absent ?? []).filter((name) => all.every((lines) => lines.absent?.includes(name)));
  const shared: Lines = { ...inAll(all), changed, added, absent };
  const own = new Map<string, { readonly formats: string[]; readonly lines: Lines }>();
  for (const [format, lines] of byFormat) {
    const apart = layLines({
      ...pick(lines, (name) => !(name in shared)),
      changed: pick(lines.changed ?? {}, (name) => !(name in changed)),
      added: pick(lines.added ?? {}, (name) => !(name in added)) as Record<string, Fields>,
      absent: (lines.absent ?? []).filter((name) => !absent.includes(name)),
    });
    const key = JSON.stringify(apart);
    if (key !== '{}') own.set(key, { formats: [...(own.get(key)?.formats ?? []), format], lines: apart });
  }
  const entries = [...own.values()].map(({ formats, lines }) => [`in ${formats.join(', ')}`, lines] as const);
  return { ...layLines(shared), ...Object.fromEntries(entries) };
}

function inAll<T extends object>([first, ...others]: readonly T[]): Partial<T> {
  return pick(first!, (name, value) => others.every((one) => same(one[name as keyof T], value)));
}

/** Lays the fields out in a fixed order, with equal values on one line; drops empty fields but not an empty reply. */
function layLines({ v1_call, http, text, as, changed = {}, added = {}, absent = [], reply }: Lines): Lines {
  const difference = { changed: joinChanged(changed), added: joinNames(added), absent };
  return {
    ...pick({ v1_call, http, text, as }, (_, value) => value !== undefined),
    ...pick(difference, (_, value) => Object.keys(value as object).length > 0),
    ...(reply === undefined ? {} : { reply: joinNames(reply) }),
  } as Lines;
}

/** Puts a call and the entries of a list on one line each, a reply on one line per field, and equal outcomes once. */
function layOut(operations: Readonly<Record<string, WrittenOperation>>): string {
  const seen = new Map<string, unknown>();
  const onlyOnce = (_name: string, value: unknown): unknown => {
    if (!isOutcome(value)) return value;
    const key = JSON.stringify(value);
    if (!seen.has(key)) seen.set(key, value);
    return seen.get(key);
  };
  const document = new Document(JSON.parse(JSON.stringify(operations), onlyOnce), { anchorPrefix: 'same' });
  document.commentBefore = HEAD;
  const onOneLine = ['added', 'absent'];
  visit(document, {
    Map: (_, map, path) => {
      if (path.length === 1) map.items.slice(1).forEach(spaced);
      // A call of v1.
      if (map.has('to')) map.flow = true;
      if (isSeq(path.at(-1)) && map.items.every(({ value }) => !isCollection(value))) map.flow = true;
    },
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || !isCollection(value)) return;
      if (key.value === 'outcomes' && isMap(value))
        value.items
          .slice(1)
          .filter((one) => isMap(one.value))
          .forEach(spaced);
      const isShort = key.value === 'changed' && value.items.length === 1 && !JSON.stringify(value).includes(', ');
      if (isShort || onOneLine.includes(String(key.value))) value.flow = true;
    },
    Seq: (_, list) => {
      if (list.items.every((item) => !isCollection(item))) list.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

const isOutcome = (value: unknown): boolean => value !== null && typeof value === 'object' && 'http' in value;

function spaced({ key }: Pair): void {
  if (isScalar(key)) key.spaceBefore = true;
}

/** Golden files that no operation writes any more. */
export function staleGoldenFiles(): string[] {
  const wanted = new Set(rows.map(([operation]) => `${fileOf(operation)}.yaml`));
  return readdirSync(GOLDEN_FOLDER).filter((file) => !SOURCES.includes(file) && !wanted.has(file));
}
