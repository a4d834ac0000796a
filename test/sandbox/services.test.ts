import { smsPages } from '../../src/sandbox/services';

describe('the pages of an SMS', () => {
  test.each([
    ['a'.repeat(160), 1],
    ['a'.repeat(161), 2],
    ['a'.repeat(306), 2],
    ['a'.repeat(307), 3],
    ['€'.repeat(80), 1],
    ['€'.repeat(81), 2],
    ['ọ'.repeat(70), 1],
    ['ọ'.repeat(71), 2],
    [`${'a'.repeat(69)}😀`, 2],
  ])('the message %j has %i', (message, pages) => {
    expect(smsPages(message)).toBe(pages);
  });
});
