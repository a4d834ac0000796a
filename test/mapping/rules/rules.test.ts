import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RULE_FAMILIES, RULES, type RuleId } from '../../../src/mapping/rules/rules';
import { checkFixture, FIXTURES, readFixture } from './fixture';

const IDS = Object.keys(RULES) as RuleId[];

describe.each(IDS)('%s', (rule) => {
  test('is broken by its bad fixture, at the marked place and nowhere else', () => {
    const { mapping, problems } = checkFixture(rule, 'bad');
    const { severity } = RULES[rule];
    const { mark, files } = readFixture(rule, 'bad');
    expect(problems.filter(({ code }) => code === rule)).toEqual([
      expect.objectContaining({ severity, ...(mark ?? { line: 1, column: 1 }), message: expect.stringMatching(/./) }),
    ]);
    // No other rule is broken, or the page of this one would explain two things at once.
    expect(problems.filter(({ code, severity: other }) => code !== rule && other === 'error')).toEqual([]);
    expect(mapping === undefined).toBe(severity === 'error');
    if (files.length > 0) expect(mark === undefined).toBe(rule === 'unknown-extension');
  });

  test('is kept by its good fixture', () => {
    const { mapping, problems } = checkFixture(rule, 'good');
    expect(problems.filter(({ code, severity }) => code === rule || severity === 'error')).toEqual([]);
    expect(mapping).toBeDefined();
  });
});

test('there are at least sixty rules, each in one family, with words for people', () => {
  expect(IDS.length).toBeGreaterThanOrEqual(60);
  const inFamilies = Object.values(RULE_FAMILIES).flatMap((family) => Object.keys(family));
  expect([...inFamilies].sort()).toEqual([...IDS].sort());
  for (const { title, why, mend } of Object.values(RULES)) {
    expect(title).toMatch(/[^.]$/);
    expect(why).toMatch(/[.!?]$/);
    expect(mend).toMatch(/[.!?]$/);
  }
  expect(IDS.filter((id) => !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id))).toEqual([]);
});

test('every rule has its fixtures, and every fixture its rule', () => {
  expect(readdirSync(FIXTURES).sort()).toEqual([...IDS].sort());
});

test('every code that reading and compiling can tell is a rule, and every rule is told somewhere', () => {
  const told = new Set([...codesInSources()]);
  expect([...told].filter((code) => !Object.hasOwn(RULES, code)).sort()).toEqual([]);
  expect(IDS.filter((id) => !told.has(id)).sort()).toEqual([]);
});

/** Every kebab-case text in the sources of reading, compiling and checking that is no name of a file. */
function codesInSources(): Set<string> {
  const room = resolve(__dirname, '..', '..', '..', 'src', 'mapping');
  const files = [
    ...[
      'check-tables',
      'check',
      'compile',
      'compile-callers',
      'compile-caller-key',
      'compile-field',
      'compile-reply',
      'compile-value',
    ],
    ...['load', 'read-yaml', 'routes', 'schema', 'schema-parts', 'signals', 'source', 'table'],
  ].map((name) => join(room, `${name}.ts`));
  const checks = ['rules', 'rules/money'].flatMap((folder) =>
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
