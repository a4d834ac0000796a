import { readFileSync, writeFileSync } from 'node:fs';
import { isUpdating } from '../gateway/reply-table/golden-file';
import { DOCUMENT, marks, readSection, sections } from './family-tables';

test('docs/families.md says what the families conclude', async () => {
  for (const [name, wanted] of Object.entries(await sections())) {
    if (isUpdating) {
      const [begin, end] = marks(name);
      const text = readFileSync(DOCUMENT, 'utf8');
      const [before = '', rest = ''] = text.split(begin);
      const [, after = ''] = rest.split(end);
      writeFileSync(DOCUMENT, `${before}${begin}\n\n${wanted}\n\n${end}${after}`);
    }
    expect([name, readSection(name)?.split('\n')]).toEqual([name, wanted.split('\n')]);
  }
});
