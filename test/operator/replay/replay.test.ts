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

const told = ({ changes }: Replay): unknown[] =>
  changes.map(({ part, fields, operations, examples, requests, money }) => [
    part,
    fields.join() || undefined,
    operations.join(),
    examples.map(({ before, after }) => `${before} -> ${after}`).join('; '),
    requests,
    money !== undefined,
  ]);

test('through the same mapping nothing changes, and requests were really played', () => {
  const result = replay(ALL, running, running);
  expect(result).toMatchObject({ shapes: 4, requests: 109, changes: [] });
  expect(result.played).toBeGreaterThan(30);
});

test('callers that no mapping names are played once for all, and each of them is counted', () => {
  const to = edited('replies.yaml', 'status: fail,', 'status: failed,');
  const many = Array.from({ length: 50 }, (_, nth) => ({ ...AIRTIME_B, caller: String(nth).padStart(32, '0') }));
  const [one, all] = [replay([AIRTIME_B], running, to), replay(many, running, to)];
  expect(all.played).toBe(one.played);
  expect(all).toMatchObject({ shapes: 50, requests: 1_500 });
  expect(all.changes).toEqual(one.changes.map((change) => ({ ...change, shapes: 50, requests: 1_500 })));
});

test('no line of the files is looked up, which would take longer than all the rest', () => {
  const placeOf = (): never => {
    throw new Error('looked up');
  };
  expect(replay(ALL, { ...running, placeOf }, { ...running, placeOf }).played).toBeGreaterThan(30);
});

test('no shapes, no changes', () => {
  expect(replay([], running, edited('replies.yaml', 'status: fail,', 'status: failed,'))).toEqual({
    shapes: 0,
    requests: 0,
    played: 0,
    changes: [],
  });
});

test('two numbers exchanged sell other networks to the format that has them', () => {
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

test('words and numbers of every network are tried, not only the first', () => {
  const changed = edited('networks.yaml', 'words: [9MOBILE, 9 MOBILE, NINE MOBILE, ETISALAT, T2]', 'words: [9MOBILE]');
  const byName = seen({ amount: 'integer', mobile_number: 'phone', network: 'word' }, { format: 'b', count: 7 });
  expect(told(replay([byName, AIRTIME_B], running, changed))).toEqual([
    ['fate', undefined, 'buy_airtime', 'taken -> refused (invalid_field)', 7, true],
  ]);
});

test('a spelling that is read no more refuses what was taken', () => {
  const changed = edited('operations/airtime.yaml', 'from: [phone, mobile_number, phone_number]', 'from: [phone, phone_number]');
  expect(told(replay(ALL, running, changed))).toEqual([
    ['fate', undefined, 'buy_airtime', 'taken -> refused (missing_field)', 30, true],
  ]);
});

test('what v1 is asked stands first, with a request that shows it', () => {
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

test('a bound is tried on both sides of it', () => {
  const changed = edited(
    'operations/airtime.yaml',
    'as: naira, required: true, min: 1 }',
    'as: naira, required: true, min: 50 }',
  );
  expect(told(replay([AIRTIME_B], running, changed))).toEqual([
    ['fate', undefined, 'buy_airtime', 'taken -> refused (invalid_field)', 30, true],
  ]);
});

test('one word changed in a shared block is one change, over all operations and outcomes that tell it', () => {
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

test('a status code is an outcome', () => {
  const changed = edited('replies.yaml', 'pending: { http: 200', 'pending: { http: 201');
  expect(told(replay([STATUS], running, changed))).toEqual([['reply', 'HTTP status', 'order_status', '200 -> 201', 4, true]]);
});

test('what is only shown is a change, but no money', () => {
  const changed = edited('operations/airtime.yaml', 'service: airtime', 'service: recharge');
  expect(told(replay(ALL, running, changed))).toEqual([['reply', 'service', 'buy_airtime', 'airtime -> recharge', 100, false]]);
});

test('pins of keys are honoured without any key', () => {
  const pinned = edited('callers.yaml', '  keys: {}', `  keys: { ${'f'.repeat(32)}: { format: a } }`);
  const changes = told(replay([AIRTIME_B], running, pinned));
  expect(changes).toContainEqual(['format', undefined, 'buy_airtime', 'b -> a', 30, true]);
  expect(told(replay([{ ...AIRTIME_B, caller: '0'.repeat(32) }], running, pinned))).toEqual([]);
});

test('a request whose token carried the mark of a login is tried with that mark', () => {
  const byMark = seen({ amount: 'integer', network: 'integer', phone_number: 'phone' }, { count: 9 });
  const changed = edited('format-a.yaml', '2: AIRTEL, 3: GLO', '2: GLO, 3: AIRTEL');
  const [first] = replay([byMark], running, changed).changes;
  expect(first).toMatchObject({ part: 'call', fields: ['network'], requests: 9 });
  // Format b has no login, so nothing of it can be marked.
  const played = (format: string): number => replay([{ ...byMark, format }], running, changed).played;
  expect(played('a')).toBeGreaterThan(played('b'));
});

test('an address that is served no more, is money', () => {
  const gone = edited('operations/airtime.yaml', 'POST /api/topup|airtime', 'POST /api/airtime');
  expect(told(replay([AIRTIME_B], running, gone))).toEqual([
    ['fate', undefined, 'buy_airtime', expect.stringContaining('taken -> refused'), 30, true],
  ]);
});

test('names that only the catalog knows are found in one', () => {
  const meter = seen(
    { disconame: 'text', meternumber: 'digits', mtype: 'digits' },
    { path: '/api/validatemeter', operation: 'verify_meter', format: undefined, count: 2 },
  );
  const changed = edited('ids.yaml', 'numbers: { 1: prepaid, 2: postpaid }', 'numbers: { 1: postpaid, 2: prepaid }');
  expect(told(replay([meter], running, changed))).toContainEqual([
    'call',
    'meter_type',
    'verify_meter',
    'prepaid -> postpaid; postpaid -> prepaid',
    2,
    true,
  ]);
});

test('a shape is played by the own numbers of its caller, however many other callers have some', () => {
  const others = Array.from(
    { length: 40 },
    (_, index) =>
      `    ${index.toString(16).padStart(32, 'a')}: { numbers: { data_plan: { ${900 + index * 2}: 57, ${901 + index * 2}: 58 } } }\n`,
  );
  const moved = (plan: number): Mapping =>
    edited(
      'callers.yaml',
      '  keys: {}\n',
      `  keys:\n    ${'f'.repeat(32)}: { numbers: { data_plan: { 7777: ${plan} } } }\n${others.join('')}`,
    );
  const data = seen(
    { data_plan: 'integer', phone: 'phone', network: 'integer' },
    { path: '/api/data/', operation: 'buy_data', caller: CALLER, count: 3 },
  );
  expect(told(replay([data], moved(57), moved(58)))).toContainEqual(['call', 'plan_id', 'buy_data', '57 -> 58', 3, true]);
  expect(replay([{ ...data, caller: 'e'.repeat(32) }], moved(57), moved(58)).changes).toEqual([]);
});

test('a change of what a family is told is met by the requests that were remembered with it, and by no other', () => {
  const candidate = edited('families/laravel-husmodata.yaml', /\n {4}reply:\n {6}without: \{ success: \[status\] \}/, '');
  const ofFamily = { ...AIRTIME_B, family: 'laravel-husmodata' };
  const { changes } = replay([ofFamily, AIRTIME_B], running, candidate);
  expect(changes).toMatchObject([{ part: 'reply', fields: ['status'], requests: 30, money: expect.any(String) }]);
});
