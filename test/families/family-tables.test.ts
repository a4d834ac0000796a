import { readFileSync, writeFileSync } from 'node:fs';
import { isUpdating } from '../gateway/reply-table/golden-file';
import { DOCUMENT, marks, readSection, sections } from './family-tables';

test.each(Object.entries(sections()))('docs/families.md says what the families conclude: %s', (name, wanted) => {
  if (isUpdating) {
    const [begin, end] = marks(name);
    const text = readFileSync(DOCUMENT, 'utf8');
    const [before = '', rest = ''] = text.split(begin);
    const [, after = ''] = rest.split(end);
    writeFileSync(DOCUMENT, `${before}${begin}\n\n${wanted}\n\n${end}${after}`);
  }
  expect(readSection(name)?.split('\n')).toEqual(wanted.split('\n'));
});
