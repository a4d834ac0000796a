import { checkFiles } from '../../src/mapping/check';
import { fixFiles } from '../../src/mapping/fix';
import { wordsOf } from '../../src/mapping/rules/rule-pages';
import { RULES, type RuleId } from '../../src/mapping/rules/rules';
import { filesWith } from './mapping-set';
import { checkExample } from './rules/check-example';
import { readExample } from './rules/example';

/** The first file of the set as `check --fix` leaves it. */
function fixed(text: string): string {
  const files = filesWith(text);
  return fixFiles(files, checkFiles(files).problems)[0]!.text;
}

const operation = (lines: string): string => `
operations:
  thing:
    title: Thing # for people
    kind: read
    routes: [GET /api/thing]
${lines}
    call: { to: GET /balance }
    reply: { always: { status: $words.status }, failure: { error: [$text] } }
`;

const cases: readonly (readonly [string, string, string])[] = [
  [
    'a duplicate spelling in a list on one line',
    '    fields: { phone: { from: [phone, gsm,  phone], as: phone } }',
    '    fields: { phone: { from: [phone, gsm], as: phone } }',
  ],
  [
    'a duplicate spelling in a list with one spelling per line',
    '    ignore:\n      - a # why\n      - b\n      - a\n      - c # too',
    '    ignore:\n      - a # why\n      - b\n      - c # too',
  ],
  ['spaces around a spelling', '    ignore: [\' a\', "b "] # kept', '    ignore: [a, b] # kept'],
  ['a misspelt harmless key', '    ignroe: [a] # kept', '    ignore: [a] # kept'],
];

test.each(cases)('%s is fixed, and nothing else changes', (_title, before, after) => {
  expect(fixed(operation(before))).toBe(operation(after));
});

test('a path is rewritten in the usual form, and its comment is kept', () => {
  const before = operation('').replace('[GET /api/thing]', '\n      - GET|POST /api//thing/ # old\n      - GET /api/other');
  expect(fixed(before)).toBe(before.replace('/api//thing/', '/api/thing'));
});

test('a byte-order mark is removed', () => {
  expect(fixed(`\uFEFF${operation('').trimStart()}`)).toBe(operation('').trimStart());
});

test('a duplicate item is not removed when a comment precedes it', () => {
  const text = operation('    ignore:\n      - a\n      # said by somebody\n      - a');
  expect(fixed(text)).toBe(text);
});

test('exactly the rules whose pages describe a fix have one', () => {
  const fixable = (Object.keys(RULES) as RuleId[]).filter((id) => wordsOf(id)?.fix !== '');
  const carried = (Object.keys(RULES) as RuleId[]).filter((id) =>
    checkExample(readExample(id, 'bad')).problems.some(({ code, fix }) => code === id && fix !== undefined),
  );
  // The example of `unknown-key` has a key that could move money, and such a key is not renamed.
  expect(carried).toEqual(fixable.filter((id) => id !== 'unknown-key'));
  expect(fixable).toContain('unknown-key');
});
