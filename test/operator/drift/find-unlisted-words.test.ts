import { mergeFiles } from '../../../src/mapping/load';
import { findUnlistedWords, nearestValue } from '../../../src/operator/drift/find-unlisted-words';
import { checkFiles } from '../../../src/mapping/check';
import { editedFiles, shippedFiles, shippedMapping } from '../../mapping/mapping-set';
import { trafficWith, unlisted } from './traffic-with';

const source = mergeFiles(shippedFiles()).source!;
const find = (...unlistedWords: ReturnType<typeof unlisted>[]) =>
  findUnlistedWords(trafficWith({ unlistedWords }), shippedMapping(), source);

test.each([
  ['network', 'mtnsme', 'MTN'],
  ['network', 'airtell', 'AIRTEL'],
  ['network', 'globacon', 'GLO'],
  ['network', 'mtnglo', undefined],
  ['network', 'smile', undefined],
  ['network', 'gl', undefined],
  ['network', '7', undefined],
  ['cable_provider', 'dstvng', 'DSTV'],
  ['cable_provider', 'showmax', undefined],
  ['meter_type', 'prepad', 'prepaid'],
  ['meter_type', 'paid', undefined],
])('in the table %s the unlisted word %s is near the value %s', (table, word, value) => {
  expect(nearestValue(word, source.tables[table]!.values!)).toBe(value);
});

test('an unlisted word is reported once, with every operation and field that received it', () => {
  expect(
    find(
      unlisted('mtnsme', { count: 2 }),
      unlisted('mtnsme', { operation: 'buy_data', spelling: 'network_id', format: 'b', count: 3 }),
    ),
  ).toEqual([
    {
      table: 'network',
      word: 'mtnsme',
      count: 5,
      places: ['buy_airtime network', 'buy_data network (sent as network_id)'],
      value: 'MTN',
      hint: 'near MTN',
    },
  ]);
});

test('no value is guessed for an unlisted number, and the hint names the file of the format that read it', () => {
  expect(find(unlisted('9'))).toMatchObject([
    { value: undefined, hint: expect.stringMatching(/numbers: at .*format-a\.yaml:\d+$/) },
  ]);
});

describe('a number of a key that has numbers of its own', () => {
  const [own, other] = ['f'.repeat(32), 'e'.repeat(32)];
  const files = editedFiles('callers.yaml', 'keys: {}', `keys:\n    ${own}:\n      numbers: { network: { 9: MTN } }`);
  const { mapping } = checkFiles(files);
  const findOwn = (...unlistedWords: ReturnType<typeof unlisted>[]) =>
    findUnlistedWords(trafficWith({ unlistedWords }), mapping!, mergeFiles(files).source!);

  test('is not reported once they list it, while the same number of other keys is', () => {
    expect(findOwn(unlisted('9', { caller: own, count: 4 }))).toEqual([]);
    expect(findOwn(unlisted('9', { caller: own, count: 4 }), unlisted('9', { caller: other }))).toMatchObject([
      { count: 1, hint: expect.stringMatching(/numbers: at .*format-a\.yaml:\d+$/) },
    ]);
  });

  test('is reported with the place of these numbers, and not with that of the format, while they do not list it', () => {
    expect(findOwn(unlisted('8', { caller: own }))).toMatchObject([
      { hint: expect.stringMatching(/^if you know what 8 means to this caller, add it at .*callers\.yaml:\d+$/) },
    ]);
    expect(findOwn(unlisted('8', { caller: own }), unlisted('8', { caller: other }))).toMatchObject([
      { hint: expect.stringMatching(/format-a\.yaml:\d+$/) },
    ]);
  });
});

test('an unlisted word near no value is reported with the place of its table', () => {
  expect(find(unlisted('smile'))).toMatchObject([
    { value: undefined, hint: expect.stringMatching(/words of that value: at .*networks\.yaml:\d+$/) },
  ]);
});

test('a word is not reported when the table lists it by now, or when its field or table is gone', () => {
  expect(
    find(unlisted('mtn'), unlisted('2'), unlisted('mtnsme', { field: 'gone' }), unlisted('mtnsme', { table: 'gone' })),
  ).toEqual([]);
});

test('a masked word is reported without a guess', () => {
  expect(find(unlisted(':value'))).toMatchObject([{ word: ':value', value: undefined }]);
});
