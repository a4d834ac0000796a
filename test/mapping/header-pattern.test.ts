import { compilePattern } from '../../src/mapping/header-pattern';

test.each([
  ['axios', 'Axios', true],
  ['axios', 'axios/1', false],
  ['axios/*', 'AXIOS/1.2', true],
  ['axios/*', 'axios', false],
  ['*', 'anything', true],
  ['', '', true],
])('%j fits %j: %j', (pattern, value, fits) => {
  expect(compilePattern(pattern)(value)).toBe(fits);
});
