import { nearestName, safeRename } from '../../src/mapping/nearest-name';

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

test.each(['numbers', 'send', 'required', 'numbering_guard', 'call', 'words', 'as', 'undecided', 'without_key'])(
  'a key near `%s` is never renamed: it could move money',
  (key) => {
    expect(safeRename(`${key.slice(0, -2)}${key.at(-1)!}${key.at(-2)!}`, [key, 'title'])).toBeUndefined();
    expect(safeRename(`${key}x`, [key])).toBeUndefined();
  },
);

test('a key near two known ones is never renamed', () => {
  expect(safeRename('titel', ['title'])).toBe('title');
  expect(safeRename('titel', ['title', 'titer'])).toBeUndefined();
});
