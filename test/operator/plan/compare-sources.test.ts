import { loadSource, mergeFiles } from '../../../src/mapping/load';
import type { MappingSource } from '../../../src/mapping/source';
import { editSource, type Mutant } from '../../../src/operator/mutant/mutant';
import { listMutants, narrowSource } from '../../../src/operator/mutant/mutate';
import { compareSources, type Difference } from '../../../src/operator/plan/compare-sources';
import { editedFiles, filesWith, MAPPINGS } from '../../mapping/mapping-set';

const source = loadSource(MAPPINGS).source!;
const mutants = listMutants(source);

/** The shipped set with one text replaced by another in one file. */
function edited(...edit: Parameters<typeof editedFiles>): MappingSource {
  const { source: changed, problems } = mergeFiles(editedFiles(...edit));
  expect(problems).toEqual([]);
  return changed!;
}

function differences(file: string, from: string | RegExp, to: string): Difference[] {
  return compareSources(source, edited(file, from, to));
}

/** A set of the small base with these sections. */
function small(...texts: readonly string[]): MappingSource {
  const { source: made, problems } = mergeFiles(filesWith(...texts));
  expect(problems).toEqual([]);
  return made!;
}

const describeMutant = ({ words, path }: Mutant): string => `${words} at ${path.map(String).join('.')}`;

/**
 * Whether a break surely moves money, judged without the table under test. It does in every part of a purchase's call to v1, in
 * the proof of a format, and in the status words of an outcome.
 */
function changesMoney({ path }: Mutant): boolean {
  const [section, name, part, more, key] = path.map(String);
  switch (section) {
    case 'operations': {
      const { kind, call } = source.operations[name!]!;
      if (part === 'call' || part === 'numbering_guard' || part === 'categories' || part === 'undecided') return true;
      if (kind === 'purchase' && part === 'routes') return true;
      if (kind === 'purchase' && part === 'fields')
        return JSON.stringify(call?.send ?? {}).includes(`$${more!}`) || key === 'required' || key === 'lenient';
      return (
        kind === 'purchase' && part === 'reply' && ['status', 'Status', 'success', 'pin', 'token'].includes(String(path.at(-1)))
      );
    }
    case 'formats':
      return part === 'numbers' || part === 'login' || part === 'proof';
    case 'tables':
      return part === 'numbers' || part === 'unlisted' || part === 'catalog' || !path.includes('label');
    case 'blocks':
      return ['status', 'Status', 'success', 'error', 'id', 'invalid', 'code'].includes(String(path.at(-1)));
    case 'rows':
      return ['id', 'plan_id', 'price', 'network', 'cable_id', 'plan_amount'].includes(String(path.at(-1)));
    default:
      return section === 'words' || section === 'request_id' || section === 'other_numberings';
  }
}

test('quotes that turn a number or a flag of a reply into text are reported as a difference with the quotes shown', () => {
  const told = (value: string): MappingSource =>
    edited('replies.yaml', 'status: $words.status\n', `status: $words.status\n      code: ${value}\n`);
  const between = (from: string, to: string): string[] =>
    compareSources(told(from), told(to)).map(
      ({ before, after, money }) => `${before} -> ${after}${money === undefined ? '' : ', money'}`,
    );
  expect(between('200', "'200'")).toEqual(["200 -> '200', money"]);
  expect(between("'true'", 'true')).toEqual(["'true' -> true, money"]);
  expect(between('done', "'done'")).toEqual([]);
});

test('a changed display value counts as money only under a field name by which scripts decide in other replies', () => {
  const shown = (name: string, transform: string): MappingSource => ({
    ...source,
    operations: {
      ...source.operations,
      buy_airtime: { ...source.operations['buy_airtime']!, reply: { always: { [name]: `$order.opened_at | ${transform}` } } },
    },
  });
  const isMoney = (name: string): boolean =>
    compareSources(shown(name, 'iso'), shown(name, 'datetime')).some(({ money }) => money !== undefined);
  const deciding = [
    ...['status', 'Status', 'success', 'error', 'detail', 'code', 'invalid', 'message', 'msg', 'api_response', 'response'],
    ...['id', 'ident', 'transid', 'reference', 'token', 'pin', 'pins', 'serial', 'amount', 'balance'],
  ];
  expect(deciding.filter((name) => !isMoney(name))).toEqual([]);
  expect(['create_date', 'plan_date', 'validity', 'remark'].filter(isMoney)).toEqual([]);
});

interface Seen {
  readonly mutant: Mutant;
  readonly there: readonly Difference[];
  readonly back: readonly Difference[];
}

/** Compares each break within a set of only the operations that the break concerns. The whole set would take five times as long. */
function compareAll(): Seen[] {
  const narrow = new Map<string, MappingSource>();
  return mutants.map((mutant) => {
    const names = mutant.operations ?? ['buy_airtime', 'list_data_plans'];
    const key = names.join();
    const base = narrow.get(key) ?? narrowSource(source, new Set(names));
    narrow.set(key, base);
    const broken = editSource(base, mutant.edits);
    return { mutant, there: compareSources(base, broken), back: compareSources(broken, base) };
  });
}

const seen = compareAll();

test('every break of a mapping rule is found in both directions, with its place in the set that contains the rule', () => {
  expect(seen.length).toBeGreaterThan(1_000);
  expect(
    seen
      .filter(({ there, back }) => there.length === 0 || back.length !== there.length)
      .map(({ mutant }) => describeMutant(mutant)),
  ).toEqual([]);
  for (const { placeBefore, placeAfter, kind } of seen.flatMap(({ there }) => there)) {
    expect([placeBefore === undefined, placeAfter === undefined]).toEqual([kind === 'added', kind === 'removed']);
    expect([placeBefore?.file, placeAfter?.file]).not.toContain('(mappings)');
  }
});

test('every break that surely moves money is reported as money, with a reason', () => {
  const touching = seen.filter(({ mutant }) => changesMoney(mutant));
  expect(touching.length).toBeGreaterThan(400);
  const silent = touching.filter(({ there, back }) =>
    [there, back].some((found) => found.every(({ money }) => money === undefined)),
  );
  expect(silent.map(({ mutant }) => describeMutant(mutant))).toEqual([]);
});

test('changes of titles, names in lists, ignored fields and echoed values do not count as money', () => {
  const plain = seen.filter(({ there }) => there.every(({ money }) => money === undefined)).map(({ mutant }) => mutant.words);
  expect(plain).toEqual(
    expect.arrayContaining([
      'network GLO: name in lists: Glo -> none',
      'buy_data: `customer_ref` is no longer ignored, it counts as unknown',
      'drops buy_data: reply, `validity`',
      'drops block purchase, `create_date`',
    ]),
  );
});

/** An edit of one file, and what is told of it; in brackets what does not count as money. */
const LABELLED: readonly (readonly [file: string, from: string, to: string, ...told: string[]])[] = [
  [
    'operations/airtime.yaml',
    'from: [phone, mobile_number, phone_number]',
    'from: [phone, msisdn, mobile_number]',
    'buy_airtime: field phone is no longer read from `phone_number`',
    'buy_airtime: field phone is also read from `msisdn`',
  ],
  [
    'format-a.yaml',
    '2: AIRTEL, 3: GLO',
    '2: GLO, 3: AIRTEL',
    'network number 2 of format a: AIRTEL -> GLO',
    'network number 3 of format a: GLO -> AIRTEL',
  ],
  ['replies.yaml', 'Status: processing', 'Status: process', 'pending: word under `Status`: processing -> process'],
  ['operations/airtime.yaml', 'title: Airtime', 'title: Air time', '(buy_airtime: title: Airtime -> Air time)'],
  // A script asks for one order at the address of the history, too.
  [
    'operations/status.yaml',
    'id: { from: *order_ids, as: order_id } #',
    'id: { from: [request-id, request_id, ref, id, ident, transid], as: order_id } #',
    'list_orders: field id is no longer read from `reference`',
  ],
  // Only the conditions of the list have it.
  [
    'operations/lists.yaml',
    'type: { from: [type, plan_type], as: text }',
    'type: { from: [plan_type], as: text }',
    'list_data_plans: field type is no longer read from `type`',
  ],
  ['callers.yaml', 'quiet: 5m', 'quiet: 6m', 'timing: quiet, ms: 300000 -> 360000'],
  ['callers.yaml', 'patience: 40s', 'patience: 41s', '(callers plain_php: patience, ms: 40000 -> 41000)'],
  [
    'operations/airtime.yaml',
    'POST /api/topup|airtime]',
    'POST /api/topup|airtime, PUT /api/topup]',
    'buy_airtime is also served at PUT /api/topup',
  ],
  [
    'format-b.yaml',
    'reference_no: $order.reference',
    'reference_no: $order.number',
    'buy_exam in format b: reply to a success, `data_pin.reference_no`: $order.reference -> $order.number',
  ],
  [
    'format-a.yaml',
    'path: /api/cable/cable-validation',
    'path: /api/cable/validation',
    'format a: proof “path /api/cable/cable-validation” is gone',
    'format a: proof “path /api/cable/validation” is new',
  ],
  ['format-a.yaml', 'weight: weak, auth', 'weight: medium, auth', 'format a, proof “auth basic”: weight: weak -> medium'],
  [
    'operations/data.yaml',
    '    ignore: [payment_medium',
    '      note: { from: [note], as: text }\n    ignore: [payment_medium',
    'buy_data: field note is new',
  ],
  // The first section of this format for an operation.
  [
    'format-a.yaml',
    '  - { weight: weak, auth: basic }',
    '  - { weight: weak, auth: basic }\noperations: { buy_airtime: { fields: { phone: { from: [phone_no] } } } }',
    'buy_airtime: field phone is also read from `phone_no` (format a)',
  ],
  [
    'operations/cable.yaml',
    '{ first: [$cable | number, $bought.cable_id] }',
    '{ first: [$bought.cable_id, $cable | number] }',
    'buy_cable: reply, `cable`: {"first":["$cable | number","$bought.cable_id"]} -> {"first":["$bought.cable_id","$cable | number"]}',
  ],
  // A field before the echo.
  [
    'replies.yaml',
    '      ident, transid, reference',
    '      transid, reference',
    'block purchase, `ident`: $order.reference -> none',
  ],
];

test.each(LABELLED)('an edit of %s, %j to %j, is described in words that an operator understands', (file, from, to, ...told) => {
  expect(differences(file, from, to).map(({ words, money }) => (money === undefined ? `(${words})` : words))).toEqual(told);
});

// Units, methods, quotes and orders are rewritten at random in reformat.test.ts.
test('two spellings of the same mapping rule are no difference', () => {
  const same: readonly (readonly [string, string | RegExp, string])[] = [
    ['callers.yaml', "user_agents: ['', adex, 'PHP*']", "user_agents: ['php*', ADEX, '', adex]"],
    ['operations/airtime.yaml', 'default: false', "default: 'no'"],
    ['operations/airtime.yaml', 'required: true, min: 1,', 'min: 1.0, lenient: false, required: true,'],
    ['networks.yaml', 'words: [MTN, MTN NG, mtn-ng]', 'words: [Mtn Ng]'],
    [
      'format-b.yaml',
      'CORPORATE: [CORPORATE, CORPORATE GIFTING], ALL: null',
      'CORPORATE: [corporate gifting, CORPORATE], ALL: null',
    ],
    ['operations/balance.yaml', 'failure: { success: false }', 'pending: {}\n      failure: { success: false }'],
  ];
  for (const [file, from, to] of same) expect([to, differences(file, from, to)]).toEqual([to, []]);
});

test('moving a reply field behind the echo of the request id is a difference, because the field then overwrites the echo', () => {
  const found = differences('replies.yaml', "      '*': $order.echo\n      create_date", '      create_date');
  expect(found.map(({ words }) => words)).toEqual([
    'block purchase, `*`: $order.echo (over ident, ref, request-id, request_id) -> none',
  ]);
  const moved = edited('replies.yaml', '      ident, transid, reference', '      transid, reference');
  const later = edited(
    'replies.yaml',
    /      ident, transid(.*\n)([^]*?      '\*': \$order\.echo\n)/,
    '      transid$1$2      ident: $order.reference\n',
  );
  expect(compareSources(source, later).map(({ words, money }) => [words, money !== undefined])).toEqual([
    [
      'block purchase, `*`: $order.echo (over ident, ref, request-id, request_id) -> $order.echo (over ref, request-id, request_id)',
      true,
    ],
  ]);
  expect(compareSources(moved, later).map(({ kind }) => kind)).toContain('added');
});

/** A set with these kinds of callers. */
const kinds = (...lines: readonly string[]): MappingSource =>
  small(`callers:\n  kinds:\n${lines.map((line) => `    ${line}\n`).join('')}`);

test('the order of two kinds of callers is a difference only where one User-Agent can match both', () => {
  const rest = 'other: { patience: 4s }';
  const [php, seven, dart] = [
    "php: { user_agents: ['PHP*'], patience: 1s }",
    'seven: { user_agents: [PHP/7], patience: 2s }',
    'dart: { user_agents: [Dart], patience: 3s }',
  ];
  expect(compareSources(kinds(php, seven, dart, rest), kinds(rest, dart, php, seven))).toEqual([]);
  expect(compareSources(kinds(php, seven, rest), kinds(seven, php, rest)).map(({ words }) => words)).toEqual([
    'callers php: tried before: ["seven"] -> none',
    'callers seven: tried before: none -> ["php"]',
  ]);
});

test('moving a User-Agent to another kind counts as money where the kinds differ in after_pending', () => {
  const rest = 'other: { patience: 4s }';
  const between = (from: readonly string[], to: readonly string[]): (string | undefined)[] =>
    compareSources(kinds(...from, rest), kinds(...to, rest)).map(({ money }) => money);
  const go = "go: { user_agents: ['Go-http*'], patience: 9s }";
  const keeps = (agents: string): string => `keeps: { user_agents: [${agents}], patience: 9s, after_pending: buy }`;
  const money = expect.stringContaining('still bought');
  expect(between([keeps('axios')], [keeps("axios, 'Go-http*'")])).toEqual([money]);
  expect(between([keeps("'Go*'"), go], [go, keeps("'Go*'")])).toEqual([money, money]);
  expect(between([go], [go.replace(']', ', Go2]')])).toEqual([undefined]);
});

test('pausing a key with a text counts as money, and the difference shows the text', () => {
  const key = (said: string): MappingSource =>
    edited('callers.yaml', 'keys: {}', `keys: { 0123456789abcdef0123456789abcdef: { title: Ada${said} } }`);
  const between = (from: string, to: string): string[] =>
    compareSources(key(from), key(to)).map(({ words, money }) => `${words}, ${money}`);
  const paused = 'key 0123456789abcdef0123456789abcdef: paused';
  const money = 'decides whether a script may sell';
  expect(between('', ', paused: Call us')).toEqual([`${paused}: none -> Call us, ${money}`]);
  expect(between(', paused: Call us', '')).toEqual([`${paused}: Call us -> none, ${money}`]);
  expect(between(', paused: Call us', ', paused: true')).toEqual([`${paused}: Call us -> true, ${money}`]);
  expect(between(', paused: false', '')).toEqual([]);
});

test('repeating a signal of a format is a difference, because two equal signals weigh twice', () => {
  const format = (...proof: readonly string[]): MappingSource =>
    small(`format: x\ntitle: X\nnumbers: { network: { 1: MTN, 2: GLO } }\nproof: [${proof.join(', ')}]`);
  const signal = '{ weight: weak, any_field: [a, b] }';
  expect(compareSources(format(signal, signal), format(signal, signal))).toEqual([]);
  expect(compareSources(format(signal), format(signal, signal))).toMatchObject([{ kind: 'added', money: expect.any(String) }]);
  expect(
    compareSources(
      format(signal, '{ weight: weak, path: /a }'),
      format('{ path: /a, weight: weak }', '{ any_field: [b, a], weight: weak }'),
    ),
  ).toEqual([]);
});

test('adding even an empty format counts as money, because network numbers become ambiguous', () => {
  const one = small('format: x\ntitle: X\nnumbers: { network: { 1: MTN, 2: GLO } }');
  const two = small('format: x\ntitle: X\nnumbers: { network: { 1: MTN, 2: GLO } }', 'format: y\ntitle: Y');
  expect(compareSources(one, two)).toMatchObject([
    { kind: 'added', words: 'format y is new', money: expect.stringContaining('format') },
  ]);
});

test('another name of a purchase can move money: a repeat without an id does not find its sale under it', () => {
  expect(differences('operations/exam.yaml', 'buy_exam:', 'sell_exam:')).toMatchObject([
    { words: 'operation buy_exam is gone', money: expect.stringContaining('sold twice') },
    { words: 'operation sell_exam is new', money: 'decides which orders are taken' },
  ]);
});

test('a new operation is reported with every value of its definition', () => {
  const twin = `  buy_result:
    title: Results
    kind: purchase
    routes: [POST /results/exam]
    fields: { exam: { from: [exam], as: exam, required: true } }
    call: { to: POST /exam_pin, send: { exam_name: $exam, quantity: 5 } }
    reply: { include: [purchase], success: { pin: $order.pins | pins } }
`;
  const [found, ...others] = compareSources(source, edited('operations/exam.yaml', /$/, twin));
  expect(others).toEqual([]);
  expect(found).toMatchObject({ kind: 'added', words: 'operation buy_result is new', money: expect.any(String) });
  // The name of the new operation does not show that every order would buy five.
  expect(found!.leaves).toEqual([
    'buy_result: title: Results',
    'buy_result: kind: purchase',
    'buy_result: addresses: [POST /results/exam]',
    'buy_result: field exam: spellings: [exam]',
    'buy_result: field exam: read as: exam',
    'buy_result: field exam: required: true',
    'buy_result: v1 endpoint: POST /exam_pin',
    'buy_result: v1 call, `exam_name`: $exam',
    'buy_result: v1 call, `quantity`: 5',
    'buy_result: reply: included blocks: ["purchase"]',
    'buy_result: reply to a success, `pin`: $order.pins | pins',
  ]);
});

test('moving a section to another file is no difference', () => {
  const texts = 'succeeded pending unknown declined rejected not_sent found not_found unavailable'
    .split(' ')
    .map((name) => `${name}: ${name}`);
  const apart = small('request_id: [ref]', `texts: { ${texts.join(', ')} }`);
  const together = small(`texts: { ${[...texts].reverse().join(', ')} }\nrequest_id: [ref]`);
  expect(compareSources(apart, together)).toEqual([]);
});
