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

test.each(['numbers', 'send', 'required', 'numbering_guard', 'call', 'words', 'as', 'undecided', 'without_key'])(
  'a key that is like `%s` is never renamed, because the rename could move money',
  (key) => {
    expect(safeRename(`${key.slice(0, -2)}${key.at(-1)!}${key.at(-2)!}`, [key, 'title'])).toBeUndefined();
    expect(safeRename(`${key}x`, [key])).toBeUndefined();
  },
);

test('a key that is like two known keys is never renamed', () => {
  expect(safeRename('titel', ['title'])).toBe('title');
  expect(safeRename('titel', ['title', 'titer'])).toBeUndefined();
});
