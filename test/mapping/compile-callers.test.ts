import { mappingWith, shippedMapping } from './mapping-set';

const SCRIPT = '0a'.repeat(16);
const mapping = mappingWith(`
callers:
  kinds:
    php: { user_agents: ['', adex, 'PHP*'], patience: 40s }
    slow: { user_agents: ['Slow*'], patience: 2m }
    other: { patience: 4s }
  keys:
    ${SCRIPT}: { format: x, guard: off, patience: 500ms }
    ${'0b'.repeat(16)}: {}
`);

test.each<[string | undefined, string, number]>([
  [undefined, 'php', 40_000],
  ['', 'php', 40_000],
  ['  ', 'php', 40_000],
  ['adex', 'php', 40_000],
  ['ADEX', 'php', 40_000],
  ['adexx', 'other', 4_000],
  ['PHP/8.2', 'php', 40_000],
  ['php', 'php', 40_000],
  ['Mozilla/5.0 PHP', 'other', 4_000],
  ['SlowClient 1', 'slow', 120_000],
  ['node', 'other', 4_000],
])('the User-Agent %j is of kind %s', (agent, name, patienceMs) => {
  expect(mapping.callerKindOf(agent)).toEqual({ name, patienceMs });
});

test('a single script is known by the fingerprint of its key', () => {
  const told = mapping.callerKeys.get(SCRIPT)!;
  expect([told.fingerprint, told.format, told.hasGuard, told.patienceOf('buy')]).toEqual([SCRIPT, 'x', false, 500]);
  const untold = mapping.callerKeys.get('0b'.repeat(16))!;
  expect([untold.format, untold.hasGuard, untold.patienceOf('buy')]).toEqual([undefined, true, undefined]);
});

// Seen on the wire (facts 7): PHP's cURL and streams send none, ADEX's meter check says adex; the rest sets limits of its own.
test.each([undefined, '', 'adex', 'PHP/7.4.33'])('plain PHP (%j) is held for as long as PHP waits', (agent) => {
  expect(shippedMapping().callerKindOf(agent).patienceMs).toBe(40_000);
});

test.each(['GuzzleHttp/7', 'axios/1.6.0', 'python-requests/2.31', 'Dart/3.0 (dart:io)', 'node', 'okhttp/4.9', 'curl/8.5.0'])(
  '%s is answered under the shortest limit seen',
  (agent) => {
    expect(shippedMapping().callerKindOf(agent).patienceMs).toBeLessThan(5_000);
  },
);
