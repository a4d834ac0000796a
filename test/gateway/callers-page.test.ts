/** docs/callers.md: every entry is checked, every case of it is played, and without its entry each case fails. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { runCases } from '../../src/operator/case/run-cases';
import { readWrittenRequest } from '../../src/http/read-written-request';
import { loadCases, readCases } from '../../src/operator/case/cases';
import type { Mapping } from '../../src/mapping/mapping';
import { MAPPINGS, mappingOf, shippedFiles } from '../mapping/mapping-set';

const page = readFileSync(join(MAPPINGS, '..', 'docs', 'callers.md'), 'utf8');
const blocks = [...page.matchAll(/```yaml\n([^`]*)```/g)].map(([, text = '']) => text);
const examples = blocks.flatMap((text, index) =>
  text.startsWith('callers:') ? [{ entry: text, cases: blocks[index + 1] ?? '' }] : [],
);

function mappingWith(entry: string): Mapping {
  const files = shippedFiles().map((one) => {
    if (one.name !== 'callers.yaml') return one;
    const { callers, ...sections } = parse(one.text) as { callers: object };
    const said = parse(entry) as { callers: object };
    return { ...one, text: stringify({ ...sections, callers: { ...callers, ...said.callers } }) };
  });
  return mappingOf(files);
}

test('every block of the page is an entry or the cases that follow it', () => {
  expect(examples.length).toBeGreaterThanOrEqual(5);
  expect(blocks).toHaveLength(examples.length * 2);
});

test.each(
  examples.map(({ entry, cases }) => [/[0-9a-f]{32}:\s+(?:#.*\s+)?(.*)\n/.exec(entry)?.[1]?.trim() ?? entry, entry, cases]),
)('the example of %s is as the page says, and only because of the entry', async (_name, entry, written) => {
  const { cases, problems } = readCases([{ file: 'callers.md', text: written }]);
  expect(problems).toEqual([]);
  expect(cases.length).toBeGreaterThan(0);
  const { fixtures } = loadCases(MAPPINGS);
  const play = async (mapping: Mapping): Promise<readonly unknown[]> =>
    (await runCases(cases, { mapping, fixtures, read: readWrittenRequest })).map(({ differences }) => differences);
  expect(await play(mappingWith(entry))).toEqual(cases.map(() => []));
  expect((await play(mappingWith('callers: { keys: {} }'))).some((differences) => (differences as unknown[]).length > 0)).toBe(
    true,
  );
});
