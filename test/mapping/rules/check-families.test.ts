import { checkFiles } from '../../../src/mapping/check';
import { shippedFiles } from '../mapping-set';

const shipped = shippedFiles();

/** The problems of the shipped set with one more family of format B that has these entries. */
function problemsOf(said: string): string[] {
  const text = `families:\n  moved-shop:\n    title: One shop\n    scripts: of its own\n    extends: b\n    ${said}\n`;
  const { problems } = checkFiles([...shipped, { file: 'families/own.yaml', name: 'families/own.yaml', text }]);
  return problems.map(({ file, line, code, message }) => `${file}:${line} ${code} ${message}`);
}

test.each([
  // The script would get an amount that is a hundred times too high.
  ['reply: { always: { paid_amount: $order.charged } }', 'families/own.yaml:6 amount-in-kobo `$order.charged` is in kobo'],
  [
    'words: { failure: { http: 200, status: ACCEPTED }, pending: { Status: failed } }',
    'families/own.yaml:6 pending-word-misread `failed` is also the word for a failure',
  ],
  [
    'words: { success: { status: ACCEPTED }, pending: { status: ACCEPTED } }',
    'families/own.yaml:6 pending-word-misread `ACCEPTED` is also the word for a success',
  ],
  [
    'reply: { always: { paid_amount: $order.charge | naira } }',
    'families/own.yaml:6 unknown-path `$order.charge` does not exist',
  ],
  [
    'operations: { buy_data: { reply: { success: { cost: $bought.prize | naira } } } }',
    'families/own.yaml:6 unknown-column `$bought.prize`: this list has no such column',
  ],
  [
    'operations: { buy_data: { reply: { success: { note: $v1.data.description } } } }',
    'families/own.yaml:6 source-not-available there is no `$v1` in a purchase',
  ],
  [
    'operations: { buy_electricity: { reply: { success: { kind: { when: { $meter_type: prepiad }, value: STS } } } } }',
    'families/own.yaml:6 condition-never-holds `$meter_type` is never `prepiad`',
  ],
  [
    'operations: { list_data_plans: { reply: { success: { each: $catalog.data_plans, row: data_plan, where: { netwrk: MTN } } } } }',
    'families/own.yaml:6 unknown-column rows of catalog.data_plans have no column `netwrk`',
  ],
  [
    'operations: { buy_electricity: { reply: { without: { success: [token] } } } }',
    'families/own.yaml:6 goods-not-told the success reply of `buy_electricity` has no `token`: the customer has paid for it',
  ],
  [
    "operations: { buy_airtime: { reply: { without: { always: ['*'] } } } }",
    'families/own.yaml:6 echo-not-told `buy_airtime` does not echo the request id as it was sent',
  ],
])('the reply of a family is checked like every other reply: %s', (said, problem) => {
  expect(problemsOf(said)).toEqual([problem]);
});

test.each([
  // Null after a lookup, a balance or a list, because none of them is an order.
  'reply: { always: { cost: $order.charged | naira, who: $v1.data.name } }',
  'operations: { list_data_plans: { reply: { success: { each: $catalog.data_plans, row: data_plan } } } }',
])('a field that a family adds to all operations may be null for some of them: %s', (said) => {
  expect(problemsOf(said)).toEqual([]);
});
