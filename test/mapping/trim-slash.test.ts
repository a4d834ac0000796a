import { trimSlash } from '../../src/mapping/trim-slash';

test.each([
  ['/api/topup/', '/api/topup'],
  ['/api/topup///', '/api/topup'],
  ['/', '/'],
  ['///', '/'],
  ['', '/'],
])('%j without its last slashes is %j', (path, trimmed) => {
  expect(trimSlash(path)).toBe(trimmed);
});
