import { nearestName, safeRename } from '../../src/mapping/nearest-name';

const KNOWN = ['transform', 'network', 'phone', 'plan', 'naira'];

test.each([
  ['transfrom', 'transform'],
  ['netwrok', 'network'],
  ['Network', 'network'],
  ['phne', 'phone'],
  ['plans', 'plan'],
  ['niara', 'naira'],
])('the known name most like %s is %s', (wanted, meant) => {
  expect(nearestName(wanted, KNOWN)).toBe(meant);
});

test.each(['', 'zzz', 'completely_different'])('no known name is like %j', (wanted) => {
  expect(nearestName(wanted, KNOWN)).toBeUndefined();
});

test('of several similar names the most similar is chosen, and of equally similar ones the first', () => {
  expect(nearestName('disco', ['discs', 'discos'])).toBe('discs');
  expect(nearestName('exam', ['exams', 'exam'])).toBe('exam');
});

test('without known names there is no similar name', () => {
  expect(nearestName('phone', [])).toBeUndefined();
});

test('a misspelt key is renamed to the one key that is like it, and only where no change of that key moves money', () => {
  expect(safeRename('titel', ['title'], () => true)).toBe('title');
  expect(safeRename('titel', ['title'], (name) => name !== 'title')).toBeUndefined();
  expect(safeRename('titel', ['title', 'titer'], () => true)).toBeUndefined();
});
