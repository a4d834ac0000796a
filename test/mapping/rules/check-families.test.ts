import { checkFiles } from '../../../src/mapping/check';
import { editedFiles, shippedFiles } from '../mapping-set';

const shipped = shippedFiles();

/** The problems of the shipped set with one more family of format B that has these entries. */
function problemsOf(said: string): string[] {
  const text = `families:\n  moved-shop:\n    title: One shop\n    scripts: of its own\n    extends: b\n    pending: refunds\n    ${said}\n`;
  const { problems } = checkFiles([...shipped, { file: 'families/own.yaml', name: 'families/own.yaml', text }]);
  return problems.map(({ file, line, code, message }) => `${file}:${line} ${code} ${message}`);
}

const inSuccess = (operation: string, fields: string): string =>
  `operations: { ${operation}: { reply: { success: ${fields} } } }`;

test.each([
  // The script would get an amount that is a hundred times too high.
  ['reply: { always: { paid_amount: $order.charged } }', 'amount-in-kobo `$order.charged` is in kobo'],
  [
    'words: { failure: { http: 200, status: ACCEPTED }, pending: { Status: failed } }',
    'pending-word-misread `failed` is also the word for a failure',
  ],
  [
    'words: { success: { status: ACCEPTED }, pending: { status: ACCEPTED } }',
    'pending-word-misread `ACCEPTED` is also the word for a success',
  ],
  ['reply: { always: { paid_amount: $order.charge | naira } }', 'unknown-path `$order.charge` does not exist'],
  [inSuccess('buy_data', '{ cost: $bought.prize | naira }'), 'unknown-column `$bought.prize`: this list has no such column'],
  [inSuccess('buy_data', '{ note: $v1.data.description }'), 'source-not-available there is no `$v1` in a purchase'],
  [
    inSuccess('buy_electricity', '{ kind: { when: { $meter_type: prepiad }, value: STS } }'),
    'condition-never-holds `$meter_type` is never `prepiad`',
  ],
  [
    inSuccess('list_data_plans', '{ each: $catalog.data_plans, row: data_plan, where: { netwrk: MTN } }'),
    'unknown-column rows of catalog.data_plans have no column `netwrk`',
  ],
  [
    'operations: { buy_electricity: { reply: { without: { success: [token] } } } }',
    'goods-not-told the success reply of `buy_electricity` has no `token`: the customer has paid for it',
  ],
  [
    'operations: { buy_airtime: { reply: { without: { failure: [error] } } } }',
    'refusal-without-error the reply of `buy_airtime` to a failure has no field `error`',
  ],
  [
    "operations: { buy_airtime: { reply: { without: { always: ['*'] } } } }",
    'echo-not-told `buy_airtime` does not echo the request id as it was sent',
  ],
])('the reply of a family is checked like every other reply: %s', (said, problem) => {
  expect(problemsOf(said)).toEqual([`families/own.yaml:7 ${problem}`]);
});

test.each([
  // Null after a lookup, a balance or a list, because none of them is an order.
  'reply: { always: { cost: $order.charged | naira, who: $v1.data.name } }',
  inSuccess('list_data_plans', '{ each: $catalog.data_plans, row: data_plan }'),
])('a field that a family adds to all operations may be null for some of them: %s', (said) => {
  expect(problemsOf(said)).toEqual([]);
});

test('a constant in a reply of the format is checked with the words of each family for the outcome', () => {
  const code = `reply:
  success: { code: { when: { $words.status: success }, value: '000', else: '016' } }

proof:`;
  const { problems } = checkFiles(editedFiles('format-a.yaml', 'proof:', code));
  // The family process-is-sold hears of a sale in the word \`process\`.
  expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
    'success-word-misread `code` of a success is `016`, which scripts read as failure',
  ]);
});

test.each([
  ['families/plain-php.yaml', 'smart_card_number, cableplan]', 'smart_card_nunber, cableplan]', 'smart_card_nunber'],
  ['families/plain-php.yaml', 'no_field: [network, request-id, ref]', 'no_field: [netwrk, request-id, ref]', 'netwrk'],
  ['format-c.yaml', 'no_field: [bypass]', 'no_field: [bypas]', 'bypas'],
  ['operations/cards.yaml', 'sent_empty: mobile_number', 'sent_empty: mobile_nunber', 'mobile_nunber'],
])('in %s a misspelt field in `%s` is an error', (file, from, to, field) => {
  const { problems } = checkFiles(editedFiles(file, from, to));
  expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
    `proof-of-unread-field no operation reads a field \`${field}\``,
  ]);
});

test('an address of `required_if` that is not served is an error', () => {
  const { problems } = checkFiles(
    editedFiles('operations/cards.yaml', 'sent_empty:', 'path: /api/nowhere\n          sent_empty:'),
  );
  expect(problems).toMatchObject([{ code: 'signal-never-applies', message: 'nothing is served at /api/nowhere' }]);
});

test('a misspelt field that a family leaves out is an error, because its sales would keep the field', () => {
  const { problems } = checkFiles(editedFiles('families/laravel-husmodata.yaml', '[status]', '[stauts]'));
  expect(problems).toMatchObject([{ code: 'unknown-reply-field', hint: 'did you mean `status`?' }]);
});
