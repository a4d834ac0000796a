import { ALARM_NAMES } from '../../src/domain/alarm';
import { CONDITIONS } from '../../src/watch/alarm-conditions';
import { COUNTED_MAX } from '../../src/watch/repeated-refusals';
import type { Sightings } from '../../src/watch/sightings';

const GIB = 2 ** 30;
const WELL: Sightings = {
  v1: { trouble: undefined },
  openOrders: { count: 4, overdue: 0, oldestMs: 60_000, atRiskNaira: 400, withoutPrice: 0 },
  loops: [{ fingerprint: 'ada', code: 'invalid_field', count: COUNTED_MAX - 1 }],
  withoutMoney: [{ fingerprint: 'ada', count: 2 }],
  wallets: [
    { fingerprint: 'ada', balanceNaira: 1_000, markNaira: 1_000 },
    { fingerprint: 'bob', balanceNaira: undefined, markNaira: 1_000 },
  ],
  isJournalWritable: true,
  disks: [
    { folder: '/data', freeBytes: 6 * GIB, sizeBytes: 1_000 * GIB },
    { folder: '/small', freeBytes: 2 * GIB, sizeBytes: 10 * GIB },
  ],
  mappingProblems: [],
};

function found(sightings: Partial<Sightings>, raised: readonly string[] = []) {
  return CONDITIONS.flatMap(({ name, find }) =>
    (find({ ...WELL, ...sightings }, (subject) => raised.includes(`${name} ${subject ?? ''}`.trim())) ?? [])
      .filter(({ text }) => text !== undefined)
      .map(({ subject, text }) => [name, subject, text]),
  );
}

test('every alarm has its condition', () => {
  expect(CONDITIONS.map(({ name }) => name)).toEqual([...ALARM_NAMES]);
});

test('a gateway without trouble raises no alarm, and neither do unknown sightings', () => {
  expect(found({})).toEqual([]);
  expect(found({ v1: undefined, openOrders: undefined, disks: [], wallets: [] })).toEqual([]);
});

const CASES: readonly (readonly [string, Partial<Sightings>, string | undefined, RegExp])[] = [
  ['v1_down', { v1: { trouble: 'v1.example takes no connection' } }, undefined, /v1\.example takes no connection/],
  [
    'orders_overdue',
    { openOrders: { count: 4, overdue: 1, oldestMs: 25 * 60_000, atRiskNaira: 12_400, withoutPrice: 0 } },
    undefined,
    /^1 order without an end for too long, the oldest for 25 minutes\. All open orders hold 12,400 naira\.$/,
  ],
  [
    'orders_overdue',
    { openOrders: { count: 2, overdue: 2, oldestMs: 25 * 60_000, atRiskNaira: 0, withoutPrice: 2 } },
    undefined,
    /All open orders hold 0 naira \(and 2 whose price only v1 knows\)\.$/,
  ],
  ['journal_unwritable', { isJournalWritable: false }, undefined, /No new sale is taken/],
  [
    'disk_nearly_full',
    { disks: [{ folder: '/data', freeBytes: 4 * GIB, sizeBytes: 1_000 * GIB }] },
    '/data',
    /4\.0 GiB are free, 0 %/,
  ],
  ['disk_nearly_full', { disks: [{ folder: '/s', freeBytes: 0.9 * GIB, sizeBytes: 10 * GIB }] }, '/s', /921 MiB are free, 9 %/],
  ['mapping_refused', { mappingProblems: ['a.yaml:1:1  x  y', 'b'] }, undefined, /2 problems.*The first: a\.yaml:1:1: y\.$/],
  [
    'wallet_low',
    { wallets: [{ fingerprint: 'ada', balanceNaira: 999, markNaira: 1_000 }] },
    'ada',
    /holds 999 naira, less than its limit of 1,000 naira/,
  ],
  [
    'wallet_low',
    { wallets: [{ fingerprint: 'ada', balanceNaira: 19_999.6, markNaira: 20_000 }] },
    'ada',
    /holds 19,999\.60 naira, less than its limit of 20,000 naira/,
  ],
  ['wallet_low', { wallets: [{ fingerprint: 'ada', balanceNaira: -0.3, markNaira: 0.05 }] }, 'ada', /-0\.30 .* 0\.05 naira/],
  ['no_money_at_v1', { withoutMoney: [{ fingerprint: 'ada', count: 3 }] }, 'ada', /declined 3 sales/],
  [
    'key_in_a_loop',
    { loops: [{ fingerprint: 'ada', code: 'invalid_field', count: COUNTED_MAX }] },
    'ada invalid_field',
    /The same refusal, invalid_field, was met 50 times or more in 10 minutes/,
  ],
  ['key_in_a_loop', { loops: [{ fingerprint: 'ada', code: 'repeat', count: 60 }] }, 'ada repeat', /The same sale was sent/],
  [
    'key_in_a_loop',
    { loops: [{ fingerprint: 'eve', code: 'v1_401', count: 60, isStranger: true }] },
    'other_keys',
    /the key eve, which v1 has not accepted\. The same refusal, v1_401,/,
  ],
];

test.each(CASES)('%s is raised by %j', (name, sightings, subject, text) => {
  expect(found(sightings)).toEqual([[name, subject, expect.stringMatching(text)]]);
});

test('a raised alarm ends only at a better value than the one that raises it', () => {
  const disks = [{ folder: '/s', freeBytes: 1.1 * GIB, sizeBytes: 10 * GIB }];
  const wallets = [{ fingerprint: 'ada', balanceNaira: 1_050, markNaira: 1_000 }];
  expect(found({ disks, wallets })).toEqual([]);
  expect(found({ disks, wallets }, ['disk_nearly_full /s', 'wallet_low ada']).map(([name]) => name)).toEqual([
    'disk_nearly_full',
    'wallet_low',
  ]);
});
