import fc from 'fast-check';
import { mergeFiles } from '../../../src/mapping/load';
import { compareSources } from '../../../src/operator/plan/compare-sources';
import type { MappingSource } from '../../../src/mapping/source';
import { Chance } from '../../chance';
import { shippedFiles } from '../../mapping/mapping-set';
import { contentOf, narrowContent, narrowMerged, reformat } from './reformat';

/** A hundred thousand files take ten minutes. The environment sets the number, and CI sets a higher one than this default. */
const FILES = Number(process.env['REFORMATTED_FILES'] ?? 1_000);
const MS_A_FILE_MAX = 60;
/** The share of the named parts that one round rewrites. */
const PICKED = 0.15;

const files = shippedFiles();
const source = mergeFiles(files).source!;
const content = contentOf(files);
const NAMES = ['operations', 'tables', 'blocks', 'rows', 'texts'].flatMap((section) =>
  Object.keys(content.shared[section] ?? {}),
);

interface Rewritten {
  readonly before: MappingSource;
  readonly after: MappingSource | undefined;
  readonly texts: readonly string[];
  readonly problems: readonly string[];
}

/** Reformats some of the named parts of the shipped set, and all parts without a name. */
function rewrite(seed: number, picked = PICKED): Rewritten {
  const chance = new Chance(String(seed));
  const names = new Set(NAMES.filter(() => chance.is(picked)));
  const written = reformat(narrowContent(content, names), () => chance.next());
  const { source: after, problems } = mergeFiles(written);
  return {
    before: narrowMerged(source, names),
    after,
    texts: written.map(({ text }) => text),
    problems: problems.map(
      ({ file, line, message }) => `${file}:${line} ${message}\n${written.find((one) => one.file === file)?.text ?? ''}`,
    ),
  };
}

test(
  `comparing the shipped mappings with ${FILES} reformatted files finds no difference`,
  () => {
    let count = 0;
    for (let round = 1; count < FILES; round += 1)
      fc.assert(
        fc.property(fc.integer(), (seed) => {
          const { before, after, texts, problems } = rewrite(seed);
          count += texts.length;
          expect(problems).toEqual([]);
          const found = compareSources(before, after!);
          expect(found.map(({ words, before: was, after: is }) => ({ words, was, is }))).toEqual([]);
        }),
        { numRuns: 10, seed: round },
      );
    expect(count).toBeGreaterThanOrEqual(FILES);
  },
  FILES * MS_A_FILE_MAX,
);

test('the reformatter rewrites more than half of the lines, and one true change among them is still found', () => {
  const shipped = new Set(files.flatMap(({ text }) => text.split('\n')));
  const { before, texts } = rewrite(1, 1);
  const lines = texts.flatMap((text) => text.split(/\r?\n/)).filter((line) => line.trim() !== '');
  expect(lines.filter((line) => shipped.has(line)).length / lines.length).toBeLessThan(0.5);
  const changed = mergeFiles(texts.map((text, index) => ({ file: `${index}.yaml`, text: text.replace('0803', '0833') })));
  expect(compareSources(before, changed.source!).map(({ words }) => words)).toEqual([
    'network MTN no longer has the prefix 0803',
    'network MTN has the prefix 0833',
  ]);
});
