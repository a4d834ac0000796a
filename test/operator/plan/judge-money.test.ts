import { mergeFiles } from '../../../src/mapping/load';
import { compareSources } from '../../../src/operator/plan/compare-sources';
import { buyAirtime, filesWith } from '../../mapping/mapping-set';

/** The fields that every reply to the purchase has. */
const told = (fields: string) =>
  mergeFiles(
    filesWith(
      buyAirtime(
        `{ always: { status: $words.status, ${fields} }, failure: { error: [$text] } }`,
        '',
        'remark: { from: [remark], as: text }',
      ),
    ),
  ).source!;

test.each([
  ['a time that is shown otherwise', 'at: $order.opened_at | iso', 'at: $order.opened_at | datetime', undefined],
  ['the echo of a field that v1 is not asked with', 'said: $remark', 'said: $order.opened_at', undefined],
  ['the echo of a field that v1 is asked with', 'said: $network', 'said: $order.opened_at', 'some script decides by this field'],
  ['such an echo within a field', 'at: { said: $network }', 'at: { said: $remark }', 'some script decides by this field'],
  ['a reference', 'said: $order.opened_at', 'said: $order.reference', 'adds a value under a name by which scripts may decide'],
  ['a time under the name of a status', 'at: $remark', 'at: { status: $remark }', 'some script decides by this field'],
  ['a new constant', 'at: $remark', 'at: $remark, fee: 0', 'adds a value under a name by which scripts may decide'],
])('%s in a reply to a purchase', (_what, before, after, money) => {
  expect(compareSources(told(before), told(after)).map((difference) => difference.money)).toEqual([money]);
});
