/** Reads `cases/*.yaml` below a mappings folder into cases that can be played, or into problems with their places. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isJsonObject, isList, textOf, type JsonObject, type JsonValue } from '../../domain/json';
import type { MappingFileText } from '../../mapping/load';
import type { Problem } from '../../mapping/problem';
import { readYaml, type Locate, type YamlPath } from '../../mapping/read-yaml';
import { caseFileSchema, caseSchema, type AnswerFields, type CaseFields, type CaseFile, type WrittenCase } from './case-schema';

/** One row of a case, ready to be played. */
export interface Case extends CaseFields {
  readonly place: { readonly file: string; readonly line: number; readonly column: number };
  /** The name as written, which all rows of a case share. */
  readonly title: string;
  /** The name of this row; undefined for a case without `each`. */
  readonly row: string | undefined;
}

/** The answers of v1 that hold unless a case has its own. */
export interface Fixtures {
  readonly catalog: JsonObject | undefined;
  readonly answers: Readonly<Record<string, AnswerFields>>;
}

/** Reads `cases/*.yaml` in order of name. A folder without cases gives an empty result without a problem. */
export function loadCases(folder: string) {
  const below = join(folder, 'cases');
  let names: string[] = [];
  try {
    names = readdirSync(below)
      .filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.'))
      .sort();
  } catch {
    // The folder does not exist. `compat-gateway test` reports that; other callers need no cases.
  }
  return readCases(
    names.map((name) => {
      const path = join(below, name);
      return { file: relative(process.cwd(), path) || path, text: readFileSync(path, 'utf8') };
    }),
  );
}

export function readCases(files: readonly MappingFileText[]) {
  const problems: Problem[] = [];
  const cases: Case[] = [];
  let catalog: JsonObject | undefined;
  const answers: Record<string, AnswerFields> = {};
  for (const { file, text } of files) {
    const { text: plain, addresses } = readShortForms(text);
    const read = readYaml<CaseFile>(file, plain, caseFileSchema);
    problems.push(...read.problems);
    if (read.value === undefined) continue;
    catalog = read.value.catalog ?? catalog;
    Object.assign(answers, read.value.answers);
    for (const [index, written] of (read.value.cases ?? []).entries()) {
      const path = ['cases', index];
      const expanded = expand(withAddresses(written, path, addresses, read.locate), path, file, read.locate);
      problems.push(...expanded.problems);
      cases.push(...expanded.cases);
    }
  }
  problems.push(...namedTwice(cases));
  return { cases, fixtures: { catalog, answers }, problems };
}

/** Both short forms as the long one: an address and its fields. */
function withAddresses(
  written: WrittenCase,
  path: YamlPath,
  addresses: ReadonlyMap<number, string>,
  locate: Locate,
): WrittenCase {
  const put = (key: string, value: JsonValue | undefined, at: YamlPath): Record<string, JsonValue> => {
    if (value === undefined) return {};
    const to = addresses.get(locate([...at, key], 'key').line);
    return { [key]: to === undefined ? withoutAddressKey(value) : { to, fields: value } };
  };
  const before = written.before?.map((step, index) => ({ ...step, ...put('send', step.send, [...path, 'before', index]) }));
  return {
    ...written,
    ...put('send', written.send, path),
    ...put('expect_call', written.expect_call, path),
    ...(before === undefined ? {} : { before }),
  };
}

/** `{ POST /api/topup/: { network: 1 } }`: the short form in real YAML, which editors and formatters read. */
function withoutAddressKey(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const [[to, fields] = ['', null], ...more] = Object.entries(value);
  return more.length === 0 && /^(?:[A-Z]+|\$[a-z_]+) [/$]/.test(to) ? { to, fields } : value;
}

function expand(written: WrittenCase, path: YamlPath, file: string, locate: Locate): { cases: Case[]; problems: Problem[] } {
  const { each, ...rest } = written;
  const rows: (Row | undefined)[] = each === undefined ? [undefined] : each.map(toRow);
  const cases: Case[] = [];
  const problems: Problem[] = [];
  for (const [index, row] of rows.entries()) {
    const filled = row === undefined ? rest : fillIn(rest as JsonObject, row);
    const parsed = caseSchema.safeParse(filled);
    const where = row === undefined ? path : [...path, 'each', index];
    const place = { file, ...locate(where) };
    if (parsed.success) {
      if (expectsNothing(parsed.data))
        problems.push(problemAt(place, 'case-expects-nothing', `the case \`${written.name}\` expects nothing`));
      cases.push({ ...parsed.data, place, title: written.name, row: row === undefined ? undefined : describeRow(row) });
      continue;
    }
    const [issue] = parsed.error.issues;
    const steps = issue?.path ?? [];
    const at = { file, ...locate([...path, ...steps]) };
    const inRow = row === undefined ? '' : `, with ${describeRow(row)}`;
    problems.push(problemAt(at, 'bad-case', `${issue?.message ?? 'unusable'} (at ${steps.map(String).join('.')}${inRow})`));
  }
  return { cases, problems };
}

function expectsNothing(one: CaseFields): boolean {
  const { expect_call: call, expect_refusal: refusal, expect_reply: reply } = one;
  return [call, refusal, reply, one.absent, one.http, one.format, one.family, one.unknown_fields].every(
    (part) => part === undefined,
  );
}

function namedTwice(cases: readonly Case[]): Problem[] {
  const first = new Map<string, Case>();
  return cases.flatMap((one): Problem[] => {
    const key = `${one.title}\0${one.row ?? ''}`;
    const { place } = first.get(key) ?? {};
    if (place === undefined) first.set(key, one);
    const what = `a case with this name${one.row === undefined ? '' : ' and row'}`;
    return place === undefined
      ? []
      : [problemAt(one.place, 'case-twice', `${what} already exists at ${place.file}:${place.line}`)];
  });
}

const problemAt = (place: Case['place'], code: Problem['code'], message: string): Problem => ({
  ...{ ...place, code, message },
  severity: 'error',
});

const SHORT_FORM = /^(\s*(?:- )?(?:send|expect_call):\s+)((?:[A-Z|]+|\$[a-z_]+) [^\s{]+)(?=\s+\{)/;

/**
 * `send: POST /api/topup/ { network: 1, amount: 100 }`: an address and its fields on one line. That is no YAML, so the
 * address is taken out before the file is parsed; blanks stand in its place, and every position stays true. `addresses` has those
 * taken out, by line, counted from 1; the method of one may be a name that `each` fills in.
 */
export function readShortForms(text: string): { readonly text: string; readonly addresses: ReadonlyMap<number, string> } {
  const addresses = new Map<number, string>();
  const lines = text.split('\n').map((line, index) => {
    const [whole, before, address] = SHORT_FORM.exec(line) ?? [];
    if (whole === undefined || before === undefined || address === undefined) return line;
    addresses.set(index + 1, address);
    return `${before}${' '.repeat(address.length)}${line.slice(whole.length)}`;
  });
  return { text: lines.join('\n'), addresses };
}

export type Row = Readonly<Record<string, JsonValue>>;

/** A row that is a plain value becomes the row `{ value: … }`, so `$value` stands for it. */
export function toRow(written: JsonValue): Row {
  return isJsonObject(written) ? written : { value: written };
}

const NAME = /\$([a-z_]+)/gi;

/** Replaces `$name` with values of a row of `each`. A text that is only `$name` becomes the value itself; in a longer text the value becomes text. */
export function fillIn(value: JsonValue, row: Row): JsonValue {
  if (typeof value === 'string') return fillText(value, row);
  if (isList(value)) return value.map((item) => fillIn(item, row));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [textOf(fillText(key, row)), fillIn(part, row)]));
}

function fillText(text: string, row: Row): JsonValue {
  if (!text.includes('$')) return text;
  const whole = /^\$([a-z_]+)$/i.exec(text)?.[1];
  if (whole !== undefined && Object.hasOwn(row, whole)) return row[whole]!;
  return text.replaceAll(NAME, (found, name: string) => (Object.hasOwn(row, name) ? textOf(row[name]) : found));
}

/** `number: 2, network: GLO`. A text that looks like another type is quoted. */
export function describeRow(row: Row): string {
  return Object.entries(row)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? quoted(value) : JSON.stringify(value)}`)
    .join(', ');
}

function quoted(text: string): string {
  return /^(?:true|false|null|[\d.]*)$/.test(text) ? `'${text}'` : text;
}
