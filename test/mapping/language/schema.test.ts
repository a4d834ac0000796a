import { formatFileSchema, sharedFileSchema } from '../../../src/mapping/language/schema';

const withPatience = (patience: string): unknown => ({ callers: { kinds: { other: { patience } } } });
const withRoute = (route: string): unknown => ({ operations: { ask: { title: 'Ask', kind: 'list', routes: [route] } } });

test.each([
  ['500ms', 500],
  ['40s', 40_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['0s', 0],
])('the duration %s is read as %i milliseconds', (text, milliseconds) => {
  expect(sharedFileSchema.parse(withPatience(text)).callers!.kinds!['other']!.patience).toBe(milliseconds);
});

test.each(['40', '40 s', '1.5s', '-1s', '1d', ''])('%j is no duration', (text) => {
  expect(sharedFileSchema.safeParse(withPatience(text)).success).toBe(false);
});

test.each(['POST /api/topup', 'GET|POST /api/user/', 'GET /api/transaction/:id', 'GET /'])('%s is a route', (route) => {
  expect(sharedFileSchema.safeParse(withRoute(route)).success).toBe(true);
});

test.each(['/api/topup', 'post /api', 'POST api', 'PATCH /api', 'POST /api?x=1', 'POST  /api', 'POST /api topup'])(
  '%j is no route',
  (route) => {
    expect(sharedFileSchema.safeParse(withRoute(route)).success).toBe(false);
  },
);

test('a field name in a signal may be written as a number', () => {
  const { proof } = formatFileSchema.parse({ format: 'x', title: 'X', proof: [{ weight: 'weak', any_field: [9] }] });
  expect(proof![0]!.any_field).toEqual(['9']);
});

test.each(['0803', 803, '803', '08', '080312', 'MTN'])(
  '%p is accepted as a prefix only if it is a text of four or five digits after a zero',
  (prefix) => {
    const file = { tables: { network: { title: 'network', values: { MTN: { words: [], prefixes: [prefix] } } } } };
    expect(sharedFileSchema.safeParse(file).success).toBe(prefix === '0803');
  },
);

test.each([199, 200, 400, 499, 500])(
  'HTTP %i for a status word is accepted only from 200 to 499, because scripts read a 5xx as no answer',
  (http) => {
    const word = { http, status: 's', Status: 'S' };
    expect(sharedFileSchema.safeParse({ words: { success: word, pending: word, failure: word } }).success).toBe(
      http >= 200 && http < 500,
    );
  },
);

test.each([
  ['POST /airtime', 'purchase'],
  ['POST /validate-meter', 'lookup'],
  ['GET /balance', 'read'],
  ['GET /receipt', 'status'],
  ['GET /transactions', 'history'],
  [undefined, 'list'],
  ['POST /airtme', 'purchase'],
  ['POST /nothing-of-the-kind', 'read'],
])('an operation that calls %s and states no kind is a %s', (to, kind) => {
  const call = to === undefined ? {} : { call: { to } };
  const read = (own: object): unknown => sharedFileSchema.parse({ operations: { ask: { title: 'Ask', ...call, ...own } } });
  expect(read({})).toMatchObject({ operations: { ask: { kind } } });
  expect(read({ kind: 'lookup' })).toMatchObject({ operations: { ask: { kind: 'lookup' } } });
});

test('a value of a table needs no words: its name is one', () => {
  const file = { tables: { exam: { title: 'exam', values: { WAEC: { id: 1 } } } } };
  expect(sharedFileSchema.parse(file)).toMatchObject({ tables: { exam: { values: { WAEC: { id: 1, words: [] } } } } });
});

test.each(['/api/data', '/api/epin|exam', '/api/data/:request_id', 'api/data'])(
  '%j is accepted as the address of a signal only if a signal can match it: it begins with a slash and has no `:name`',
  (path) => {
    const file = { format: 'x', title: 'X', proof: [{ weight: 'weak', path }] };
    expect(formatFileSchema.safeParse(file).success).toBe(path.startsWith('/') && !path.includes(':'));
  },
);

test.each(['', 'adex', 'PHP*', '*', '*Chrome*', 'Mozilla/*Chrome'])(
  '%j is accepted as a User-Agent only if a `*` is its last character, where it stands for any rest',
  (agent) => {
    const file = { callers: { kinds: { browser: { user_agents: [agent], patience: '20s' } } } };
    expect(sharedFileSchema.safeParse(file).success).toBe(!agent.slice(0, -1).includes('*'));
  },
);
