import { loadSource } from '../../../src/mapping/load';
import { editSource } from '../../../src/operator/mutant/edit-source';
import { MAPPINGS } from '../../mapping/mapping-set';

const source = loadSource(MAPPINGS).source!;

/** What stands in the source at a path of the files. */
function valueAt({ formats, ...sections }: typeof source, [section, ...rest]: readonly (string | number)[]): unknown {
  let node: unknown = section === 'formats' ? Object.fromEntries(formats) : sections[section as 'words'];
  for (const step of rest) node = (node as Record<string, unknown> | undefined)?.[step];
  return node;
}

test.each([
  [['operations', 'buy_airtime', 'fields', 'phone', 'required']],
  [['formats', 'b', 'numbers', 'network', '2']],
  [['tables', 'network', 'values', 'GLO', 'words']],
  [['other_numberings', 0, 'numbers', '3']],
  [['request_id', 0]],
  [['words', 'pending', 'status']],
])('a value at %j is put in its place and the source stays as it was', (path) => {
  const before = valueAt(source, path);
  const edited = editSource(source, [{ path, value: 'changed' }]);
  expect(valueAt(edited, path)).toBe('changed');
  expect(valueAt(source, path)).toEqual(before);
});

test('what is taken out leaves no gap in a list and no key in a map', () => {
  const edited = editSource(source, [
    { path: ['operations', 'buy_airtime', 'fields', 'phone', 'from', 0], value: undefined },
    { path: ['operations', 'buy_airtime', 'numbering_guard'], value: undefined },
  ]);
  expect(edited.operations['buy_airtime']!.fields!['phone']!.from).toEqual(
    source.operations['buy_airtime']!.fields!['phone']!.from.slice(1),
  );
  expect('numbering_guard' in edited.operations['buy_airtime']!).toBe(false);
});

test('the order of keys stays, because replies are told in it', () => {
  const path = ['blocks', 'words', 'always', 'message'];
  const edited = editSource(source, [{ path, value: 'changed' }]);
  expect(Object.keys(edited.blocks['words']!.always!)).toEqual(Object.keys(source.blocks['words']!.always!));
});
