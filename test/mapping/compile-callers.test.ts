import { sandboxScopeOf } from '../../src/mapping/caller-name';
import { checkFiles } from '../../src/mapping/check';
import { checkWith, editedFiles, mappingWith, marked, shippedMapping } from './mapping-set';
import { afterPendingOf, DEFAULT } from '../../src/mapping/compile-callers';
import type { AfterPending, CallerKey, Operation, Scope } from '../../src/mapping/mapping';

const KEY = '0a'.repeat(16);
const mapping = mappingWith(`
callers:
  kinds:
    php: { user_agents: ['', adex, 'PHP*'], patience: 40s }
    slow: { user_agents: ['Slow*'], patience: 2m }
    other: { patience: 4s }
  keys:
    ${KEY}: { format: x, guard: off, patience: 500ms }
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

test('the settings of one caller are found by the fingerprint of its key', () => {
  const told = mapping.callerKeys.get(KEY)!;
  expect([told.fingerprint, told.format, told.hasGuard, told.patienceOf('buy')]).toEqual([KEY, 'x', false, 500]);
  const untold = mapping.callerKeys.get('0b'.repeat(16))!;
  expect([untold.format, untold.hasGuard, untold.patienceOf('buy')]).toEqual([undefined, true, undefined]);
});

test('a kind of caller can be recognised by headers together with a User-Agent, or by headers alone', () => {
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

test('as shipped, plain PHP with an X-Request-Id header is held for 18 s', () => {
  const kind = shippedMapping().callerKindOf({ sent: { 'x-request-id': 'a' } });
  expect(kind).toEqual({ name: 'php_with_request_id', patienceMs: 18_000 });
});

test('as shipped, no operation has a patience of its own, so plain PHP is held equally long on every purchase', () => {
  for (const { patienceMs } of shippedMapping().operations.values()) expect(patienceMs).toEqual({});
});

const callers = (says: string): string => `
callers:
  kinds:
    php: { user_agents: ['', 'PHP*'], patience: 40s }
    other: { patience: 4s }
  keys:
    ${KEY}:
${says.replace(/^/gm, '      ')}
`;

function compiled(says: string): CallerKey {
  const { mapping, problems } = checkWith(callers(says));
  expect(problems).toEqual([]);
  return mapping!.callerKeys.get(KEY)!;
}

test('the patience of a key is one for all operations, or by operation with a default', () => {
  expect([compiled('patience: 10s').patienceOf('buy'), compiled('guard: off').patienceOf('buy')]).toEqual([10_000, undefined]);
  const { patienceOf } = compiled('patience: { buy: 30s, default: 2s }');
  expect([patienceOf('buy'), patienceOf('list'), patienceOf('constructor')]).toEqual([30_000, 2_000, 2_000]);
  expect(compiled('patience: { buy: 30s }').patienceOf('list')).toBeUndefined();
});

test('a key has its title, note, contact, limits and wallet limit', () => {
  const said =
    'title: Ada\nnote: since 2024\ncontact: ada@example.com\nlimit: { purchases: 30, naira: 5000 }\nwallet_below: 2000';
  expect(compiled(said)).toMatchObject({
    title: 'Ada',
    note: 'since 2024',
    contact: 'ada@example.com',
    pausedText: undefined,
    limit: { purchasesPerMinute: 30, nairaPerDay: 500_000 },
    isSandboxed: false,
    sandboxOf: undefined,
    walletBelow: 200_000,
  });
  expect(compiled('limit: { naira: 100 }').limit).toEqual({ purchasesPerMinute: Infinity, nairaPerDay: 10_000 });
  expect(compiled('limit: { purchases: 1 }').limit).toEqual({ purchasesPerMinute: 1, nairaPerDay: undefined });
  expect(compiled('guard: off').limit).toBeUndefined();
});

test('a paused key has its own text or the common one, and `paused: false` is not paused', () => {
  expect(compiled('paused: true').pausedText).toBe(
    'Sales of this account are paused. Nothing was charged. Please ask your provider.',
  );
  expect(compiled('paused: Please pay your bill').pausedText).toBe('Please pay your bill');
  expect(compiled('paused: false').pausedText).toBeUndefined();
});

test('a sandboxed key has the same settings in the sandbox', () => {
  const { mapping } = checkWith(callers('title: Ada\nsandbox: true\nformat: x'));
  const scope = mapping!.callerKeys.get(sandboxScopeOf(KEY));
  expect(scope).toMatchObject({ fingerprint: sandboxScopeOf(KEY), sandboxOf: KEY, format: 'x', title: 'Ada', isSandboxed: true });
});

test('the shape of a list is a value that contains the list as $list', () => {
  const roots = { words: { status: 'success' }, text: 'Fine.' };
  const scope: Scope = { fields: {}, joins: {}, roots, numberOf: () => undefined };
  const { lists } = compiled(
    'lists: { default: { status: $words.status, nested: { n: $list | count, rows: [$list] }, maybe: { when: { $http: 1 }, value: 1 } } }',
  );
  const shape = lists.get(DEFAULT)!;
  expect(shape.build([1, 2], scope)).toEqual({ status: 'success', nested: { n: 2, rows: [[1, 2]] } });
  expect(shape.sources.map(({ field }) => field)).toEqual(['status', 'nested', 'maybe']);
});

test('a list stays as it is when the condition of its shape does not hold', () => {
  const { lists } = compiled('lists: { default: { when: { $text: Fine. }, value: { data: $list } } }');
  const build = (text: string): unknown =>
    lists.get(DEFAULT)!.build([1], { fields: {}, joins: {}, roots: { text }, numberOf: () => undefined });
  expect([build('Fine.'), build('Else.')]).toEqual([{ data: [1] }, [1]]);
});

// The mark § is where the problem is reported, under the rule that is named first.
test.each([
  ['unknown-table', 'numbers: { §netwrk: { 1: MTN } }'],
  ['unknown-value', 'numbers: { network: { 1: §VODAFONE } }'],
  ['unknown-operation', 'patience: { §by: 10s }'],
  ['unknown-operation', 'lists: { §status: { data: $list } }'],
  ['unknown-format', 'format: §y'],
  ['unknown-source', 'lists: { default: { data: $list, more: §$lst } }'],
  ['source-not-available', 'lists: { default: { data: $list, more: §$order.number } }'],
  ['unknown-path', 'lists: { default: { data: $list, more: §$words.statuss } }'],
  ['unknown-choice', 'unlisted: { network: §perhaps }'],
  ['bad-title', '§title: feedfeed'],
  ['bad-title', '§title: Ada (sandbox)'],
  ['bad-title', 'title: §"two\\nlines"'],
  ['bad-title', 'title: §" Ada"'],
  ['schema', 'limit: { purchases: §0 }'],
  ['schema', 'limit: { naira: §0.5 }'],
  ['schema', 'paused: §5'],
  ['text-of-other-outcome', 'paused: §Transaction successful'],
])('%s: %s', (code, says) => {
  const { text, line, column } = marked(callers(says));
  expect(checkWith(text).problems).toContainEqual(expect.objectContaining({ code, line, column }));
});

test('a row for each of $list is an error where the list is told as an object: its script would get no rows', () => {
  const shape = '{ each: $list, where: { network: MTN } }';
  const found = (operation: string) =>
    checkFiles(editedFiles('callers.yaml', 'keys: {}', `keys: { ${'0a'.repeat(16)}: { lists: { ${operation}: ${shape} } } }`))
      .problems;
  expect(found('list_b_networks')).toMatchObject([
    { code: 'each-over-no-list', message: 'the reply of `list_b_networks` is an object, and no list of rows' },
  ]);
  expect(found('list_data_plans')).toEqual([]);
});

test('$list is unknown outside the lists of a caller', () => {
  const { problems } = checkWith('texts: { found: Found., not_found: None. }', 'rows: { one: { all: $list } }');
  expect(problems).toContainEqual(expect.objectContaining({ code: 'unknown-source', message: 'there is no `$list`' }));
});

test.each([
  ['unknown-list', '§data_pans.id'],
  ['unknown-column', '§data_plans.idd'],
  ['schema', '§data_plans'],
])('%s: a table that says `shown_in: [%s]` is reported', (code, place) => {
  const { text, line, column } = marked(
    `tables:\n  network: { title: network, values: { MTN: { words: [MTN] }, GLO: { words: [GLO] } }, shown_in: [${place}] }\n`,
  );
  expect(checkWith(text).problems).toContainEqual(expect.objectContaining({ code, line, column }));
});

interface AfterPendingSettings {
  readonly operation?: AfterPending;
  readonly format?: AfterPending;
  readonly kind?: AfterPending;
  readonly key?: AfterPending;
}

function decide({ operation, format, kind, key }: AfterPendingSettings): AfterPending {
  const byFormat = new Map(format === undefined ? [] : [['b', format] as const]);
  return afterPendingOf(
    { name: 'buy_airtime', afterPending: operation, afterPendingByFormat: byFormat } as unknown as Operation,
    'b',
    { name: 'other', patienceMs: 1_000, afterPending: kind },
    { afterPendingOf: () => key } as unknown as CallerKey,
  );
}

test.each<[AfterPendingSettings, AfterPending]>([
  [{}, 'look'],
  [{ operation: 'buy' }, 'buy'],
  [{ format: 'buy' }, 'buy'],
  [{ kind: 'buy' }, 'buy'],
  [{ format: 'buy', kind: 'look' }, 'look'],
  [{ operation: 'look', format: 'buy', kind: 'buy' }, 'look'],
  [{ key: 'buy' }, 'buy'],
  [{ operation: 'look', format: 'look', kind: 'look', key: 'buy' }, 'buy'],
  [{ operation: 'buy', format: 'buy', kind: 'buy', key: 'look' }, 'look'],
])('the settings %j mean that a pending order is followed by %s', (said, expected) => {
  expect(decide(said)).toBe(expected);
});
