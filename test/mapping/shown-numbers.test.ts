import type { CallerKey, Mapping } from '../../src/mapping/mapping';
import { numberingShown, shownNumbers } from '../../src/mapping/shown-numbers';
import { editedFiles, mappingOf } from './mapping-set';

const KEY = '0a'.repeat(16);

/** The shipped set with one caller. */
function withCaller(says: string): { mapping: Mapping; callerKey: CallerKey } {
  const mapping = mappingOf(editedFiles('callers.yaml', '  keys: {}', `  keys: { ${KEY}: ${says} }`));
  return { mapping, callerKey: mapping.callerKeys.get(KEY)! };
}

const NUMBERS = 'data_plan: { 7: 57, 57: 58 }, network: { 1: MTN, 4: AIRTEL }, cable_provider: { 10: GOTV }';
const strict = withCaller(`{ numbers: { ${NUMBERS} } }`);
const open = withCaller(`{ numbers: { ${NUMBERS} }, unlisted: { data_plan: pass, network: pass, cable_provider: pass } }`);

test.each<[string, string, unknown, number | undefined, number | undefined, number | undefined]>([
  // Table, value, then the number for a caller without numbers, with its own only, and with its own and the common ones.
  ['a plan that the caller numbers', 'data_plan', 57, 57, 7, 7],
  ['a plan whose common number is another plan of the caller', 'data_plan', 58, 58, 57, 57],
  ['a plan that the caller does not number', 'data_plan', 59, 59, undefined, 59],
  ['a plan whose number the caller uses for another one', 'data_plan', 7, 7, undefined, undefined],
  ['a network that the caller numbers', 'network', 'AIRTEL', 3, 4, 4],
  ['a network that the caller does not number', 'network', 'GLO', 2, undefined, 2],
  ['a network whose common number is another network of the caller', 'network', '9MOBILE', 4, undefined, undefined],
  ['a provider that the caller numbers', 'cable_provider', 'GOTV', 1, 10, 10],
  ['a provider by its number at v1', 'cable_provider', 107, 107, undefined, 107],
  ['a network that no numbering has', 'network', 'VODAFONE', undefined, undefined, undefined],
  ['a table that does not exist', 'nothing', 'MTN', undefined, undefined, undefined],
])('the number shown for %s', (_what, table, value, everybody, own, both) => {
  const numberFor = ({ mapping, callerKey }: typeof strict, isKnown = true): number | undefined =>
    shownNumbers(mapping, 'b', isKnown ? callerKey : undefined).numberOf(table, value as never);
  expect([numberFor(strict, false), numberFor(strict), numberFor(open)]).toEqual([everybody, own, both]);
});

test('a number that the caller sent in this request is shown as sent, and the same plan elsewhere with its usual number', () => {
  const { numberOf } = shownNumbers(strict.mapping, 'b', strict.callerKey, { plan: 12 });
  expect([numberOf('data_plan', 57, 'plan'), numberOf('data_plan', 57, 'other'), numberOf('data_plan', 57)]).toEqual([12, 7, 7]);
});

test('a row of a list is shown with numbers that the caller can send back, or left out', () => {
  const rowOf = ({ mapping, callerKey }: typeof strict, list: string, row: Record<string, string | number>): unknown =>
    shownNumbers(mapping, 'a', callerKey).rowOf(list, row);
  expect(rowOf(strict, 'data_plans', { id: 57, name: '1GB' })).toEqual({ id: 7, name: '1GB' });
  expect(rowOf(strict, 'data_plans', { id: 59 })).toBeUndefined();
  expect(rowOf(open, 'data_plans', { id: 59 })).toEqual({ id: 59 });
  // Sent back, 7 would buy 57.
  expect(rowOf(open, 'data_plans', { id: 7 })).toBeUndefined();
  // A row with an id may have a second number that the caller does not know; it is null.
  expect(rowOf(strict, 'cable_plans', { id: 501, cable_id: '1' })).toEqual({ id: 501, cable_id: '10' });
  expect(rowOf(strict, 'cable_plans', { id: 503, cable_id: '107' })).toEqual({ id: 503, cable_id: null });
  expect(rowOf(open, 'cable_plans', { id: 503, cable_id: '107' })).toEqual({ id: 503, cable_id: '107' });
  // A name needs no number.
  expect(rowOf(strict, 'cable_providers', { id: 'GOTV' })).toEqual({ id: 'GOTV' });
  expect(rowOf(strict, 'discos', { id: 3 })).toEqual({ id: 3 });
});

test('a row of a list is shown with the numbers of the format, unless the caller has its own', () => {
  const numbers = 'network: { 1: MTN, 2: AIRTEL, 3: GLO, 4: 9MOBILE }';
  const rowOf = (row: Record<string, string | number>, own = '{}'): unknown => {
    const callers = editedFiles('callers.yaml', '  keys: {}', `  keys: { ${KEY}: ${own} }`);
    const files = editedFiles('format-a.yaml', numbers, `${numbers}, exam: { 1: NECO, 2: WAEC, 4: NABTEB }`);
    const mapping = mappingOf(files.map((file, index) => (file.name === 'callers.yaml' ? callers[index]! : file)));
    return shownNumbers(mapping, 'a', mapping.callerKeys.get(KEY)).rowOf('exams', row);
  };
  expect([1, 2, 3].map((id) => rowOf({ id, name: 'x' }))).toEqual([2, 1, 4].map((id) => ({ id, name: 'x' })));
  expect(rowOf({ id: 2 }, '{ numbers: { exam: { 9: NECO } } }')).toEqual({ id: 9 });
  // v1's fourth exam, where 4 is NABTEB to these scripts.
  expect(rowOf({ id: 4 })).toBeUndefined();
});

test('the numbers shown for networks are those that the gateway reads from this caller', () => {
  const shown = ({ mapping, callerKey }: typeof strict): unknown =>
    Object.fromEntries(numberingShown(mapping, 'b', callerKey, mapping.tables.get('network')!));
  expect(shown(strict)).toEqual({ 1: 'MTN', 4: 'AIRTEL' });
  expect(shown(open)).toEqual({ 1: 'MTN', 2: 'GLO', 4: 'AIRTEL' });
});

test('numbers that the table has for all formats are shown beside those of the format, and each value once', () => {
  const table = 'title: mobile network\n    numbers: { 1: MTN, 3: GLO, 4: 9MOBILE }';
  const files = editedFiles('networks.yaml', 'title: mobile network', table).map((file) =>
    file.name !== 'format-b.yaml'
      ? file
      : { ...file, text: file.text.replace('1: MTN, 2: GLO, 3: AIRTEL, 4: 9MOBILE', '2: GLO, 3: AIRTEL, 7: MTN') },
  );
  const mapping = mappingOf(files);
  const shown = numberingShown(mapping, 'b', undefined, mapping.tables.get('network')!);
  expect(Object.fromEntries(shown)).toEqual({ 2: 'GLO', 3: 'AIRTEL', 4: '9MOBILE', 7: 'MTN' });
  const { numberOf } = shownNumbers(mapping, 'b', undefined);
  expect(['MTN', 'GLO', '9MOBILE'].map((network) => numberOf('network', network))).toEqual([7, 2, 4]);
});
