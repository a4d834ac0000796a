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
  expect(mapping.callerKindOf({ userAgent: agent })).toEqual({ name, patienceMs });
});

test('a single script is known by the fingerprint of its key', () => {
  const told = mapping.callerKeys.get(SCRIPT)!;
  expect([told.fingerprint, told.format, told.hasGuard, told.patienceOf('buy')]).toEqual([SCRIPT, 'x', false, 500]);
  const untold = mapping.callerKeys.get('0b'.repeat(16))!;
  expect([untold.format, untold.hasGuard, untold.patienceOf('buy')]).toEqual([undefined, true, undefined]);
});

test('a kind may be told by headers as well, or by headers alone', () => {
  const named = mappingWith(`
callers:
  kinds:
    traced_php: { user_agents: [''], headers: [X-Request-Id, X-Shop], patience: 18s }
    batch: { headers: [X-Batch], patience: 1s }
    other: { patience: 4s }
`);
  const kindOf = (userAgent: string, sent: Record<string, string>): string => named.callerKindOf({ userAgent, sent }).name;
  expect(kindOf('', { 'x-request-id': '1', 'x-shop': 'a' })).toBe('traced_php');
  expect(kindOf('', { 'x-request-id': '1', 'x-shop': ' ' })).toBe('other');
  expect(kindOf('node', { 'x-request-id': '1', 'x-shop': 'a' })).toBe('other');
  expect(kindOf('node', { 'x-batch': '1' })).toBe('batch');
});

// Limits measured by running originals: plain PHP sets none, or 20, 25 and 30 s in scripts that name their requests by a
// header; Guzzle 30 s, axios 10 s and more, httpx 30 s.
test.each<[string | undefined, number]>([
  [undefined, 40],
  ['', 40],
  ['adex', 40],
  ['PHP/7.4.33', 40],
  ['GuzzleHttp/7', 20],
  ['axios/1.6.0', 8],
  ['node', 20],
  ['node-fetch/1.0 (+https://github.com/bitinn/node-fetch)', 20],
  ['undici', 20],
  ['python-requests/2.31', 20],
  ['python-httpx/0.27.0', 20],
  ['Python/3.11 aiohttp/3.9', 20],
  ['Dart/3.0 (dart:io)', 20],
  ['okhttp/4.9', 20],
  ['Mozilla/5.0 (Windows NT 10.0)', 20],
  ['curl/8.5.0', 20],
  ['PostmanRuntime/7.36', 20],
  ['Thunder Client (https://www.thunderclient.com)', 20],
  ['insomnia/8.6', 20],
  ['Java/17', 20],
])('as shipped, the User-Agent %j is held for %d s', (userAgent, seconds) => {
  expect(shippedMapping().callerKindOf({ userAgent, sent: {} }).patienceMs).toBe(seconds * 1_000);
});

test('as shipped, plain PHP that names its requests by a header is held for 18 s', () => {
  const kind = shippedMapping().callerKindOf({ sent: { 'x-request-id': 'a' } });
  expect(kind).toEqual({ name: 'php_with_request_id', patienceMs: 18_000 });
});

test('as shipped, no purchase has a patience of its own: plain PHP is held as long on every one', () => {
  for (const { patienceMs } of shippedMapping().operations.values()) expect(patienceMs).toEqual({});
});
