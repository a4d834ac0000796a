import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkFolder } from '../../../src/mapping/check';
import { readFolder } from '../../../src/mapping/load';
import type { Addition } from '../../../src/operator/drift/drift';
import { makePatch } from '../../../src/operator/drift/make-patch';
import { MAPPINGS } from '../../mapping/mapping-set';

const read = readFolder(MAPPINGS);
const files = 'files' in read ? read.files : [];
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
  folder = mkdtempSync(join(tmpdir(), 'drift-'));
  cpSync(MAPPINGS, join(folder, 'mappings'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

test.each([['patch', ['-p0']] as const, ['git', ['apply', '-p0']] as const].filter(([program]) => has(program)))(
  '%s takes it, and what comes of it is checked without a complaint',
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

test('only lines are added: comments and layout stay', () => {
  const { diff } = makePatch(files, ADDITIONS, 'mappings');
  const removed = diff.split('\n').filter((line) => /^-(?!--)/.test(line));
  const added = diff.split('\n').filter((line) => /^\+(?!\+\+)/.test(line));
  // A list in a line is one line out and one in; all else is new lines.
  expect(removed.length).toBeLessThanOrEqual(4);
  for (const line of removed) expect(added.some((one) => one.slice(1, 12) === line.slice(1, 12))).toBe(true);
});

test('what the check would complain about stays out, and the rest goes in', () => {
  const wrong = addition(['operations', 'buy_airtime', 'fields', 'amount', 'from'], 'phone');
  const { made, left, diff } = makePatch(files, [wrong, ADDITIONS[0]!], 'mappings');
  expect([made, left]).toEqual([[ADDITIONS[0]], [wrong]]);
  expect(diff).toContain('phone_no');
});

test('nothing to add is an empty patch', () => {
  expect(makePatch(files, [], 'mappings')).toEqual({ made: [], left: [], diff: '' });
});
