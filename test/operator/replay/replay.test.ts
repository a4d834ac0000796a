import { groupChanges, partWords, shownPair, type NoticedChange } from '../../../src/operator/replay/group-changes';
import { replay, type Replay } from '../../../src/operator/replay/replay';
import { checkFiles } from '../../../src/mapping/check';
import type { Mapping } from '../../../src/mapping/mapping';
import { editedFiles, shippedMapping } from '../../mapping/mapping-set';
import { seen } from '../drift/traffic-with';

const running = shippedMapping();
const edited = (...edit: Parameters<typeof editedFiles>): Mapping => checkFiles(editedFiles(...edit)).mapping!;

const CALLER = 'f'.repeat(32);
const AIRTIME_A = seen({ amount: 'digits', bypass: 'flag', network: 'digits', phone: 'phone' }, { caller: CALLER, count: 70 });
const AIRTIME_B = seen(
  { amount: 'integer', mobile_number: 'phone', network: 'integer' },
  { caller: CALLER, format: 'b', count: 30 },
);
const BALANCE = seen({}, { method: 'GET', path: '/api/user/', operation: 'check_balance', format: undefined, count: 5 });
const STATUS = seen({}, { method: 'GET', path: '/api/transaction/:id', operation: 'order_status', format: undefined, count: 4 });
const ALL = [AIRTIME_A, AIRTIME_B, BALANCE, STATUS];

const summaryOf = ({ changes }: Replay): unknown[] =>
  changes.map(({ part, fields, operations, examples, requests, money }) => [
    part,
    fields.join() || undefined,
    operations.join(),
    examples.map(({ before, after }) => `${before} -> ${after}`).join('; '),
    requests,
    money !== undefined,
  ]);

test('a replay through the same mapping plays requests and finds no change', () => {
  const result = replay(ALL, running, running);
  expect(result).toMatchObject({ shapes: 4, requests: 109, changes: [] });
  expect(result.played).toBeGreaterThan(30);
});

test('callers without an entry in callers.yaml are played once together, and the shapes and requests of each are counted', () => {
  const to = edited('replies.yaml', 'status: fail,', 'status: failed,');
  const many = Array.from({ length: 50 }, (_, nth) => ({ ...AIRTIME_B, caller: String(nth).padStart(32, '0') }));
  const [one, all] = [replay([AIRTIME_B], running, to), replay(many, running, to)];
  expect(all.played).toBe(one.played);
  expect(all).toMatchObject({ shapes: 50, requests: 1_500 });
  expect(all.changes).toEqual(one.changes.map((change) => ({ ...change, shapes: 50, requests: 1_500 })));
});

test('of shapes without number only the most frequent are played, and the others are counted: strangers may send any field', () => {
  const to = edited('replies.yaml', 'status: fail,', 'status: failed,');
  const strange = Array.from({ length: 320 }, (_, nth) => ({
    ...BALANCE,
    ...{ count: 1, shape: { ...BALANCE.shape, fields: [{ name: `x${nth}`, place: 'query' as const, kind: 'flag' as const }] } },
  }));
  const result = replay([...strange, AIRTIME_B], running, to);
  expect(result).toMatchObject({ shapes: 300, left: 21, requests: 299 + AIRTIME_B.count });
  expect(result.changes.flatMap(({ operations }) => operations)).toContain('buy_airtime');
});

test.each([
  ['a title, a limit and a contact', '{ title: Shop 1, limit: { purchases: 9 }, contact: a@b.c }', false],
  ['a format', '{ format: b }', true],
  ['its own numbers', '{ numbers: { network: { 7: MTN } } }', true],
  ['the guard off', '{ guard: off }', true],
])('a caller of callers.yaml with %s is played alone only if its requests are read otherwise', (_what, entry, isAlone) => {
  const to = edited('callers.yaml', 'keys: {}', `keys: { ${CALLER}: ${entry} }`);
  const other = { ...AIRTIME_B, caller: 'e'.repeat(32) };
  const [one, both] = [replay([other], running, to), replay([AIRTIME_B, other], running, to)];
  expect(both.played > one.played).toBe(isAlone);
  expect(both).toMatchObject({ shapes: 2, requests: 60 });
});

test('a replay looks up no line of the mapping files, which would take longer than all its other work', () => {
  const placeOf = (): never => {
    throw new Error('looked up');
  };
  expect(replay(ALL, { ...running, placeOf }, { ...running, placeOf }).played).toBeGreaterThan(30);
});

test('a replay without shapes finds no change', () => {
  expect(replay([], running, edited('replies.yaml', 'status: fail,', 'status: failed,'))).toEqual({
    shapes: 0,
    left: 0,
    requests: 0,
    played: 0,
    changes: [],
  });
});

test('swapping two network numbers of a format is a change of the network that v1 is asked for', () => {
  const changed = edited('format-a.yaml', '2: AIRTEL, 3: GLO', '2: GLO, 3: AIRTEL');
  const { changes } = replay([AIRTIME_A], running, changed);
  expect(changes[0]).toMatchObject({
    part: 'call',
    fields: ['network'],
    operations: ['buy_airtime'],
    examples: [
      { before: 'AIRTEL', after: 'GLO', request: expect.stringContaining('network="2"') },
      { before: 'GLO', after: 'AIRTEL', request: expect.stringContaining('network="3"') },
    ],
    requests: 70,
    money: expect.any(String),
  });
});

test('a replay tries the words and numbers of every network and not only of the first', () => {
  const changed = edited('networks.yaml', 'words: [9MOBILE, 9 MOBILE, NINE MOBILE, ETISALAT, T2]', 'words: [9MOBILE]');
  const byName = seen({ amount: 'integer', mobile_number: 'phone', network: 'word' }, { format: 'b', count: 7 });
  expect(summaryOf(replay([byName, AIRTIME_B], running, changed))).toEqual([
    ['fate', undefined, 'buy_airtime', 'taken -> refused (invalid_field)', 7, true],
  ]);
});

test('removing a field spelling is shown as requests that were taken and are now refused', () => {
  const changed = edited('operations/airtime.yaml', 'from: [phone, mobile_number, phone_number]', 'from: [phone, phone_number]');
  expect(summaryOf(replay(ALL, running, changed))).toEqual([
    ['fate', undefined, 'buy_airtime', 'taken -> refused (missing_field)', 30, true],
  ]);
});

test('changes of the v1 call come first, each with a request that shows the change', () => {
  const changed = edited('operations/airtime.yaml', 'from: [bypass, Ported_number', 'from: [Ported_number');
  const { changes } = replay(ALL, running, changed);
  expect(changes[0]).toMatchObject({
    part: 'call',
    fields: ['ported'],
    operations: ['buy_airtime'],
    examples: [{ request: expect.stringContaining('/api/topup/') }],
    money: expect.any(String),
  });
});

test('a replay tries amounts on both sides of a bound', () => {
  const changed = edited('operations/airtime.yaml', 'as: naira, required: true, min: 1,', 'as: naira, required: true, min: 50,');
  expect(summaryOf(replay([AIRTIME_B], running, changed))).toEqual([
    ['fate', undefined, 'buy_airtime', 'taken -> refused (invalid_field)', 30, true],
  ]);
});

test('a changed word of a shared reply block is one change over all operations and outcomes with that word', () => {
  const changed = edited('replies.yaml', 'status: fail, Status: failed', 'status: failed, Status: failed');
  expect(replay(ALL, running, changed).changes).toEqual([
    {
      part: 'reply',
      fields: ['status'],
      operations: ['buy_airtime', 'check_balance', 'order_status'],
      outcomes: ['failure'],
      examples: [{ before: 'fail', after: 'failed', request: expect.any(String) }],
      moreExamples: 0,
      shapes: 4,
      requests: 109,
      money: 'it tells how an order ended',
    },
  ]);
});

test('a changed HTTP status of a reply counts as money', () => {
  const changed = edited('replies.yaml', 'failure: { http: 400', 'failure: { http: 422');
  expect(summaryOf(replay([AIRTIME_B], running, changed))).toEqual([
    ['reply', 'HTTP status', 'buy_airtime', '400 -> 422', 30, true],
  ]);
});

test('a changed display field of a reply is a change that does not count as money', () => {
  const changed = edited('operations/airtime.yaml', 'service: airtime', 'service: recharge');
  expect(summaryOf(replay(ALL, running, changed))).toEqual([
    ['reply', 'service', 'buy_airtime', 'airtime -> recharge', 100, false],
  ]);
});

test('a new pinned format of a caller changes the requests of that caller only, although a replay has no keys', () => {
  const pinned = edited('callers.yaml', '  keys: {}', `  keys: { ${CALLER}: { format: a } }`);
  const changes = summaryOf(replay([AIRTIME_B], running, pinned));
  expect(changes).toContainEqual(['format', undefined, 'buy_airtime', 'b -> a', 30, true]);
  expect(summaryOf(replay([{ ...AIRTIME_B, caller: '0'.repeat(32) }], running, pinned))).toEqual([]);
});

test('a shape whose format came from an AccessToken is played with the format mark of that token', () => {
  const byMark = seen({ amount: 'integer', network: 'integer', phone_number: 'phone' }, { count: 9 });
  const changed = edited('format-a.yaml', '2: AIRTEL, 3: GLO', '2: GLO, 3: AIRTEL');
  const [first] = replay([byMark], running, changed).changes;
  expect(first).toMatchObject({ part: 'call', fields: ['network'], requests: 9 });
});

test('a shape whose format a header proved is played in that format as well, for headers are not remembered', () => {
  const cards = { businessname: 'word', data_plan: 'integer', network: 'integer', quantity: 'integer', ref: 'word' } as const;
  const ofAxios = seen(cards, { path: '/api/datapin', operation: 'buy_data_cards', format: 'c', count: 9 });
  const changed = edited('format-c.yaml', 'status: processing', 'status: waiting');
  expect(replay([ofAxios], running, changed).changes).toMatchObject([{ part: 'reply', fields: ['status'], requests: 9 }]);
  expect(replay([{ ...ofAxios, format: 'a' }], running, changed).changes).toEqual([]);
  // A format that the running set does not have reads nothing.
  const played = (format: string): number => replay([{ ...ofAxios, format }], running, changed).played;
  expect(played('gone')).toBeLessThan(played('c'));
});

test('removing the address of a purchase counts as money', () => {
  const gone = edited('operations/airtime.yaml', 'POST /api/topup|airtime', 'PUT /api/topup, POST /api/airtime');
  expect(summaryOf(replay([AIRTIME_B], running, gone))).toEqual([
    ['fate', undefined, 'buy_airtime', expect.stringContaining('taken -> refused'), 30, true],
  ]);
});

test('a replay takes names that only a price list contains, such as disco names, from a price list', () => {
  const meter = seen(
    { disconame: 'text', meternumber: 'digits', mtype: 'digits' },
    { path: '/api/validatemeter', operation: 'verify_meter', format: undefined, count: 2 },
  );
  const changed = edited('ids.yaml', 'numbers: { 1: prepaid, 2: postpaid }', 'numbers: { 1: postpaid, 2: prepaid }');
  expect(summaryOf(replay([meter], running, changed))).toContainEqual([
    'call',
    'meter_type',
    'verify_meter',
    'prepaid -> postpaid; postpaid -> prepaid',
    2,
    true,
  ]);
});

test('a shape is played with the own plan numbers of its caller, however many other callers have own numbers', () => {
  const others = Array.from(
    { length: 40 },
    (_, index) =>
      `    ${index.toString(16).padStart(32, 'a')}: { numbers: { data_plan: { ${900 + index * 2}: 57, ${901 + index * 2}: 58 } } }\n`,
  );
  const moved = (plan: number): Mapping =>
    edited(
      'callers.yaml',
      '  keys: {}\n',
      `  keys:\n    ${CALLER}: { numbers: { data_plan: { 7777: ${plan} } } }\n${others.join('')}`,
    );
  const data = seen(
    { data_plan: 'integer', phone: 'phone', network: 'integer' },
    { path: '/api/data/', operation: 'buy_data', caller: CALLER, count: 3 },
  );
  expect(summaryOf(replay([data], moved(57), moved(58)))).toContainEqual(['call', 'plan_id', 'buy_data', '57 -> 58', 3, true]);
  expect(replay([{ ...data, caller: 'e'.repeat(32) }], moved(57), moved(58)).changes).toEqual([]);
});

test('a number or a word whose meaning differs is played however many others the table has', () => {
  const plans = (last: number): string =>
    Array.from({ length: 150 }, (_, nth) => `${nth + 1}: ${nth < 149 ? 57 : last}`).join(', ');
  const ofOwn = (last: number): Mapping =>
    edited('callers.yaml', 'keys: {}', `keys: { ${CALLER}: { numbers: { data_plan: { ${plans(last)} } } } }`);
  const fields = { data_plan: 'integer', phone: 'phone', network: 'integer' } as const;
  const data = seen(fields, { path: '/api/data/', operation: 'buy_data', caller: CALLER, count: 3 });
  expect(summaryOf(replay([data], ofOwn(58), ofOwn(59)))).toContainEqual(['call', 'plan_id', 'buy_data', '58 -> 59', 3, true]);

  const words = Array.from({ length: 100 }, (_, nth) => `w${nth}`).join(', ');
  const ofWords = (value: 'GLOBACOM' | 'ZAIN'): Mapping =>
    edited('networks.yaml', new RegExp(`words: \\[MTN([^]*)${value}\\]`), `words: [${words}, MTN$1${value}, moved]`);
  const named = seen({ amount: 'digits', bypass: 'flag', network: 'word', phone: 'phone' }, { count: 5 });
  expect(summaryOf(replay([named], ofWords('GLOBACOM'), ofWords('ZAIN')))).toContainEqual(
    expect.arrayContaining(['call', 'network', 'GLO -> AIRTEL']),
  );
});

test('a changed reply of a family is found only by the shapes remembered with that family', () => {
  const candidate = edited('families/laravel-husmodata.yaml', /\n {4}reply:\n {6}without: \{ success: \[status\] \}/, '');
  const ofFamily = { ...AIRTIME_B, family: 'laravel-husmodata' };
  const { changes } = replay([ofFamily, AIRTIME_B], running, candidate);
  expect(changes).toMatchObject([{ part: 'reply', fields: ['status'], requests: 30, money: expect.any(String) }]);
});

test.each([
  ['fate', [], [], ''],
  ['format', [], [], 'format'],
  ['call', ['network'], [], 'v1 call, network'],
  ['call', ['endpoint'], [], 'v1 call'],
  ['reply', ['network', 'network_name'], ['success', 'pending'], 'reply to success, pending, network, network_name'],
  ['reply', [''], ['success'], 'reply to success, the list'],
] as const)('a change of %s in the fields %p for the outcomes %p is described as %p', (part, fields, outcomes, words) => {
  expect(partWords({ part, fields, outcomes })).toBe(words);
});

test('two long texts are shown from shortly before their first difference', () => {
  const list = (network: number) => `[${'{"id":1,"network":1},'.repeat(9)}{"id":9,"network":${network}}]`;
  const [before, after] = shownPair(list(2), list(3));
  expect([before.slice(-4), after.slice(-4), before === after, before.startsWith('…')]).toEqual([':2}]', ':3}]', false, true]);
  expect(shownPair('', 'GLO')).toEqual(["''", 'GLO']);
});

test('a field of which only some values tell how an order ended counts as money, whichever value came first', () => {
  const change = { operation: 'buy_airtime', part: 'reply', field: 'state', outcome: 'success' } as const;
  const found = [
    { ...change, before: 'a', after: 'b', money: undefined },
    { ...change, before: 'success', after: 'b', money: 'it tells how an order ended' },
  ].map((one: NoticedChange) => ({ change: one, seen: [], request: 'POST /api/topup/' }));
  expect(groupChanges(found)).toMatchObject([{ examples: [{ before: 'a' }, { before: 'success' }], money: expect.any(String) }]);
});
