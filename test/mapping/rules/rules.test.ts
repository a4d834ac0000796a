import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RULE_PAGES, wordsOf } from '../../../src/mapping/rules/rule-pages';
import { RULES, RULES_BY_PAGE, type RuleId } from '../../../src/mapping/rules/rules';
import { checkExample } from './check-example';
import { readExample, SECTIONS } from './example';

const IDS = Object.keys(RULES) as RuleId[];
const PAGES = Object.entries(RULES_BY_PAGE).map(([page, rules]) => [page, Object.keys(rules)] as const);

describe.each(IDS)('%s', (rule) => {
  test('is the only rule that its bad example breaks, at the caret and with the message of the page', () => {
    const example = readExample(rule, 'bad');
    const { mapping, problems } = checkExample(example);
    const { severity } = RULES[rule];
    expect(example.expected).toHaveLength(1);
    const asShown = ({ file, line, column, message, hint, ...rest }: (typeof problems)[number]) => ({
      code: rest.code,
      severity: rest.severity,
      file,
      line,
      column,
      message,
      hint,
    });
    // The example breaks no other rule; otherwise it would explain two things at once.
    expect(problems.map(asShown)).toEqual([{ code: rule, severity, ...example.expected[0] }]);
    expect(mapping === undefined).toBe(severity === 'error');
  });

  test('is kept by its good example, which breaks no other rule', () => {
    const { mapping, problems } = checkExample(readExample(rule, 'good'));
    expect(problems).toEqual([]);
    expect(mapping).toBeDefined();
  });

  test('has a title, a reason, a remedy and its severity on the page', () => {
    const section = SECTIONS.find((one) => one.rule === rule)!;
    expect(section.severity).toBe(RULES[rule].severity);
    expect(section.title).toMatch(/^[^\n]*[^.\n]$/);
    expect(section.why).toMatch(/[.!?]$/);
    expect(section.mend).toMatch(/[.!?]$/);
    expect(wordsOf(rule)).toEqual(section);
  });
});

test('there are at least sixty rules, each on one page', () => {
  expect(IDS.length).toBeGreaterThanOrEqual(60);
  expect(PAGES.flatMap(([, rules]) => rules).sort()).toEqual([...IDS].sort());
  expect(IDS.filter((id) => !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id))).toEqual([]);
});

test.each(PAGES)(
  'docs/rules/%s.md has one heading for each of its rules, in their order, and no other heading',
  (page, rules) => {
    expect(SECTIONS.filter((section) => section.page === `${page}.md`).map(({ rule }) => rule)).toEqual(rules);
  },
);

test('docs/rules has no other page, and its README lists every rule with its page', () => {
  expect(readdirSync(RULE_PAGES).sort()).toEqual(['README.md', ...PAGES.map(([page]) => `${page}.md`)].sort());
  const readme = readFileSync(join(RULE_PAGES, 'README.md'), 'utf8');
  const listed = [...readme.matchAll(/^- \*\*\[.+\]\(([\w-]+)\.md\)\*\*: ([^]+?)(?=\n- |\n\n)/gm)].map(([, page, names]) => [
    page,
    names!.split(/,\s+/),
  ]);
  expect(listed).toEqual(PAGES);
});

test('the common set alone has no problem', () => {
  expect(checkExample({ files: [], expected: [], isAlone: false, isAbsent: false })).toMatchObject({ problems: [] });
});

test('every code in the sources of reading, compiling and checking is a rule, and every rule is in these sources', () => {
  const told = new Set([...codesInSources()]);
  expect([...told].filter((code) => !Object.hasOwn(RULES, code)).sort()).toEqual([]);
  expect(IDS.filter((id) => !told.has(id)).sort()).toEqual([]);
});

/** Every kebab-case text in the sources of reading, compiling and checking that is not a file name. */
function codesInSources(): Set<string> {
  const room = resolve(__dirname, '..', '..', '..', 'src', 'mapping');
  const compiling = ['compile', 'compile-callers', 'compile-field', 'compile-reply', 'compile-value'];
  const reading = ['check', 'load', 'read-yaml', 'routes', 'signals', 'source', 'table'];
  const files = [...compiling, ...reading].map((name) => join(room, `${name}.ts`));
  const checks = ['language', 'rules'].flatMap((folder) =>
    readdirSync(join(room, folder)).map((name) => join(room, folder, name)),
  );
  const codes = new Set<string>();
  for (const path of [...files, ...checks.filter((name) => name.endsWith('.ts') && !name.endsWith('rules.ts'))]) {
    const text = readFileSync(path, 'utf8').replace(/^import .*$|^} from .*$/gm, '');
    for (const [, code] of text.matchAll(/'([a-z][a-z0-9]*(?:-[a-z0-9]+)+)'/g)) codes.add(code!);
    if (/code[:=] 'schema'|\? 'schema'|'schema';/.test(text)) codes.add('schema');
  }
  return codes;
}
