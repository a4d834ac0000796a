import { loadSource } from '../../../src/mapping/load';
import type { MappingSource } from '../../../src/mapping/source';
import { editSource } from '../../../src/operator/mutant/mutant';
import { listMutants, narrowSource } from '../../../src/operator/mutant/mutate';
import { MAPPINGS } from '../../mapping/mapping-set';

const source = loadSource(MAPPINGS).source!;
const mutants = listMutants(source);
const textOfSource = ({ formats, ...rest }: MappingSource): string => JSON.stringify([{ ...rest, places: null }, [...formats]]);
const whole = textOfSource(source);

test('every break gives another source and leaves its own as it was, and no two breaks are the same', () => {
  const seen = new Map<string, string>();
  for (const mutant of mutants) {
    const { edits, words } = mutant;
    expect({ words, changed: textOfSource(editSource(source, edits)) !== whole }).toEqual({ words, changed: true });
    const key = JSON.stringify(edits.map(({ path, value }) => [path, value ?? 'taken out']));
    expect({ words, before: seen.get(key) }).toEqual({ words, before: undefined });
    seen.set(key, words);
  }
  expect(textOfSource(source)).toBe(whole);
});

test('every break has a place in a mapping file', () => {
  const placeless = mutants.filter(({ path }) => source.places.find(path).file === '(mappings)');
  expect(placeless).toEqual([]);
});

test.each([
  'network number 2 of format b and network number 3 of format b swapped',
  'buy_airtime: field phone is no longer read from `mobile_number`',
  'buy_airtime is no longer served at POST /api/topup',
  'pending: word under `Status`: processing -> broken on purpose',
  'drops buy_airtime: the numbering guard',
  'drops login_by_fields: key_in',
  'buy_airtime: field phone: required: true -> false',
  'buy_airtime: field phone: lenient: none -> true',
  'buy_airtime: field ported: default: false -> true',
  'buy_airtime: v1 call, `phone`: another value',
  'buy_airtime: v1 call, `amount`: without naira',
  'drops block purchase, `ident`',
  'block purchase, `ident`: another value',
  'block words to a failure, `detail`: without the condition',
  'network GLO: v1 number: 2 -> 3',
  'format b: field `mobile_number` no longer speaks for it',
  'login_by_fields: format when nothing tells: a -> b',
])('the breaks include: %s', (words) => {
  expect(mutants.map((mutant) => mutant.words)).toContain(words);
});

test('a narrowed source has only the requested operations, also in its formats', () => {
  const narrow = narrowSource(source, new Set(['buy_exam']));
  expect(Object.keys(narrow.operations)).toEqual(['buy_exam']);
  expect([...narrow.formats.values()].flatMap(({ operations }) => Object.keys(operations ?? {}))).toEqual([
    'buy_exam',
    'buy_exam',
  ]);
  expect(narrow.tables).toBe(source.tables);
});

test('removing a value leaves no gap in a list and no key in a map', () => {
  const edited = editSource(source, [
    { path: ['operations', 'buy_airtime', 'fields', 'phone', 'from', 0], value: undefined },
    { path: ['operations', 'buy_airtime', 'numbering_guard'], value: undefined },
  ]);
  expect(edited.operations['buy_airtime']!.fields!['phone']!.from).toEqual(
    source.operations['buy_airtime']!.fields!['phone']!.from.slice(1),
  );
  expect('numbering_guard' in edited.operations['buy_airtime']!).toBe(false);
});

test('an edit keeps the order of keys, because replies have their fields in that order', () => {
  const { always } = source.blocks['words']!;
  const edited = editSource(source, [{ path: ['blocks', 'words', 'always', 'message'], value: 'changed' }]);
  expect(Object.entries(edited.blocks['words']!.always!)).toEqual(Object.entries({ ...always, message: 'changed' }));
});
