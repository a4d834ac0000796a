/** Every refusal is explained to operators, and nothing is explained that does not exist. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, type ErrorCode } from '../../src/domain/errors';

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'errors.md'), 'utf8');
const sections = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const [, code = '', status = ''] = /^`(\w+)` \((\d{3})\)\n/.exec(section) ?? [];
      return [code, { status: Number(status), text: section }] as const;
    }),
);
const codes = Object.keys(ERRORS) as ErrorCode[];

test('docs/errors.md has one heading for every code, and none besides', () => {
  expect([...sections.keys()].sort()).toEqual([...codes].sort());
});

test.each(codes)('docs/errors.md says of %s its status, what the script sees and what to do', (code) => {
  const section = sections.get(code);
  expect(section?.status).toBe(ERRORS[code].status);
  expect(section?.text).toMatch(/\*Sees\*/);
  expect(section?.text).toMatch(/\*Do\*/);
});
