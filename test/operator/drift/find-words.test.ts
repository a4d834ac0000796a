import { mergeFiles } from '../../../src/mapping/load';
import { findWords, nearestValue } from '../../../src/operator/drift/find-words';
import { shippedFiles, shippedMapping } from '../../mapping/mapping-set';
import { trafficWith, unlisted } from './traffic-with';

const source = mergeFiles(shippedFiles()).source!;
const find = (...unlistedWords: ReturnType<typeof unlisted>[]) =>
  findWords(trafficWith({ unlistedWords }), shippedMapping(), source);

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
])('of %s the word %s is near %s', (table, word, value) => {
  expect(nearestValue(word, source.tables[table]!.values!)).toBe(value);
});

test('one word is told once, with every place that it came to', () => {
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

test('a number is never guessed, and its place is the format that read it', () => {
  expect(find(unlisted('9'))).toMatchObject([
    { value: undefined, hint: expect.stringMatching(/numbers: at .*format-a\.yaml:\d+$/) },
  ]);
});

test('a word near nothing is told with its place', () => {
  expect(find(unlisted('smile'))).toMatchObject([
    { value: undefined, hint: expect.stringMatching(/words: at .*networks\.yaml:\d+$/) },
  ]);
});

test('what the table has by now is not told, nor what another field reads by now', () => {
  expect(
    find(unlisted('mtn'), unlisted('2'), unlisted('mtnsme', { field: 'gone' }), unlisted('mtnsme', { table: 'gone' })),
  ).toEqual([]);
});

test('what was not kept is told without a guess', () => {
  expect(find(unlisted(':value'))).toMatchObject([{ word: ':value', value: undefined }]);
});
