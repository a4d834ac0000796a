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
  // table, value, for everybody in format B, strictly its own, its own and others
  ['a plan of its own', 'data_plan', 57, 57, 7, 7],
  ['a plan whose number means another of its own', 'data_plan', 58, 58, 57, 57],
  ['a plan that it has no number for', 'data_plan', 59, 59, undefined, 59],
  ['a plan that it can only name wrongly', 'data_plan', 7, 7, undefined, undefined],
  ['a network of its own', 'network', 'AIRTEL', 3, 4, 4],
  ['a network that it has no number for', 'network', 'GLO', 2, undefined, 2],
  ['a network whose usual number means another of its own', 'network', '9MOBILE', 4, undefined, undefined],
  ['a provider of its own', 'cable_provider', 'GOTV', 1, 10, 10],
  ['a provider by its number at v1', 'cable_provider', 107, 107, undefined, 107],
  ['what nobody numbers', 'network', 'VODAFONE', undefined, undefined, undefined],
  ['a table that there is not', 'nothing', 'MTN', undefined, undefined, undefined],
])('the number of %s', (_what, table, value, everybody, own, both) => {
  const numberFor = ({ mapping, callerKey }: typeof strict, isKnown = true): number | undefined =>
    shownNumbers(mapping, 'b', isKnown ? callerKey : undefined).numberOf(table, value as never);
  expect([numberFor(strict, false), numberFor(strict), numberFor(open)]).toEqual([everybody, own, both]);
});

test('what was sent is told as it was sent', () => {
  const { numberOf } = shownNumbers(strict.mapping, 'b', strict.callerKey, { plan: 12 });
  expect([numberOf('data_plan', 57, 'plan'), numberOf('data_plan', 57, 'other'), numberOf('data_plan', 57)]).toEqual([12, 7, 7]);
});

test('rows of a list are shown in numbers that the caller can send back, or not at all', () => {
  const rowOf = ({ mapping, callerKey }: typeof strict, list: string, row: Record<string, string | number>): unknown =>
    shownNumbers(mapping, 'a', callerKey).rowOf(list, row);
  expect(rowOf(strict, 'data_plans', { id: 57, name: '1GB' })).toEqual({ id: 7, name: '1GB' });
  expect(rowOf(strict, 'data_plans', { id: 59 })).toBeUndefined();
  expect(rowOf(open, 'data_plans', { id: 59 })).toEqual({ id: 59 });
  // Sent back, 7 would buy 57.
  expect(rowOf(open, 'data_plans', { id: 7 })).toBeUndefined();
  // Beside its own number a row may have one that the caller does not know.
  expect(rowOf(strict, 'cable_plans', { id: 501, cable_id: '1' })).toEqual({ id: 501, cable_id: '10' });
  expect(rowOf(strict, 'cable_plans', { id: 503, cable_id: '107' })).toEqual({ id: 503, cable_id: null });
  expect(rowOf(open, 'cable_plans', { id: 503, cable_id: '107' })).toEqual({ id: 503, cable_id: '107' });
  // A name needs no number.
  expect(rowOf(strict, 'cable_providers', { id: 'GOTV' })).toEqual({ id: 'GOTV' });
  expect(rowOf(strict, 'discos', { id: 3 })).toEqual({ id: 3 });
});

test('the numbers of networks are those that the caller would be understood by', () => {
  const shown = ({ mapping, callerKey }: typeof strict): unknown =>
    Object.fromEntries(numberingShown(mapping, 'b', callerKey, mapping.tables.get('network')!));
  expect(shown(strict)).toEqual({ 1: 'MTN', 4: 'AIRTEL' });
  expect(shown(open)).toEqual({ 1: 'MTN', 2: 'GLO', 4: 'AIRTEL' });
});
