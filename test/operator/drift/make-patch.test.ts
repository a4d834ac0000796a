import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parse } from 'yaml';
import { checkFolder } from '../../../src/mapping/check';
import { appendToList, makePatch, type Addition } from '../../../src/operator/drift/make-patch';
import { copyMappings, filesWith, shippedFiles } from '../../mapping/mapping-set';
import { newFolder } from '../../new-folder';

const files = shippedFiles();
const addition = (path: readonly string[], value: string): Addition => ({ path, value, title: value, movesMoney: false });

const ADDITIONS = [
  addition(['operations', 'buy_airtime', 'fields', 'phone', 'from'], 'phone_no'),
  addition(['formats', 'a', 'operations', 'buy_airtime', 'fields', 'network', 'from'], 'net_work'),
  addition(['formats', 'a', 'operations', 'buy_data', 'fields', 'phone', 'from'], 'gsm_no'),
  addition(['formats', 'b', 'operations', 'buy_exam', 'fields', 'quantity', 'from'], 'pieces'),
  addition(['operations', 'buy_airtime', 'ignore'], 'memo'),
  addition(['operations', 'buy_airtime', 'ignore'], 'memo, two'),
  addition(['operations', 'check_balance', 'ignore'], 'app'),
  addition(['tables', 'network', 'values', 'MTN', 'words'], 'mtnsme'),
];

let folder: string;
beforeEach(() => {
  folder = newFolder();
  copyMappings(join(folder, 'mappings'));
});

const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

test.each([['patch', ['-p0']] as const, ['git', ['apply', '-p0']] as const].filter(([program]) => has(program)))(
  '%s applies the patch, and check accepts the patched mappings',
  (program, args) => {
    const { diff, made, left } = makePatch(files, ADDITIONS, 'mappings');
    expect([made.length, left]).toEqual([ADDITIONS.length, []]);
    execFileSync(program, args, { cwd: folder, input: diff, stdio: ['pipe', 'ignore', 'inherit'] });
    const { mapping, problems } = checkFolder(join(folder, 'mappings'));
    expect(problems).toEqual([]);
    const from = (operation: string, field: string) =>
      mapping!.operations.get(operation)!.fields.find(({ name }) => name === field)!.from;
    expect([
      from('buy_airtime', 'phone').at(-1),
      from('buy_airtime', 'network').at(-1),
      from('buy_exam', 'quantity').at(-1),
    ]).toEqual(['phone_no', 'net_work', 'pieces']);
    expect(mapping!.operations.get('buy_airtime')!.known.has('memo, two')).toBe(true);
  },
);

test('the patch only adds to the files: comments and layout stay', () => {
  const { diff } = makePatch(files, ADDITIONS, 'mappings');
  const removed = diff.split('\n').filter((line) => /^-(?!--)/.test(line));
  const added = diff.split('\n').filter((line) => /^\+(?!\+\+)/.test(line));
  // A list on one line is one line removed and one added; all other changes are new lines.
  expect(removed.length).toBeLessThanOrEqual(4);
  for (const line of removed) expect(added.some((one) => one.slice(1, 12) === line.slice(1, 12))).toBe(true);
});

test('an addition that check would reject is left out of the patch, and the others stay in', () => {
  const wrong = addition(['operations', 'buy_airtime', 'fields', 'amount', 'from'], 'phone');
  const { made, left, diff } = makePatch(files, [wrong, ADDITIONS[0]!], 'mappings');
  expect([made, left]).toEqual([[ADDITIONS[0]], [wrong]]);
  expect(diff).toContain('phone_no');
});

test('one addition that check would reject costs few checks, however many others there are', () => {
  const wrong = addition(['operations', 'buy', 'fields', 'amount', 'from'], 'phone');
  const many = Array.from({ length: 64 }, (_, nth) => addition(['operations', 'buy', 'ignore'], `own_${nth}`));
  let reads = 0;
  // Each check reads each file.
  const small = filesWith().map(({ file, text }) => ({
    file,
    get text() {
      reads += 1;
      return text;
    },
  }));
  const readsFor = (...additions: readonly Addition[]) => {
    reads = 0;
    return { left: makePatch(small, additions, 'mappings').left, reads };
  };
  const [sound, all] = [readsFor(...many), readsFor(...many, wrong)];
  expect([sound.left, all.left]).toEqual([[], [wrong]]);
  expect(all.reads).toBeLessThan(8 * sound.reads);
});

test('without additions the patch is empty', () => {
  expect(makePatch(files, [], 'mappings')).toEqual({ made: [], left: [], diff: '' });
});

const PHONE = ['operations', 'buy', 'fields', 'phone', 'from'];

test.each<[string, string, readonly string[], string]>([
  [
    'a list on one line',
    'operations: { buy: { fields: { phone: { from: [a, b], as: phone } } } }\n',
    PHONE,
    'operations: { buy: { fields: { phone: { from: [a, b, new], as: phone } } } }\n',
  ],
  [
    'a list on one line with a comment',
    'operations:\n  buy:\n    fields:\n      phone: { from: [a,  b], as: phone } # who\n      # next\n      amount: { from: [x] }\n',
    PHONE,
    'operations:\n  buy:\n    fields:\n      phone: { from: [a,  b, new], as: phone } # who\n      # next\n      amount: { from: [x] }\n',
  ],
  [
    'a list of several lines',
    'operations:\n  buy:\n    fields:\n      phone:\n        from:\n          - a # one\n          - b # two\n        as: phone\n',
    PHONE,
    'operations:\n  buy:\n    fields:\n      phone:\n        from:\n          - a # one\n          - b # two\n          - new\n        as: phone\n',
  ],
  [
    'a file without the operation, which gets a new section',
    'format: a\nproof:\n  - { weight: weak } # last\n',
    PHONE,
    'format: a\nproof:\n  - { weight: weak } # last\n\noperations:\n  buy:\n    fields:\n      phone: { from: [new] }\n',
  ],
  [
    'an operation without fields',
    'operations:\n  buy:\n    reply:\n      success:\n        pin: x\n\nrows:\n  one: { a: 1 }\n',
    PHONE,
    'operations:\n  buy:\n    reply:\n      success:\n        pin: x\n    fields:\n      phone: { from: [new] }\n\nrows:\n  one: { a: 1 }\n',
  ],
  [
    'an operation without ignore, whose new list follows its fields',
    'operations:\n  buy:\n    fields:\n      phone: { from: [a] } # p\n    # the call\n    call: { to: x }\n',
    ['operations', 'buy', 'ignore'],
    'operations:\n  buy:\n    fields:\n      phone: { from: [a] } # p\n    ignore: [new]\n    # the call\n    call: { to: x }\n',
  ],
  [
    'a map on one line',
    'operations: { buy: { title: x } }\n',
    ['operations', 'buy', 'ignore'],
    'operations: { buy: { title: x, ignore: [new] } }\n',
  ],
  ['Windows line ends', 'ignore:\r\n  - a\r\nb: 1\r\n', ['ignore'], 'ignore:\r\n  - a\r\n  - new\r\nb: 1\r\n'],
  ['a file without a last line end', 'ignore: [a]', ['ignore'], 'ignore: [a, new]'],
  [
    'a text of several lines before the new list',
    'a:\n  t: |\n    one\n    two\nb: 1\n',
    ['a', 'ignore'],
    'a:\n  t: |\n    one\n    two\n  ignore: [new]\nb: 1\n',
  ],
])('an item is added to %s', (_title, before, at, after) => {
  expect(appendToList(before, at, 'new')).toBe(after);
});

test.each(['a, b', '12', 'null', "it's", 'a: b', '#x', ':value', 'yes', '{', ''])(
  'the added item %j is read back unchanged',
  (item) => {
    expect(parse(appendToList('ignore: [a]\n', ['ignore'], item)!)).toEqual({ ignore: ['a', item] });
    expect(parse(appendToList('ignore:\n- a\n', ['ignore'], item)!)).toEqual({ ignore: ['a', item] });
  },
);

test.each([
  ['an alias', 'base: &b [a]\nignore: *b\n'],
  ['an anchored list that another key shares', 'ignore: &b [a]\nother: *b\n'],
  ['a text where a list should be', 'ignore: a\n'],
  ['an empty list', 'ignore: []\n'],
])('%s is not changed', (_title, text) => {
  expect(appendToList(text, ['ignore'], 'new')).toBeUndefined();
});
