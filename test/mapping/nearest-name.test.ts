import { nearestName } from '../../src/mapping/nearest-name';

const KNOWN = ['transform', 'network', 'phone', 'plan', 'naira'];

test.each([
  ['transfrom', 'transform'],
  ['netwrok', 'network'],
  ['Network', 'network'],
  ['phne', 'phone'],
  ['plans', 'plan'],
  ['niara', 'naira'],
])('%s most likely means %s', (wanted, meant) => {
  expect(nearestName(wanted, KNOWN)).toBe(meant);
});

test.each(['', 'zzz', 'completely_different'])('%j is near to nothing', (wanted) => {
  expect(nearestName(wanted, KNOWN)).toBeUndefined();
});

test('of two that are near the nearest wins, then the first', () => {
  expect(nearestName('disco', ['discs', 'discos'])).toBe('discs');
  expect(nearestName('exam', ['exams', 'exam'])).toBe('exam');
});

test('nothing is known, nothing is near', () => {
  expect(nearestName('phone', [])).toBeUndefined();
});
