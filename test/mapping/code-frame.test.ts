import { codeFrame } from '../../src/mapping/code-frame';

test('a frame shows the line with a caret below the place', () => {
  expect(codeFrame(['a: 1', 'bc: 2'], 2, 5)).toBe('2 | bc: 2\n  |     ^');
});

test('a frame cuts a long line around the place', () => {
  const frame = codeFrame([`${'x'.repeat(300)}y${'z'.repeat(300)}`], 1, 301)!;
  const [line, caret] = frame.split('\n') as [string, string];
  expect(line.length).toBeLessThan(120);
  expect(line[caret.indexOf('^')]).toBe('y');
});

test('a frame never shows a secret, and keeps the caret where it was', () => {
  const frame = codeFrame(['key: acme_live_4f9a11c27b # here'], 1, 29)!;
  expect(frame).toBe('1 | key: ******************** # here\n  |                             ^');
});

test('there is no frame for a line that is not there', () => {
  expect(codeFrame(['a'], 3, 1)).toBeUndefined();
});

test('control characters move neither the caret nor the terminal', () => {
  expect(codeFrame(['a:\u001b[31m\tb'], 1, 9)).toBe('1 | a: [31m b\n  |         ^');
});
