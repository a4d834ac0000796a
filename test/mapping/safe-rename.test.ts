import { safeRename } from '../../src/mapping/safe-rename';

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
