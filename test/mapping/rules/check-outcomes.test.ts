import { parse, stringify } from 'yaml';
import { buyAirtime, checkWith, filesWith, marked } from '../mapping-set';

const operation = (lines: string): string => buyAirtime(`\n${lines.replace(/^/gm, '      ')}`);
const format = (reply: string): string => `
format: x
title: Format X
numbers: { network: { 1: MTN, 2: GLO } }
operations:
  buy:
    reply: ${reply}`;
const sectionOf = (name: string): string => filesWith().find(({ file }) => file === `base-${name}.yaml`)!.text;
const WORDS = sectionOf('words');
const words = (outcome: string, status: string, Status: string): string =>
  WORDS.replace(new RegExp(`(${outcome}: .*) status: .*`), `$1 status: ${status}, Status: ${Status} }`);

/** Codes and places of the errors, apart from the `error` that no failure here has. A text that is a format is added to a base operation whose reply has both status words. */
function errorsOf(text: string): { code: string; line: number; column: number }[] {
  const shared = text.includes('\nformat:') ? [operation('always: { status: $words.status, Status: $words.Status }')] : [];
  return checkWith(text.replaceAll('§', ''), ...shared)
    .problems.filter(({ severity, code }) => severity === 'error' && code !== 'refusal-without-error')
    .map(({ code, line, column }) => ({ code, line, column }));
}

/** Errors of these codes at the mark §, and no others. */
function expectErrors(text: string, ...codes: readonly string[]): void {
  const { line, column } = marked(text);
  expect(errorsOf(text)).toEqual(codes.map((code) => ({ code, line, column })));
}

const READ_AS_SUCCESS = ['successful', 'success', 'delivered', 'completed', 'ok', "'000'", "'true'", "'200'", 'SUCCESS'];

describe('a word that scripts read as a success', () => {
  test.each(READ_AS_SUCCESS)('%s is refused as a status word for pending, in `status` and in `Status`', (word) => {
    for (const text of [words('pending', `§${word}`, 'processing'), words('pending', 'pending', `§${word}`)])
      expectErrors(text, 'pending-word-misread');
  });

  test.each([...READ_AS_SUCCESS, '200', 'true'])(
    '%s is refused in a pending and in a failed reply, in every layer of the reply',
    (word) => {
      const layers = (outcome: string): string[] => [
        format(`{ ${outcome}: { status: §${word} } }`),
        format(`{ ${outcome}: { Status: §${word} } }`),
        operation(`always: { status: $words.status }\n${outcome}: { Status: §${word} }`),
        `${operation('include: [base]\nalways: { status: $words.status }')}\nblocks:\n  refusal: { failure: { status: $words.status, code: $refusal.code, error: [$text] } }\n  base: { ${outcome}: { order: { Status: §${word} } } }`,
        format(`{ ${outcome}: { code: { first: [$order.number, §${word}] } } }`),
        format(`{ ${outcome}: { data: { response_code: { when: { $order.token: present }, value: §${word}, else: '016' } } } }`),
        format(`{ ${outcome}: { '*': { orderStatus: §${word} } } }`),
      ];
      for (const outcome of ['pending', 'failure'])
        for (const text of layers(outcome))
          expectErrors(text.replace("'016'", outcome === 'pending' ? "'099'" : "'016'"), `${outcome}-word-misread`);
    },
  );
});

test('a value for all outcomes is checked for each outcome', () => {
  expectErrors(format('{ always: { status: §success } }'), 'pending-word-misread', 'failure-word-misread');
});

test.each([
  ['success-word-misread', format('{ success: { status: §failed } }')],
  ['success-word-misread', format('{ success: { Status: §processing } }')],
  ['success-word-misread', format('{ success: { data: { delivered: §false } } }')],
  ['success-word-misread', format('{ success: { success: §false } }')],
  ['success-word-misread', format('{ success: { code: §422 } }')],
  ['pending-word-misread', format('{ pending: { status: §refunded } }')],
  ['pending-word-misread', format('{ pending: { Status: §process } }')],
  ['pending-word-misread', format('{ pending: { delivered: §true } }')],
  ['pending-word-misread', format('{ pending: { data: { failed: §1 } } }')],
  ['failure-word-misread', format('{ failure: { status: §queued } }')],
  ['failure-word-misread', format('{ failure: { data: { success: §true } } }')],
  ['failure-word-misread', format('{ failure: { invalid: §false } }')],
  // Texts in YAML 1.2, and true in PHP.
  ['success-word-misread', format('{ success: { invalid: §no } }')],
  ['failure-word-misread', format("{ failure: { delivered: §'false' } }")],
  ['failure-word-misread', 'blocks: { refusal: { failure: { status: §success, code: $refusal.code, error: [$text] } } }'],
  ['success-word-misread', words('success', '§successful', 'successful')],
  ['success-word-misread', words('success', 'success', "§'successful '")],
  ['success-word-misread', words('success', 'success', '§Successful')],
  ['pending-word-misread', words('pending', '§processing', 'processing')],
  ['pending-word-misread', words('pending', 'pending', '§pending')],
  ['pending-word-misread', words('pending', '§in_progress', 'processing')],
  ['failure-word-misread', words('failure', '§nope', 'failed')],
])('%s: %s', (code, text) => expectErrors(text, code));

test.each([
  format(
    "{ success: { code: '000', status: Success }, pending: { code: '099', status: PENDING }, failure: { code: '016', status: FAILED } }",
  ),
  format("{ always: { code: { when: { $words.status: success }, value: '000', else: '099' } }, failure: { code: '016' } }"),
  format("{ always: { code: { when: { $words.Status: failed }, value: '016', else: '' } } }"),
  format(
    '{ always: { quantity: 1, system: API, load_pin: "*311*PIN#", plan_id: 200, invalid: false }, failure: { invalid: true } }',
  ),
])('a format’s own words are accepted where scripts read them as the right outcome: %s', (text) => {
  expect(errorsOf(text)).toEqual([]);
});

test('a constant that a sale may be told with while it is not known whether it was sold before must not read as sold', () => {
  const code = (told: string): string =>
    format(`{ failure: { code: { when: { $words.Status: failed }, value: '016', else: ${told} } } }`);
  expectErrors(code("§'000'"), 'failure-word-misread');
  expect(errorsOf(code("'099'"))).toEqual([]);
});

test.each([
  '§reply: { always: { status: { when: { $amount: present }, value: $words.status } } }',
  '§reply: { always: { status: { when: { $amount: present }, value: { first: [$words.status] }, else: "" } } }',
  'reply: { always: { status: $words.status, Status: §{ code: $words.Status } } }',
  'reply: { always: { status: $words.status, Status: §[$words.Status] } }',
  'reply: { always: { status: $words.status, Status: §$words.status } }',
])('a reply whose status word is not there in every sale, or in another form, is refused: %s', (reply) => {
  expectErrors(buyAirtime('{}').replace('reply: {}', reply), 'outcome-without-words');
});

test('a status word may depend on a condition if every branch is the word of the outcome', () => {
  const word = '{ when: { $amount: present }, value: $words.status, else: { first: [$words.status] } }';
  expect(errorsOf(buyAirtime(`{ always: { status: ${word} } }`))).toEqual([]);
});

test.each(['token', 'meter_token', 'purchased_code', 'pins', 'serial', 'data_pin', 'data_pins', 'name'])(
  'a failure reply of a format with goods in `%s` is refused',
  (name) => {
    for (const value of ['$order.token', "''", 'Ada']) {
      const found = errorsOf(format(`{ failure: { ${name}: ${value} } }`)).map(({ code }) => code);
      expect(found).toEqual(['failure-tells-success']);
    }
  },
);

const HISTORY = (status: string, row = ''): string => `
operations:
  orders:
    title: Order history
    kind: history
    routes: [GET /api/orders]
    call: { to: GET /transactions }
    reply: { always: { status: $words.status }, success: { data: { each: $orders, row: order } } }
rows:
  order: { id: $row.id, status: ${status}${row} }`;

test('a constant status word in the rows of the order history is refused', () => {
  expectErrors(HISTORY('§successful'), 'pending-word-misread');
  expect(errorsOf(HISTORY('$row.words.status'))).toEqual([]);
  expect(
    errorsOf(HISTORY('$row.words.status', ', done: { when: { $row.words.status: success }, value: true, else: false }')),
  ).toEqual([]);
});

const CALLER = (status: string): string => `
callers:
  kinds: { other: { patience: 4s } }
  keys:
    0123456789abcdef0123456789abcdef:
      lists: { default: { status: ${status}, data: $list } }`;

test('the object around a list of one caller is checked as a success reply', () => {
  expectErrors(CALLER('§fail'), 'success-word-misread');
  expect(errorsOf(CALLER('success'))).toEqual([]);
});

const { texts: TEXTS } = parse(sectionOf('texts')) as { readonly texts: object };
const texts = (key: string, text: string): string => stringify({ texts: { ...TEXTS, [key]: text } });

test.each([
  ['pending', 'Your airtime purchase was successful.'],
  ['pending', 'Not yet successful'], // One family searches the text for this word.
  ['unknown', 'Delivered to the customer.'],
  ['pending', 'Transaction failed.'],
  ['pending', 'Nothing was charged so far.'],
  ['unknown', 'Please try again.'],
  ['declined', 'Transaction unsuccessful.'],
  ['rejected', 'Order completed.'],
  ['not_sent', 'Your order is pending.'],
  ['absent', 'Your order was delivered.'],
  ['unanswered', 'This order failed.'],
  ['unavailable', 'Successful.'],
  ['not_found', 'This order is processing.'],
  ['succeeded', 'Your wallet was refunded.'],
  ['succeeded', 'Your order is being processed.'],
  ['found', 'Request failed.'],
])('the text for %s is refused if it is “%s”', (key, text) => {
  const { problems } = checkWith(texts(key, text));
  expect(problems.map(({ code }) => code)).toEqual(['text-of-other-outcome']);
});

test.each([
  ['pending', 'Do not send it again, you will hear when it is delivered.'],
  ['unknown', 'It is not known whether it was delivered. Check its status.'],
  ['declined', 'The order could not be completed.'],
  ['declined', 'It was not delivered and your wallet was refunded.'],
  ['succeeded', 'Completed.'],
])('the text for %s is accepted if it is “%s”', (key, text) => {
  expect(checkWith(texts(key, text)).problems).toEqual([]);
});

test('a text in a reply is checked like one in the section texts', () => {
  expectErrors(format('{ pending: { message: §Recharge successful. } }'), 'text-of-other-outcome');
  expect(errorsOf(format('{ success: { message: Recharge successful. } }'))).toEqual([]);
});
