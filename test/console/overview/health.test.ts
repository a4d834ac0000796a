import { checksOf, healthPart, type Seen } from '../../../src/console/overview/health';

const WELL: Seen = {
  isJournalWritable: true,
  isV1Up: true,
  mappingProblems: 0,
  overdue: 0,
  disk: { freeBytes: 80e9, sizeBytes: 100e9 },
};

test('everything is reported well when no check fails', () => {
  expect(healthPart(checksOf(WELL), [], 0, String).text).toContain('All is well.');
  expect(checksOf(WELL).map(({ tone }) => tone)).toEqual(['good', 'good', 'good', 'good', 'good']);
});

test.each([
  [{ isJournalWritable: false }, 'none is taken', 'bad'],
  [{ isV1Up: false }, 'v1 does not answer', 'bad'],
  [{ mappingProblems: 1 }, 'have 1 problem,', 'warn'],
  [{ overdue: 3 }, '3 orders have been open for too long', 'bad'],
  [{ disk: { freeBytes: 1e9, sizeBytes: 100e9 } }, 'nearly full: 1.0 GB free', 'warn'],
] as const)('%j is reported in a sentence', (amiss, words, tone) => {
  const checks = checksOf({ ...WELL, ...amiss });
  const { text } = healthPart(checks, [], 0, String);
  expect(text).toContain(words);
  expect(text).not.toContain('All is well');
  expect(checks.filter((check) => check.tone !== 'good')).toEqual([expect.objectContaining({ tone })]);
});

test('a tenth of a large disk is enough, and a disk that cannot be measured raises no alarm', () => {
  expect(checksOf({ ...WELL, disk: { freeBytes: 8e9, sizeBytes: 1_000e9 } }).at(-1)!.tone).toBe('good');
  // Between 5 GB and 5 GiB the alarm is raised.
  expect(checksOf({ ...WELL, disk: { freeBytes: 5.2e9, sizeBytes: 1_000e9 } }).at(-1)!.tone).toBe('warn');
  expect(healthPart(checksOf({ ...WELL, disk: undefined }), [], 0, String).text).toContain('All is well.');
});

test('an alarm replaces the check that it is about, with what to do; other alarms stand beside the checks', () => {
  const alarm = {
    name: 'v1_down',
    text: 'v1 cannot be reached.',
    todo: 'Ask the operator of v1.',
    runbook: '',
    sinceMs: 0,
  } as const;
  const { text } = healthPart(checksOf({ ...WELL, isV1Up: false, overdue: 1 }), [alarm], 60_000, String);
  expect(text).toContain('v1 cannot be reached.');
  expect(text).toContain('Ask the operator of v1.');
  expect(text).not.toContain('v1 does not answer');
  expect(text).toContain('One order has been open for too long');
});

test('an alarm about a key names its caller', () => {
  const [ada, bello] = ['a'.repeat(32), 'b'.repeat(32)];
  const about = (name: 'wallet_low' | 'key_in_a_loop', subject: string) =>
    ({ name, subject, text: 'The wallet holds 3 naira.', todo: 'Fill it.', runbook: '', sinceMs: 0 }) as const;
  const alarms = [about('wallet_low', ada), about('key_in_a_loop', `${bello} repeat`)];
  const { text } = healthPart(checksOf(WELL), alarms, 0, (fingerprint) => (fingerprint === ada ? 'Ada & Sons' : 'Bello'));
  expect(text).toContain(`<a href="/console/callers/${ada}">Ada &amp; Sons</a>: <strong>`);
  expect(text).toContain(`<a href="/console/callers/${bello}">Bello</a>: <strong>`);
});
