import { applyMutant, listMutants, narrowSource } from '../../../src/operator/mutant/mutate';
import { loadSource } from '../../../src/mapping/load';
import type { MappingSource } from '../../../src/mapping/source';
import { MAPPINGS } from '../../mapping/mapping-set';

const source = loadSource(MAPPINGS).source!;
const mutants = listMutants(source);
const textOfSource = ({ formats, ...rest }: MappingSource): string => JSON.stringify([{ ...rest, places: null }, [...formats]]);
const whole = textOfSource(source);

test('every break changes the source, and no two of one place are the same', () => {
  const seen = new Map<string, string>();
  for (const mutant of mutants) {
    const { edits, words } = mutant;
    expect({ words, changed: textOfSource(applyMutant(source, mutant)) !== whole }).toEqual({ words, changed: true });
    const key = JSON.stringify(edits.map(({ path, value }) => [path, value ?? 'taken out']));
    expect({ words, before: seen.get(key) }).toEqual({ words, before: undefined });
    seen.set(key, words);
  }
});

test('every break has a place in a file', () => {
  const placeless = mutants.filter(({ path }) => source.places.find(path).file === '(mappings)');
  expect(placeless).toEqual([]);
});

test.each([
  'swaps the numbers 2 and 3',
  'drops the spelling mobile_number',
  'drops POST /api/topup of the route POST /api/topup|airtime',
  'changes the word processing',
  'drops the numbering guard',
  'no longer requires phone',
  'changes the default of ported',
  'takes phone of the call from network',
  'drops the transform naira',
  'drops the prefix 0803',
  'drops the signal mobile_number',
  'drops ident of the reply',
  'replaces what ident holds',
  'drops the condition',
  'changes the id of GLO',
  'swaps the words of MTN and GLO',
])('among the breaks is one that %s', (words) => {
  expect(mutants.map((mutant) => mutant.words)).toContain(words);
});

test('a narrow source has only the operations that were asked for, also in its formats', () => {
  const narrow = narrowSource(source, new Set(['buy_exam']));
  expect(Object.keys(narrow.operations)).toEqual(['buy_exam']);
  expect([...narrow.formats.values()].flatMap(({ operations }) => Object.keys(operations ?? {}))).toEqual(['buy_exam']);
  expect(narrow.tables).toBe(source.tables);
});
