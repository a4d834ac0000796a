/** Checks a YAML block of a page against the product. Gives the fault, or undefined. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { runCases } from '../../src/operator/case/run-cases';
import { readWrittenRequest } from '../../src/http/read-written-request';
import { loadCases, readCases } from '../../src/operator/case/cases';
import { checkFiles } from '../../src/mapping/check';
import type { MappingFileText } from '../../src/mapping/load';
import type { Mapping } from '../../src/mapping/mapping';
import { MAPPINGS, shippedFiles } from '../mapping/mapping-set';
import type { Block } from './read-page';

const ROOT = resolve(__dirname, '..', '..');
/** Completes a case of which a page shows only the expectation. */
const CASE = `name: a part of a case
send: { POST /api/topup/: { network: MTN, phone: '08031234567', amount: 100 } }
`;

const fixtures = loadCases(MAPPINGS).fixtures;

const shipped = shippedFiles();
const parsed = shipped.map(({ text }) => parse(text) as Fields);

/**
 * - `excerpt=<file>`: its lines stand in that file, in this order; a line `# …` stands for what is left out.
 * - cases, or what a case expects: played with the set, to which the fragment before them on the page belongs.
 * - anything else is a fragment: it is merged into the shipped set and checked; with `breaks=<rule>` it must break that rule.
 */
export async function checkYaml(block: Block, before: Block | undefined): Promise<string | undefined> {
  const excerpt = block.marks.get('excerpt');
  if (excerpt !== undefined) return checkExcerpt(block.text, excerpt);
  const cases = asCases(block.text);
  if (cases === undefined) return checkFragment(block);
  const fragment = before?.language === 'yaml' && isFragment(before) ? before.text : undefined;
  return playCases(cases, fragment);
}

const isFragment = ({ text, marks }: Block): boolean =>
  asCases(text) === undefined && !['excerpt', 'breaks', 'file', 'append'].some((mark) => marks.has(mark));

function checkExcerpt(text: string, file: string): string | undefined {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  const bare = (line: string): string => line.replace(/\s+#.*$/, '').trim();
  let at = 0;
  for (const line of text.split('\n').map(bare)) {
    if (line === '' || line.startsWith('#')) continue;
    const found = lines.findIndex((one, index) => index >= at && bare(one) === line);
    if (found < 0) return `${file} has no line \`${line}\` there`;
    at = found + 1;
  }
  return undefined;
}

/** The text of a case file made from the block, if the block is one, a list of cases, or a part of a case. */
function asCases(text: string): string | undefined {
  const parsed: unknown = parse(text);
  const indented = (prefix: string, rest: string): string => text.replace(/^/gm, rest).replace(rest, prefix);
  if (Array.isArray(parsed)) return `cases:\n${text.replace(/^/gm, '  ')}\n`;
  if (parsed === null || typeof parsed !== 'object') return undefined;
  if ('cases' in parsed) return text;
  if ('send' in parsed && 'name' in parsed) return `cases:\n${indented('  - ', '    ')}\n`;
  if ('send' in parsed) return `cases:\n${indented('  - name: an example\n    ', '    ')}\n`;
  const isPart = ['expect_reply', 'expect_call', 'absent'].some((key) => key in parsed);
  return isPart ? `cases:\n  - ${`${CASE}${text}`.replace(/\n(?=.)/g, '\n    ')}\n` : undefined;
}

interface Compiled {
  readonly mapping?: Mapping;
  readonly wrong: string | undefined;
}
/** A fragment is checked, and then the cases after it are played with it. */
const compiled = new Map<string | undefined, Compiled>();

/** The shipped set, with a fragment if there is one. */
function compile(fragment?: string): Compiled {
  const known = compiled.get(fragment);
  if (known !== undefined) return known;
  const { mapping, problems } = checkFiles(fragment === undefined ? shipped : mergeFragment(fragment));
  const wrong = problems.map(({ code, message }) => `${code}: ${message}`).join('\n');
  const result = { ...(mapping === undefined ? {} : { mapping }), wrong: wrong === '' ? undefined : wrong };
  compiled.set(fragment, result);
  return result;
}

function checkFragment({ text, marks }: Block): string | undefined {
  const { wrong } = compile(text);
  const rule = marks.get('breaks');
  if (rule === undefined) return wrong;
  return wrong?.startsWith(`${rule}:`) === true ? undefined : `does not break ${rule} first of all, but: ${wrong ?? 'nothing'}`;
}

async function playCases(text: string, fragment: string | undefined): Promise<string | undefined> {
  const { cases, fixtures: own, problems } = readCases([{ file: 'page.yaml', text }]);
  if (problems.length > 0) return problems.map(({ message }) => message).join('\n');
  const { mapping, wrong } = compile(fragment);
  if (mapping === undefined) return wrong;
  const answers = { ...fixtures.answers, ...own.answers };
  const results = await runCases(cases, {
    mapping,
    fixtures: { catalog: own.catalog ?? fixtures.catalog, answers },
    read: readWrittenRequest,
  });
  const differences = results.flatMap(({ played, differences: found }) =>
    found.map((one) => `${played.name}: ${one.place}: expected ${one.expected}, found ${one.found}`),
  );
  return differences.length === 0 ? undefined : differences.join('\n');
}

type Fields = Record<string, unknown>;

/** Sections in which a name may stand in one file only. */
const BY_NAME = ['operations', 'tables', 'blocks', 'rows', 'texts'];

/** Merges a fragment into a set: what the fragment names changes, everything else stays. */
function mergeFragment(fragment: string): readonly MappingFileText[] {
  const added = parse(fragment) as Fields;
  const files = shipped.map(({ file, text }, index) => ({ file, text, fields: structuredClone(parsed[index]!) }));
  const changed = new Set<Fields>();
  const change = (fields: Fields, more: Fields): void => {
    changed.add(fields);
    merge(fields, more);
  };
  if (typeof added.format === 'string') {
    const own = files.find(({ fields }) => fields.format === added.format);
    if (own === undefined) return [...shipped, { file: `format-${added.format}.yaml`, text: fragment }];
    change(own.fields, added);
  } else {
    const rest: Fields = {};
    const shared = files.filter(({ fields }) => fields.format === undefined);
    for (const [section, value] of Object.entries(added)) {
      const owners = shared.filter(({ fields }) => section in fields);
      if (!BY_NAME.includes(section) && owners[0] !== undefined) change(owners[0].fields, { [section]: value });
      else if (BY_NAME.includes(section))
        for (const [name, item] of Object.entries(value as Fields)) {
          const owner = owners.find(({ fields }) => name in (fields[section] as Fields));
          if (owner === undefined) change(rest, { [section]: { [name]: item } });
          else change(owner.fields, { [section]: { [name]: item } });
        }
      else change(rest, { [section]: value });
    }
    if (changed.has(rest)) files.push({ file: 'fragment.yaml', text: '', fields: rest });
  }
  return files.map(({ file, text, fields }) => ({
    file,
    text: changed.has(fields) ? stringify(fields, { aliasDuplicateObjects: false }) : text,
  }));
}

/** Lists and plain values are replaced, fields are merged. */
function merge(into: Fields, added: Fields): void {
  for (const [key, value] of Object.entries(added)) {
    const old = into[key];
    if (isFields(old) && isFields(value)) merge(old, value);
    else into[key] = value;
  }
}

function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
